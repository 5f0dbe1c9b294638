/*
 * placed.h - where the axes of a job's mesh are to lie on a machine: the order of axes by which the
 * messages of a step take least.
 */
#ifndef HS_API_PLACED_H
#define HS_API_PLACED_H

#include "answer/question.h"
#include "search/axes.h"

struct hs_placed_words {
    bool asked;
    const char *messages; /* job.h, or a file of them */
};

/* Rows of it. */
#define HS_ROWS_PLACED(place)                                                                      \
    HS_ROW_FLAG(                                                                                   \
        "place", 0, "Placement", (place) + offsetof(struct hs_placed_words, asked),                \
        "where the axes of --mesh are to lie on the machine: the order of axes, or of parts "      \
        "of them, by which the --messages of a step take least"),                                  \
    {                                                                                              \
        .name = "messages", .argument = "LIST", .group = "Placement", .type = &hs_option_text,     \
        .offset = (place) + offsetof(struct hs_placed_words, messages),                            \
        .help =                                                                                    \
            "what a step communicates, AXES:COLLECTIVE[:ORDER]:SIZE[*CALLS] with commas between, " \
            "such as tp:allreduce:64MiB*160,dp:reduce-scatter:1GiB, or a file of such lines"       \
    }

struct hs_placed {
    const struct hs_asked *asked; /* borrowed */
    struct hs_job job;
    struct hs_axes_result result; /* owned */
    double given_seconds;         /* of the order in which the job has its axes */
};

/* All placements of the mesh of what is asked, weighed. HS_INVALID: the messages, or as
 * hs_axes_search; HS_IO, HS_MEMORY; release in any case. */
enum hs_status hs_placed_make(struct hs_placed *placed, const struct hs_asked *asked,
                              const char *messages, struct hs_error *err);
void hs_placed_release(struct hs_placed *placed);

#endif
