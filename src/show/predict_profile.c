/* What the best plans gain a job, of which a profile says what it called: by the model of a system,
 * or by what results measured (answer/gains.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "show/jobs.h"
#include "show/predict.h"

/* ---- the table ------------------------------------------------------------------------------- */

static const char *plan(char text[HS_SPLIT_TEXT], const struct hs_profile_gain *r)
{
    if (r->left_alone)
        return "default";
    return r->plan.split.count > 0 ? hs_plan_format(text, &r->plan) : NULL;
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(CALL, "call", "call", NULL, TEXT, ALWAYS, r->call->call)                                \
    column(COLLECTIVE, "collective", NULL, NULL, TEXT, ALWAYS, r->call->collective)                \
    column(GROUP, "groups", "groups (ranks)", NULL, TEXT, ALWAYS,                                  \
           hs_profile_group_format((char[HS_PROFILE_GROUP_TEXT]){0}, r->profile, r->call))         \
    column(RANKS, "group_ranks", NULL, NULL, COUNT, ALWAYS, r->call->group_ranks)                  \
    column(STRIDE, "group_stride", NULL, NULL, COUNT, ALWAYS, r->call->group_stride)               \
    column(TYPE, "datatype", NULL, NULL, TEXT, ALWAYS, r->call->datatype)                          \
    column(OPERATION, "operation", NULL, NULL, TEXT, ALWAYS, r->call->operation)                   \
    column(BYTES, "mean_bytes", "size", NULL, SIZE, ALWAYS, hs_profile_call_bytes(r->call))        \
    column(CALLS, "calls_per_rank", "calls per rank", NULL, COUNT, ALWAYS,                         \
           (int64_t)llround(hs_profile_call_count(r->profile, r->call)))                           \
    column(SPENT, "seconds_per_rank", "per rank", NULL, TIME, ALWAYS,                              \
           hs_profile_call_spent(r->profile, r->call))                                             \
    column(WAITING, "waiting", NULL, NULL, PERCENT, ALWAYS, hs_profile_call_waiting(r->call))      \
    column(WORK, "working_seconds", NULL, NULL, TIME, IF_ANY, hs_profile_call_seconds(r->call))    \
    column(LIBRARY, "library_seconds", "library per call", NULL, TIME, IF_ANY, r->library_seconds) \
    column(BY, "library_by", NULL, NULL, TEXT, ALWAYS, r->by)                                      \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, plan((char[HS_SPLIT_TEXT]){0}, r))            \
    column(TAKES, "plan_seconds", "plan per call", NULL, TIME, ALWAYS, r->plan_seconds)            \
    column(GAIN, "gain_seconds_per_rank", "gain per rank", NULL, TIME, ALWAYS, r->gain)            \
    column(LEAST, "least_gain_seconds_per_rank", "at least", NULL, TIME, IF_ANY,                   \
           r->sure < 1 ? r->least_gain : (double)NAN)                                              \
    column(WHY, "without_gain", "no gain because", NULL, TEXT, IF_ANY, r->why)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add(struct hs_table *table, const struct hs_profile_gain *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

#undef COLUMNS

static void print_gains(struct hs_sheet *sheet, const struct hs_gains *gains, size_t rows,
                        bool details)
{
    static const struct hs_pick brief[] = {HS_PICK(CALL),  HS_PICK(GROUP), HS_PICK(BYTES),
                                           HS_PICK(SPENT), HS_PICK(PLAN),  HS_PICK(GAIN)};
    bool all = details || !hs_sheet_is_read(sheet);
    struct hs_table table;

    HS_TABLE_INIT(&table, "gains", columns);
    table.fold = true;
    if (!all)
        table.picks = HS_PICKS(brief);
    for (size_t i = 0, shown = 0; i < gains->count && (all || shown < rows); i++)
        if (all || !isnan(gains->gains[i].gain)) {
            add(&table, &gains->gains[i]);
            shown++;
        }
    hs_sheet_table(sheet, &table);
}

/* ---- sentences ------------------------------------------------------------------------------- */

#define SAVING_TEXT 96

/* "1.2 to 1.5 s" */
static const char *saving_text(char text[SAVING_TEXT], const struct hs_gains *gains)
{
    if (gains->least_gain < gains->gain && gains->least_gain > 0)
        snprintf(text, SAVING_TEXT, "%s", HS_AS_RANGE(gains->least_gain, gains->gain));
    else
        snprintf(text, SAVING_TEXT, "%s", HS_AS_TIME(gains->gain));
    return text;
}

static void add_verdict(struct hs_job_page *page, const struct hs_gains *gains)
{
    char all[SAVING_TEXT] = "";
    const char *saving = saving_text((char[SAVING_TEXT]){0}, gains);
    size_t planned = 0;

    for (size_t i = 0; i < gains->count; i++)
        planned += gains->gains[i].gain > 0;
    if (gains->spent > 0)
        snprintf(all, sizeof(all), " of %s in collectives (%s waiting for the slowest rank)",
                 HS_AS_TIME(gains->spent), HS_AS_TIME(gains->waited));
    switch (gains->advice) {
    case HS_JOB_USE:
        hs_job_page_add(page, &page->verdict,
                        "Use plans for %zu of %zu kinds of calls: they save %s%s per rank.",
                        planned, gains->count, saving, all);
        break;
    case HS_JOB_KEEP:
        if (planned > 0)
            hs_job_page_add(page, &page->verdict,
                            "Keep the library's default: plans would save %s%s per rank.", saving,
                            all);
        else
            hs_job_page_add(page, &page->verdict,
                            "Keep the library's default: no plan is expected to be faster%s%s.",
                            gains->spent > 0 ? ", per rank" : "", all);
        break;
    case HS_JOB_UNDECIDED:
        hs_job_page_add(page, &page->verdict, "Cannot tell what plans save: %s.", gains->reason);
        hs_job_page_add(page, &page->verdict, "By these times they would save %s%s per rank.",
                        saving, all);
        break;
    case HS_JOB_NONE:
    case HS_JOB_ADVICE_COUNT:
        break;
    }
}

/* Both times of a gain, where they are from. */
static const char *evidence_of(const struct hs_gains *gains)
{
    if (gains->count > 0 && gains->gains[0].by == hs_gain_by_result)
        return "library times from the profile, without waiting; plans by what was measured of "
               "both";
    if (gains->by_profile == 0)
        return "plans and library by the model";
    return gains->by_profile < gains->gained
               ? "plans by the model, the library, too, where it has a price; else library times "
                 "from the profile, without waiting"
               : "plans by the model, library times from the profile, without waiting";
}

enum hs_status hs_predict_print_gains(const struct hs_predict *predict,
                                      const struct hs_gains *gains, const struct hs_print *print,
                                      struct hs_error *err)
{
    const struct hs_profile *profile = gains->profile;
    bool details = predict->settings->details;
    struct hs_job_page page;
    struct hs_sheet sheet;
    size_t rows;

    if (hs_print_format(print) == HS_FORMAT_JSON)
        return hs_gains_print(predict->out, gains, err);
    hs_sheet_begin(&sheet, predict->out, print, predict->terminal);
    hs_job_page_begin(&page, &sheet, details);
    hs_job_page_add(&page, &page.title, "%s: %s, %" PRId64 " ranks, %zu kind%s of calls",
                    gains->source, profile->command, profile->ranks, gains->count,
                    HS_PLURAL(gains->count));
    add_verdict(&page, gains);
    hs_job_page_add(&page, &page.tail, "Evidence: %s (%zu of %zu kinds of calls)",
                    evidence_of(gains), gains->gained, gains->count);
    hs_job_page_add_commands(&page, "Next: ", &gains->next);
    hs_job_page_add(&page, &page.tail,
                    "Assumed: communication time only; what computing hides of it is not known");
    if (details && gains->by_profile < gains->gained && gains->working > 0)
        hs_job_page_add(&page, &page.tail,
                        "the library's calls take %s by what they are compared with, %s in the "
                        "profile, without waiting",
                        HS_AS_TIME(gains->compared), HS_AS_TIME(gains->working));
    rows = hs_job_page_print(&page, 2);
    if (details ? gains->count > 0 : gains->gained > 0)
        print_gains(&sheet, gains, rows, details);
    return hs_job_page_end(&page, err);
}
