/*
 * place.h - which axis of a job's mesh lies inside a node: all orders of the axes, and the best way
 * of splitting them, by one criterion, the communication time per step that is expected over the
 * samples, every message as `predict` would run it. The answer is complete before anything of it is
 * printed; docs/job.md has its document.
 *
 * Orders and splits are searched by nominal times (search/axes.h); what is found is then priced
 * over the samples. A split axis is an answer where it is expected to be HS_ADVICE_GAIN times as
 * fast as the best order: fewer parts are easier to apply.
 */
#ifndef HS_ANSWER_PLACE_H
#define HS_ANSWER_PLACE_H

#include "answer/jobs.h"
#include "search/axes.h"

/* What is asked. */
struct hs_place_settings {
    struct hs_question ask;
    const char *messages;   /* job.h, or a file of them; NULL: not given */
    const char *model;      /* transformer.h; NULL likewise */
    double compute_seconds; /* of a step; 0: not given */
    bool overlap;           /* messages along different axes travel at the same time */
};

/* What the messages along the same axes take. */
struct hs_place_part {
    char *axes;     /* owned; "tp", "tp,dp" */
    double seconds; /* of a step, expected */
};

/* An order of the axes, and maybe of parts of them. */
struct hs_place_order {
    char *order;  /* owned; "tp=8,dp=64", innermost first */
    int64_t rank; /* from 1, ties left out */
    bool given;   /* it is the job's own */
    bool split;   /* an axis comes in parts */
    struct hs_job_sum sum;
    double ratio;                /* its time over the given order's */
    struct hs_place_part *parts; /* [part_count] owned */
    size_t part_count;
    struct hs_axes_layout layout;
};

/* A message in the first order. */
struct hs_place_message {
    char *axes;         /* owned */
    const char *call;   /* a literal */
    const char *layout; /* of blocks, a literal; NULL: it has none */
    double bytes;       /* per rank */
    int64_t calls, ranks;
    struct hs_plan plan;
    double seconds, library_seconds, step_seconds; /* library: NaN without a price */
};

struct hs_place_answer {
    char *machine, *nodes; /* owned; as typed, and " on 64 full nodes" or "" */
    int64_t np, node_ranks;
    char *mesh; /* owned */
    struct hs_job_verdict verdict;
    char *evidence;                /* owned */
    int64_t samples;               /* 0: times are nominal */
    uint64_t evaluated;            /* placements, split ones among them; saturating */
    struct hs_place_order *orders; /* [count] owned: the verdict's first, then by time */
    size_t count;
    struct hs_job_lines ties; /* orders that are faster than the given one by less than 3 % */
    struct hs_place_message *messages; /* [message_count] owned */
    size_t message_count;
    double least_seconds, most_seconds; /* of a step, with --overlap or --compute; else NaN */
    struct hs_job_lines assumptions, next;
    struct hs_job job;
};

/* What is asked goes together; what it leaves open is as usual. HS_INVALID, HS_IO. */
enum hs_status hs_place_take(struct hs_place_settings *settings, struct hs_error *err);
/* HS_INVALID: the messages or the model, or as hs_axes_search; HS_IO, HS_MEMORY; release in any
 * case. */
enum hs_status hs_place(struct hs_place_answer *out, const struct hs_asked *asked,
                        const struct hs_place_settings *settings, struct hs_error *err);
void hs_place_release(struct hs_place_answer *placement);
/* The first order of whole axes. */
const struct hs_place_order *hs_place_whole(const struct hs_place_answer *placement);

/* Appends the document of docs/placement.schema.json, and that schema. HS_MEMORY. */
enum hs_status hs_place_print(struct hs_text *out, const struct hs_place_answer *placement,
                              struct hs_error *err);
enum hs_status hs_place_print_schema(struct hs_text *out, struct hs_error *err);

#endif
