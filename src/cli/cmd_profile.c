#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply/merge.h"
#include "apply/settings.h"
#include "base/file.h"
#include "base/places.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "result/profile.h"
#include "view/profiles.h"

#define INTERPOSER  "libhiersearch-mpi.so"
#define TOP_DEFAULT "16"

struct profile_settings {
    struct hs_argument_list program;
    const char *output, *read, *interposer;
    int64_t top;
    struct hs_print print;
    bool quiet;
};

/* ---- in front of a program ---- */

static enum hs_status set(const char *name, const char *value, struct hs_error *err)
{
    return setenv(name, value, 1) == 0 ? HS_OK : hs_no_memory(err);
}

/* The path of a file that need not be there, from the root: the program may change its folder. */
static enum hs_status absolute(char path[PATH_MAX], const char *file, struct hs_error *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int length;

    if (slash)
        length = snprintf(path, PATH_MAX, "%.*s", (int)(slash == file ? 1 : slash - file), file);
    else
        length = snprintf(path, PATH_MAX, ".");
    if (length >= PATH_MAX || !realpath(path, folder))
        return hs_fail(err, HS_INVALID, "%s: %s", path,
                       strerror(length >= PATH_MAX ? ENAMETOOLONG : errno));
    length = snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                      slash ? slash + 1 : file);
    return length < PATH_MAX ? HS_OK
                             : hs_fail(err, HS_INVALID, "%s: %s", file, strerror(ENAMETOOLONG));
}

/* Beside this program, or where `make install` puts it. */
static enum hs_status find_interposer(char path[PATH_MAX], const char *given, struct hs_error *err)
{
    static const char *const places[] = {INTERPOSER, "../lib/hiersearch/" INTERPOSER};

    if (given) {
        if (realpath(given, path) && access(path, R_OK) == 0)
            return HS_OK;
        return hs_fail(err, HS_INVALID, "--interposer: %s: %s", given, strerror(errno));
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (hs_program_path(path, PATH_MAX, places[i]) && access(path, R_OK) == 0)
            return HS_OK;
    return hs_fail(err, HS_FAILED,
                   "there is no " INTERPOSER " beside this program or in ../lib/hiersearch: it was "
                   "built without MPI");
}

/* In front of what the user has there. */
static enum hs_status preload(const char *library, struct hs_error *err)
{
    const char *before = getenv("LD_PRELOAD");
    char both[2 * PATH_MAX];
    int length = snprintf(both, sizeof(both), "%s%s%s", library, before && before[0] ? ":" : "",
                          before ? before : "");

    if (length >= (int)sizeof(both))
        return hs_fail(err, HS_INVALID, "LD_PRELOAD: %s", strerror(ENAMETOOLONG));
    return set("LD_PRELOAD", both, err);
}

static enum hs_status become(const struct profile_settings *settings, struct hs_error *err)
{
    char output[PATH_MAX], folder[PATH_MAX + 8], library[PATH_MAX], program[PATH_MAX];
    char **argv = calloc(settings->program.count + 1, sizeof(*argv));
    enum hs_status status = argv ? absolute(output, settings->output, err) : hs_no_memory(err);

    if (status == HS_OK)
        status = hs_file_writable(output, NULL, 0, err);
    if (status == HS_OK)
        status = find_interposer(library, settings->interposer, err);
    if (status == HS_OK && !realpath("/proc/self/exe", program))
        status = hs_fail(err, HS_FAILED, "/proc/self/exe: %s", strerror(errno));
    if (status == HS_OK) {
        snprintf(folder, sizeof(folder), "%s.ranks", output);
        status = set(HS_PROFILE_FOLDER, folder, err);
    }
    if (status == HS_OK)
        status = set(HS_PROFILE_OUTPUT, output, err);
    if (status == HS_OK)
        status = set(HS_PROFILE_PROGRAM, program, err);
    if (status == HS_OK)
        status = preload(library, err);
    if (status == HS_OK) {
        memcpy(argv, settings->program.items, settings->program.count * sizeof(*argv));
        execvp(argv[0], argv);
        status = hs_fail(err, HS_FAILED, "cannot run %s: %s", argv[0], strerror(errno));
    }
    free(argv);
    return status;
}

/* ---- what one left ---- */

static enum hs_status load(struct hs_profile *profile, bool *of_ranks, const char *path,
                           struct hs_error *err)
{
    struct stat about;

