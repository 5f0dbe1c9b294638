# top.gp - bars of the best five per process count.
tsv = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("top.gp")]."common.gp"
groups = whole("groups")
plot_width = groups > 6 ? 960 + 75 * (groups - 6) : 960
eval set_terminal
eval captions

f = number("time_factor")
set tmargin 6; set bmargin caption_rows + 3.6; set lmargin 11; set rmargin 3
set xlabel "processes; of each, from left to right, the best five splits and the flat one"
set ylabel "time of one AllReduce (".fact("time_unit").")"
set xrange [-1.2 : groups * 7 - 0.8]
set yrange [0 : number("longest") * f * 1.12]
set xtics scale 0
set key at screen 0.99, screen 1 - 38.0 / plot_height top right horizontal samplen 2 width 1
set boxwidth 0.92
measured = whole("measured"); ranks = whole("ranks"); flats = whole("flats")
measured_title = "measured".(whole("predicted") > 0 ? " (bars without the mark: predicted)" : ", 95 % interval")
text_at = number("longest") * f * 0.012

# gnuplot complains about series without points, so only those with points are drawn.
box = ' with boxes fillstyle solid 1 border linecolor rgb "#404040" fillcolor rgb '
commands = ""
if (whole("bests")) { commands = commands.', tsv index "bars" using ($5 == 1 ? $1 : NaN):($2 * f)'.box.'"#6db3e2" title "best"' }
if (ranks > 1) { commands = commands.', tsv index "bars" using ($5 > 1 ? $1 : NaN):($2 * f)'.box.'"#cfe6f5" title "second to fifth"' }
if (flats) { commands = commands.', tsv index "bars" using ($5 == 0 ? $1 : NaN):($2 * f)'.box.'"#ffffff" title "flat"' }
if (whole("intervals")) { commands = commands.', tsv index "bars" using ($6 == 0 && $4 > $3 ? $1 : NaN):($2 * f):($3 * f):($4 * f) with yerrorbars linecolor rgb GREY pointtype 7 pointsize 0.05 linewidth 1.5 title "predicted 95 % interval"' }
if (measured) { commands = commands.', tsv index "bars" using ($6 == 1 ? $1 : NaN):($2 * f):($3 * f):($4 * f) with yerrorbars linecolor rgb BLACK pointtype 7 pointsize 0.5 * PS linewidth 1.5 title measured_title' }
eval "plot ".commands[3:].', tsv index "bars" using 1:(text_at):7 with labels rotate by 90 left font ",10" notitle, tsv index "ticks" using 1:(0):xticlabel(2) with points pointtype 0 notitle'
