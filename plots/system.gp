# system.gp - levels of the machine as boxes, one inside the other, over processes; layers below; what each
# of them is stands to the right, because the innermost boxes are too small for words.
tsv = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("system.gp")]."common.gp"
levels = whole("levels"); layers = whole("layers")
plot_height = 150 + 15 * caption_lines + 46 * (levels + layers)
eval set_terminal
eval captions

set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 3; set rmargin at screen 0.565
set border 1
unset grid
unset ytics
set logscale x 2
set xlabel "processes (logarithmic)"
np = whole("np")
set xrange [0.92 : number("end") * 1.08]
set yrange [-layers - 0.75 : levels + 0.15]
set xtics scale 0.6
set table $unused
tick_list = ""
plot tsv index "ticks" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1)), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
set arrow 1 from np, graph 0 to np, first 0 nohead linecolor rgb VERMILLION dashtype 2 linewidth 1.5 back
array SHADE[8] = ["#dcecf7", "#eef3e2", "#f7ead9", "#ece3f0", "#e4e4e4", "#f6f0d0", "#d9efe9", "#f4dfe3"]
unset key
left_of_line = np * np > number("end")
np_label = 'set label 2 sprintf("%d processes", np) at np, first -0.32 textcolor rgb VERMILLION font ",10" '
eval np_label.(left_of_line ? "right offset character -0.6, 0" : "left offset character 0.6, 0")
# A label is two lines: up to its first semicolon, and the rest.
first_part(s) = strstrt(s, "; ") > 0 ? s[1 : strstrt(s, "; ") - 1] : s
two_lines(s) = first_part(s).(strlen(first_part(s)) < strlen(s) ? "\n".s[strlen(first_part(s)) + 3 :] : "")
text_at = number("end") * 1.079
leader = ' with vectors nohead linecolor rgb "#b0b0b0" dashtype 3 linewidth 1 notitle'
words = ' with labels left offset character 0.5, 0.45 font ",10.5" notitle'
# Levels come from the outermost in, so that each lies on the one around it.
commands = 'for [i = 1:levels] tsv index "levels" every ::i - 1::i - 1 using 2:4:2:3:4:5 with boxxyerror fillstyle solid 1 border linecolor rgb "#404040" fillcolor rgb SHADE[1 + levels - i] notitle'. \
    ', tsv index "levels" using 3:($5 - 0.45):(text_at - $3):(0)'.leader. \
    ', tsv index "levels" using (text_at):($5 - 0.45):(two_lines(strcol(8)))'.words
commands = commands.', tsv index "levels" using ($7 > 0 ? $2 : NaN):4:2:3:4:5 with boxxyerror fillstyle empty border linecolor rgb VERMILLION linecolor rgb VERMILLION linewidth 2.5 notitle'
# Without a plan (one process, or no candidate that can be used) there are no layers.
if (layers > 0) { commands = commands. \
    ', for [i = 1:layers] tsv index "layers" every ::i - 1::i - 1 using 2:($4 - 0.28):2:3:($4 - 0.38):($4 - 0.02) with boxxyerror fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb "#0b4f80" notitle'. \
    ', tsv index "layers" using 3:($4 - 0.2):(text_at - $3):(0)'.leader. \
    ', tsv index "layers" using (text_at):($4 - 0.2):(two_lines(strcol(6)))'.words }
eval "plot ".commands
