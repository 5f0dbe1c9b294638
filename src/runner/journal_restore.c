/* journal_restore.c - reads the lines of an earlier session back into a contest: see journal.h. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "runner/journal.h"

static enum hs_status read_numbers(struct hs_samples *samples, const struct hs_json *line,
                                   const char *key, struct hs_error *err)
{
    struct hs_json array, element;
    size_t count;
    enum hs_status status;

    if (!hs_json_has(line, key))
        return HS_OK;
    if ((status = hs_json_member(&array, line, key, err)) ||
        (status = hs_json_array(&count, &array, 0, SIZE_MAX, err)))
        return status;
    element = hs_json_first(&array);
    for (size_t i = 0; status == HS_OK && i < count; i++, hs_json_next(&element)) {
        double seconds;

        status = hs_json_seconds(&seconds, &element, err);
        if (status == HS_OK)
            status = hs_samples_add(samples, seconds, err);
    }
    return status;
}

static enum hs_status read_layers(struct hs_contestant *item, const struct hs_json *line,
                                  struct hs_error *err)
{
    enum hs_status status = read_numbers(&item->whole, line, "whole", err);
    struct hs_json lists;
    char key[16];

    if (status != HS_OK || !hs_json_has(line, "phases"))
        return status;
    status = hs_json_member(&lists, line, "phases", err);
    for (int stage = 0; stage < item->stage_count && status == HS_OK; stage++) {
        snprintf(key, sizeof(key), "%d", hs_journal_phase(item, stage));
        status = read_numbers(&item->stages[stage].seconds, &lists, key, err);
    }
    item->layer_runs = item->whole.count;
    return status;
}

static enum hs_status read_ending(struct hs_contestant *item, const struct hs_json *line,
                                  struct hs_error *err)
{
    size_t ending = HS_ENDING_OPEN, measure_status = HS_MEASURE_OK;
    int64_t wrong = 0;
    const char *reason = "";
    enum hs_status status =
        hs_json_choice_or(&ending, line, "ended", hs_ending_names, HS_ENDING_COUNT, ending, err);

    if (status == HS_OK)
        status = hs_json_choice_or(&measure_status, line, "status", hs_measure_status_names,
                                   HS_MEASURE_STATUS_COUNT, measure_status, err);
    if (status == HS_OK)
        status = hs_json_string_or(&reason, line, "reason", "", err);
    if (status == HS_OK)
        status = hs_json_integer_or(&wrong, line, "wrong_elements", 0, INT64_C(1) << 53, 0, err);
    if (status != HS_OK)
        return status;
    item->ending = (enum hs_ending)ending;
    item->status = (enum hs_measure_status)measure_status;
    item->wrong_elements = (uint64_t)wrong;
    snprintf(item->reason, sizeof(item->reason), "%s", reason);
    return HS_OK;
}

static enum hs_status read_line(struct hs_contest *contest, const struct hs_json *line,
                                uint64_t message_bytes, struct hs_error *err)
{
    struct hs_contestant *item;
    const char *name;
    int64_t bytes;
    enum hs_status status = hs_json_integer(&bytes, line, "bytes", 1, (int64_t)HS_BYTES_MAX, err);

    if (status == HS_OK)
        status = hs_json_string(&name, line, "name", err);
    if (status != HS_OK || (uint64_t)bytes != message_bytes)
        return status;
    item = hs_contest_find(contest, name);
    if (!item)
        return HS_OK;
    status = read_ending(item, line, err);
    if (status == HS_OK)
        status = read_numbers(&item->seconds, line, "samples", err);
    if (status == HS_OK)
        status = read_numbers(&item->device, line, "device", err);
    return status == HS_OK ? read_layers(item, line, err) : status;
}

/* Time-outs and failures may run again; what ran out of time goes on in any case. */
static void reopen(struct hs_contestant *item, bool retry)
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
        item->verified_at = item->seconds.count;
    item->journaled = item->seconds.count;
    item->journaled_layers = item->whole.count;
    item->journaled_ending = item->ending != HS_ENDING_OPEN;
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
    line = reader->at + 1;
    reader->at = strchr(line, '\n');
    snprintf(name, sizeof(name), "%.900s, line %zu", reader->journal->path, ++reader->number);
    *status = hs_json_parse(&reader->document, name, line, (size_t)(reader->at - line), err);
    if (*status != HS_OK)
        return false;
    *top = hs_json_top(&reader->document);
    return true;
}

