# system.gp - levels of the machine as boxes, one inside the other, over processes; layers below; what each
# of them is stands to the right, because the innermost boxes are too small for words.
numbers = ARG1; output_file = ARG2; output_type = ARG3
load ARG0[1:strlen(ARG0) - strlen("system.gp")]."common.gp"
levels = whole("levels"); layers = whole("layers")
graph = fact("graph"); graph_height = 0
if (graph ne "") {
    stats numbers index "vertices" using 2:3 nooutput name "PLACE"
    span = PLACE_max_x - PLACE_min_x + 0.5 > 3.6 ? PLACE_max_x - PLACE_min_x + 0.5 : 3.6
    graph_height = 0.565 * plot_width * (PLACE_max_y - PLACE_min_y + 0.5) / span + 30
}
plot_height = 150 + 15 * caption_lines + 46 * (levels + layers) + graph_height
eval set_terminal
eval captions

if (graph ne "") { set multiplot }
set tmargin 3.5; set bmargin caption_rows + 3.6; set lmargin 3; set rmargin at screen 0.565
if (graph ne "") { set bmargin at screen (graph_height + 16.0 * caption_rows + 60) / plot_height }
set border 1
unset grid
unset ytics
set logscale x 2
set xlabel "processes (logarithmic)"
np = whole("np")
set xrange [0.92 : number("end") * 1.08]
set yrange [-layers - 0.75 : levels + 0.15]
set xtics scale 0.6
set table $unused
tick_list = ""
plot numbers index "ticks" using (tick_list = tick_list.(tick_list eq "" ? "" : ", ").sprintf("\"%s\" %s", strcol(2), strcol(1)), 0) with table
unset table
eval "set xtics nomirror scale 0.6 (".tick_list.")"
set arrow 1 from np, graph 0 to np, first 0 nohead linecolor rgb VERMILLION dashtype 2 linewidth 1.5 back
array SHADE[8] = ["#dcecf7", "#eef3e2", "#f7ead9", "#ece3f0", "#e4e4e4", "#f6f0d0", "#d9efe9", "#f4dfe3"]
unset key
left_of_line = np * np > number("end")
np_label = 'set label 2 sprintf("%d processes", np) at np, first -0.32 textcolor rgb VERMILLION font ",10" '
eval np_label.(left_of_line ? "right offset character -0.6, 0" : "left offset character 0.6, 0")
# A label is two lines: up to its first semicolon, and the rest.
first_part(s) = strstrt(s, "; ") > 0 ? s[1 : strstrt(s, "; ") - 1] : s
two_lines(s) = first_part(s).(strlen(first_part(s)) < strlen(s) ? "\n".s[strlen(first_part(s)) + 3 :] : "")
text_at = number("end") * 1.079
leader = ' with vectors nohead linecolor rgb "#b0b0b0" dashtype 3 linewidth 1 notitle'
words = ' with labels left offset character 0.5, 0.45 font ",10.5" notitle'
# Levels come from the outermost in, so that each lies on the one around it.
commands = 'for [i = 1:levels] numbers index "levels" every ::i - 1::i - 1 using 2:4:2:3:4:5 with boxxyerror fillstyle solid 1 border linecolor rgb "#404040" fillcolor rgb SHADE[1 + levels - i] notitle'. \
    ', numbers index "levels" using 3:($5 - 0.45):(text_at - $3):(0)'.leader. \
    ', numbers index "levels" using (text_at):($5 - 0.45):(two_lines(strcol(8)))'.words
commands = commands.', numbers index "levels" using ($7 > 0 ? $2 : NaN):4:2:3:4:5 with boxxyerror fillstyle empty border linecolor rgb VERMILLION linecolor rgb VERMILLION linewidth 2.5 notitle'
# Without a plan (one process, or no candidate that can be used) there are no layers.
if (layers > 0) { commands = commands. \
    ', for [i = 1:layers] numbers index "layers" every ::i - 1::i - 1 using 2:($4 - 0.28):2:3:($4 - 0.38):($4 - 0.02) with boxxyerror fillstyle solid 1 border linecolor rgb BLACK fillcolor rgb "#0b4f80" notitle'. \
    ', numbers index "layers" using 3:($4 - 0.2):(text_at - $3):(0)'.leader. \
    ', numbers index "layers" using (text_at):($4 - 0.2):(two_lines(strcol(6)))'.words }
eval "plot ".commands

# A level of single links: its children on a circle, what passes on as squares. Links beside each other are as many lines.
if (graph ne "") {
    eval no_captions
    unset arrow; unset label; unset border; unset xtics; unset ytics; unset xlabel; unset logscale
    set lmargin at screen 0; set rmargin at screen 0.565
    set tmargin at screen (graph_height - 22 + 16.0 * caption_rows + 8) / plot_height
    set bmargin at screen (16.0 * caption_rows + 8) / plot_height
    set size ratio -1
    set xrange [-span / 2 + (PLACE_max_x + PLACE_min_x) / 2 : span / 2 + (PLACE_max_x + PLACE_min_x) / 2]
    set yrange [PLACE_min_y - 0.25 : PLACE_max_y + 0.25]
    set key at screen 0.575, screen (graph_height + 16.0 * caption_rows - 30) / plot_height top left Left reverse samplen 3 spacing 1.8 noopaque
    kinds = whole("link_kinds")
    array KIND_LABEL[kinds]
    set table $unused
    plot numbers index "link_kinds" using (KIND_LABEL[int($1)] = strcol(2), 0) with table
    unset table
    set style textbox opaque margins 0.4, 0.3 fillcolor rgb "#ffffff" noborder
    drawn = ''
    do for [k = 1:kinds] {
        lines = sprintf(' linecolor rgb SERIES_COLOR[%d] dashtype SERIES_DASH[%d]', k, k)
        # Widths are those of one link, or of a thick line for many.
        do for [w = 1:2] { drawn = drawn.sprintf(', numbers index "links" using ($5 == %d && ($6 > 2) == %d && $7 == 0 ? $1 : NaN):2:3:4 with vectors nohead linewidth %g', k, w - 1, w == 1 ? 1.4 : 4).lines.' notitle' }
        if (whole("one_way") > 0) { drawn = drawn.sprintf(', numbers index "links" using ($5 == %d && $7 == 1 ? $1 : NaN):2:(0.9 * $3):(0.9 * $4) with vectors head filled size 0.09,20 linewidth 1.4', k).lines.' notitle' }
        drawn = drawn.', NaN with lines linewidth 2'.lines.sprintf(' title KIND_LABEL[%d]', k)
    }
    if (whole("link_labels") > 0) { drawn = drawn.', numbers index "link_labels" using 1:2:3 with labels boxed font ",10" notitle' }
    if (whole("relays") > 0) { drawn = drawn.', numbers index "vertices" using ($4 == 1 ? $2 : NaN):3 with points pointtype 5 pointsize 4.2 * PS linecolor rgb LIGHT title "passes on what comes"' }
    drawn = drawn.', numbers index "vertices" using ($4 == 0 ? $2 : NaN):3 with points pointtype 7 pointsize 5 * PS linecolor rgb "#dcecf7" title "child of ".graph'
    drawn = drawn.', numbers index "vertices" using 2:3:1 with labels font ",11" notitle'
    eval "plot ".drawn[3:]
    unset multiplot
}
