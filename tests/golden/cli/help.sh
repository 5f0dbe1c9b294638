# The overview, three ways, is the same; help of a command too.
hiersearch --help
hiersearch --help >overview
hiersearch | cmp - overview
hiersearch -h | cmp - overview
hiersearch help | cmp - overview
hiersearch help --all | diff overview -
for command in predict systems completion help; do
    hiersearch help "$command" >help
    hiersearch "$command" --help | cmp - help
    hiersearch "$command" -h | cmp - help
done
