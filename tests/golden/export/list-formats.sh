# The list of formats is a table like others; of what is exported --to says the format.
hiersearch export --list --format csv | sed -n 1,3p
hiersearch export --list --json | sed -n 1,4p
hiersearch predict node:4@300GB/s~3us --np 4 -q -o x.json >/dev/null
hiersearch export x.json --to colors --format csv
