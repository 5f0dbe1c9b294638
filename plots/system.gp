# system.gp - levels of the machine as boxes, one inside the other, over processes; layers below.
tsv = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("system.gp")]."common.gp"
levels = whole("levels"); layers = whole("layers")
plot_height = 150 + 15 * caption_lines + 44 * levels + 46 * layers
eval set_terminal
eval captions

set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 3; set rmargin 3
set border 1
unset grid
unset ytics
set logscale x 2
set xlabel "processes (logarithmic): how many a level joins, and from which stride to which a layer reaches"
np = whole("np")
set xrange [0.92 : number("end") * 1.08]
set yrange [-layers - 0.6 : levels + 0.15]
set xtics scale 0.6
set table $unused
tick_list = ""
plot tsv index "ticks" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1)), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
set arrow 1 from np, graph 0 to np, first 0 nohead linecolor rgb VERMILLION dashtype 2 linewidth 1.5 back
array SHADE[8] = ["#dcecf7", "#eef3e2", "#f7ead9", "#ece3f0", "#e4e4e4", "#f6f0d0", "#d9efe9", "#f4dfe3"]
unset key
near_end = np * 4 > number("end")
if (near_end) { set label 2 sprintf("%d processes", np) at np, first -0.28 right offset character -0.6, 0 textcolor rgb VERMILLION font ",10" } \
else { set label 2 sprintf("%d processes", np) at np, first -0.28 left offset character 0.6, 0 textcolor rgb VERMILLION font ",10" }
# Levels come from the outermost in, so that each lies on the one around it.
commands = 'for [i = 1:levels] tsv index "levels" every ::i - 1::i - 1 using 2:4:2:3:4:5 with boxxyerror fillstyle solid 1 border linecolor rgb "#404040" fillcolor rgb SHADE[1 + levels - i] notitle'. \
    ', tsv index "levels" using 2:($5 - 0.45):7 with labels left offset character 0.8, 0 font ",11" notitle'
# Without a plan (one process, or no candidate that can be used) there are no layers.
if (layers > 0) { commands = commands. \
    ', for [i = 1:layers] tsv index "layers" every ::i - 1::i - 1 using 2:($4 - 0.28):2:3:($4 - 0.42):($4 - 0.12) with boxxyerror fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb "#0b4f80" notitle'. \
    ', tsv index "layers" using (1):($4 + 0.18):6 with labels left offset character 0.8, 0 font ",11" notitle' }
eval "plot ".commands
