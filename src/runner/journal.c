/* journal.c - see journal.h. */
#include "runner/journal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

#define JOURNAL_BYTES_MAX ((size_t)1 << 30)

/* ---- writing ------------------------------------------------------------------------------- */

/* All of it, or what the file had before. */
static enum hs_status write_line(struct hs_journal *journal, const char *line, struct hs_error *err)
{
    size_t length = strlen(line), written = 0;
    int failure = 0;

    while (written < length && !failure) {
        ssize_t bytes = write(journal->fd, line + written, length - written);

        if (bytes > 0)
            written += (size_t)bytes;
        else if (bytes < 0 && errno != EINTR)
            failure = errno;
        else if (bytes == 0)
            failure = EIO;
    }
    if (!failure) {
        journal->length += length;
        journal->unsynced = true;
        return HS_OK;
    }
    journal->broken = true;
    /* Where this fails too, half a line stays, which --resume cuts off. */
    (void)!ftruncate(journal->fd, (off_t)journal->length);
    return hs_fail(err, HS_IO, "%s: %s", journal->path, strerror(failure));
}

enum hs_status hs_journal_sync(struct hs_journal *journal, struct hs_error *err)
{
    if (!journal->path || journal->broken || !journal->unsynced)
        return HS_OK;
    journal->unsynced = false;
    if (fsync(journal->fd) == 0)
        return HS_OK;
    journal->broken = true;
    return hs_fail(err, HS_IO, "%s: %s", journal->path, strerror(errno));
}

/* Prints, frees the tree and writes it as one line. */
static enum hs_status write_tree(struct hs_journal *journal, cJSON *root, bool complete,
                                 struct hs_error *err)
{
    char *text = complete ? cJSON_PrintUnformatted(root) : NULL, *line = NULL;
    enum hs_status status;

    if (!text || asprintf(&line, "%s\n", text) < 0)
        status = hs_fail(err, HS_MEMORY, "out of memory for the journal");
    else
        status = write_line(journal, line, err);
    cJSON_free(text);
    free(line);
    cJSON_Delete(root);
    return status;
}

static enum hs_status write_header(struct hs_journal *journal, const struct hs_journal_fact *facts,
                                   size_t fact_count, struct hs_error *err)
{
    cJSON *root = cJSON_CreateObject(), *run = cJSON_CreateObject();
    bool complete = root && run;

    complete = complete && cJSON_AddStringToObject(root, "format", HS_JOURNAL_FORMAT);
    if (!complete || !cJSON_AddItemToObject(root, "run", run)) {
        cJSON_Delete(run);
        complete = false;
    }
    for (size_t i = 0; i < fact_count && complete; i++)
        complete = cJSON_AddStringToObject(run, facts[i].name, facts[i].text) != NULL;
    return write_tree(journal, root, complete, err);
}

/* The numbers behind the first `from`. */
static bool add_numbers(cJSON *root, const char *key, const struct hs_samples *samples, size_t from)
{
    cJSON *array;

    if (samples->count <= from)
        return true;
    array = cJSON_CreateDoubleArray(samples->values + from, (int)(samples->count - from));
    if (array && cJSON_AddItemToObject(root, key, array))
        return true;
    cJSON_Delete(array);
    return false;
}

/* "phases": one list per stage. The file's number of it is its layer, an allgather's HS_LAYERS_MAX
 * more. */
int hs_journal_phase(const struct hs_contestant *item, int stage)
{
    int layers = item->plan.split.count;

    return stage < layers ? stage : HS_LAYERS_MAX + 2 * layers - 2 - stage;
}

static bool add_layers(cJSON *root, const struct hs_contestant *item)
{
    cJSON *lists = cJSON_AddObjectToObject(root, "phases");
    char key[16];
    bool complete = lists && add_numbers(root, "whole", &item->whole, item->journaled_layers);

    for (int stage = 0; stage < item->stage_count && complete; stage++) {
        snprintf(key, sizeof(key), "%d", hs_journal_phase(item, stage));
        complete = add_numbers(lists, key, &item->stages[stage].seconds, item->journaled_layers);
    }
    return complete;
}

bool hs_journal_wants(const struct hs_contestant *item)
{
    return item->seconds.count > item->journaled || item->whole.count > item->journaled_layers ||
           (hs_contestant_done(item) && !item->journaled_ending);
}

enum hs_status hs_journal_write(struct hs_journal *journal, uint64_t message_bytes,
                                struct hs_contestant *item, struct hs_error *err)
{
    bool done = hs_contestant_done(item), complete;
    enum hs_ending ending = done ? item->ending : HS_ENDING_OPEN;
    enum hs_status status;
    cJSON *root;

