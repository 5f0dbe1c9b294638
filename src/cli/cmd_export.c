#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "hiersearch.h"

/* ---- where it goes: to stdout, into a file, or into a folder ---- */

/* Where to. Borrowed. */
struct export_target {
    const char *output; /* path; NULL and "-": stdout */
    const char *format; /* for messages */
    const char *result; /* that is read, and not to be written over */
};

static char *join(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static enum hs_status write_file(const char *directory, const struct hiersearch_exports *exports,
                                 size_t file, struct hs_error *err)
{
    char *path = join(directory, hiersearch_exports_name(exports, file));
    size_t length;
    const char *text = hiersearch_exports_text(exports, file, &length);
    enum hs_status status;

    if (!path)
        return hs_no_memory(err);
    status = hs_file_replace(path, text, length, err);
    free(path);
    return status;
}

/* A link in the folder would lead the file elsewhere; the result itself may lie there. */
static enum hs_status check_file(const char *directory, const char *name, const char *result,
                                 struct hs_error *err)
{
    char *path = join(directory, name);
    struct stat about;
    enum hs_status status;

    if (!path)
        return hs_fail(err, HS_MEMORY, "out of memory");
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        status =
            hs_fail(err, HS_INVALID, "%s: is a symbolic link, expected a file or nothing", path);
    else
        status = hs_file_writable(path, &result, 1, err);
    free(path);
    return status;
}

static bool differ_in_digits_only(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    while (*a && *b) {
        size_t in_a = strspn(a, digits), in_b = strspn(b, digits);

        if ((in_a > 0) != (in_b > 0) || (in_a == 0 && *a != *b))
            return false;
        a += in_a > 0 ? in_a : 1;
        b += in_b > 0 ? in_b : 1;
    }
    return *a == *b;
}

/* "trace.8.et" beside eight files that end with "trace.7.et": of an export of more processes, which
 * a reader of the folder would take for one with this. */
static bool is_left_over(const char *name, const struct hiersearch_exports *exports)
{
    bool alike = false;

    for (size_t i = 0; i < hiersearch_exports_count(exports); i++) {
        if (strcmp(name, hiersearch_exports_name(exports, i)) == 0)
            return false;
        alike = alike || differ_in_digits_only(name, hiersearch_exports_name(exports, i));
    }
    return alike;
}

/* Before anything is written. */
static enum hs_status check_directory(const char *directory,
                                      const struct hiersearch_exports *exports, const char *result,
                                      struct hs_error *err)
{
    enum hs_status status = HS_OK;
    DIR *folder = opendir(directory);
    struct dirent *entry;

    if (!folder)
        return hs_fail(err, HS_INVALID, "%s: %s", directory, strerror(errno));
    while (status == HS_OK && (entry = readdir(folder)) != NULL)
        if (is_left_over(entry->d_name, exports))
            status = hs_fail(err, HS_INVALID,
                             "%s/%s: left over from another export; remove such files, or name "
                             "another folder",
                             directory, entry->d_name);
    closedir(folder);
    for (size_t i = 0; i < hiersearch_exports_count(exports) && status == HS_OK; i++)
        status = check_file(directory, hiersearch_exports_name(exports, i), result, err);
    return status;
}

static void remove_files(const char *directory, const struct hiersearch_exports *exports,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = join(directory, hiersearch_exports_name(exports, i));

        if (path)
            unlink(path);
        free(path);
    }
    rmdir(directory);
}

/* A folder that was made here disappears again where not all files could be written. */
static enum hs_status write_directory(const char *directory,
                                      const struct hiersearch_exports *exports, const char *result,
                                      struct hs_error *err)
{
    bool made = mkdir(directory, 0777) == 0;
    enum hs_status status = HS_OK;
    size_t written = 0;

    if (!made && errno != EEXIST)
        return hs_fail(err, HS_INVALID, "%s: cannot be made: %s", directory, strerror(errno));
    if (!hs_file_is_folder(directory))
        return hs_fail(err, HS_INVALID, "%s: not a folder, and there are %zu files to write",
                       directory, hiersearch_exports_count(exports));
    status = check_directory(directory, exports, result, err);
    for (; written < hiersearch_exports_count(exports) && status == HS_OK;
         written += status == HS_OK)
        status = write_file(directory, exports, written, err);
    if (status != HS_OK && made)
        remove_files(directory, exports, written);
    return status;
}

static enum hs_status need_directory(const struct hiersearch_exports *exports,
                                     const struct export_target *to, struct hs_error *err)
{
    return hs_fail(
        err, HS_INVALID, "--to %s makes %zu files (%s, %s%s): name a folder for them (-o)",
        to->format, hiersearch_exports_count(exports), hiersearch_exports_name(exports, 0),
        hiersearch_exports_name(exports, 1), hiersearch_exports_count(exports) > 2 ? ", ..." : "");
}

