# check.gp - bus bandwidth of a log by message size: measured, expected, what the lines allow, causes.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("check.gp")]."common.gp"
plot_height = 500
eval set_terminal
eval captions

set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 11; set rmargin 4
set logscale x 2
set xrange [number("first_bytes") / 1.5 : number("last_bytes") * 1.5]
# A single size has no band and no line.
single = fact("first_bytes") eq fact("last_bytes")
tick_list = ""
set table $unused
plot numbers index "sizes" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1)), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
set xlabel "message size"
set ylabel "bus bandwidth (GB/s)"
set format y "%g"
set yrange [0:*]
set key top left Left reverse
set offsets 0, 0, graph 0.08, 0

commands = ""
if (fact("expected") ne "-") { commands = commands. \
    ', numbers index "rows" using 1:4:5 with filledcurves linecolor rgb BLUE fillstyle transparent solid 0.15 noborder title fact("range")'. \
    ', numbers index "rows" using 1:3 with lines linecolor rgb BLUE linewidth 2.2 title fact("expected")'. \
    (single ? ', numbers index "rows" using 1:3:4:5 with yerrorbars linecolor rgb BLUE linewidth 2.2 pointtype 6 notitle' : "") }
if (whole("bound")) { commands = commands.', numbers index "rows" using 1:6 with linespoints pointtype 1 pointsize (single ? 1.5 : 0) linecolor rgb GREY dashtype 3 linewidth 1.5 title "by line rates"' }
do for [i = 1:2] {
    if (fact(sprintf("curve%d", i)) ne "-") { commands = commands.sprintf(', numbers index "rows" using 1:%d with linespoints pointtype %d pointsize (single ? 1.5 : 0) linecolor rgb SERIES_COLOR[%d] dashtype %d linewidth 1.6 title fact("curve%d")." (".fact("status%d").")"', 6 + i, i * 2 + 6, i + 2, i * 2 + 2, i, i) }
}
commands = commands.', numbers index "rows" using 1:2 with points linecolor rgb VERMILLION pointtype 7 pointsize 1.4 * PS title "measured"'
eval "plot ".commands[3:]
