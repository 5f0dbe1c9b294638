/* journal.c - see journal.h. */
#include "runner/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "runner/journal_lines.h"

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

/* The text that was printed as one line; frees it. */
static enum hs_status write_text(struct hs_journal *journal, struct hs_text *text,
                                 enum hs_status printed, struct hs_error *err)
{
    enum hs_status status = printed ? printed : write_line(journal, text->data, err);

    hs_text_release(text);
    return status;
}

static enum hs_status write_header(struct hs_journal *journal, const struct hs_journal_run *run,
                                   struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_fields_print(&text, &hs_journal_run_fields, run, true, err);

    return write_text(journal, &text, status, err);
}

/* Leaves what is behind the first `from`. */
static void skip(struct hs_samples *samples, size_t from)
{
    size_t skipped = samples->count < from ? samples->count : from;

    samples->count -= skipped;
    samples->values += skipped;
}

bool hs_journal_wants(const struct hs_arm *item)
{
    return item->seconds.count > item->journaled.runs ||
           item->layers.whole.count > item->journaled.layer_runs ||
           (hs_arm_done(item) && !item->journaled.ending);
}

enum hs_status hs_journal_write(struct hs_journal *journal, uint64_t message_bytes,
                                struct hs_arm *item, struct hs_error *err)
{
    struct hs_arm_line line = {message_bytes, *item};
    struct hs_text text = {0};
    enum hs_status status;

    if (!journal->path || journal->broken)
        return HS_OK;
    if (!hs_arm_done(item)) /* it may yet be verified once more */
        line.item.ending = HS_ENDING_OPEN;
    skip(&line.item.seconds, item->journaled.runs);
    skip(&line.item.device, item->journaled.runs);
    skip(&line.item.eager, item->journaled.runs);
    skip(&line.item.layers.whole, item->journaled.layer_runs);
    if (item->journaled.runs > 0)
        line.item.choice_count = 0;
    for (int stage = 0; stage < item->layers.count; stage++)
        skip(&line.item.layers.stages[stage].seconds, item->journaled.layer_runs);
    status = hs_fields_print(&text, &hs_arm_line_fields, &line, true, err);
    status = write_text(journal, &text, status, err);
    if (status == HS_OK) {
        item->journaled.runs = item->seconds.count;
        item->journaled.layer_runs = item->layers.whole.count;
        item->journaled.ending = hs_arm_done(item);
    }
    return status;
}

enum hs_status hs_journal_write_layer(struct hs_journal *journal, uint64_t message_bytes,
                                      const struct hs_journal_layer *layer, struct hs_error *err)
{
    struct hs_layer_line line = {message_bytes, *layer};
    struct hs_text text = {0};
    enum hs_status status;

    if (!journal->path || journal->broken)
        return HS_OK;
    status = hs_fields_print(&text, &hs_layer_line_fields, &line, true, err);
    return write_text(journal, &text, status, err);
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

    if (status == HS_OK)
        hs_journal_mend(journal);
    return status;
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
        return hs_no_memory(err);
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
            return hs_no_memory(err);
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
                                 const struct hs_journal_run *run, struct hs_error *err)
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
        status = write_header(journal, run, err);
    if (status != HS_OK)
        hs_journal_close(journal, false);
    return status;
}

/* "" where there is no such fact. What was written before journals had one of the collective is of
 * AllReduces. */
static const char *fact_text(const struct hs_journal_run *run, const char *name)
{
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->facts[i].name, name) == 0)
            return run->facts[i].text;
    return strcmp(name, HS_JOURNAL_COLLECTIVE) == 0 ? hs_collective_names[HS_COLLECTIVE_ALLREDUCE]
                                                    : "";
}

/* Compares the first line with this run. */
static enum hs_status check_header(const struct hs_journal *journal,
                                   const struct hs_journal_run *run, struct hs_error *err)
{
    size_t length = (size_t)(strchr(journal->old, '\n') - journal->old);
    struct hs_journal_run before;
    enum hs_status status =
        hs_fields_parse(&hs_journal_run_fields, &before, journal->path, journal->old, length, err);

    for (size_t i = 0; i < run->count && status == HS_OK; i++) {
        const struct hs_fact *fact = &run->facts[i];
        const char *text = fact_text(&before, fact->name);

        if (strcmp(text, fact->text) != 0)
            status =
                hs_fail(err, HS_INVALID,
                        "%s: it is of another run: %s was \"%.200s\" there and is \"%.200s\" here; "
                        "remove it, or start without --resume",
                        journal->path, fact->name, text, fact->text);
    }
    hs_fields_release(&hs_journal_run_fields, &before);
    return status;
}

enum hs_status hs_journal_resume(struct hs_journal *journal, const char *path, const char *output,
                                 const struct hs_journal_run *run, struct hs_error *err)
{
    enum hs_status status = open_file(journal, path, output, err);
    bool begun = status == HS_OK && journal->old_length > 0;

    if (begun)
        status = check_header(journal, run, err);
    else
        forget_lines(journal);
    if (status == HS_OK)
        status = cut(journal, err);
    if (status == HS_OK && !begun)
        status = write_header(journal, run, err);
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