    if (!journal->path || journal->broken)
        return HS_OK;
    root = cJSON_CreateObject();
    complete = root && cJSON_AddNumberToObject(root, "bytes", (double)message_bytes) &&
               cJSON_AddStringToObject(root, "name", item->name) &&
               cJSON_AddStringToObject(root, "ended", hs_ending_names[ending]) &&
               cJSON_AddStringToObject(root, "status", hs_measure_status_names[item->status]);
    if (complete && item->reason[0])
        complete = cJSON_AddStringToObject(root, "reason", item->reason) != NULL;
    if (complete && done)
        complete =
            cJSON_AddNumberToObject(root, "wrong_elements", (double)item->wrong_elements) != NULL;
    complete = complete && add_numbers(root, "samples", &item->seconds, item->journaled) &&
               add_numbers(root, "device", &item->device, item->journaled);
    if (complete && item->whole.count > item->journaled_layers)
        complete = add_layers(root, item);
    status = write_tree(journal, root, complete, err);
    if (status == HS_OK) {
        item->journaled = item->seconds.count;
        item->journaled_layers = item->whole.count;
        item->journaled_ending = done;
    }
    return status;
}

enum hs_status hs_journal_write_layer(struct hs_journal *journal, uint64_t message_bytes,
                                      const struct hs_journal_layer *layer, struct hs_error *err)
{
    const struct hs_fit_point *point = &layer->point;
    cJSON *root;
    bool complete;

    if (!journal->path || journal->broken)
        return HS_OK;
    root = cJSON_CreateObject();
    complete = root && cJSON_AddNumberToObject(root, "bytes", (double)message_bytes) &&
               cJSON_AddStringToObject(root, "name", HS_JOURNAL_LAYER) &&
               cJSON_AddNumberToObject(root, "stride", (double)point->key.layer.stride) &&
               cJSON_AddNumberToObject(root, "size", (double)point->key.layer.size);
    if (layer->failed)
        return write_tree(journal, root,
                          complete && cJSON_AddStringToObject(root, "failed", layer->failed), err);
    complete = complete &&
               cJSON_AddStringToObject(root, "phase", hs_phase_names[point->key.phase]) &&
               cJSON_AddNumberToObject(root, "entering", point->bytes) &&
               cJSON_AddNumberToObject(root, "seconds", point->seconds) &&
               cJSON_AddNumberToObject(root, "noise", point->noise) &&
               cJSON_AddBoolToObject(root, "rough", layer->rough) &&
               add_numbers(root, "samples", &layer->samples, 0);
    return write_tree(journal, root, complete, err);
}

/* ---- opening ------------------------------------------------------------------------------- */

#define BEGINNING "{\"format\":\"" HS_JOURNAL_FORMAT "\"" /* as write_header writes it */

/* Or is empty, or was cut short within that. */
static bool begins_as_journal(int fd)
{
    char found[sizeof(BEGINNING) - 1];
    ssize_t length = pread(fd, found, sizeof(found), 0);

    return length >= 0 && memcmp(found, BEGINNING, (size_t)length) == 0;
}

/* The whole lines that are in the file. */
static enum hs_status read_lines(struct hs_journal *journal, struct hs_error *err)
{
    enum hs_status status =
        hs_file_read(&journal->old, &journal->old_length, journal->path, JOURNAL_BYTES_MAX, err);
    char *last;

    if (status != HS_OK)
        return status;
    last = memrchr(journal->old, '\n', journal->old_length);
    journal->old_length = last ? (size_t)(last + 1 - journal->old) : 0;
    journal->old[journal->old_length] = '\0';
    return HS_OK;
}

static void forget_lines(struct hs_journal *journal)
{
    free(journal->old);
    journal->old = NULL;
    journal->old_length = 0;
}

/* Nothing is changed in a file that has something else than a journal in it. */
static enum hs_status open_file(struct hs_journal *journal, const char *path, const char *output,
                                struct hs_error *err)
{
    enum hs_status status;

    *journal = (struct hs_journal){.path = hs_strdup(path)};
    if (!journal->path)
        return hs_fail(err, HS_MEMORY, "out of memory for the journal");
    status = hs_file_open_alone(&journal->fd, path, output, err);
    if (status != HS_OK) {
        free(journal->path);
        journal->path = NULL;
        return status;
    }
    if (!begins_as_journal(journal->fd))
        return hs_fail(err, HS_INVALID, "%s: expected a journal, which begins with %s, or no file",
                       path, BEGINNING);
    return read_lines(journal, err);
}

/* Leaves the whole lines that are to be gone on with. */
static enum hs_status cut(struct hs_journal *journal, struct hs_error *err)
{
    journal->length = journal->old_length;
    if (ftruncate(journal->fd, (off_t)journal->length) != 0)
        return hs_fail(err, HS_IO, "%s: %s", journal->path, strerror(errno));
    return HS_OK;
}

