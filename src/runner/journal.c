#include "runner/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/units.h"

#define JOURNAL_BYTES_MAX ((size_t)1 << 30)

#define BYTES(type)                                                                                \
    {                                                                                              \
        "bytes", HS_INTEGER, HS_AT(type, bytes), .min = 1, .max = (double)HS_BYTES_MAX             \
    }

/* ---- lines as tables: the first ---- */

#define RUN_FACTS_MAX 64

static const struct hs_field run_rows[] = {
    {"format", HS_CONSTANT, .text = HS_JOURNAL_FORMAT},
    {"run", HS_FACTS, HS_LIST_AT(struct hs_journal_run, facts, count), .max = RUN_FACTS_MAX},
};
const struct hs_fields hs_journal_run_fields = {HS_ROWS(run_rows, struct hs_journal_run)};

/* ---- lines of arms ---- */

/* What is new of an arm: its lists are parts of the arm's when it is written, and its
 * own when it was read. */
struct arm_line {
    uint64_t bytes;
    struct hs_arm item;
};

static bool is_over(const struct hs_place *place)
{
    return ((const struct arm_line *)place->object)->item.ending != HS_ENDING_OPEN;
}

#define ITEM(member) HS_AT(struct arm_line, item.member)
#define TIMES(list)                                                                                \
    HS_LIST_AT(struct arm_line, item.list.values, item.list.count), HS_OPTIONAL, .max = INT32_MAX
static const struct hs_field stage_rows[] = {
    {"stage", HS_CUSTOM, HS_AT(struct hs_stage_samples, key), .custom = &hs_stage_key_custom},
    {"seconds", HS_SECONDS, HS_LIST_AT(struct hs_stage_samples, seconds.values, seconds.count),
     .max = INT32_MAX},
};
static const struct hs_fields stage_fields = {HS_ROWS(stage_rows, struct hs_stage_samples)};

static bool has_stages(const struct hs_place *place)
{
    return ((const struct arm_line *)place->object)->item.layers.whole.count > 0;
}

static bool has_choices(const struct hs_place *place)
{
    return ((const struct arm_line *)place->object)->item.choice_count > 0;
}

static const struct hs_field arm_rows[] = {
    BYTES(struct arm_line),
    {"name", HS_TEXT, ITEM(name)},
    {"ended", HS_CHOICE, ITEM(ending), HS_NAMES(hs_ending_names), HS_WITH(HS_ENDING_OPEN)},
    {"status", HS_CHOICE, ITEM(status), HS_NAMES(hs_measure_status_names), HS_WITH(HS_MEASURE_OK)},
    {"reason", HS_TEXT, ITEM(reason), HS_OPTIONAL},
    {"wrong_elements", HS_INTEGER, ITEM(wrong_elements), HS_WITHOUT(0), .when = is_over,
     .max = (double)(HS_JSON_WHOLE_MAX + 1)},
    {"samples", HS_SECONDS, TIMES(seconds)},
    {"device", HS_SECONDS, TIMES(device)},
    {"eager", HS_SECONDS, TIMES(eager)},
    {"stages", HS_LIST, ITEM(layers.stages), HS_OTHER(struct arm_line, item.layers.count),
     HS_OPTIONAL, .max = HS_STAGES_MAX, .fields = &stage_fields, .when = has_stages},
    {"whole", HS_SECONDS, TIMES(layers.whole)},
    {"choices", HS_FACTS, HS_LIST_AT(struct arm_line, item.choices, item.choice_count), HS_OPTIONAL,
     .max = HS_STAGES_MAX, .when = has_choices},
};
static const struct hs_fields arm_line_fields = {HS_ROWS(arm_rows, struct arm_line)};

/* ---- lines of layers ---- */

/* A phase of a layer, or why there is none; the text is owned when it was read. */
struct layer_line {
    uint64_t bytes;
    struct hs_journal_layer layer;
};

static bool has_time(const struct hs_place *place)
{
    return !((const struct layer_line *)place->object)->layer.failed;
}

static enum hs_status check_layer(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct layer_line *line = object;

    if (!line->layer.failed && !hs_json_find(place->at, "entering").node)
        return hs_field_fail(place, "entering", err, "missing");
    return HS_OK;
}

#define LAYER(member) HS_AT(struct layer_line, layer.member)

