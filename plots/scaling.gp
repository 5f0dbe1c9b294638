# scaling.gp - time against processes.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("scaling.gp")]."common.gp"
eval set_terminal
eval captions

f = number("time_factor")
predicted = whole("predicted"); measured = whole("measured"); library = whole("library")
measured_flat = whole("measured_flat")
first = number("first_np"); last = number("last_np")
set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 11; set rmargin 4
set xlabel "processes"
set ylabel "time of one call (".fact("time_unit").")"
set logscale x 2
set xrange [first / 1.4 : last * 1.9]
set table $unused
tick_list = ""
plot numbers index "ticks" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("%d", $1), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
if (whole("log_time")) { set logscale y 10 } else { set yrange [0:*]; set offsets 0, 0, graph 0.15, 0 }
set key top left

# gnuplot complains about series without points, so only those with points are drawn.
commands = ""
if (predicted) { commands = commands. \
    ', numbers index "predicted" using 1:($2 * f) with linespoints linecolor rgb VERMILLION dashtype 2 linewidth 2 pointtype 4 pointsize 0.9 * PS title "flat, predicted"'. \
    ', numbers index "predicted" using 1:($3 * f) with linespoints linecolor rgb BLUE dashtype 1 linewidth 2.2 pointtype 6 pointsize 0.9 * PS title "best split, predicted"' }
if (whole("intervals")) { commands = commands. \
    ', numbers index "interval" using 1:($2 * f):($3 * f):($4 * f) with yerrorbars linecolor rgb VERMILLION pointtype 7 pointsize 0.05 linewidth 1 notitle'. \
    ', numbers index "interval" using 1:($5 * f):($6 * f):($7 * f) with yerrorbars linecolor rgb BLUE pointtype 7 pointsize 0.05 linewidth 1 title "95 % intervals of predictions"' }
if (library) { commands = commands. \
    ', numbers index "measured" using 1:($8 * f):($9 * f):($10 * f) with yerrorlines linecolor rgb GREY dashtype 4 linewidth 1.5 pointtype 9 pointsize 1.2 * PS title "library, measured"' }
if (measured_flat) { commands = commands. \
    ', numbers index "measured" using 1:($2 * f):($3 * f):($4 * f) with yerrorlines linecolor rgb VERMILLION dashtype 3 linewidth 1.5 pointtype 5 pointsize 1.2 * PS title "flat, measured, 95 % interval"' }
if (measured) { commands = commands. \
    ', numbers index "measured" using 1:($5 * f):($6 * f):($7 * f) with yerrorlines linecolor rgb BLUE dashtype 5 linewidth 1.5 pointtype 7 pointsize 1.2 * PS title "best split, measured, 95 % interval"' }
# The best plans, below their points: the measured ones where there are any.
commands = commands.', numbers index "'.(measured ? "measured" : "predicted").'" using 1:('. \
    (measured ? '$5 * f):11' : '$3 * f):4').' with labels font ",9" textcolor rgb "#003f66" rotate by -30 left offset character 0.4, -0.8 notitle'
eval "plot ".commands[3:]
