#include "export/own_calls.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/approximate.h"

/* ---- rules ---- */

/* NULL: it was not timed without fault. */
static const struct hs_measured *timed(const struct hs_result_message *message,
                                       const struct hs_mpi_own *own)
{
    for (size_t i = 0; i < message->algorithm_count; i++)
        if (strcmp(message->algorithms[i].name, own->name) == 0 &&
            hs_measured_is_ok(&message->algorithms[i].measured))
            return &message->algorithms[i].measured;
    return NULL;
}

static bool is_faster(const struct hs_measured *measured, const struct hs_baseline_result *library)
{
    return measured && library && measured->ci95_high_seconds < library->measured.ci95_low_seconds;
}

/* Recursive doubling of other numbers of ranks is another algorithm in its place. */
static bool suits(const struct hs_mpi_own *own, const struct hs_export_job *job,
                  enum hs_library library)
{
    int64_t ranks = hs_result_group(job->result).size;

    return own->library == library && own->collective == job->result->collective &&
           !(own->collective == HS_COLLECTIVE_ALLGATHER && own->called &&
             strcmp(own->called, "recursive_doubling") == 0 && (ranks & (ranks - 1)) != 0);
}

static const struct hs_mpi_own *choose(const struct hs_export_job *job, size_t message,
                                       enum hs_library library)
{
    const struct hs_result_message *at = &job->result->messages[message];
    const struct hs_mpi_own *best = NULL;
    double least = INFINITY;

    for (int i = 0; i < hs_mpi_own_count; i++) {
        const struct hs_measured *measured = timed(at, &hs_mpi_own[i]);

        if (!suits(&hs_mpi_own[i], job, library) || !measured || measured->median_seconds >= least)
            continue;
        least = measured->median_seconds;
        best = &hs_mpi_own[i];
    }
    return best && is_faster(timed(at, best), hs_export_library(at)) ? best : NULL;
}

/* Where two algorithms take equally long between a size at which the first is the faster one and
 * the next, at which the second is. */
static uint64_t cross(const struct hs_export_job *job, size_t message,
                      const struct hs_mpi_own *below, const struct hs_mpi_own *above)
{
    const struct hs_result_message *at = &job->result->messages[message];
    const struct hs_measured *a = timed(at, below), *b = timed(at, above);
    const struct hs_measured *a_next = timed(at + 1, below), *b_next = timed(at + 1, above);
    double first, next;

    if (!a || !b || !a_next || !b_next)
        return at[1].message_bytes;
    first = b->median_seconds - a->median_seconds;
    next = a_next->median_seconds - b_next->median_seconds;
    if (!(first + next > 0))
        return at[1].message_bytes;
    return at->message_bytes + 1 +
           (uint64_t)(first / (first + next) *
                      (double)(at[1].message_bytes - at->message_bytes - 1));
}

static void add(struct hs_own_rules *rules, const struct hs_export_job *job, size_t message,
                const struct hs_mpi_own *before, const struct hs_mpi_own *own)
{
    const struct hs_result_message *at = &job->result->messages[message];
    double gain = hs_export_library(at)->measured.median_seconds / timed(at, own)->median_seconds;
    struct hs_own_rule *last = rules->count > 0 ? &rules->rules[rules->count - 1] : NULL;

    if (before == own) {
        last->end_bytes = at->message_bytes + 1;
        last->gain = fmin(last->gain, gain);
        return;
    }
    rules->rules[rules->count] =
        (struct hs_own_rule){own, at->message_bytes, at->message_bytes + 1, gain};
    if (before)
        last->end_bytes = rules->rules[rules->count].first_bytes =
            cross(job, message - 1, before, own);
    rules->count++;
}

static bool is_always(const struct hs_export_job *job, const struct hs_mpi_own *own)
{
    for (size_t m = 0; m < job->result->message_count; m++) {
        const struct hs_result_message *at = &job->result->messages[m];
        const struct hs_baseline_result *library = hs_export_library(at);

        if (!library || !timed(at, own) ||
            timed(at, own)->median_seconds > library->measured.median_seconds)
            return false;
    }
    return true;
}

