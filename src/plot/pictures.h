/*
 * pictures.h - results, or the profile of a job, as the numbers of a plot, as a picture that
 * gnuplot draws of them, and as the page of a report.
 */
#ifndef HS_API_PICTURES_H
#define HS_API_PICTURES_H

#include "answer/inputs.h"
#include "answer/rows.h"

struct hs_picture_settings {
    const char *kind, *size, *plan, *type; /* NULL: not given; type: of hs_gnuplot_types */
    bool csv;
};

/* Rows of it. */
#define HS_ROWS_PICTURE(place)                                                                     \
    {.name = "kind",                                                                               \
     .letter = 'k',                                                                                \
     .argument = "KIND",                                                                           \
     .required = true,                                                                             \
     .words = hs_picture_words,                                                                    \
     .type = &hs_option_word,                                                                      \
     .offset = (place) + offsetof(struct hs_picture_settings, kind),                               \
     .help = "what to show"},                                                                      \
        HS_ROW_RESULT_SIZE((place) + offsetof(struct hs_picture_settings, size),                   \
                           "message size to show (default: the largest that all results have)"),   \
        HS_ROW_RESULT_PLAN(                                                                        \
            (place) + offsetof(struct hs_picture_settings, plan),                                  \
            "layers, bandwidth: show this plan too; system: show it instead of the best"),         \
        {.name = "type",                                                                           \
         .argument = "TYPE",                                                                       \
         .words = hs_picture_types,                                                                \
         .type = &hs_option_word,                                                                  \
         .offset = (place) + offsetof(struct hs_picture_settings, type),                           \
         .help = "kind of picture (default: svg; of the program what the output's name says)"},    \
    {                                                                                              \
        .name = "csv", .type = &hs_option_flag,                                                    \
        .offset = (place) + offsetof(struct hs_picture_settings, csv),                             \
        .help = "the numbers as comma-separated values instead of the picture; needs no gnuplot"   \
    }
/* const char *: of a report. */
#define HS_ROW_REPORT_SIZE(place)                                                                  \
    HS_ROW_RESULT_SIZE(place, "message size that the page is about (default: the largest of the "  \
                              "first result)")

/* Names of kinds, the calling thread's; ends with a NULL. And of pictures. */
const char *const *hs_picture_words(void);
const char *const *hs_picture_types(void);

/* HS_INVALID: no kind, or --csv and --type. */
enum hs_status hs_picture_check(const struct hs_picture_settings *settings, struct hs_error *err);
/* Appends the picture, an SVG where no type is given, or the numbers, of results or of the profile;
 * says what gnuplot complained of. HS_INVALID where they lack what the kind shows, HS_FAILED
 * without gnuplot, HS_IO, HS_MEMORY. */
enum hs_status hs_picture_make(struct hs_text *out, struct hs_text *notes,
                               const struct hs_picture_settings *settings,
                               const struct hs_inputs *inputs, struct hs_error *err);
/* Appends the page; of a message size, or NULL. Without gnuplot it has no pictures, which is said.
 * HS_INVALID, HS_MEMORY. */
enum hs_status hs_report_make(struct hs_text *html, struct hs_text *notes, const char *size,
                              const struct hs_inputs *inputs, struct hs_error *err);

#endif