enum hs_status hs_journal_restore(const struct hs_journal *journal, struct hs_contest *contest,
                                  uint64_t message_bytes, bool retry, struct hs_error *err)
{
    struct reader reader = read_from_start(journal);
    enum hs_status status = HS_OK;
    struct hs_json top;

    while (next_line(&reader, &top, &status, err)) {
        status = read_line(contest, &top, message_bytes, err);
        hs_json_release(&reader.document);
    }
    for (size_t i = 0; i < contest->count && status == HS_OK; i++)
        reopen(&contest->items[i], retry);
    return status;
}

/* ---- layers -------------------------------------------------------------------------------- */

static enum hs_status read_layer(struct hs_journal_layer *layer, const struct hs_json *line,
                                 int64_t np, struct hs_error *err)
{
    static const struct hs_json_bounds bytes = {
        .min = 0, .max = (double)HS_BYTES_MAX, .exclusive_min = true};
    static const struct hs_json_bounds ratio = {.min = 0, .max = 1e12};
    static const char could_not[] = "could not be measured";
    struct hs_fit_point *point = &layer->point;
    struct hs_json seconds;
    size_t phase = HS_PHASE_COUNT;
    const char *failed;
    enum hs_status status;

    *layer = (struct hs_journal_layer){.point.np = np};
    if ((status = hs_json_integer(&point->key.layer.stride, line, "stride", 1, np, err)) ||
        (status = hs_json_integer(&point->key.layer.size, line, "size", 2, np, err)) ||
        (status = hs_json_string_or(&failed, line, "failed", NULL, err)))
        return status;
    layer->failed = failed ? could_not : NULL; /* the text goes with the line */
    if (failed)
        return HS_OK;
    if ((status = hs_json_choice_or(&phase, line, "phase", hs_phase_names, HS_PHASE_COUNT, HS_PAIR,
                                    err)) ||
        (status = hs_json_number(&point->bytes, line, "entering", &bytes, err)) ||
        (status = hs_json_member(&seconds, line, "seconds", err)) ||
        (status = hs_json_seconds(&point->seconds, &seconds, err)) ||
        (status = hs_json_number(&point->noise, line, "noise", &ratio, err)) ||
        (status = hs_json_bool_or(&layer->rough, line, "rough", false, err)))
        return status;
    status = read_numbers(&layer->samples, line, "samples", err);
    if (status != HS_OK)
        return status;
    if (point->seconds == 0)
        return hs_json_fail(&seconds, err, "expected a number above 0, found 0");
    point->key.phase = (enum hs_phase)phase;
    return HS_OK;
}

/* Adds what the line says where it is of a layer at that message size. */
static enum hs_status add_layer(struct hs_journal_layer **layers, size_t *count,
                                const struct hs_json *line, uint64_t message_bytes, int64_t np,
                                struct hs_error *err)
{
    struct hs_journal_layer *grown;
    const char *name;
    int64_t bytes;
    enum hs_status status = hs_json_integer(&bytes, line, "bytes", 1, (int64_t)HS_BYTES_MAX, err);

    if (status == HS_OK)
        status = hs_json_string(&name, line, "name", err);
    if (status != HS_OK || (message_bytes && (uint64_t)bytes != message_bytes) ||
        strcmp(name, HS_JOURNAL_LAYER) != 0)
        return status;
    grown = realloc(*layers, (*count + 1) * sizeof(*grown));
    if (!grown)
        return hs_fail(err, HS_MEMORY, "out of memory for the journal");
    *layers = grown;
    return read_layer(&grown[(*count)++], line, np, err);
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
