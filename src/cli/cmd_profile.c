#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answer/inputs.h"
#include "apply/settings.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/interposed.h"
#include "cli/option_rows.h"
#include "record/counts_files.h"
#include "record/profile.h"

struct profile_settings {
    struct hs_interposed interposed;
    const char *read, *compare_with;
    bool quiet;
};

/* ---- what one left ---- */

static enum hs_status save(struct hs_context *context, const struct profile_settings *settings,
                           const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_profile_print(&text, profile, err);

    if (status == HS_OK)
        status = hs_output_write(settings->interposed.profile, &text, context, err);
    hs_text_release(&text);
    return status;
}

static enum hs_status read_back(struct hs_context *context, const struct profile_settings *settings,
                                struct hs_error *err)
{
    struct hs_client client = hs_client_of(context, NULL);
    struct hs_profile profile = {0};
    char *paths[] = {(char *)settings->compare_with, (char *)settings->read};
    const struct hs_argument_list files = {paths, 2}, alone = {paths + 1, 1};
    const char *output = settings->interposed.profile;
    bool shown = !settings->quiet && !(output && strcmp(output, "-") == 0);
    enum hs_status status = hs_inputs_profile(&profile, settings->read, err);

    if (status == HS_OK && output)
        status = save(context, settings, &profile, err);
    if (status == HS_OK && shown) /* before its counts are removed */
        status = hs_client_read(&client, settings->compare_with ? &files : &alone, err);
    /* What is read is another's, but for the job itself at its end. */
    if (status == HS_OK && output && profile.missing_ranks == 0 && getenv(HS_PROFILE_ENDED))
        hs_counts_remove(settings->read);
    if (status == HS_OK && shown)
        status = hs_client_answer(&client, err);
    hs_client_release(&client);
    hs_profile_release(&profile);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct profile_settings *settings = of_rows;

    if (settings->read && settings->interposed.program.count > 0)
        return hs_fail(err, HS_INVALID,
                       "--read shows what was counted: expected no program, found %s",
                       settings->interposed.program.items[0]);
    if (settings->compare_with && !settings->read)
        return hs_fail(err, HS_INVALID, "--compare-with: expected --read FILE, the profile after");
    if (settings->read)
        return read_back(context, settings, err);
    if (settings->interposed.program.count == 0)
        return hs_fail(err, HS_INVALID, "expected a program behind --, or --read");
    if (!settings->interposed.profile)
        return hs_fail(err, HS_INVALID, "expected -o FILE: where the profile goes");
    settings->interposed.nccl = true;
    return hs_interposed_become(&settings->interposed, err);
}

#define FIELD(name) offsetof(struct profile_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_PROGRAM(FIELD(interposed.program), false, "the program to count, with its arguments"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(interposed.profile), false,
                  "where the profile goes: on a file system that all nodes of the job share"),
    {.name = "read",
     .argument = "FILE",
     .type = &hs_option_file,
     .offset = FIELD(read),
     .help = "show a profile; or FILE.ranks, which a job leaves that does not reach MPI_Finalize, "
             "or calls NCCL without MPI: what it had called until then (with -o it is written as a "
             "profile, - is stdout; what is read is not changed)"},
    {.name = "compare-with",
     .argument = "BEFORE",
     .type = &hs_option_file,
     .offset = FIELD(compare_with),
     .help = "show what became of each kind of calls since this profile of the job, such as that "
             "without `hiersearch run`, and what is saved"},
    HS_ROW_INTERPOSER(FIELD(interposed.interposer)),
    HS_ROW_JSON(NULL, "the kinds of calls"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "show nothing"),
    {.name = NULL},
};

const struct hs_command hs_command_profile = {
    .name = "profile",
    .summary = "counts the collectives of an unmodified program",
    .launcher = "[mpiexec -n P]",
    .description =
        "Executes PROGRAM with " HS_INTERPOSER " preloaded before its MPI library (LD_PRELOAD). It "
        "counts the collectives and passes them on: which, in which groups, sizes, calls, time, "
        "and for a sample of calls the time that ranks waited for the slowest. "
        "When all ranks reach MPI_Finalize, rank 0 writes the profile; a job that is killed leaves "
        "what it counted in FILE.ranks.\n"
        "Counted are the collectives of C and Fortran, the nonblocking ones by the time it takes "
        "to begin them. Not seen: persistent and neighbourhood collectives, those of processes "
        "that the job spawned, and programs that are linked with MPI statically.\n" HS_OF_NCCL
        " stands in front of NCCL, or RCCL, in the same way, and needs no MPI: each process that "
        "makes a "
        "communicator counts its calls, by the host's time to begin them (what the GPU takes is "
        "not known), and leaves its counts in FILE.ranks, of which --read and -o make the profile "
        "once all have ended; remove them then. Calls that a CUDA graph captures count once, when "
        "they are captured. "
        "Not seen: an NCCL that is linked statically, or whose functions a program looks up in the "
        "library itself, as JAX does.",
    .examples = "  mpiexec -n 16 hiersearch profile -o job.json -- ./app\n"
                "  srun hiersearch profile -o job.json -- python train.py\n"
                "  hiersearch profile -o train.json -- torchrun --nproc-per-node 8 train.py\n"
                "  hiersearch profile --read train.json.ranks -o train.json\n"
                "  hiersearch profile --read job.json\n"
                "  hiersearch profile --read killed.json.ranks -o killed.json\n"
                "  hiersearch profile --read after.json --compare-with before.json",
    .usual = "output read compare-with top format",
    .arguments = arguments,
    .question = "profile",
    .options = options,
    .settings_bytes = sizeof(struct profile_settings),
    .run = run,
};