static enum hs_status make(struct hs_own_rules *rules, const struct hs_export_job *job,
                           enum hs_library library, struct hs_error *err)
{
    const struct hs_mpi_own *before = NULL, *own;

    *rules = (struct hs_own_rules){
        .collective = job->result->collective,
        .ranks = hs_result_group(job->result).size,
        .rules = calloc(job->result->message_count + 1, sizeof(*rules->rules)),
    };
    if (!rules->rules)
        return hs_no_memory(err);
    for (size_t m = 0; m < job->result->message_count; m++, before = own) {
        own = choose(job, m, library);
        if (own)
            add(rules, job, m, before, own);
    }
    for (size_t r = 0; r < rules->count && !rules->always; r++)
        if (is_always(job, rules->rules[r].own))
            rules->always = rules->rules[r].own;
    return HS_OK;
}

static int compare(const void *left, const void *right)
{
    const struct hs_own_rules *a = left, *b = right;

    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

/* ---- Open MPI ---- */

/* ompi/mca/coll/base/coll_base_functions.h, COLLTYPE_T */
static const int numbers[HS_COLLECTIVE_COUNT] = {
    [HS_COLLECTIVE_ALLREDUCE] = 2,
    [HS_COLLECTIVE_REDUCE_SCATTER] = 13,
    [HS_COLLECTIVE_ALLGATHER] = 0,
    [HS_COLLECTIVE_ALLTOALL] = 3,
};

static const char use_classic[] =
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename\n"
    "/path/to/tuned.conf (an absolute path; a file that cannot be read is ignored silently).\n"
    "Where coll/han or another component has the communicator: --mca coll ^han.\n"
    "0 as algorithm: Open MPI's default choice. Reduce-scatter is MPI_Reduce_scatter_block.";
static const char use_json[] =
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename\n"
    "/path/to/tuned.json (an absolute path; errors are said with --mca coll_base_verbose 1).\n"
    "Where coll/han or another component has the communicator: --mca coll ^han.\n"
    "No rule: Open MPI's default choice. Reduce-scatter is MPI_Reduce_scatter_block.";
static const char use_mpich[] =
    "cd here; set -a; . ./mpich.env; set +a; mpiexec ... (or mpiexec -genvlist with these names).\n"
    "The other files are whole tables of the MPICH that is installed here, copied from its\n"
    "library, with these rules added: another version needs an export of its own.";

/* The rules of one size of communicator: 0 stands between them. */
static void append_size(struct hs_text *text, const struct hs_own_rules *rules)
{
    struct hs_text lines = {0};
    uint64_t end = 0;
    int count = 0;

    for (size_t r = 0; r < rules->count; r++) {
        const struct hs_own_rule *rule = &rules->rules[r];

        if (rule->first_bytes > end) {
            hs_text_append(&lines, "%" PRIu64 " 0 0 0\n", end);
            count++;
        }
        hs_text_append(&lines, "%" PRIu64 " %d 0 %" PRId64 "\n", rule->first_bytes,
                       rule->own->number, rule->own->segment_bytes);
        end = rule->end_bytes;
        count++;
    }
    hs_text_append(text, "%" PRId64 " %d # processes, rules: bytes, algorithm, fan, segment\n",
                   rules->ranks, count + 1);
    hs_text_append(text, "%s%" PRIu64 " 0 0 0\n", lines.data ? lines.data : "", end);
    text->failed = text->failed || lines.failed;
    hs_text_release(&lines);
}

/* A rule holds for more processes, too, up to the next one, and the first for fewer: what stands
 * between says "as if there were no file". */
static void append_collective(struct hs_text *text, const struct hs_own_rules *rules, size_t count)
{
    static const char none[] = "%" PRId64 " 1 # processes, rules: not measured\n0 0 0 0\n";
    struct hs_text sizes = {0};
    int listed = 0;

    for (size_t i = 0; i < count; i++) {
        if (i == 0 && rules[0].ranks > 2) {
            hs_text_append(&sizes, none, (int64_t)2);
            listed++;
        }
        append_size(&sizes, &rules[i]);
        listed++;
        if (i + 1 == count || rules[i + 1].ranks > rules[i].ranks + 1) {
            hs_text_append(&sizes, none, rules[i].ranks + 1);
            listed++;
        }
    }
    hs_text_append(text, "%d # collective: %s\n%d # communicator sizes\n%s",
                   numbers[rules->collective], hs_mpi_own_calls[rules->collective], listed,
                   sizes.data ? sizes.data : "");
    text->failed = text->failed || sizes.failed;
    hs_text_release(&sizes);
}

/* Of the same collective, from `first` on. */
static size_t same_collective(const struct hs_own_rules *rules, size_t count, size_t first)
{
    size_t end = first;

    while (end < count && rules[end].collective == rules[first].collective)
        end++;
    return end;
}

static enum hs_status write_classic(struct hs_export_output *out, const struct hs_own_rules *rules,
                                    size_t count, const char *version, struct hs_text *header,
                                    struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "tuned.conf");
    int collectives = 0;

    (void)version;
    (void)err;
    for (size_t i = 0; i < count; i = same_collective(rules, count, i))
        collectives++;
    hs_export_comment_lines(text, header, "# ");
    hs_text_append(text, "%d # collectives\n", collectives);
    for (size_t i = 0, end; i < count; i = end) {
        end = same_collective(rules, count, i);
        append_collective(text, &rules[i], end - i);
    }
    return HS_OK;
}

