/* The values of profile.html's template: the report of a job's profile. */
#include <inttypes.h>
#include <math.h>

#include "plot/page.h"
#include "show/html.h"
#include "show/profiles.h"
#include "show/render.h"

#define CALLS_SHOWN 100

static const char template[] =
#include "plot/profile.html.inc"
    ;
static const char style[] =
#include "plot/report.css.inc"
    ;

static void add_table(struct hs_html_values *values, const char *name, struct hs_table *table,
                      const char *caption)
{
    hs_table_html(hs_html_value(values, name), table, caption);
    hs_table_release(table);
}

static void add_number(struct hs_html_values *values, const char *name, int64_t number)
{
    if (number > 0)
        hs_text_append(hs_html_value(values, name), "%" PRId64, number);
}

static void add_tables(struct hs_html_values *values, const struct hs_profile *profile)
{
    struct hs_table table;

    if (profile->call_count == 0)
        return;
    hs_profile_parts_table(&table, profile, HS_PROFILE_BY_CALL);
    add_table(values, "by_call", &table, "By call");
    hs_profile_parts_table(&table, profile, HS_PROFILE_BY_GROUP);
    add_table(values, "by_group", &table, "By group");
    hs_profile_parts_table(&table, profile, HS_PROFILE_BY_SIZE);
    add_table(values, "by_size", &table, "By size, to powers of two");
    hs_profile_calls_table(&table, profile, CALLS_SHOWN);
    add_table(values, "calls", &table, "Those that took longest first");
    if (profile->call_count > CALLS_SHOWN)
        add_number(values, "more", (int64_t)(profile->call_count - CALLS_SHOWN));
}

/* "19.40 s of 60 s per rank are in collectives". */
static void add_answer(struct hs_html_values *values, const struct hs_profile *profile)
{
    struct hs_profile_times times = hs_profile_times_of(profile);
    struct hs_text *answer = hs_html_value(values, "answer");

    if (profile->call_count == 0) {
        hs_text_append(answer, "It called no collective that is counted");
    } else if (times.spent > 0) {
        hs_text_append(answer, "%s of %s per rank are in collectives", HS_AS_TIME(times.spent),
                       HS_AS_TIME(profile->seconds));
        hs_text_append(hs_html_value(values, "share"), "%s",
                       HS_AS_PERCENT(times.spent / profile->seconds, 1));
        hs_text_append(hs_html_value(values, "spent"), "%s", HS_AS_TIME(times.spent));
        hs_text_append(hs_html_value(values, "seconds"), "%s", HS_AS_TIME(profile->seconds));
        if (times.waited > 0)
            hs_text_append(hs_html_value(values, "waited"), "%s", HS_AS_TIME(times.waited));
    } else {
        hs_text_append(answer, "What its GPUs spend in collectives is not known");
    }
}

enum hs_status hs_page_write_profile(struct hs_text *out, const struct hs_page *page,
                                     struct hs_error *err)
{
    const struct hs_profile *profile = page->job->profile;
    struct hs_html_values values = {.count = 0};
    size_t nodes = hs_profile_nodes(profile);

    hs_text_append(hs_html_value(&values, "style"), "%s", style);
    hs_text_append(hs_html_value(&values, "made_by"), "%s", page->made_by);
    hs_text_append(hs_html_value(&values, "file"), "%s", page->job->profile_name);
    hs_text_append(hs_html_value(&values, "command"), "%s", profile->command);
    hs_text_append(hs_html_value(&values, "library"), "%s", profile->library);
    hs_text_append(hs_html_value(&values, "created"), "%s", profile->created);
    hs_text_append(hs_html_value(&values, "nodes"), "%zu node%s", nodes, HS_PLURAL(nodes));
    add_number(&values, "ranks", profile->ranks);
    hs_html_flag(&values, "unfinished", !profile->finished);
    add_number(&values, "missing_ranks", profile->missing_ranks);
    add_number(&values, "uncounted", profile->uncounted_calls);
    add_answer(&values, profile);
    hs_page_add_pictures(&values, page);
    add_tables(&values, profile);
    hs_html_fill(out, template, &values);
    return out->failed ? hs_no_memory(err) : HS_OK;
}
