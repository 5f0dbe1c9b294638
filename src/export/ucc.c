/* UCC: for which message sizes cl/hier runs its split_rail algorithm, as environment. */
#include <inttypes.h>

#include "export/size_rules.h"

static const char use[] =
    "set -a; . ./ucc.env; set +a; and start the program; with Open MPI also\n"
    "OMPI_MCA_coll_ucc_enable=1 OMPI_MCA_coll_ucc_priority=100\n"
    "split_rail is reduce-scatter in the node, one allreduce between nodes for each process of a\n"
    "node, allgather in the node: a plan of two layers whose inner one is the node, and no other.\n"
    "Needs as many processes on each node. UCC_LOG_LEVEL=info shows the score map: expect\n"
    "CL_HIER in these ranges. What has score 0 is taken from cl/hier and goes to cl/basic, as it\n"
    "would without this file: small messages, sizes for which the plan is flat or UCC's default "
    "call\n"
    "is faster, and all collectives but allreduce, of which cl/hier would take some by default.";

/* What else cl/hier has, in any version (UCC_CL_HIER_SUPPORTED_COLLS). */
#define OTHER_COLLECTIVES "allgatherv,alltoall,alltoallv,barrier,bcast,reduce"

static void append_range(struct hs_text *text, const struct hs_export_rule *rule)
{
    hs_text_append(text, "#allreduce:%" PRIu64 "-", rule->first_bytes);
    if (rule->end_bytes == UINT64_MAX)
        hs_text_append(text, "inf");
    else
        hs_text_append(text, "%" PRIu64, rule->end_bytes);
    hs_text_append(text, rule->plan.split.count > 1 ? ":@split_rail:inf" : ":0");
}

static void append_variables(struct hs_text *text, const struct hs_export_rules *rules)
{
    bool hierarchical = false;

    for (size_t i = 0; i < rules->count; i++)
        hierarchical = hierarchical || rules->rules[i].plan.split.count > 1;
    if (!hierarchical) {
        hs_text_append(text, "UCC_CLS=basic\n");
        return;
    }
    hs_text_append(text, "UCC_CLS=hier,basic\nUCC_CL_HIER_TUNE='" OTHER_COLLECTIVES ":0");
    for (size_t i = 0; i < rules->count; i++)
        append_range(text, &rules->rules[i]);
    hs_text_append(text, "'\n");
}

static enum hs_status write_ucc(struct hs_export_output *out, const struct hs_export_job *job,
                                struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "ucc.env");
    struct hs_export_rules rules;
    enum hs_status status = hs_export_rules_make(&rules, job, hs_export_choose_node, err);

    if (status != HS_OK)
        return status;
    hs_export_header_lines(text, job, &hs_exporter_ucc, use);
    hs_export_rules_say(&rules, out, text, job, &hs_exporter_ucc);
    hs_export_say_node(out, text, job);
    append_variables(text, &rules);
    hs_export_rules_release(&rules);
    return HS_OK;
}

const struct hs_exporter hs_exporter_ucc = {
    .name = "ucc",
    .library = "UCC",
    .versions = "1.1 and later",
    .summary = "sizes for which cl/hier runs split_rail, as environment",
    .affects = "allreduces of every UCC team on several nodes; Open MPI's coll_ucc gives UCC all "
               "other collectives, too",
    .layers = 2,
    .exact = false,
    .chunks = false,
    .sizes = true,
    .write = write_ucc,
};
