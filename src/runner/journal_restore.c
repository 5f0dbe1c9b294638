/* journal_restore.c - reads the lines of an earlier session back into a race: see journal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "runner/journal_lines.h"

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
    struct hs_arm_line line;
    struct hs_arm *item = NULL;
    enum hs_status status;

    if (is_layer(at))
        return HS_OK;
    status = hs_fields_read(&hs_arm_line_fields, &line, at, err);
    if (status == HS_OK && line.bytes == message_bytes)
        item = hs_race_find(race, line.item.name);
    if (item)
        status = add_line(item, &line.item, err);
    if (item)
        take_choices(item, &line.item);
    hs_fields_release(&hs_arm_line_fields, &line);
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
    struct hs_layer_line line;
    enum hs_status status;

    if (!is_layer(at))
        return HS_OK;
    status = hs_fields_read(&hs_layer_line_fields, &line, at, err);
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
    hs_fields_release(&hs_layer_line_fields, &line);
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
