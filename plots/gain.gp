# gain.gp - how many times as long the library's own call takes as the best plan, against message size.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("gain.gp")]."common.gp"
plot_height = 500
eval set_terminal
eval captions

set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 9; set rmargin 4
set logscale x 2
set xrange [number("first_bytes") / 1.5 : number("last_bytes") * 1.5]
tick_list = ""
set table $unused
plot numbers index "sizes" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1)), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
set xlabel "message size per process"
set ylabel "times as fast as ".fact("over")
set yrange [0:*]
set format y "%gx"
set offsets 0, 0, graph 0.12, 0
set key top right
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb BLACK dashtype 2 linewidth 1.2 back

commands = ""
if (whole("predicted")) { commands = commands. \
    ', numbers index "model" using 1:3:4 with filledcurves linecolor rgb BLUE fillstyle transparent solid 0.15 noborder title "90 % range"'. \
    ', numbers index "model" using 1:2 with linespoints linecolor rgb BLUE linewidth 2.2 pointtype 6 pointsize 0.9 * PS title "predicted"' }
if (whole("measured")) { commands = commands. \
    ', numbers index "runs" using 1:2:3:4 with yerrorlines linecolor rgb VERMILLION dashtype 5 linewidth 1.5 pointtype 7 pointsize 1.2 * PS title "measured, over ".fact("measured_over")' }
names = whole("measured") ? "runs" : "model"
commands = commands.', numbers index names using (strcol(5) eq "-" ? NaN : $1):4:5 with labels font ",10" textcolor rgb "#003f66" offset character 0, 0.8 notitle'
eval "plot ".commands[3:]
