# common.gp - what every plot shares: facts, output, palette, title and caption.
#
# A script KIND.gp is called as `gnuplot -d -c KIND.gp NUMBERS OUTPUT svg|pdf|png`, sets numbers,
# output_file, output_type and loads this file. It reads nothing but the numbers (src/plot/plot.h
# says what is in them), whose cells have tabs between: gnuplot 5.4 ends a cell in quotes at its first comma.
set encoding utf8
set datafile separator "\t"
set datafile missing "?"

# Facts, a key and a value, in the first block.
stats numbers index 0 using 0 nooutput name "FACTS"
array fact_key[FACTS_records]
array fact_value[FACTS_records]
set table $unused
plot numbers index 0 using (fact_key[$0 + 1] = strcol(1), fact_value[$0 + 1] = strcol(2), 0) with table
unset table
fact_row(key) = int(sum [i = 1:FACTS_records] (fact_key[i] eq key ? i : 0))
fact(key) = fact_row(key) > 0 ? fact_value[fact_row(key)] : ""
number(key) = fact(key) eq "" ? 0 : real(fact(key))
whole(key) = int(number(key))

# Colors of Okabe and Ito, which color-blind readers tell apart; every series has a dash or a symbol
# of its own besides, for paper without color.
BLACK = "#000000"; BLUE = "#0072B2"; ORANGE = "#E69F00"; GREEN = "#009E73"; VERMILLION = "#D55E00"
SKY = "#56B4E9"; PURPLE = "#CC79A7"; GREY = "#8a8a8a"; LIGHT = "#d9d9d9"
array SERIES_COLOR[6] = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, BLACK]
array SERIES_POINT[6] = [7, 5, 9, 11, 13, 3]
array SERIES_DASH[6] = [1, 2, 4, 5, 3, 1]

# Points of SVG are larger than those of the others.
PS = output_type eq "svg" ? 0.6 : 1

# Calls with width and height in units of a screen pixel; PNG has twice as many.
FONT = "DejaVu Sans,Arial,Helvetica,sans-serif"
PNG_FONT = "DejaVu Sans"
set_terminal = 'if (output_type eq "svg") { \
    set terminal svg noenhanced size plot_width, plot_height font FONT.",13" background "white" \
        name fact("hiersearch.plot/1") dashlength 0.8 \
} else { if (output_type eq "pdf") { \
    set terminal pdfcairo noenhanced size plot_width / 96.0, plot_height / 96.0 \
        font PNG_FONT.",9.75" background "white" dashlength 0.6 linewidth 0.8 \
} else { \
    set terminal pngcairo noenhanced size 2 * plot_width, 2 * plot_height font PNG_FONT.",9.75" \
        fontscale 2 linewidth 2 pointscale 2 background "white" dashlength 0.8 \
} }; set output output_file'

# Title above, caption below, both to the left of the picture, in pixels of plot_height.
caption_lines = whole("caption_lines")
# A long title is smaller, so that it stays within.
title_size = strlen(fact("title")) > 80 ? 1200.0 / strlen(fact("title")) : 15
captions = 'set label 901 fact("title") at screen 0, screen 1 offset character 1.2, -1.2 left \
    font sprintf(",%.1f", title_size < 8 ? 8 : title_size) front; \
    do for [i = 1:int(caption_lines)] { set label 901 + i fact(sprintf("caption%d", i)) \
        at screen 0, screen 0 offset character 1.5, 0.5 + 0.95 * (caption_lines - i) left \
        font ",10" textcolor rgb "#404040" front }'
no_captions = 'do for [i = 901:904] { unset label i }'
# Rows of text that the caption takes below the plot.
caption_rows = 0.9 * caption_lines + 0.6

set border 3 linecolor rgb "#404040"
set tics nomirror out textcolor rgb BLACK
set grid ytics back linetype 1 linecolor rgb "#e4e4e4" linewidth 0.7
set key top left Left reverse samplen 3 spacing 1.2 opaque noenhanced
set key font ",11"
plot_width = 960
plot_height = 600