static void put_rules(struct hs_json_writer *w, const struct hs_own_rules *rules)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_number(w, "comm_size_min", (double)rules->ranks);
    hs_json_write_number(w, "comm_size_max", (double)rules->ranks);
    hs_json_open(w, "rules", '[');
    for (size_t r = 0; r < rules->count; r++) {
        hs_json_open(w, NULL, '{');
        hs_json_write_number(w, "msg_size_min", (double)rules->rules[r].first_bytes);
        hs_json_write_number(w, "msg_size_max", (double)(rules->rules[r].end_bytes - 1));
        hs_json_write_number(w, "alg", rules->rules[r].own->number);
        hs_json_write_number(w, "seg_size", (double)rules->rules[r].own->segment_bytes);
        hs_json_close(w, '}');
    }
    hs_json_close(w, ']');
    hs_json_close(w, '}');
}

static enum hs_status write_json(struct hs_export_output *out, const struct hs_own_rules *rules,
                                 size_t count, const char *version, struct hs_text *header,
                                 struct hs_error *err)
{
    struct hs_json_writer w = {.text = hs_export_add_file(out, "tuned.json"), .err = err};

    (void)version;
    hs_json_open(&w, NULL, '{');
    hs_export_comment_json(&w, header);
    hs_json_write_number(&w, "rule_file_version", 3);
    hs_json_write_text(&w, "module", "tuned");
    hs_json_open(&w, "collectives", '{');
    for (size_t i = 0, end; i < count; i = end) {
        end = same_collective(rules, count, i);
        hs_json_open(&w, hs_mpi_own_calls[rules[i].collective], '[');
        for (size_t k = i; k < end; k++)
            put_rules(&w, &rules[k]);
        hs_json_close(&w, ']');
    }
    hs_json_close(&w, '}');
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}

/* ---- the formats ---- */

static const struct format {
    const struct hs_exporter *exporter;
    enum hs_library library;
    const char *use;
    enum hs_status (*write)(struct hs_export_output *out, const struct hs_own_rules *rules,
                            size_t count, const char *version, struct hs_text *header,
                            struct hs_error *err);
} formats[] = {
    {&hs_exporter_ompi_tuned, HS_LIBRARY_OPENMPI, use_classic, write_classic},
    {&hs_exporter_ompi_tuned_json, HS_LIBRARY_OPENMPI, use_json, write_json},
    {&hs_exporter_mpich, HS_LIBRARY_MPICH, use_mpich, hs_export_own_mpich},
};

static const struct format *format_of(const struct hs_exporter *exporter)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (formats[i].exporter == exporter)
            return &formats[i];
    return NULL;
}

bool hs_export_has_own(const struct hs_exporter *exporter)
{
    return format_of(exporter) != NULL;
}

bool hs_export_is_own(const struct hs_exporter *exporter, const struct hs_result *result)
{
    const struct format *format = format_of(exporter);

    for (size_t m = 0; m < result->message_count && format; m++)
        for (size_t i = 0; i < result->messages[m].algorithm_count; i++) {
            const struct hs_mpi_own *own = hs_mpi_own_find(result->messages[m].algorithms[i].name);

            if (own && own->library == format->library)
                return true;
        }
    return false;
}

