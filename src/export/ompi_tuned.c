/* Open MPI's coll/tuned: which algorithm in which communicator, as its rules file in two formats.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/size_rules.h"

#define COLLECTIVES 3

static const char use_classic[] =
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename\n"
    "/path/to/tuned.conf (an absolute path; a file that cannot be read is ignored silently).\n"
    "coll/tuned knows no layers: the program makes one communicator per layer (--to colors).\n"
    "In them, and for these sizes only, the collectives run as rings, as the plan was priced.\n"
    "Reduce_scatter_block has no ring there and is unchanged. 0 as algorithm: Open MPI's default\n"
    "choice. Open MPI 6.0 reads this format differently: use --to ompi-tuned-json.";

static const char use_json[] =
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename\n"
    "/path/to/tuned.json (an absolute path; errors are said with --mca coll_base_verbose 1).\n"
    "coll/tuned knows no layers: the program makes one communicator per layer (--to colors).\n"
    "In them, and for these sizes only, the collectives run as rings, as the plan was priced.\n"
    "Reduce_scatter is left out: Open MPI's schema and its reader disagree about its name, and\n"
    "one wrong name makes it ignore the file. No rule: Open MPI's default choice.";

/* What layers call, with the number of the ring in coll/tuned. Bytes are those entering the layer.
 */
static const struct collective {
    int id, ring;
    enum hs_phase phase;
    const char *name; /* in the JSON format; NULL: not there */
} collectives[COLLECTIVES] = {
    {0, 4, HS_ALLGATHER, "allgather"},
    {2, 4, HS_ALLREDUCE, "allreduce"},
    {12, 3, HS_REDUCE_SCATTER, NULL},
};

/* ---- where rings run: ranges of bytes by size of communicator ---- */

struct range {
    int64_t size;
    uint64_t first_bytes, end_bytes; /* UINT64_MAX: no end */
};

struct ranges {
    struct range *ranges; /* [count], owned; ascending by size and bytes, disjoint */
    size_t count;
};

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return (a->first_bytes > b->first_bytes) - (a->first_bytes < b->first_bytes);
}

static void unite(struct ranges *ranges)
{
    size_t kept = 0;

    qsort(ranges->ranges, ranges->count, sizeof(*ranges->ranges), compare_ranges);
    for (size_t i = 0; i < ranges->count; i++) {
        struct range *last = kept > 0 ? &ranges->ranges[kept - 1] : NULL;
        const struct range *range = &ranges->ranges[i];

        if (range->first_bytes >= range->end_bytes)
            continue;
        if (!last || last->size != range->size || last->end_bytes < range->first_bytes)
            ranges->ranges[kept++] = *range;
        else if (last->end_bytes < range->end_bytes)
            last->end_bytes = range->end_bytes;
    }
    ranges->count = kept;
}

/* The layers that have the phase; the library's default call has none, so no ring. */
static void add_layers(struct ranges *ranges, const struct hs_export_job *job,
                       const struct hs_export_rule *rule, enum hs_phase phase)
{
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);

    for (int i = 0; i < rule->plan.split.count; i++) {
        struct hs_layer layer = hs_problem_layer(&problem, &rule->plan.split, i);
        enum hs_phase phases[2];
        int count = hs_problem_phases(phases, &problem, layer);

        if (phases[0] != phase && phases[count - 1] != phase)
            continue;
        ranges->ranges[ranges->count++] = (struct range){
            .size = layer.size,
            .first_bytes = hs_export_entering(job, layer, rule->first_bytes),
            .end_bytes = hs_export_entering(job, layer, rule->end_bytes),
        };
    }
}

static bool collect(struct ranges *ranges, const struct hs_export_job *job,
                    const struct hs_export_rules *rules, enum hs_phase phase)
{
    ranges->ranges = calloc(rules->count * HS_LAYERS_MAX, sizeof(*ranges->ranges));
    ranges->count = 0;
    if (!ranges->ranges)
        return false;
    for (size_t i = 0; i < rules->count; i++)
        add_layers(ranges, job, &rules->rules[i], phase);
    unite(ranges);
    return true;
}

