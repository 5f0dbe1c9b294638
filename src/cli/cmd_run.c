#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "answer/inputs.h"
#include "apply/settings.h"
#include "cli/commands.h"
#include "cli/interposed.h"
#include "cli/option_rows.h"
#include "export/export.h"
#include "model/rules.h"

struct run_settings {
    struct hs_argument_list results;
    struct hs_interposed interposed;
    int64_t verify;
    bool elsewhere, reproducible;
};

/* For calls of MPI, and for calls of NCCL. */
enum { OF_MPI, OF_NCCL, LIBRARIES };

static enum hs_status check_nccl(const struct hs_result *result, const char *path,
                                 struct hs_error *err)
{
    if (result->collective == HS_COLLECTIVE_ALLREDUCE ||
        result->collective == HS_COLLECTIVE_REDUCE_SCATTER ||
        result->collective == HS_COLLECTIVE_ALLGATHER)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: expected a result of NCCL about allreduce, reduce-scatter or allgather, "
                   "which run carries out, found %s",
                   path, hs_collective_names[result->collective]);
}

static enum hs_status add_result(struct hs_text rules[LIBRARIES],
                                 const struct run_settings *settings, const char *path,
                                 struct hs_error *err)
{
    bool of_nccl;
    struct hs_result result;
    enum hs_status status = hs_result_load(&result, path, err);

    if (status != HS_OK)
        return status;
    hs_result_sort(&result);
    of_nccl =
        hs_export_is_for_nccl(&(struct hs_export_job){.result = &result, .result_name = path});
    if (of_nccl)
        status = check_nccl(&result, path, err);
    if (status == HS_OK)
        status = hs_inputs_rules(&rules[of_nccl ? OF_NCCL : OF_MPI], &result, path,
                                 settings->elsewhere, err);
    hs_result_release(&result);
    return status;
}

/* What no rank could carry out is said here, before the job has begun. */
static enum hs_status check(const struct hs_text *rules, struct hs_error *err)
{
    struct hs_rules read;
    enum hs_status status;

    if (!rules->data)
        return HS_OK;
    status = hs_rules_parse(&read, rules->data, err);
    hs_rules_release(&read);
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, "rules of these results");
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    static const char *const names[LIBRARIES] = {HS_RUN_PLANS, HS_RUN_NCCL_PLANS};
    struct run_settings *settings = of_rows;
    struct hs_text rules[LIBRARIES] = {{0}, {0}};
    char verify[24];
    enum hs_status status = HS_OK;

    (void)context;
    if (settings->interposed.program.count == 0)
        return hs_fail(err, HS_INVALID, "expected a program behind --");
    for (size_t i = 0; i < settings->results.count && status == HS_OK; i++)
        status = add_result(rules, settings, settings->results.items[i], err);
    settings->interposed.nccl = rules[OF_NCCL].data != NULL;
    settings->interposed.nccl_alone = !rules[OF_MPI].data && !settings->interposed.profile;
    for (int i = 0; i < LIBRARIES; i++) {
        if (status == HS_OK)
            status = check(&rules[i], err);
        if (status == HS_OK)
            status = hs_interposed_set(names[i], rules[i].data ? rules[i].data : "", err);
        hs_text_release(&rules[i]);
    }
    snprintf(verify, sizeof(verify), "%lld", (long long)settings->verify);
    if (status == HS_OK)
        status = hs_interposed_set(HS_RUN_VERIFY, verify, err);
    if (status == HS_OK)
        status = hs_interposed_set(HS_RUN_REPRODUCIBLE, settings->reproducible ? "1" : "0", err);
    return status == HS_OK ? hs_interposed_become(&settings->interposed, err) : status;
}

#define FIELD(name) offsetof(struct run_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(FIELD(results),
                   "results of measure or predict, each of another collective or other groups"),
    HS_ROW_PROGRAM(FIELD(interposed.program), true, "the program to run, with its arguments"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_COUNT("verify", "calls", 0, 1000000000, "0", NULL, FIELD(verify),
                 "check every so many calls of a plan against the library's default call, and take "
                 "its result, and no more of that plan, where they differ (of NCCL's: always its "
                 "result, and a line on stderr where they differ)"),
    HS_ROW_FLAG("reproducible", 0, NULL, FIELD(reproducible),
                "no call goes by the library to compare: the order of additions, which is a "
                "plan's own and the same every time, is that of all calls of a size"),
    HS_ROW_FLAG("elsewhere", 0, NULL, FIELD(elsewhere),
                "run the plans also where ranks lie on nodes otherwise than those of RESULT"),
    HS_ROW_OUTPUT(NULL, FIELD(interposed.profile), false,
                  "also count what passes, as profile does, and write it there"),
    HS_ROW_INTERPOSER(FIELD(interposed.interposer)),
    {.name = NULL},
};

const struct hs_command hs_command_run = {
    .name = "run",
    .summary = "runs an unmodified program; its collectives use the measured plans",
    .launcher = "mpiexec -n P",
    .description =
        "Executes PROGRAM with " HS_INTERPOSER " preloaded before its MPI library (LD_PRELOAD). "
        "Blocking calls of the collectives in RESULT, in communicators of the same ranks, use the "
        "best plan of their size. All other calls, and sizes for which the library's default is "
        "best, go to the library. All ranks decide alike: MPI makes bytes, type, operation and "
        "communicator equal on all.\n"
        "A job with another number of processes or another placement of ranks on nodes ends at "
        "MPI_Init with the reason. Every now and then a call uses the library, for comparison; "
        "the estimated saving is printed to stderr after MPI_Finalize.\n"
        "By plan: MPI_Allreduce, MPI_Reduce_scatter with equal parts, MPI_Reduce_scatter_block, "
        "MPI_Allgather, MPI_Alltoall of C and Fortran. Reductions of MPI's own integers and "
        "floats of 2, 4 and 8 bytes by its own operations; all types of the other two whose blocks "
        "are of an even number of bytes.\n"
        "Results of NCCL's allreduces, reduce-scatters and allgathers are for its own calls of "
        "these, with " HS_OF_NCCL " in front of NCCL (2.22 and later), without MPI: a call alone, "
        "or alone in a group, as several of NCCL's calls on the same stream. Each process "
        "decides by its own environment, which must be the same everywhere; where ranks lie "
        "otherwise, a line says so, and NCCL carries all calls out itself. For RCCL's calls on "
        "AMD's GPUs the same holds: a prediction for a machine with RCCL is about them.",
    .examples = "  mpiexec -n 16 hiersearch run here.json -- ./app\n"
                "  srun hiersearch run allreduce.json allgather.json -- python train.py\n"
                "  hiersearch run gpus.json -- torchrun --nproc-per-node 8 train.py\n"
                "  mpiexec -n 16 hiersearch run here.json --verify 10 -- ./app",
    .usual = "verify output reproducible elsewhere",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct run_settings),
    .run = run,
};
