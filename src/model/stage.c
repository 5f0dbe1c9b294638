#include "model/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/split.h"

int hs_phase_calls(enum hs_phase phase)
{
    return phase == HS_PAIR ? 2 : 1;
}

int hs_phase_passes(enum hs_phase phase)
{
    return phase == HS_PAIR || phase == HS_ALLREDUCE ? 2 : 1;
}

bool hs_stage_key_equal(struct hs_stage_key a, struct hs_stage_key b)
{
    return hs_stage_key_compare(a, b) == 0;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int hs_stage_key_compare(struct hs_stage_key a, struct hs_stage_key b)
{
    int difference = order(a.layer.stride, b.layer.stride);

    if (difference == 0)
        difference = order(a.layer.size, b.layer.size);
    if (difference == 0)
        difference = order(a.phase, b.phase);
    return difference ? difference : order(a.algorithm, b.algorithm);
}

char *hs_stage_key_format(char text[HS_STAGE_KEY_TEXT], struct hs_stage_key key)
{
    const char letter[2] = {hs_algorithm_letters[key.algorithm], '\0'};

    snprintf(text, HS_STAGE_KEY_TEXT, "%s:%" PRId64 ":%" PRId64 "%s", hs_phase_names[key.phase],
             key.layer.stride, key.layer.size, key.algorithm ? letter : "");
    return text;
}

/* What stands behind the phase's name. */
static bool read_layer(struct hs_layer *layer, const char **at)
{
    if (*(*at)++ != ':' || !hs_size_read(&layer->stride, at) || *(*at)++ != ':')
        return false;
    return hs_size_read(&layer->size, at);
}

enum hs_status hs_stage_key_parse(struct hs_stage_key *key, const char *text, struct hs_error *err)
{
    char phase[HS_STAGE_KEY_TEXT];
    size_t length = strcspn(text, ":"), index;
    const char *at = text + length;
    enum hs_status status;

    *key = (struct hs_stage_key){0};
    if (length >= sizeof(phase) || *at == '\0' || !read_layer(&key->layer, &at))
        return hs_fail(err, HS_INVALID,
                       "stage \"%.80s\": expected PHASE:STRIDE:SIZE such as reduce-scatter:4:8",
                       text);
    snprintf(phase, sizeof(phase), "%.*s", (int)length, text);
    status = hs_name_find(&index, phase, "phase", hs_phase_names, HS_PHASE_COUNT, err);
    if (status)
        return status;
    key->phase = (enum hs_phase)index;
    if (key->layer.stride < 1 || key->layer.size < (key->layer.stride == 1 ? 1 : 2) ||
        key->layer.stride > HS_NP_MAX / key->layer.size)
        return hs_fail(err, HS_INVALID,
                       "stage \"%s\": expected a stride from 1, a size from 2 and a product up to "
                       "%" PRId64,
                       text, HS_NP_MAX);
    if (*at && (!hs_algorithm_find(&key->algorithm, *at++) || *at))
        return hs_fail(err, HS_INVALID, "stage \"%s\": no algorithm \"%s\"", text, at - 1);
    if (!hs_stage_possible(*key))
        return hs_fail(err, HS_INVALID, "stage \"%s\": not by %s", text,
                       hs_algorithm_names[key->algorithm]);
    return HS_OK;
}

static enum hs_status add_key(struct hs_stage_list *list, struct hs_stage_key key,
                              struct hs_error *err)
{
    if (list->count == HS_STAGE_LIST_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d stages", HS_STAGE_LIST_MAX);
    list->keys[list->count++] = key;
    return HS_OK;
}

enum hs_status hs_stage_list_parse(struct hs_stage_list *list, const char *text,
                                   struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *list = (struct hs_stage_list){.count = 0};
    for (size_t length; !status; text += length + 1) {
        char word[HS_STAGE_KEY_TEXT];
        struct hs_stage_key key;
        bool is_pair;

        length = strcspn(text, ",");
        snprintf(word, sizeof(word), "%.*s", (int)length, text);
        status = hs_stage_key_parse(&key, word, err);
        is_pair = key.phase == HS_PAIR;
        key.phase = is_pair ? HS_REDUCE_SCATTER : key.phase;
        status = status ? status : add_key(list, key, err);
        key.phase = HS_ALLGATHER;
        status = status || !is_pair ? status : add_key(list, key, err);
        if (text[length] == '\0')
            break;
    }
    return status;
}

static enum hs_status parse_key(void *value, const char *text, const struct hs_place *place,
                                struct hs_error *why)
{
    (void)place;
    return hs_stage_key_parse(value, text, why);
}

static const char *format_key(char text[HS_FIELD_TEXT], const void *value,
                              const struct hs_place *place)
{
    (void)place;
    return hs_stage_key_format(text, *(const struct hs_stage_key *)value);
}

const struct hs_field_custom hs_stage_key_custom = {parse_key, format_key,
                                                    "^[a-z-]+:[1-9][0-9]*:[1-9][0-9]*[a-z]?$"};
_Static_assert(HS_STAGE_KEY_TEXT <= HS_FIELD_TEXT, "a key fits");

bool hs_stage_possible(struct hs_stage_key key)
{
    const struct hs_algorithm_row *row = hs_algorithms[key.algorithm];

    return (row->phases >> key.phase & 1) && (!row->admits || row->admits(key.layer.size));
}
