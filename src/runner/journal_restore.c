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
    struct hs_json array;
    size_t count;
    enum hs_status status;

    if (!hs_json_has(line, key))
        return HS_OK;
    status = hs_json_member(&array, line, key, err);
    if (status == HS_OK)
        status = hs_json_array(&count, &array, 0, SIZE_MAX, err);
    for (size_t i = 0; status == HS_OK && i < count; i++) {
        struct hs_json element = hs_json_element(&array, i);

        if (!cJSON_IsNumber(element.node) || !(element.node->valuedouble >= 0))
            return hs_json_fail(&element, err, "expected seconds, a number of 0 or more");
        status = hs_samples_add(samples, element.node->valuedouble, err);
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
    for (int phase = 0; phase < 2 * HS_LAYERS_MAX && status == HS_OK; phase++) {
        snprintf(key, sizeof(key), "%d", phase);
        status = read_numbers(&item->phases[phase], &lists, key, err);
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

enum hs_status hs_journal_restore(const struct hs_journal *journal, struct hs_contest *contest,
                                  uint64_t message_bytes, bool retry, struct hs_error *err)
{
    const char *at = journal->old ? strchr(journal->old, '\n') : NULL;
    enum hs_status status = HS_OK;

    for (size_t number = 2; at && at[1] && status == HS_OK; number++) {
        const char *line = at + 1;
        struct hs_json_document document;
        struct hs_json top;
        char name[HS_ERROR_MESSAGE_BYTES];

        at = strchr(line, '\n');
        snprintf(name, sizeof(name), "%.900s, line %zu", journal->path, number);
        status = hs_json_parse(&document, name, line, (size_t)(at - line), err);
        if (status != HS_OK)
            break;
        top = hs_json_top(&document);
        status = read_line(contest, &top, message_bytes, err);
        hs_json_release(&document);
    }
    for (size_t i = 0; i < contest->count && status == HS_OK; i++)
        reopen(&contest->items[i], retry);
    return status;
}
