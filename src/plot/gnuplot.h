/*
 * gnuplot.h - has gnuplot draw the numbers of a plot.
 *
 * gnuplot gets the text and gives the picture through unlinked temporary files, so nothing is left
 * behind whatever happens. It reads no file of the user's (-d), and is ended after a time limit.
 */
#ifndef HS_PLOT_GNUPLOT_H
#define HS_PLOT_GNUPLOT_H

#include "base/error.h"
#include "base/text.h"

#define HS_GNUPLOT_SECONDS 60 /* time limit */

/* Kinds of pictures that the scripts can make: svg, pdf, png; NULL-terminated. */
extern const char *const hs_gnuplot_types[];

struct hs_gnuplot_request {
    const char *kind; /* of plot: the script is KIND.gp */
    const char *type; /* of hs_gnuplot_types */
    const struct hs_text *csv;
    double limit_seconds;
};

/* Appends the picture. What gnuplot complained about, although it went on, is appended to
 * `complaints`. Scripts are looked for in $HIERSEARCH_PLOTS, else among what was installed with the
 * program (places.h). HS_FAILED, with what to install, where there is no gnuplot, and where it
 * fails or takes too long; HS_INVALID without scripts, HS_IO, HS_MEMORY. */
enum hs_status hs_gnuplot_draw(struct hs_text *picture, struct hs_text *complaints,
                               const struct hs_gnuplot_request *request, struct hs_error *err);

#endif
