# layers.gp - stacked bars from left to right: the layers and phases of each split as they run.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("layers.gp")]."common.gp"
rows = whole("rows"); measured = whole("measured"); predicted = whole("predicted")
plot_height = 190 + 15 * caption_lines + (measured && predicted ? 62 : 46) * rows
eval set_terminal
eval captions

f = number("time_factor")
# Long plans need more room than most; only in SVG are 12 points less than the 13 that columns are counted in.
label_room = 20
room(label) = 3 + strlen(label) * (output_type eq "svg" ? 1.05 : 1.35)
set table $unused
plot numbers index "ticks" using (label_room = room(strcol(2)) > label_room ? room(strcol(2)) : label_room, 0) with table
unset table
set tmargin 5; set bmargin caption_rows + 3.6; set lmargin label_room; set rmargin (measured && predicted ? 22 : 16)
set xlabel "time (".fact("time_unit").")"
set xrange [0 : number("longest") * f]
set yrange [-rows + 0.4 : 0.6]
set ytics scale 0 font ",12"
unset grid
set grid xtics back linetype 1 linecolor rgb "#e4e4e4"
set border 1
set key at screen 0.985, screen 0.94 top right horizontal samplen 2 width 1

# The marks of whole plans lie near the lower edge of their bars, so that labels stay readable.
marker_drop = measured && predicted ? 0.13 : 0.25
array PHASE_COLOR[5] = ["#b9dcf2", "#0b4f80", "#f3c26b", "#a8d8c0", "#d9d9d9"]
array PHASE_NAME[5] = ["reduce-scatter", "allreduce", "allgather (hatched)", "all-to-all", "the library's default"]
drawn(i) = strstrt(fact("drawn"), sprintf("%d", i)) > 0
# Allgathers are hatched, so that they differ from reduce-scatters on paper too.
boxes(i) = sprintf(', numbers index "segments" using ($5 == %d ? $3 * f : NaN):1:($3 * f):($4 * f):1:2 with boxxyerror ', i)
commands = ""
do for [i = 1:5] { if (drawn(i)) { commands = commands.boxes(i). \
    sprintf('fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb PHASE_COLOR[%d] notitle', i) } }
if (drawn(3)) { commands = commands.boxes(3).'fillstyle transparent pattern 4 border linecolor rgb BLACK fillcolor rgb "#7a4a00" linewidth 0.5 notitle' }
commands = commands.', \
    numbers index "segments" using ($5 != 2 && strcol(8) ne "-" ? ($3 + $4) / 2 * f : NaN):(($1 + $2) / 2):8 \
        with labels font ",10" textcolor rgb BLACK notitle, \
    numbers index "segments" using ($5 == 2 && strcol(8) ne "-" ? ($3 + $4) / 2 * f : NaN):(($1 + $2) / 2):8 \
        with labels font ",10" textcolor rgb "#ffffff" notitle, \
    numbers index "totals" using ($5 * f):1:7 with labels left offset character 0.8, 0 font ",10" notitle, \
    numbers index "ticks" using (0):1:yticlabel(2) with points pointtype 0 notitle'
do for [i = 1:5] { if (drawn(i)) { commands = commands. \
    sprintf(', keyentry with boxes fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb PHASE_COLOR[%d] title PHASE_NAME[%d]', i, i) } }
if (whole("wholes")) { commands = commands.', numbers index "totals" using ($2 * f):($1 - marker_drop):($3 * f):($4 * f) with xerrorbars linecolor rgb BLACK \
        pointtype 13 pointsize 1 * PS linewidth 1.5 notitle, \
    keyentry with points pointtype 13 pointsize 1 * PS linecolor rgb BLACK title "the whole plan"' }
eval "plot ".commands[3:]