/* Ranges of the same communicator size, from `first` on. */
static size_t same_size(const struct ranges *ranges, size_t first)
{
    size_t end = first;

    while (end < ranges->count && ranges->ranges[end].size == ranges->ranges[first].size)
        end++;
    return end;
}

/* ---- classic ---- */

/* Sizes that are not listed follow the nearest smaller one, or the first: sizes between layers need
 * rules too, which say "as if there were no file". */
struct classic {
    struct hs_text sizes;
    int count;
};

static void append_default(struct classic *classic, int64_t size)
{
    hs_text_append(&classic->sizes, "%" PRId64 " 1 # processes, rules: not a layer\n0 0 0 0\n",
                   size);
    classic->count++;
}

static void append_size(struct classic *classic, const struct ranges *ranges, size_t first,
                        size_t end, int ring)
{
    struct hs_text rules = {0};
    int count = 0;

    if (ranges->ranges[first].first_bytes > 0) {
        hs_text_append(&rules, "0 0 0 0\n");
        count++;
    }
    for (size_t i = first; i < end; i++) {
        hs_text_append(&rules, "%" PRIu64 " %d 0 0\n", ranges->ranges[i].first_bytes, ring);
        count++;
        if (ranges->ranges[i].end_bytes == UINT64_MAX)
            continue;
        hs_text_append(&rules, "%" PRIu64 " 0 0 0\n", ranges->ranges[i].end_bytes);
        count++;
    }
    hs_text_append(&classic->sizes,
                   "%" PRId64 " %d # processes, rules: bytes, algorithm, fan, segment\n%s",
                   ranges->ranges[first].size, count, rules.data ? rules.data : "");
    classic->sizes.failed = classic->sizes.failed || rules.failed;
    classic->count++;
    hs_text_release(&rules);
}

static void append_collective(struct hs_text *text, const struct collective *collective,
                              const struct ranges *ranges)
{
    struct classic classic = {.count = 0};

    if (ranges->ranges[0].size > 2)
        append_default(&classic, 2);
    for (size_t i = 0, end; i < ranges->count; i = end) {
        int64_t size = ranges->ranges[i].size;

        end = same_size(ranges, i);
        append_size(&classic, ranges, i, end, collective->ring);
        if (end == ranges->count || ranges->ranges[end].size > size + 1)
            append_default(&classic, size + 1);
    }
    hs_text_append(text, "%d # collective: %s\n%d # communicator sizes\n%s", collective->id,
                   collective->name ? collective->name : "reduce_scatter", classic.count,
                   classic.sizes.data ? classic.sizes.data : "");
    text->failed = text->failed || classic.sizes.failed;
    hs_text_release(&classic.sizes);
}

static bool append_classic(struct hs_text *text, const struct hs_export_job *job,
                           const struct hs_export_rules *rules)
{
    struct ranges ranges[COLLECTIVES] = {{NULL, 0}};
    bool complete = true;
    int count = 0;

    for (int i = 0; i < COLLECTIVES; i++) {
        complete = complete && collect(&ranges[i], job, rules, collectives[i].phase);
        count += ranges[i].count > 0;
    }
    hs_text_append(text, "%d # collectives\n", count);
    for (int i = 0; i < COLLECTIVES; i++) {
        if (complete && ranges[i].count > 0)
            append_collective(text, &collectives[i], &ranges[i]);
        free(ranges[i].ranges);
    }
    return complete;
}

/* ---- JSON ---- */

static void put_range(struct hs_json_writer *w, const struct range *range)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_number(w, "msg_size_min", (double)range->first_bytes);
    if (range->end_bytes == UINT64_MAX)
        hs_json_write_text(w, "msg_size_max", "inf");
    else
        hs_json_write_number(w, "msg_size_max", (double)(range->end_bytes - 1));
    hs_json_write_text(w, "alg", "ring");
    hs_json_close(w, '}');
}