static bool has_lines(const struct hs_journal *journal)
{
    const char *first_end = strchr(journal->old, '\n');

    return first_end && first_end[1];
}

/* Gives the file the first free name of PATH.1, PATH.2, ... */
static enum hs_status put_aside(char **aside, const struct hs_journal *journal,
                                struct hs_error *err)
{
    bool taken = true;

    for (int number = 1; taken; number++) {
        char *name = NULL;

        if (asprintf(&name, "%s.%d", journal->path, number) < 0)
            return hs_fail(err, HS_MEMORY, "out of memory for the journal");
        free(*aside);
        *aside = name;
        taken = faccessat(AT_FDCWD, *aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    if (rename(journal->path, *aside) != 0)
        return hs_fail(err, HS_IO, "%s: cannot be renamed to %s: %s", journal->path, *aside,
                       strerror(errno));
    return HS_OK;
}

enum hs_status hs_journal_create(struct hs_journal *journal, const char *path, const char *output,
                                 const struct hs_journal_fact *facts, size_t fact_count,
                                 struct hs_error *err)
{
    char *aside = NULL;
    enum hs_status status = open_file(journal, path, output, err);

    while (status == HS_OK && has_lines(journal)) {
        status = put_aside(&aside, journal, err);
        hs_journal_close(journal, false);
        if (status == HS_OK)
            status = open_file(journal, path, output, err);
    }
    journal->aside = aside;
    if (status == HS_OK) {
        forget_lines(journal);
        status = cut(journal, err);
    }
    if (status == HS_OK)
        status = write_header(journal, facts, fact_count, err);
    if (status != HS_OK)
        hs_journal_close(journal, false);
    return status;
}

/* Compares the first line with this run. */
static enum hs_status check_run(const struct hs_json *run, const char *path,
                                const struct hs_journal_fact *facts, size_t fact_count,
                                struct hs_error *err)
{
    for (size_t i = 0; i < fact_count; i++) {
        const char *text = "";
        enum hs_status status = hs_json_string_or(&text, run, facts[i].name, "", err);

        if (status != HS_OK)
            return status;
        if (strcmp(text, facts[i].text) != 0)
            return hs_fail(
                err, HS_INVALID,
                "%s: it is of another run: %s was \"%.200s\" there and is \"%.200s\" here; "
                "remove it, or start without --resume",
                path, facts[i].name, text, facts[i].text);
    }
    return HS_OK;
}

static enum hs_status check_header(const struct hs_journal *journal, const char *path,
                                   const struct hs_journal_fact *facts, size_t fact_count,
                                   struct hs_error *err)
{
    size_t length = (size_t)(strchr(journal->old, '\n') - journal->old);
    struct hs_json_document document;
    struct hs_json top, run;
    const char *format = "";
    enum hs_status status = hs_json_parse(&document, path, journal->old, length, err);

    if (status != HS_OK)
        return status;
    top = hs_json_top(&document);
    status = hs_json_string(&format, &top, "format", err);
    if (status == HS_OK && strcmp(format, HS_JOURNAL_FORMAT) != 0)
        status = hs_fail(err, HS_INVALID, "%s: format: expected \"%s\", found \"%.60s\"", path,
                         HS_JOURNAL_FORMAT, format);
    if (status == HS_OK)
        status = hs_json_member(&run, &top, "run", err);
    if (status == HS_OK)
        status = check_run(&run, path, facts, fact_count, err);
    hs_json_release(&document);
    return status;
}

enum hs_status hs_journal_resume(struct hs_journal *journal, const char *path, const char *output,
                                 const struct hs_journal_fact *facts, size_t fact_count,
                                 struct hs_error *err)
{
    enum hs_status status = open_file(journal, path, output, err);
    bool begun = status == HS_OK && journal->old_length > 0;

    if (begun)
        status = check_header(journal, path, facts, fact_count, err);
    else
        forget_lines(journal);
    if (status == HS_OK)
        status = cut(journal, err);
    if (status == HS_OK && !begun)
        status = write_header(journal, facts, fact_count, err);
    if (status != HS_OK)
        hs_journal_close(journal, false);
    return status;
}

void hs_journal_close(struct hs_journal *journal, bool remove_file)
{
    if (journal->path) {
        /* While it is locked: afterwards it may be another's. */
        if (remove_file && hs_file_is(journal->fd, journal->path))
            unlink(journal->path);
        close(journal->fd);
    }
    free(journal->path);
    free(journal->aside);
    free(journal->old);
    memset(journal, 0, sizeof(*journal));
}
