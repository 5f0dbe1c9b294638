/* The best five plans of each process count, with the flat split beside them. */
#include <math.h>
#include <stdlib.h>

#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/kinds.h"
#include "plot/tsv.h"
#include "view/figures.h"

#define TOP 5

/* One bar. */
struct bar {
    double x;
    struct hs_plot_time time;
    int rank; /* from 1; 0: the flat split, wherever it is */
    bool measured;
    const struct hs_plan *plan;
    const char *mark;
};

static void write_bar(struct hs_text *out, const struct bar *bar)
{
    hs_tsv_number(out, bar->x);
    hs_tsv_time(out, bar->time);
    hs_tsv_count(out, bar->rank);
    hs_tsv_count(out, bar->measured);
    hs_text_append(out, "\t%s%s", HS_AS_PLAN(bar->plan), bar->mark);
    hs_tsv_row(out);
}

/* One process count: its candidates come best first, so the first usable ones are the best. */
struct group {
    const struct hs_result *result;
    const struct hs_result_message *message;
    bool measured;
};

static struct bar measured_bar(const struct hs_candidate *candidate)
{
    return (struct bar){.time = hs_plot_measured(candidate->measured),
                        .measured = true,
                        .plan = &candidate->plan,
                        .mark = ""};
}

static struct bar predicted_bar(const struct group *group, const struct hs_plan *plan)
{
    return (struct bar){.time = hs_plot_prediction(group->result, group->message, plan),
                        .plan = plan,
                        .mark = hs_plot_mark(group->result, group->message, plan)};
}

static struct bar candidate_bar(const struct group *group, const struct hs_candidate *candidate)
{
    return group->measured ? measured_bar(candidate) : predicted_bar(group, &candidate->plan);
}

/* Fills at most TOP + 1 bars, the flat split last. */
static size_t group_bars(struct bar *bars, const struct group *group, struct hs_plan *flat)
{
    size_t count = 0;
    bool has_flat = false;
    const struct hs_candidate *candidate;

    *flat = hs_result_flat(group->result);
    for (size_t i = 0; i < group->message->candidate_count && count < TOP; i++) {
        bars[count] = candidate_bar(group, &group->message->candidates[i]);
        if (!isfinite(bars[count].time.seconds))
            continue;
        bars[count].rank = hs_plan_is_flat(bars[count].plan) ? 0 : (int)count + 1;
        has_flat = has_flat || bars[count].rank == 0;
        count++;
    }
    candidate = hs_plot_candidate(group->message, flat);
    if (has_flat)
        return count;
    if (candidate)
        bars[count] = candidate_bar(group, candidate);
    else if (!group->measured)
        bars[count] = predicted_bar(group, flat);
    else
        return count;
    return count + (isfinite(bars[count].time.seconds) ? 1 : 0);
}

/* Where a process count is there twice, a measurement is worth more than a prediction, and the
 * input named first more than the later ones. */
static size_t choose_groups(struct group *groups, const struct hs_named_result *const *inputs,
                            size_t input_count, uint64_t bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < input_count; i++) {
        struct group group = {.result = inputs[i]->result};
        bool again = count > 0 && groups[count - 1].result->np == group.result->np;

        group.message = hs_plot_message(group.result, bytes);
        group.measured = hs_plot_best_measured(group.message) != NULL;
        if (!again)
            groups[count++] = group;
        else if (group.measured && !groups[count - 1].measured)
            groups[count - 1] = group;
    }
    return count;
}

static void write_bars(struct hs_text *out, const struct group *groups, size_t count)
{
    hs_tsv_block(out, "bars", "x seconds low high rank measured plan");
    for (size_t i = 0; i < count; i++) {
        struct bar bars[TOP + 1];
        struct hs_plan flat;
        size_t bar_count = group_bars(bars, &groups[i], &flat);

        for (size_t k = 0; k < bar_count; k++) {
            bars[k].x = (double)i * (TOP + 2) + (double)k;
            write_bar(out, &bars[k]);
        }
    }
}

static void write_ticks(struct hs_text *out, const struct group *groups, size_t count)
{
    hs_tsv_block(out, "ticks", "x np");
    for (size_t i = 0; i < count; i++) {
        hs_tsv_number(out, (double)i * (TOP + 2) + (TOP - 1) / 2.0);
        hs_tsv_count(out, groups[i].result->np);
        hs_tsv_row(out);
    }
}

/* What decides the axis and the legend. */
struct extent {
    double seconds;
    int ranks, bests, flats, intervals; /* intervals: of predictions */
};

static struct extent extent_of(const struct group *groups, size_t count)
{
    struct extent extent = {.seconds = 0};

    for (size_t i = 0; i < count; i++) {
        struct bar bars[TOP + 1];
        struct hs_plan flat;
        size_t bar_count = group_bars(bars, &groups[i], &flat);

        for (size_t k = 0; k < bar_count; k++) {
            struct hs_plot_time time = bars[k].time;

            extent.seconds = fmax(extent.seconds, fmax(time.seconds, time.high));
            extent.ranks = bars[k].rank > extent.ranks ? bars[k].rank : extent.ranks;
            extent.bests += bars[k].rank == 1;
            extent.flats += bars[k].rank == 0;
            extent.intervals += !bars[k].measured && isfinite(time.high);
        }
    }
    return extent;
}

static void write_groups(struct hs_text *out, const struct hs_plot_job *job,
                         const struct group *groups, size_t count, uint64_t bytes)
{
    size_t measured = 0;
    struct extent extent = extent_of(groups, count);

    for (size_t i = 0; i < count; i++)
        measured += groups[i].measured;
    hs_tsv_begin(out, "top");
    hs_plot_caption(out, job, NULL, "the best %d splits and the flat one, %s per process", TOP,
                    HS_AS_BYTES(bytes));
    hs_tsv_fact(out, "groups", "%zu", count);
    hs_tsv_fact(out, "measured", "%zu", measured);
    hs_tsv_fact(out, "predicted", "%zu", count - measured);
    hs_tsv_fact(out, "longest", "%#.9g", extent.seconds);
    hs_tsv_fact(out, "ranks", "%d", extent.ranks);
    hs_tsv_fact(out, "bests", "%d", extent.bests);
    hs_tsv_fact(out, "flats", "%d", extent.flats);
    if (extent.intervals > 0)
        hs_tsv_fact(out, "intervals", "%d", extent.intervals);
    hs_tsv_time_unit(out, extent.seconds);
    write_bars(out, groups, count);
    write_ticks(out, groups, count);
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_named_result **inputs = NULL;
    struct group *groups = NULL;
    struct hs_plot_job at_size = *job; /* the size is chosen here */
    enum hs_status status = hs_plot_bytes(&at_size.bytes, job, err);

    if (status != HS_OK)
        return status;
    inputs = hs_plot_sorted(job);
    groups = calloc(job->input_count, sizeof(*groups));
    if (inputs && groups)
        write_groups(out, &at_size, groups,
                     choose_groups(groups, inputs, job->input_count, at_size.bytes), at_size.bytes);
    else
        status = hs_no_memory(err);
    free(groups);
    free(inputs);
    return status;
}

const struct hs_plot_kind hs_plot_top = {
    .name = "top",
    .summary = "the best five splits of each process count",
    .many = true,
    .write = write,
};