static void put_sizes(struct hs_json_writer *w, const struct ranges *ranges)
{
    for (size_t i = 0, end; i < ranges->count; i = end) {
        end = same_size(ranges, i);
        hs_json_open(w, NULL, '{');
        hs_json_write_number(w, "comm_size_min", (double)ranges->ranges[i].size);
        hs_json_write_number(w, "comm_size_max", (double)ranges->ranges[i].size);
        hs_json_open(w, "rules", '[');
        for (size_t j = i; j < end; j++)
            put_range(w, &ranges->ranges[j]);
        hs_json_close(w, ']');
        hs_json_close(w, '}');
    }
}

static void put_collective(struct hs_json_writer *w, const struct hs_export_job *job,
                           const struct collective *collective, const struct hs_export_rules *rules)
{
    struct ranges ranges = {NULL, 0};

    if (!collect(&ranges, job, rules, collective->phase))
        w->status = hs_no_memory(w->err);
    if (ranges.count > 0) {
        hs_json_open(w, collective->name, '[');
        put_sizes(w, &ranges);
        hs_json_close(w, ']');
    }
    free(ranges.ranges);
}

static enum hs_status print(struct hs_text *text, const struct hs_export_job *job,
                            const struct hs_export_rules *rules, struct hs_error *err)
{
    struct hs_json_writer w = {.text = text, .err = err};

    hs_json_open(&w, NULL, '{');
    hs_export_header_json(&w, job, &hs_exporter_ompi_tuned_json, use_json);
    hs_json_write_number(&w, "rule_file_version", 3);
    hs_json_write_text(&w, "module", "tuned");
    hs_json_open(&w, "collectives", '{');
    for (int i = 0; i < COLLECTIVES && !w.status; i++)
        if (collectives[i].name)
            put_collective(&w, job, &collectives[i], rules);
    hs_json_close(&w, '}');
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}

/* ---- the two exporters ---- */

static enum hs_status write_classic(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "tuned.conf");
    struct hs_export_rules rules;
    enum hs_status status = hs_export_rules_make(&rules, job, hs_export_choose_any, err);

    if (status != HS_OK)
        return status;
    hs_export_header_lines(text, job, &hs_exporter_ompi_tuned, use_classic);
    hs_export_rules_say(&rules, out, text, job, &hs_exporter_ompi_tuned);
    if (!append_classic(text, job, &rules))
        status = hs_no_memory(err);
    hs_export_rules_release(&rules);
    return status;
}

static enum hs_status write_json(struct hs_export_output *out, const struct hs_export_job *job,
                                 struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "tuned.json"), said = {0};
    struct hs_export_rules rules;
    enum hs_status status = hs_export_rules_make(&rules, job, hs_export_choose_any, err);

    if (status != HS_OK)
        return status;
    hs_export_rules_say(&rules, out, &said, job, &hs_exporter_ompi_tuned_json);
    status = print(text, job, &rules, err);
    hs_export_rules_release(&rules);
    hs_text_release(&said);
    return status;
}

const struct hs_exporter hs_exporter_ompi_tuned = {
    .name = "ompi-tuned",
    .library = "Open MPI",
    .versions = "4.1 and 5.0",
    .summary = "rings in every layer's communicator, as a rules file of coll/tuned",
    .affects = "every communicator of a layer's size in the job, also if it is no layer",
    .layers = 0,
    .exact = false,
    .chunks = false,
    .sizes = true,
    .also = HS_EXPORT_BY_LAYERS,
    .groups = HS_GROUPS_BY_LAYER,
    .write = write_classic,
};

const struct hs_exporter hs_exporter_ompi_tuned_json = {
    .name = "ompi-tuned-json",
    .library = "Open MPI",
    .versions = "6.0",
    .summary = "rings in every layer's communicator, as a JSON rules file of coll/tuned",
    .affects = "every communicator of a layer's size in the job, also if it is no layer",
    .layers = 0,
    .exact = false,
    .chunks = false,
    .sizes = true,
    .also = HS_EXPORT_OF(ALLGATHER, NATURAL) | HS_EXPORT_OF(ALLGATHER, REVERSED),
    .groups = HS_GROUPS_BY_LAYER,
    .write = write_json,
};