/* What is known of one collective and size, and the line that does without a file. */
static void append_rules(struct hs_text *text, const struct hs_own_rules *rules,
                         enum hs_library library)
{
    const char *call = hs_mpi_own_calls[rules->collective];

    if (rules->count == 0)
        hs_text_append(text,
                       "%s of %" PRId64 " processes: nothing is faster than the library's "
                       "own choice\n",
                       call, rules->ranks);
    for (size_t r = 0; r < rules->count; r++)
        hs_text_append(text,
                       "%s of %" PRId64 " processes, %" PRIu64 " to %" PRIu64
                       " bytes: %s, at least %.2f times as fast as the library's default choice\n",
                       call, rules->ranks, rules->rules[r].first_bytes,
                       rules->rules[r].end_bytes - 1, strchr(rules->rules[r].own->name, ':') + 2,
                       rules->rules[r].gain);
    if (rules->always && library == HS_LIBRARY_OPENMPI)
        hs_text_append(text,
                       "for all sizes and communicators, never slower: "
                       "--mca coll_tuned_use_dynamic_rules 1\n"
                       "--mca coll_tuned_%s_algorithm %d\n"
                       "--mca coll_tuned_%s_algorithm_segmentsize %" PRId64 "\n",
                       call, rules->always->number, call, rules->always->segment_bytes);
}

static enum hs_status make_all(struct hs_own_rules *rules, const struct hs_export_job *jobs,
                               size_t count, enum hs_library library, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < count && status == HS_OK; i++)
        status = make(&rules[i], &jobs[i], library, err);
    qsort(rules, count, sizeof(*rules), compare);
    for (size_t i = 1; i < count && status == HS_OK; i++)
        if (compare(&rules[i - 1], &rules[i]) == 0)
            status = hs_fail(err, HS_INVALID,
                             "two RESULTs are about the %s of %" PRId64
                             " processes: expected one for each collective and size of group",
                             hs_collective_names[rules[i].collective], rules[i].ranks);
    return status;
}

/* What the MPI library said of itself; NULL: it is not in the result. */
static const char *mpi_version(const struct hs_result *result)
{
    for (size_t i = 0; i < result->version_count; i++)
        if (strcmp(result->versions[i].name, "mpi") == 0)
            return result->versions[i].text;
    return NULL;
}

enum hs_status hs_export_own(struct hs_export_output *out, const struct hs_exporter *exporter,
                             const struct hs_export_job *jobs, size_t count, struct hs_error *err)
{
    const struct format *format = format_of(exporter);
    struct hs_own_rules *rules = calloc(count, sizeof(*rules));
    struct hs_text header = {0};
    enum hs_status status;
    size_t found = 0;

    *out = (struct hs_export_output){0};
    if (!rules)
        return hs_no_memory(err);
    status = make_all(rules, jobs, count, format->library, err);
    hs_text_append(&header, "made by %s\n", jobs[0].made_by);
    for (size_t i = 0; i < count; i++) {
        hs_text_append(&header, "from ");
        hs_export_name_append(&header, jobs[i].result_name);
        hs_text_append(&header, ", measured\n");
    }
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        append_rules(&header, &rules[i], format->library);
        found += rules[i].count;
    }
    hs_text_append(&header, "for %s (%s): every communicator of these sizes\n", exporter->library,
                   exporter->versions);
    hs_text_append(&header, "%s\n", format->use);
    if (status == HS_OK && found == 0)
        status = hs_fail(err, HS_INVALID,
                         "%s: no algorithm was measured faster than the library's default choice, "
                         "which needs no configuration",
                         jobs[0].result_name);
    if (status == HS_OK)
        status = header.failed
                     ? hs_no_memory(err)
                     : format->write(out, rules, count, mpi_version(jobs[0].result), &header, err);
    for (size_t i = 0; i < count; i++)
        free(rules[i].rules);
    free(rules);
    hs_text_release(&header);
    if (status != HS_OK)
        hs_export_output_release(out);
    return status;
}
