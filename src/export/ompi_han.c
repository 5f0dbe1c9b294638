/* Open MPI's coll/han: hierarchical or not, as its rules file. */
#include "export/approximate.h"

static const char use[] =
    "mpirun --mca coll_han_priority 100 --mca coll_han_use_simple_allreduce 1\n"
    "--mca coll_han_use_dynamic_file_rules 1 --mca coll_han_dynamic_rules_filename\n"
    "/path/to/han.conf (an absolute path). With --mca coll_base_verbose 80 han says that it has\n"
    "read 1 rule, and when it finds it.\n"
    "Two layers, the node and the rest, and not the plan's phases: han reduces to one process of "
    "a\n"
    "node, runs an allreduce between those and broadcasts.\n"
    "Not in segments (simple): 4.1.4 writes beyond its memory if they do not divide the message.\n"
    "The rule for all processes must be han in 4.1: with any other component, for any size, 4.1.4\n"
    "crashes. Inside and between nodes Open MPI chooses as ever.";

/* Names, as 4.1 rejects numbers. */
static const char rules[] = "1 # collectives\n"
                            "allreduce\n"
                            "1 # levels\n"
                            "2 # level: all processes\n"
                            "1 # communicator sizes\n"
                            "1 # processes, at least\n"
                            "1 # message sizes\n"
                            "0 han # bytes, at least; component\n";

static enum hs_status refuse_flat(const struct hs_export_job *job, struct hs_error *err)
{
    char plan[HS_SPLIT_TEXT], size[HS_UNIT_TEXT];

    return hs_fail(
        err, HS_INVALID,
        "%s: for %s the flat split is the fastest that han could stand for (best plan "
        "%s), and han has no flat one: run without it (--mca coll ^han), --to ompi-tuned",
        job->result_name, hs_export_size(size, job), hs_plan_format(plan, hs_export_plan(job)));
}

static enum hs_status refuse_slower(const struct hs_export_job *job, struct hs_error *err)
{
    const struct hs_result_message *message = &job->result->messages[job->message];
    const struct hs_baseline_result *untimed = hs_export_untimed(message);
    char size[HS_UNIT_TEXT];

    if (untimed)
        return hs_fail(err, HS_INVALID,
                       "%s: %s was not timed at %s, so nothing says that han is faster: give "
                       "measure a larger --budget, or name a plan (--plan)",
                       job->result_name, untimed->name, hs_export_size(size, job));
    return hs_fail(err, HS_INVALID,
                   "%s: %s is faster at %s (measured) than what han could stand for: keep the "
                   "library's default, run without han (--mca coll ^han)",
                   job->result_name, hs_export_library(message)->name, hs_export_size(size, job));
}

static enum hs_status write_han(struct hs_export_output *out, const struct hs_export_job *job,
                                struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "han.conf");
    struct hs_export_rule rule = {.wanted = *hs_export_plan(job), .message = job->message};
    enum hs_status status = hs_export_choose_node(&rule.plan, &rule.cost, job, job->message, err);

    if (status == HS_OK)
        hs_export_leave_alone(&rule, job);
    if (status == HS_OK && rule.plan.split.count == 0)
        status = refuse_slower(job, err);
    else if (status == HS_OK && rule.plan.split.count == 1)
        status = refuse_flat(job, err);
    if (status != HS_OK)
        return status;
    hs_export_header_lines(text, job, &hs_exporter_ompi_han, use);
    hs_export_say_replaced(out, text, &hs_exporter_ompi_han, job, &rule);
    hs_export_say_node(out, text, job);
    hs_export_note(out, "ompi-han: han's reduce, allreduce and broadcast move other bytes than the "
                        "plan's phases: measure before relying on it");
    hs_text_append(text, "%s", rules);
    return HS_OK;
}

const struct hs_exporter hs_exporter_ompi_han = {
    .name = "ompi-han",
    .library = "Open MPI",
    .versions = "4.1 and 5.0",
    .summary = "the node and the rest, as a rules file of coll/han",
    .affects = "all collectives that han has, in every communicator on several nodes",
    .layers = 2,
    .exact = false,
    .chunks = false,
    .write = write_han,
};
