# accuracy.gp - predicted against measured, with the diagonal.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("accuracy.gp")]."common.gp"
plot_width = 900; plot_height = 860
eval set_terminal
eval captions

f = number("time_factor"); groups = whole("groups"); points = whole("points")
low = number("low") * f; high = number("high") * f
array LABEL[6]
set table $unused
plot numbers index "groups" using (LABEL[int($1)] = strcol(2), 0) with table
unset table

set tmargin (whole("intervals") ? 8 : 6.5); set bmargin caption_rows + 3.6; set lmargin 11; set rmargin 4
set size ratio 1
set key at screen 0.99, screen 0.955 top right horizontal samplen 2 width 1 maxrows 2
set xlabel "predicted time (".fact("time_unit").")"
set ylabel "measured time (".fact("time_unit").")"
if (whole("log_time")) { set logscale xy 10; set xrange [low / 1.3 : high * 1.3]; set yrange [low / 1.3 : high * 1.3];  } \
else { set xrange [0 : high * 1.1]; set yrange [0 : high * 1.1] }
set grid xtics ytics
size = points > 1000 ? 0.4 : points > 200 ? 0.7 : 1.2
set samples 200
# Where the machine is calibrated, the prediction has an interval too.
intervals = whole("intervals") ? ', numbers index "interval" using ($1 * f):($4 * f):($2 * f):($3 * f) with xerrorbars linecolor rgb GREY pointtype 7 pointsize 0.05 linewidth 1 title "95 % interval of the prediction"' : ""
commands = 'plot x title "predicted = measured" with lines linecolor rgb BLACK linewidth 1.5, \
    1.1 * x title "10 % off" with lines linecolor rgb GREY dashtype 2 linewidth 1, \
    x / 1.1 notitle with lines linecolor rgb GREY dashtype 2 linewidth 1'.intervals.', \
    for [g = 1:groups] numbers index "points" using ($5 == g ? $1 * f : NaN):($2 * f):($3 * f):($4 * f) \
        with yerrorbars linecolor rgb SERIES_COLOR[g] pointtype SERIES_POINT[g] pointsize size * PS linewidth 1 title LABEL[g], \
    numbers index "points" using ($1 * f):(strcol(7) eq "-" ? NaN : $2 * f):7 with labels font ",9" left offset character 0.8, 0.3 notitle'
eval commands
