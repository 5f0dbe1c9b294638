# calls.gp - bars from left to right: what a job spends in each kind of calls, work and waiting.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("calls.gp")]."common.gp"
rows = whole("rows")
plot_height = 150 + 15 * caption_lines + 30 * rows
eval set_terminal
eval captions

f = number("time_factor")
label_room = 20
room(label) = 3 + strlen(label) * (output_type eq "svg" ? 0.95 : 1.2)
set table $unused
plot numbers index "bars" using (label_room = room(strcol(6)) > label_room ? room(strcol(6)) : label_room, 0) with table
unset table
set tmargin 5; set bmargin caption_rows + 3.6; set lmargin label_room; set rmargin 22
set xlabel (whole("timed") ? "time per rank (".fact("time_unit").")" : "bytes per rank (MiB)")
set xrange [0 : number("longest") * f]
set yrange [-rows + 0.4 : 0.6]
set ytics scale 0 font ",12"
unset grid
set grid xtics back linetype 1 linecolor rgb "#e4e4e4"
set border 1
set key at screen 0.985, screen 1 - 40.0 / plot_height top right horizontal samplen 2 width 1

# Waiting is hatched, so that it differs from work on paper too.
remark(calls, share) = calls.(calls eq "1" ? " call" : " calls").(whole("timed") ? sprintf(", %.1f %%", 100 * share) : "")
commands = 'plot numbers index "bars" using (0):1:(0):($2 * f):($1 - 0.32):($1 + 0.32) with boxxyerror \
        fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb "#6db3e2" notitle, \
    numbers index "bars" using ($2 * f):1:($2 * f):(($2 + $3) * f):($1 - 0.32):($1 + 0.32) with boxxyerror \
        fillstyle pattern 4 border linecolor rgb BLACK fillcolor rgb "#7a4a00" notitle, \
    numbers index "bars" using (($2 + $3) * f):1:(remark(strcol(4), whole("timed") ? column(5) : 0)) with labels left offset character 0.8, 0 \
        font ",10" notitle, \
    numbers index "bars" using (0):1:yticlabel(6) with points pointtype 0 notitle'
if (whole("timed")) { commands = commands.', keyentry with boxes fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb "#6db3e2" title "at work"' }
if (whole("waiting")) { commands = commands.', keyentry with boxes fillstyle pattern 4 border linecolor rgb BLACK fillcolor rgb "#7a4a00" title "waiting (hatched)"' }
eval commands