    *of_ranks = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return *of_ranks ? hs_profile_merge(profile, path, err) : hs_profile_load(profile, path, err);
}

static enum hs_status save(const struct profile_settings *settings,
                           const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_profile_print(&text, profile, err);

    if (status == HS_OK)
        status = hs_file_replace(settings->output, text.data, text.length, err);
    hs_text_release(&text);
    return status;
}

static enum hs_status show(struct hs_context *context, const struct profile_settings *settings,
                           const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_sheet sheet;

    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    hs_profile_show(&sheet, profile, (size_t)settings->top);
    return hs_sheet_end(&sheet, err);
}

static enum hs_status read_back(struct hs_context *context, const struct profile_settings *settings,
                                struct hs_error *err)
{
    struct hs_profile profile = {0};
    bool of_ranks;
    enum hs_status status = load(&profile, &of_ranks, settings->read, err);

    if (status == HS_OK && settings->output)
        status = save(settings, &profile, err);
    if (status == HS_OK && settings->output && of_ranks && profile.missing_ranks == 0)
        hs_counts_remove(settings->read);
    if (status == HS_OK && !settings->quiet)
        status = show(context, settings, &profile, err);
    hs_profile_release(&profile);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct profile_settings *settings = of_rows;

    if (settings->read && settings->program.count > 0)
        return hs_fail(err, HS_INVALID,
                       "--read shows what was counted: expected no program, found %s",
                       settings->program.items[0]);
    if (settings->read)
        return read_back(context, settings, err);
    if (settings->program.count == 0)
        return hs_fail(err, HS_INVALID, "expected a program behind --, or --read");
    if (!settings->output)
        return hs_fail(err, HS_INVALID, "expected -o FILE: where the profile goes");
    return become(settings, err);
}

#define FIELD(name) offsetof(struct profile_settings, name)

static const struct hs_argument arguments[] = {
    {.name = "PROGRAM",
     .help = "behind --: the program to count, with its arguments",
     .many = true,
     .files = true,
     .offset = FIELD(program)},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), false,
                  "where the profile goes: on a file system that all nodes of the job share"),
    {.name = "read",
     .argument = "FILE",
     .type = &hs_option_file,
     .offset = FIELD(read),
     .help = "show a profile; or FILE.ranks, which a job leaves that does not reach MPI_Finalize: "
             "what it had called until then (with -o it is written as a profile)"},
    HS_ROW_COUNT("top", "kinds of calls", 1, HS_PROFILE_CALLS_MAX, TOP_DEFAULT, NULL, FIELD(top),
                 "show so many kinds of calls, those that took longest first"),
    HS_ROW_FILE("interposer", 0, NULL, FIELD(interposer), false,
                "the " INTERPOSER " that was built for the program's MPI library (default: the one "
                "that came with hiersearch)"),
    HS_ROWS_PRINT(NULL, FIELD(print), "the kinds of calls"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "show nothing"),
    {.name = NULL},
};

const struct hs_command hs_command_profile = {
    .name = "profile",
    .summary = "under mpiexec or srun: count the collectives of a program as it is",
    .description =
        "Becomes PROGRAM, with " INTERPOSER " in front of its MPI library (LD_PRELOAD). Its "
        "collectives pass as they are and are counted: which, in which groups, how large, how "
        "often, how long, and for a sample of them how long ranks waited for the last one to come. "
        "When all ranks reach MPI_Finalize, rank 0 writes the profile; a job that is killed leaves "
        "what it counted in FILE.ranks.\n"
        "Counted are the collectives of C and Fortran, the nonblocking ones by the time it takes "
        "to begin them. Not seen: persistent and neighbourhood collectives, those of processes "
        "that the job spawned, and programs that are linked with MPI statically.",
    .examples = "  mpiexec -n 16 hiersearch profile -o job.json -- ./app\n"
                "  srun hiersearch profile -o job.json -- python train.py\n"
                "  hiersearch profile --read job.json\n"
                "  hiersearch profile --read killed.json.ranks -o killed.json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct profile_settings),
    .run = run,
};
