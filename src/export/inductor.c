/* PyTorch's Inductor: what collectives take, for the passes that reorder and bucket them. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export/approximate.h"

#define CONSTANTS_LINE "@CONSTANTS@\n"

static const char use[] =
    "Put this file where Python finds it; in every process, before the first compilation:\n"
    "    import inductor_times\n"
    "    inductor_times.install()\n"
    "    torch._inductor.config.aten_distributed_optimizations.enable_overlap_scheduling = True\n"
    "Give many sizes (--size 1KiB:1GiB): outside of them PyTorch's own estimate is taken. With\n"
    "--plan the times are that plan's, for a job that `hiersearch run` applies it to.";

static const char body[] =
#include "export/python/inductor_times.py.inc"
    ;

/* Of the plan; without one of the library's default or, where that has no time, of the flat plan,
 * which it is compared with elsewhere, too. NaN: not known. */
static double seconds_of(const struct hs_export_job *job, const struct hs_result_message *message)
{
    const struct hs_answer *answer = message->answer;
    struct hs_plan flat = hs_result_flat(job->result);
    double seconds = NAN;

    if (job->plan)
        return job->result->backend ? hs_export_measured(message, job->plan)
                                    : hs_export_predicted(job->result, message, job->plan);
    if (job->result->backend)
        seconds = hs_export_measured(message, &hs_export_library_call);
    else if (answer && answer->usual)
        seconds = answer->usual->seconds;
    if (!isnan(seconds))
        return seconds;
    return job->result->backend ? hs_export_measured(message, &flat)
                                : hs_export_predicted(job->result, message, &flat);
}

static void append_group(struct hs_text *text, const struct hs_result *result)
{
    int64_t node_ranks = hs_export_node_ranks(result, NULL);
    struct hs_group group = hs_result_group(result);

    hs_text_append(text, "RANKS_PER_NODE: Optional[int] = ");
    hs_text_append(text, node_ranks > 0 ? "%" PRId64 : "None", node_ranks);
    hs_text_append(text,
                   "  # of the job; None: not known\n"
                   "# By collective, ranks of the group, and how many of them share a node.\n"
                   "TIMES = {\n"
                   "    (\"%s\", %" PRId64 ", ",
                   hs_collective_names[result->collective], group.size);
    hs_text_append(text, node_ranks > 0 ? "%" PRId64 : "None",
                   node_ranks > 0 ? hs_group_spread(&group, node_ranks).most : 0);
    hs_text_append(text, "): (  # bytes, seconds\n");
}

static enum hs_status write_inductor(struct hs_export_output *out, const struct hs_export_job *job,
                                     struct hs_error *err)
{
    const char *constants = strstr(body, CONSTANTS_LINE);
    const struct hs_result *result = job->result;
    bool known = false;
    struct hs_text *text;

    assert(constants);
    for (size_t i = 0; i < result->message_count; i++)
        known = known || !isnan(seconds_of(job, &result->messages[i]));
    if (!known)
        return hs_fail(err, HS_INVALID, "%s: no time of %s in it: name another plan (--plan)",
                       job->result_name, job->plan ? "the plan" : "the library's default call");
    text = hs_export_add_file(out, "inductor_times.py");
    hs_export_header(text, job, &hs_exporter_inductor, &hs_export_comment_hash, use);
    hs_text_append_bytes(text, body, (size_t)(constants - body));
    append_group(text, result);
    for (size_t i = 0; i < result->message_count; i++) {
        double seconds = seconds_of(job, &result->messages[i]);

        if (!isnan(seconds))
            hs_text_append(text, "        (%" PRIu64 ", %.6g),\n",
                           result->messages[i].message_bytes, seconds);
    }
    hs_text_append(text, "    ),\n}\n%s", constants + strlen(CONSTANTS_LINE));
    return HS_OK;
}

const struct hs_exporter hs_exporter_inductor = {
    .name = "inductor",
    .library = "PyTorch",
    .versions = "2.15",
    .summary = "Python module: what collectives take, for torch.compile's passes",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .letters = HS_EXPORT_LETTERS | HS_EXPORT_TREES,
    .sizes = true,
    .also = HS_EXPORT_NATURAL | HS_EXPORT_BY_COPIES | HS_EXPORT_OF(ALLTOALL, NATURAL),
    .groups = HS_GROUPS_CALLED,
    .write = write_inductor,
};
