/*
 * placements.h - the answer of `place` (answer/place.h) as it is printed, and the rows of what is
 * asked.
 */
#ifndef HS_SHOW_PLACEMENTS_H
#define HS_SHOW_PLACEMENTS_H

#include "answer/place.h"
#include "show/jobs.h"
#include "show/place_forms.h"

/* All that `place` is asked. */
struct hs_place_question {
    struct hs_place_settings settings;
    const char *hosts; /* place_forms.h */
    bool details;
    struct hs_print print; /* its format may be one of place_forms.h */
};

/* Formats of what is printed, and forms of a placement; end with a NULL. */
const char *const *hs_place_format_words(void);

/* Rows of struct hs_place_question. */
#define HS_ROWS_PLACE(at)                                                                          \
    {.name = "mesh",                                                                               \
     .argument = "AXES",                                                                           \
     .group = "Problem",                                                                           \
     .type = &hs_option_text,                                                                      \
     .usual = true,                                                                                \
     .offset = (at) + offsetof(struct hs_place_question, settings.ask.words.mesh),                 \
     .help = "the axes as the job numbers its ranks, innermost first: tp=8,pp=4,dp=16"},           \
        {.name = "messages",                                                                       \
         .argument = "LIST",                                                                       \
         .group = "Problem",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_place_question, settings.messages),                   \
         .help =                                                                                   \
             "what a step communicates, AXES:COLLECTIVE[:LAYOUT]:SIZE[*CALLS], or a file of it: "  \
             "tp:allreduce:64MiB*160,pp:sendrecv:8MiB*64"},                                        \
        {.name = "model",                                                                          \
         .argument = "SIZES",                                                                      \
         .group = "Problem",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_place_question, settings.model),                      \
         .help = "instead of --messages a transformer: its sizes in words (layers=80) or by "      \
                 "Megatron's names (num-layers=80), its command line, or a config.json with the "  \
                 "rest besides: "                                                                  \
                 "config.json,seq-length=4096,micro-batch-size=1,global-batch-size=512"},          \
        HS_ROW_DATATYPE("Problem",                                                                 \
                        (at) + offsetof(struct hs_place_question, settings.ask.datatype),          \
                        hs_datatype_words),                                                        \
        HS_ROW_SECONDS("compute", NULL, "Problem",                                                 \
                       (at) + offsetof(struct hs_place_question, settings.compute_seconds),        \
                       "computing time per step: bounds the time of a step"),                      \
        HS_ROW_FLAG("overlap", 0, "Problem",                                                       \
                    (at) + offsetof(struct hs_place_question, settings.overlap),                   \
                    "messages along different axes overlap: bounds by the links they share"),      \
        HS_ROW_GPUS("Problem", (at) + offsetof(struct hs_place_question, settings.ask.gpus),       \
                    "default: the first"),                                                         \
        HS_ROW_ALGORITHMS("Search",                                                                \
                          (at) + offsetof(struct hs_place_question, settings.ask.algorithms),      \
                          "what layers may go by besides the ring, or all (default: what the "     \
                          "machine's library has)"),                                               \
        HS_ROW_COUNT("samples", "samples", 0, HS_MACHINES_MAX, HS_MACHINES_ASKED, "Search",        \
                     (at) + offsetof(struct hs_place_question, settings.ask.machines),             \
                     "samples of what the description leaves uncertain, over which times are "     \
                     "expected; 0: nominal times"),                                                \
        HS_ROW_COUNT("top", "orders", 1, 50000, "24", "Output",                                    \
                     (at) + offsetof(struct hs_place_question, settings.ask.top),                  \
                     "orders in the answer"),                                                      \
        HS_ROW_FLAG("details", 0, "Output", (at) + offsetof(struct hs_place_question, details),    \
                    "all that is known: every order, what each message takes, assumptions"),       \
        {.name = "hosts",                                                                          \
         .argument = "NAMES",                                                                      \
         .group = "Output",                                                                        \
         .type = &hs_option_text,                                                                  \
         .offset = (at) + offsetof(struct hs_place_question, hosts),                               \
         .help = "the nodes for --format hostfile, rankfile and srun: names with commas between, " \
                 "or a file (the text has a '/') with a line of each"},                            \
        {.name = "format",                                                                         \
         .argument = "FORMAT",                                                                     \
         .group = "Output",                                                                        \
         .words = hs_place_format_words,                                                           \
         .type = &hs_option_word,                                                                  \
         .offset = (at) + offsetof(struct hs_place_question, print.format),                        \
         .help = "the answer as text, Markdown or tables, or the placement as another program "    \
                 "takes it"},                                                                      \
        HS_ROWS_LOOK("Output", (at) + offsetof(struct hs_place_question, print))

/* Prints the answer in the format that is asked for; what to do with a form is a note (`notes` may
 * be NULL). HS_INVALID: as hs_place_form_print; HS_MEMORY. */
enum hs_status hs_place_show(struct hs_text *out, struct hs_text *notes,
                             const struct hs_place_answer *placement,
                             const struct hs_place_question *question,
                             const struct hs_terminal *terminal, struct hs_error *err);

#endif
