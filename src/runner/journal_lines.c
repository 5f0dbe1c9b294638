#include "runner/journal_lines.h"

#include "base/units.h"

#define BYTES(type)                                                                                \
    {                                                                                              \
        "bytes", HS_INTEGER, HS_AT(type, bytes), .min = 1, .max = (double)HS_BYTES_MAX             \
    }

/* ---- the first line ---- */

#define RUN_FACTS_MAX 64

static const struct hs_field run_rows[] = {
    {"format", HS_CONSTANT, .text = HS_JOURNAL_FORMAT},
    {"run", HS_FACTS, HS_LIST_AT(struct hs_journal_run, facts, count), .max = RUN_FACTS_MAX},
};
const struct hs_fields hs_journal_run_fields = {HS_ROWS(run_rows, struct hs_journal_run)};

/* ---- contestants ---- */

static bool is_over(const struct hs_place *place)
{
    return ((const struct hs_contestant_line *)place->object)->item.ending != HS_ENDING_OPEN;
}

#define ITEM(member) HS_AT(struct hs_contestant_line, item.member)
#define TIMES(list)                                                                                \
    HS_LIST_AT(struct hs_contestant_line, item.list.values, item.list.count), HS_OPTIONAL,         \
        .max = INT32_MAX
#define PHASE(n)                                                                                   \
    {                                                                                              \
#n, HS_SECONDS, TIMES(phases[n])                                                           \
    }
#define FIVE(a, b, c, d, e) PHASE(a), PHASE(b), PHASE(c), PHASE(d), PHASE(e)

/* One list per phase, in the order of the contestant's. */
static const struct hs_field phase_rows[] = {
    FIVE(0, 1, 2, 3, 4),
    FIVE(5, 6, 7, 8, 9),
    FIVE(10, 11, 12, 13, 14),
    FIVE(15, 16, 17, 18, 19),
    FIVE(20, 21, 22, 23, 24),
    FIVE(25, 26, 27, 28, 29),
    FIVE(30, 31, 32, 33, 34),
    FIVE(35, 36, 37, 38, 39),
    FIVE(40, 41, 42, 43, 44),
    FIVE(45, 46, 47, 48, 49),
    FIVE(50, 51, 52, 53, 54),
    FIVE(55, 56, 57, 58, 59),
    PHASE(60),
    PHASE(61),
};
static const struct hs_fields phase_fields = {HS_ROWS(phase_rows, struct hs_contestant_line)};
_Static_assert(sizeof(phase_rows) / sizeof(*phase_rows) == (size_t)2 * HS_LAYERS_MAX,
               "a row per phase");

static const struct hs_field contestant_rows[] = {
    BYTES(struct hs_contestant_line),
    {"name", HS_TEXT, ITEM(name)},
    {"ended", HS_CHOICE, ITEM(ending), HS_NAMES(hs_ending_names), HS_WITH(HS_ENDING_OPEN)},
    {"status", HS_CHOICE, ITEM(status), HS_NAMES(hs_measure_status_names), HS_WITH(HS_MEASURE_OK)},
    {"reason", HS_TEXT, ITEM(reason), HS_OPTIONAL},
    {"wrong_elements", HS_INTEGER, ITEM(wrong_elements), HS_WITHOUT(0), .when = is_over,
     .max = (double)(HS_JSON_WHOLE_MAX + 1)},
    {"samples", HS_SECONDS, TIMES(seconds)},
    {"device", HS_SECONDS, TIMES(device)},
    {"phases", HS_OBJECT, HS_OTHER(struct hs_contestant_line, item.whole.count), HS_OPTIONAL,
     .fields = &phase_fields},
    {"whole", HS_SECONDS, TIMES(whole)},
};
const struct hs_fields hs_contestant_line_fields = {
    HS_ROWS(contestant_rows, struct hs_contestant_line)};

/* ---- layers ---- */

static bool has_time(const struct hs_place *place)
{
    return !((const struct hs_layer_line *)place->object)->layer.failed;
}

static enum hs_status check_layer(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_layer_line *line = object;

    if (!line->layer.failed && !hs_json_find(place->at, "entering").node)
        return hs_field_fail(place, "entering", err, "missing");
    return HS_OK;
}

#define LAYER(member) HS_AT(struct hs_layer_line, layer.member)

static const struct hs_field time_rows[] = {
    {"phase", HS_CHOICE, LAYER(point.key.phase), HS_NAMES(hs_phase_names), HS_WITH(HS_PAIR)},
    {"entering", HS_NUMBER, LAYER(point.bytes), .above = true, .max = (double)HS_BYTES_MAX},
    {"seconds", HS_TIME, LAYER(point.seconds), .above = true},
    {"noise", HS_NUMBER, LAYER(point.noise), HS_OPTIONAL, .max = 1e12},
    {"rough", HS_BOOL, LAYER(rough), HS_WITH(false)},
};
static const struct hs_fields time_fields = {HS_ROWS(time_rows, struct hs_layer_line)};

static const struct hs_field layer_rows[] = {
    BYTES(struct hs_layer_line),
    {"name", HS_CONSTANT, .text = HS_JOURNAL_LAYER},
    {"stride", HS_INTEGER, LAYER(point.key.layer.stride), .min = 1, .max = HS_NP_MAX},
    {"size", HS_INTEGER, LAYER(point.key.layer.size), .min = 2, .max = HS_NP_MAX},
    {"failed", HS_TEXT, HS_OWNED(struct hs_layer_line, layer.failed), HS_OPTIONAL},
    {"entering", HS_PART, HS_OPTIONAL, .fields = &time_fields, .when = has_time},
};
const struct hs_fields hs_layer_line_fields = {HS_ROWS(layer_rows, struct hs_layer_line),
                                               .check = check_layer};