/* A path that cannot work is bad input, a full disk is not. */
static enum hs_status write_single(const char *path, const struct hiersearch_exports *exports,
                                   const char *result, struct hs_error *err)
{
    size_t length;
    const char *text = hiersearch_exports_text(exports, 0, &length);
    enum hs_status status = hs_file_writable(path, &result, 1, err);

    return status == HS_OK ? hs_file_replace(path, text, length, err) : status;
}

/* One file to the output, or several into a folder of that name. Each file is complete or not at
 * all. HS_INVALID: several files and no folder, a file that is the result, a link or left over from
 * another export; HS_IO, HS_MEMORY. */
static enum hs_status export_files_write(struct hs_context *context,
                                         const struct hiersearch_exports *exports,
                                         const struct export_target *to, struct hs_error *err)
{
    bool to_stdout = !to->output || strcmp(to->output, "-") == 0;
    size_t length;
    const char *text = hiersearch_exports_text(exports, 0, &length);

    if (to_stdout && hiersearch_exports_count(exports) > 1)
        return need_directory(exports, to, err);
    if (to_stdout)
        hs_text_append_bytes(context->out, text, length);
    else if (hiersearch_exports_count(exports) > 1 || hs_file_is_folder(to->output))
        return write_directory(to->output, exports, to->result, err);
    else
        return write_single(to->output, exports, to->result, err);
    return HS_OK;
}

/* ---- the command ---- */

struct export_words {
    struct hs_argument_list results;
    const char *output;
    bool quiet;
};

static enum hs_status export_results(struct hs_client *client, const struct export_words *words,
                                     struct hs_error *err)
{
    const struct hiersearch_question *question = client->context->question;
    const struct export_target to = {words->output,
                                     *(const char *const *)hs_question_field(question, "to"),
                                     words->results.items[0]};
    struct hiersearch_exports *exports = NULL;
    struct hs_text notes = {0};
    enum hs_status status = hs_output_check(words->results.count > 1 ? words->output : NULL, NULL,
                                            &words->results, err);

    if (status == HS_OK)
        status = hs_client_read(client, &words->results, err);
    if (status == HS_OK)
        status = hs_export_inputs(&exports, client->inputs, question, &notes, err);
    hs_notes_pass_on(client->context, &notes);
    if (status == HS_OK)
        status = export_files_write(client->context, exports, &to, err);
    if (status == HS_OK)
        hs_client_pass_on(client->context, hiersearch_exports_notes(exports));
    hiersearch_exports_free(exports);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct export_words *words = of_rows;
    struct hs_client client = hs_client_of(context, NULL);
    enum hs_status status;

    context->quiet = words->quiet;
    client.asker.output = words->output;
    if (words->results.count > 0)
        status = export_results(&client, words, err);
    else /* the formats */
        status = hs_client_ask(&client, err);
    if (status == HS_OK && client.answer)
        status = hs_client_print(&client, context->out, err);
    hs_client_release(&client);
    return status;
}

#define FIELD(name) offsetof(struct export_words, name)

static const struct hs_argument arguments[] = {
    {.name = "RESULT",
     .many = true,
     .files = true,
     .offset = FIELD(results),
     .usual = true,
     .help = "a result file of measure or predict, several for --to rules, and for what measure "
             "--native timed; - is stdin"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(
        NULL, FIELD(output), false,
        "write there instead of to stdout; a folder (made if need be) for formats of several "
        "files"),
    HS_ROW_JSON(NULL, "of --list, as all of these"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_export = {
    .name = "export",
    .summary = "writes a result as configuration for other libraries and simulators",
    .description = "Writes the best plan of a result in the format of another library. Every file "
                   "begins with a comment "
                   "that says where it is from, for which versions it is, and how to use it. What "
                   "a format cannot "
                   "express is said on stderr, with what that costs. Plans by trees on single "
                   "links (8f, 8g) go to pytorch and msccl, whole.",
    .examples = "  hiersearch export --list\n"
                "  hiersearch export results/here.json --to msccl -o allreduce.xml\n"
                "  hiersearch export allreduce.json allgather.json --profile job.json --to rules\n"
                "  hiersearch export native-*.json --to ompi-tuned -o tuned.conf\n"
                "  hiersearch export results/here.json --to simgrid -o platform/\n"
                "  hiersearch predict abci --np 128 --json | hiersearch export - --to colors",
    .usual = "to output size plan profile list",
    .arguments = arguments,
    .question = "export",
    .options = options,
    .settings_bytes = sizeof(struct export_words),
    .run = run,
};
