# bandwidth.gp - bus bandwidth of plans above, bandwidth of single layers below.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("bandwidth.gp")]."common.gp"
plans = whole("plans"); layers = whole("layers"); predicted = whole("predicted"); library = whole("library")
measured = whole("measured"); layers_measured = whole("layers_measured")
calibrated = fact("calibrated"); has_curve(i) = calibrated[i:i] eq "1"
plot_height = layers > 0 ? 900 : 560
eval set_terminal

array PLAN[6]; array PLAN_POINTS[6]
array LAYER[6]; array LAYER_POINTS[6]; array LAYER_FITTED[6]
plan_ticks = ""; layer_ticks = ""
tick(list) = list.(list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1))
set table $unused
plot numbers index "named_plans" using (PLAN_POINTS[int($1)] = int($2), PLAN[int($1)] = strcol(3), 0) with table
plot numbers index "sizes" using (plan_ticks = tick(plan_ticks), 0) with table
plot numbers index "entering" using (layer_ticks = tick(layer_ticks), 0) with table
if (layers > 0) { plot numbers index "named_layers" using (LAYER_POINTS[int($1)] = int($2), LAYER_FITTED[int($1)] = int($3), LAYER[int($1)] = strcol(4), 0) with table }
unset table

set logscale x 2
set lmargin 11; set rmargin at screen 0.64
set key at screen 0.65, screen 0.9 left top Left reverse
top_edge = 1 - 52.0 / plot_height
# A row of text is higher in SVG.
caption_edge = ((output_type eq "svg" ? 20.0 : 15.0) * caption_lines + 8) / plot_height
middle = (top_edge + caption_edge) / 2

# A series that has no points makes gnuplot complain, so only those with points are drawn.
predicted_title = measured ? ", predicted" : ""
rate = number("rate_factor")
commands = ""
do for [i = 1:plans] {
    look = sprintf('linecolor rgb SERIES_COLOR[%d] pointtype SERIES_POINT[%d] ', i, i)
    if (predicted) { commands = commands.sprintf(', numbers index "plan%d" using 1:($2 * rate) with linespoints ', i).look. \
        sprintf('dashtype SERIES_DASH[%d] linewidth 1.8 pointsize %g * PS title PLAN[%d].predicted_title', i, PLAN_POINTS[i] ? 0 : 0.9, i) }
    if (PLAN_POINTS[i]) { commands = commands.sprintf(', numbers index "plan%d" using 1:($3 * rate):($4 * rate):($5 * rate) with ', i). \
        (predicted ? "yerrorbars " : "yerrorlines ").look.sprintf('pointsize 1.2 * PS linewidth 1.2 title PLAN[%d].", measured"', i) }
}
if (library) { commands = commands.', numbers index "library" using 1:($3 * rate):($4 * rate):($5 * rate) with yerrorlines linecolor rgb GREY dashtype 4 pointtype 8 pointsize 1.2 * PS title fact("library_name").", measured"' }

set multiplot
eval captions
set tmargin at screen top_edge
set bmargin at screen (layers > 0 ? middle + 40.0 / plot_height : caption_edge + 55.0 / plot_height)
set key at screen 0.65, screen top_edge
eval "set xtics nomirror scale 0.6 (".plan_ticks.")"
set xlabel "message size per process"
set ylabel "bus bandwidth of the plan (".fact("rate_unit").")"
# Rates of small messages are visible on a logarithmic axis alone.
if (whole("size_count") > 1) { set logscale y 10; set yrange [*:*]; set offsets graph 0.03, graph 0.03, 0, 0 } \
else { set yrange [0:*]; set offsets graph 0.03, graph 0.03, graph 0.05, 0 }
set format y "%g"
# A single size is no range.
if (whole("size_count") == 1) { set xrange [number("bytes") / 4 : number("bytes") * 4] }
if (commands ne "") { eval "plot ".commands[3:] }
eval no_captions

rate = number("layer_rate_factor")
commands = ""
# What the calibration measured: the band is its 95 % interval.
do for [i = 1:layers] {
    if (has_curve(i)) { commands = commands.sprintf(', numbers index "calibrated%d" using 1:($3 * rate):($4 * rate) with filledcurves ', i). \
        sprintf('linecolor rgb SERIES_COLOR[%d] fillstyle transparent solid 0.15 noborder notitle', i). \
        sprintf(', numbers index "calibrated%d" using 1:($2 * rate) with lines linecolor rgb SERIES_COLOR[%d] linewidth 0.7 notitle', i, i) }
}
do for [i = 1:layers] {
    look = sprintf('linecolor rgb SERIES_COLOR[%d] pointtype SERIES_POINT[%d] ', i, i)
    if (predicted) { commands = commands.sprintf(', numbers index "layer%d" using 1:($2 * rate) with linespoints ', i).look. \
        sprintf('dashtype SERIES_DASH[%d] linewidth 1.8 pointsize %g * PS ', i, LAYER_POINTS[i] ? 0 : 0.9). \
        (LAYER_POINTS[i] ? "notitle" : sprintf("title LAYER[%d]", i)) }
    if (LAYER_POINTS[i]) { commands = commands.sprintf(', numbers index "layer%d" using 1:($3 * rate) with points ', i).look. \
        sprintf('pointsize 1.2 * PS title LAYER[%d]', i) }
    if (LAYER_FITTED[i]) { commands = commands.sprintf(', numbers index "layer%d" using 1:($4 * rate) with lines ', i). \
        sprintf('linecolor rgb SERIES_COLOR[%d] dashtype 3 linewidth 1.4 notitle', i) }
}
if (layers_measured) {
    commands = commands.', keyentry with points linecolor rgb BLACK pointtype 6 title "points: measured"'. \
        ', keyentry with lines linecolor rgb BLACK dashtype 3 title "dotted: straight-line fit to them"'. \
        (predicted ? ', keyentry with lines linecolor rgb BLACK title "lines: predicted"' : "")
}
if (calibrated ne "") { commands = commands.', keyentry with boxes fillstyle solid 0.3 noborder linecolor rgb GREY title "bands: as calibrated, 95 % interval"' }
if (layers > 0 && commands ne "") {
    set tmargin at screen middle - 20.0 / plot_height
    set bmargin at screen caption_edge + 55.0 / plot_height
    set key at screen 0.65, screen middle - 20.0 / plot_height
    set key title "size of the layer, its stride and level" left font ",9.5" font ",9" samplen 2.5
    eval "set xtics nomirror scale 0.6 (".layer_ticks.")"
    set xlabel "bytes that enter the layer, per process"
    set ylabel "bandwidth within a layer (".fact("layer_rate_unit").")"
    if (whole("size_count") == 1) { set xrange [number("bytes") / number("stride") / 4 : number("bytes") * 4] }
    set logscale y 10
    set offsets graph 0.03, graph 0.03, 0, 0 # above a logarithmic axis gnuplot would add two decades
    set yrange [*:*]
    if (whole("size_count") == 1) { set yrange [* : 2 * number("layer_highest") * rate] }
    set format y "%g"
    eval "plot ".commands[3:]
}
unset multiplot