static const struct hs_field time_rows[] = {
    {"entering", HS_NUMBER, LAYER(point.bytes), .above = true, .max = (double)HS_BYTES_MAX},
    {"seconds", HS_TIME, LAYER(point.seconds), .above = true},
    {"noise", HS_NUMBER, LAYER(point.noise), HS_OPTIONAL, .max = 1e12},
    {"rough", HS_BOOL, LAYER(rough), HS_WITH(false)},
    {"samples", HS_SECONDS,
     HS_LIST_AT(struct layer_line, layer.samples.values, layer.samples.count), HS_OPTIONAL,
     .max = INT32_MAX},
};
static const struct hs_fields time_fields = {HS_ROWS(time_rows, struct layer_line)};

static const struct hs_field layer_rows[] = {
    BYTES(struct layer_line),
    {"name", HS_CONSTANT, .text = HS_JOURNAL_LAYER},
    {"stage", HS_CUSTOM, LAYER(point.key), .custom = &hs_stage_key_custom},
    {"failed", HS_TEXT, HS_OWNED(struct layer_line, layer.failed), HS_OPTIONAL},
    {"entering", HS_PART, HS_OPTIONAL, .fields = &time_fields, .when = has_time},
};
static const struct hs_fields layer_line_fields = {HS_ROWS(layer_rows, struct layer_line),
                                                   .check = check_layer};

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
    struct arm_line line = {message_bytes, *item};
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
    status = hs_fields_print(&text, &arm_line_fields, &line, true, err);
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
    struct layer_line line = {message_bytes, *layer};
    struct hs_text text = {0};
    enum hs_status status;

    if (!journal->path || journal->broken)
        return HS_OK;
    status = hs_fields_print(&text, &layer_line_fields, &line, true, err);
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

/* ---- reading an earlier session back into a race ---- */

static bool is_layer(const struct hs_json *line)
{
    struct hs_json at = hs_json_find(line, "name");
    const char *name;

    return hs_json_read_string(&name, &at, NULL) == HS_OK && strcmp(name, HS_JOURNAL_LAYER) == 0;
}

static enum hs_status append(struct hs_samples *samples, const struct hs_samples *more,
                             struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < more->count && status == HS_OK; i++)
        status = hs_samples_add(samples, more->values[i], err);
    return status;
}

static enum hs_status add_line(struct hs_arm *item, const struct hs_arm *line, struct hs_error *err)
{
    enum hs_status status = append(&item->seconds, &line->seconds, err);

    item->ending = line->ending;
    item->status = line->status;
    item->wrong_elements = line->wrong_elements;
    memcpy(item->reason, line->reason, sizeof(item->reason));
    if (status == HS_OK)
        status = append(&item->device, &line->device, err);
    if (status == HS_OK)
        status = append(&item->eager, &line->eager, err);
    if (status == HS_OK)
        status = append(&item->layers.whole, &line->layers.whole, err);
    for (int i = 0; i < line->layers.count && status == HS_OK; i++)
        for (int k = 0; k < item->layers.count && status == HS_OK; k++)
            if (hs_stage_key_equal(item->layers.stages[k].key, line->layers.stages[i].key))
                status =
                    append(&item->layers.stages[k].seconds, &line->layers.stages[i].seconds, err);
    item->layers.runs = item->layers.whole.count;
    return status;
}

/* The first that any session saw. */
static void take_choices(struct hs_arm *item, struct hs_arm *line)
{
    if (item->choice_count > 0)
        return;
    item->choices = line->choices;
    item->choice_count = line->choice_count;
    line->choices = NULL;
    line->choice_count = 0;
}

static enum hs_status read_line(struct hs_race *race, const struct hs_json *at,
                                uint64_t message_bytes, struct hs_error *err)
{
    struct arm_line line;
    struct hs_arm *item = NULL;
    enum hs_status status;

    if (is_layer(at))
        return HS_OK;
    status = hs_fields_read(&arm_line_fields, &line, at, err);
    if (status == HS_OK && line.bytes == message_bytes)
        item = hs_race_find(race, line.item.name);
    if (item)
        status = add_line(item, &line.item, err);
    if (item)
        take_choices(item, &line.item);
    hs_fields_release(&arm_line_fields, &line);
    return status;
}

/* Time-outs and failures may run again; what ran out of time goes on in any case. */
static void reopen(struct hs_arm *item, bool retry)
{
    bool again =
        item->ending == HS_ENDING_SPENT ||
        (retry && (item->status == HS_MEASURE_TIMEOUT || item->status == HS_MEASURE_FAILED));

    if (again) {
        item->ending = HS_ENDING_OPEN;
        item->status = HS_MEASURE_OK;
        item->reason[0] = '\0';
    }
    if (item->ending != HS_ENDING_OPEN)
        item->session.verified_at = item->seconds.count;
    item->journaled.runs = item->seconds.count;
    item->journaled.layer_runs = item->layers.whole.count;
    item->journaled.ending = item->ending != HS_ENDING_OPEN;
}

