# lattice.gp - divisors as nodes, layers as lines, the best split as a bold path.
tsv = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("lattice.gp")]."common.gp"
columns = number("columns"); height = number("height"); nodes = whole("nodes")
plot_height = 330 + (height > 0 ? (height > 12 ? 600 : 50 * height) : 0.16 * 960)
plot_width = columns > 12 ? 1200 : 960
eval set_terminal
eval captions

set tmargin 5.5; set bmargin caption_rows + 3; set lmargin 5; set rmargin 5
set border 0
unset grid
unset ytics
set xtics 1 scale 0
set xlabel "prime factors of the divisor"
set xrange [-0.4 : columns + 0.4]
set autoscale y
if (height == 0 && columns <= 1) { set yrange [-1:1] }
set offsets 0, 0, 0.35, 0.35
set key at screen 0.99, screen 1 - 40.0 / plot_height top right horizontal samplen 3 width 1
left_out = whole("edges_left_out")
set style textbox opaque margins 0.9, 0.7 fillcolor rgb "#ffffff" border linecolor rgb GREY linewidth 1
set style textbox 2 opaque margins 0.9, 0.7 fillcolor rgb "#ffffff" border linecolor rgb BLUE linewidth 2.2
set style textbox 3 opaque margins 0.3, 0.3 fillcolor rgb "#ffffff" noborder
small = nodes > 40 ? ",8" : nodes > 20 ? ",10" : ",12"
in_candidates = whole("edges_in_candidates"); in_none = whole("edges_in_none"); on_path = whole("edges_shown")
labelled = whole("labelled"); unlabelled = whole("unlabelled")
pruned_title = "pruned: layers of no candidate".(left_out > 0 ? ", here those of a prime size" : "")
candidate_title = whole("measured") ? "layers of measured candidates" : "layers of candidates"
path_title = fact("shown").(whole("is_best") ? ", the best" : "")
# gnuplot complains about series without points, so only those with points are drawn.
commands = ""
if (in_none > left_out) { commands = commands.', tsv index "in_none" using 1:2 with lines linecolor rgb "#b0b0b0" dashtype 3 linewidth 0.8 title pruned_title' }
if (in_candidates) { commands = commands.', tsv index "in_candidates" using 1:2 with lines linecolor rgb "#505050" dashtype 1 linewidth 1 title candidate_title' }
if (on_path) { commands = commands.', tsv index "on_path" using 1:2 with lines linecolor rgb BLUE dashtype 1 linewidth 4.5 title path_title' }
if (unlabelled) { commands = commands.', tsv index "nodes" using 1:(strcol(4) eq "-" ? $2 : NaN) with points pointtype 7 pointsize 0.4 * PS linecolor rgb GREY notitle' }
if (on_path) { commands = commands.', tsv index "labels" using 1:2:3 with labels boxed bs 3 font ",10" textcolor rgb "#003f66" notitle' }
if (labelled) { commands = commands.', tsv index "nodes" using ($3 < 2 && strcol(4) ne "-" ? $1 : NaN):2:4 with labels boxed font small textcolor rgb "#303030" notitle' }
if (on_path || !labelled) { commands = commands.', tsv index "nodes" using ($3 == 2 ? $1 : NaN):2:4 with labels boxed bs 2 font small textcolor rgb BLACK notitle' }
eval "plot ".commands[3:]
