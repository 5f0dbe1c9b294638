/* What a job spends in its kinds of calls: of each, work and waiting; where no times are known, its
 * bytes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "answer/figures.h"
#include "plot/csv.h"
#include "plot/plot.h"
#include "show/profiles.h"

#define ROWS_MOST  20
#define LABEL_TEXT 128

/* Of the job's mean rank. */
struct bar {
    const struct hs_profile_call *call;
    double working, waiting; /* seconds; or bytes, and 0 */
};

static bool is_timed(const struct hs_profile *profile)
{
    for (size_t i = 0; i < profile->call_count; i++)
        if (!profile->calls[i].begun)
            return true;
    return false;
}

static struct bar bar_of(const struct hs_profile *profile, const struct hs_profile_call *call,
                         bool timed)
{
    double waited = hs_profile_call_waited(profile, call), waiting = isnan(waited) ? 0 : waited;

    if (timed)
        return (struct bar){call, hs_profile_call_spent(profile, call) - waiting, waiting};
    return (struct bar){call, call->bytes / (double)profile->ranks, 0};
}

/* The first kinds of calls: a profile has those that took longest first. */
static size_t choose(struct bar bars[ROWS_MOST], const struct hs_profile *profile, bool timed)
{
    size_t count = 0;

    for (size_t i = 0; i < profile->call_count && count < ROWS_MOST; i++)
        if (!timed || !profile->calls[i].begun)
            bars[count++] = bar_of(profile, &profile->calls[i], timed);
    return count;
}

static void label_of(char text[LABEL_TEXT], const struct hs_profile *profile,
                     const struct hs_profile_call *call)
{
    snprintf(text, LABEL_TEXT, "%.40s %s, %s", call->call,
             hs_profile_group_format((char[HS_PROFILE_GROUP_TEXT]){0}, profile, call),
             HS_AS_SIZE(hs_profile_call_bytes(call)));
}

static void write_bars(struct hs_text *out, const struct hs_profile *profile,
                       const struct bar *bars, size_t count, bool timed)
{
    hs_csv_block(out, "bars", "row working waiting calls_per_rank of_job label");
    for (size_t i = 0; i < count; i++) {
        double share = (bars[i].working + bars[i].waiting) / profile->seconds;
        char label[LABEL_TEXT], calls[HS_FIGURE_TEXT];

        label_of(label, profile, bars[i].call);
        hs_csv_count(out, -(int64_t)i);
        hs_csv_number(out, bars[i].working);
        hs_csv_number(out, bars[i].waiting);
        hs_csv_text(out, "%s",
                    hs_count_figure(calls, (uint64_t)llround((double)bars[i].call->calls /
                                                             (double)bars[i].call->ranks)));
        hs_csv_number(out, timed ? share : NAN);
        hs_csv_text(out, "%s", label);
        hs_csv_row(out);
    }
}

static void write_facts(struct hs_text *out, const struct hs_profile *profile,
                        const struct bar *bars, size_t count, bool timed)
{
    double longest = 0, all = 0, waiting = 0;

    for (size_t i = 0; i < count; i++) {
        longest = fmax(longest, bars[i].working + bars[i].waiting);
        all += bars[i].working + bars[i].waiting;
        waiting += bars[i].waiting;
    }
    hs_csv_begin(out, "calls");
    if (timed)
        hs_csv_fact(out, "title", "%s: %s of %s per rank in collectives", profile->command,
                    HS_AS_TIME(all), HS_AS_TIME(profile->seconds));
    else
        hs_csv_fact(out, "title", "%s: what its calls move, per rank", profile->command);
    hs_csv_fact(out, "caption1", "%" PRId64 " ranks, %s, %s%s", profile->ranks, profile->library,
                profile->created, profile->finished ? "" : "; it did not end by itself");
    hs_csv_fact(out, "caption2", "%zu of %zu kinds of calls%s", count, profile->call_count,
                timed ? "; waiting is for the last rank to come, where that was timed"
                      : "; how long GPUs took is not known");
    hs_csv_fact(out, "caption_lines", "2");
    hs_csv_fact(out, "rows", "%zu", count);
    hs_csv_fact(out, "longest", "%#.9g", longest);
    hs_csv_fact(out, "waiting", "%d", waiting > 0);
    hs_csv_fact(out, "timed", "%d", timed);
    if (timed)
        hs_csv_time_unit(out, longest);
    else
        hs_csv_fact(out, "time_factor", "%g", 1.0 / (1 << 20));
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_profile *profile = job->profile;
    bool timed = is_timed(profile);
    struct bar bars[ROWS_MOST];
    size_t count = choose(bars, profile, timed);

    if (count == 0)
        return hs_fail(err, HS_INVALID, "%s: it called no collective that is counted",
                       job->profile_name);
    write_facts(out, profile, bars, count, timed);
    write_bars(out, profile, bars, count, timed);
    return HS_OK;
}

const struct hs_plot_kind hs_plot_calls = {
    .name = "calls",
    .summary = "where a job spends its time in collectives",
    .of = HS_PLOT_PROFILE,
    .write = write,
};