void hs_journal_mend(struct hs_journal *journal)
{
    char *last = memrchr(journal->old, '\n', journal->old_length);
    char *line = journal->old, *end = last ? last + 1 : line;

    while (line < end) {
        size_t length = (size_t)((char *)memchr(line, '\n', (size_t)(end - line)) - line);

        if (memchr(line, '\0', length)) {
            memset(line, ' ', length);
            journal->lost_lines++;
        }
        line += length + 1;
    }
    *end = '\0';
    journal->old_length = (size_t)(end - journal->old);
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " ")] == '\n';
}

/* Lines of an earlier session, one by one, behind the first, which says what run it was. */
struct reader {
    const struct hs_journal *journal;
    const char *at; /* the newline before the next line */
    size_t number;
    struct hs_json_document document;
};

static struct reader read_from_start(const struct hs_journal *journal)
{
    return (struct reader){
        .journal = journal, .at = journal->old ? strchr(journal->old, '\n') : NULL, .number = 1};
}

/* The next line in reader->document, which the caller releases; false: there is none, or it is
 * wrong (*status). */
static bool next_line(struct reader *reader, struct hs_json *top, enum hs_status *status,
                      struct hs_error *err)
{
    const char *line;
    char name[HS_ERROR_MESSAGE_BYTES];

    if (*status != HS_OK || !reader->at || !reader->at[1])
        return false;
    do {
        line = reader->at + 1;
        reader->at = strchr(line, '\n');
        reader->number++;
    } while (is_blank(line) && reader->at[1]);
    if (is_blank(line))
        return false;
    snprintf(name, sizeof(name), "%.900s, line %zu", reader->journal->path, reader->number);
    *status = hs_json_parse(&reader->document, name, line, (size_t)(reader->at - line), err);
    if (*status != HS_OK)
        return false;
    *top = hs_json_top(&reader->document);
    return true;
}

enum hs_status hs_journal_restore(const struct hs_journal *journal, struct hs_race *race,
                                  uint64_t message_bytes, bool retry, struct hs_error *err)
{
    struct reader reader = read_from_start(journal);
    enum hs_status status = HS_OK;
    struct hs_json top;

    while (next_line(&reader, &top, &status, err)) {
        status = read_line(race, &top, message_bytes, err);
        hs_json_release(&reader.document);
    }
    for (size_t i = 0; i < race->count && status == HS_OK; i++)
        reopen(&race->items[i], retry);
    return status;
}

/* ---- layers -------------------------------------------------------------------------------- */

/* Adds what the line says where it is of a layer at that message size. */
static enum hs_status add_layer(struct hs_journal_layer **layers, size_t *count,
                                const struct hs_json *at, uint64_t message_bytes, int64_t np,
                                struct hs_error *err)
{
    static const char could_not[] = "could not be measured"; /* the line's text goes with it */
    struct hs_journal_layer *added = NULL;
    const struct hs_layer *layer;
    struct layer_line line;
    enum hs_status status;

    if (!is_layer(at))
        return HS_OK;
    status = hs_fields_read(&layer_line_fields, &line, at, err);
    if (status != HS_OK)
        return status;
    layer = &line.layer.point.key.layer;
    if (layer->stride > np || layer->size > np) {
        status = hs_json_fail(at, err, "a layer of more than %lld processes", (long long)np);
    } else if (!message_bytes || line.bytes == message_bytes) {
        added = hs_grow(layers, NULL, *count, sizeof(*added), err);
        status = added ? HS_OK : HS_MEMORY;
        *count += added != NULL;
    }
    if (added) {
        *added = line.layer;
        added->point.np = np;
        added->failed = line.layer.failed ? could_not : NULL;
        line.layer.samples = (struct hs_samples){0}; /* are the caller's now */
    }
    hs_fields_release(&layer_line_fields, &line);
    return status;
}

enum hs_status hs_journal_layers(struct hs_journal_layer **layers, size_t *count,
                                 const struct hs_journal *journal, uint64_t message_bytes,
                                 int64_t np, struct hs_error *err)
{
    struct reader reader = read_from_start(journal);
    enum hs_status status = HS_OK;
    struct hs_json top;

    *layers = NULL;
    *count = 0;
    while (next_line(&reader, &top, &status, err)) {
        status = add_layer(layers, count, &top, message_bytes, np, err);
        hs_json_release(&reader.document);
    }
    if (status != HS_OK) {
        hs_journal_layers_release(*layers, *count);
        *layers = NULL;
        *count = 0;
    }
    return status;
}

void hs_journal_layers_release(struct hs_journal_layer *layers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hs_samples_release(&layers[i].samples);
    free(layers);
}
