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

/* ---- arms ---- */

static bool is_over(const struct hs_place *place)
{
    return ((const struct hs_arm_line *)place->object)->item.ending != HS_ENDING_OPEN;
}

#define ITEM(member) HS_AT(struct hs_arm_line, item.member)
#define TIMES(list)                                                                                \
    HS_LIST_AT(struct hs_arm_line, item.list.values, item.list.count), HS_OPTIONAL, .max = INT32_MAX
static const struct hs_field stage_rows[] = {
    {"stage", HS_CUSTOM, HS_AT(struct hs_stage_samples, key), .custom = &hs_stage_key_custom},
    {"seconds", HS_SECONDS, HS_LIST_AT(struct hs_stage_samples, seconds.values, seconds.count),
     .max = INT32_MAX},
};
static const struct hs_fields stage_fields = {HS_ROWS(stage_rows, struct hs_stage_samples)};

static bool has_stages(const struct hs_place *place)
{
    return ((const struct hs_arm_line *)place->object)->item.layers.whole.count > 0;
}

static bool has_choices(const struct hs_place *place)
{
    return ((const struct hs_arm_line *)place->object)->item.choice_count > 0;
}

static const struct hs_field arm_rows[] = {
    BYTES(struct hs_arm_line),
    {"name", HS_TEXT, ITEM(name)},
    {"ended", HS_CHOICE, ITEM(ending), HS_NAMES(hs_ending_names), HS_WITH(HS_ENDING_OPEN)},
    {"status", HS_CHOICE, ITEM(status), HS_NAMES(hs_measure_status_names), HS_WITH(HS_MEASURE_OK)},
    {"reason", HS_TEXT, ITEM(reason), HS_OPTIONAL},
    {"wrong_elements", HS_INTEGER, ITEM(wrong_elements), HS_WITHOUT(0), .when = is_over,
     .max = (double)(HS_JSON_WHOLE_MAX + 1)},
    {"samples", HS_SECONDS, TIMES(seconds)},
    {"device", HS_SECONDS, TIMES(device)},
    {"eager", HS_SECONDS, TIMES(eager)},
    {"stages", HS_LIST, ITEM(layers.stages), HS_OTHER(struct hs_arm_line, item.layers.count),
     HS_OPTIONAL, .max = HS_STAGES_MAX, .fields = &stage_fields, .when = has_stages},
    {"whole", HS_SECONDS, TIMES(layers.whole)},
    {"choices", HS_FACTS, HS_LIST_AT(struct hs_arm_line, item.choices, item.choice_count),
     HS_OPTIONAL, .max = HS_STAGES_MAX, .when = has_choices},
};
const struct hs_fields hs_arm_line_fields = {HS_ROWS(arm_rows, struct hs_arm_line)};

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
    {"entering", HS_NUMBER, LAYER(point.bytes), .above = true, .max = (double)HS_BYTES_MAX},
    {"seconds", HS_TIME, LAYER(point.seconds), .above = true},
    {"noise", HS_NUMBER, LAYER(point.noise), HS_OPTIONAL, .max = 1e12},
    {"rough", HS_BOOL, LAYER(rough), HS_WITH(false)},
    {"samples", HS_SECONDS,
     HS_LIST_AT(struct hs_layer_line, layer.samples.values, layer.samples.count), HS_OPTIONAL,
     .max = INT32_MAX},
};
static const struct hs_fields time_fields = {HS_ROWS(time_rows, struct hs_layer_line)};

static const struct hs_field layer_rows[] = {
    BYTES(struct hs_layer_line),
    {"name", HS_CONSTANT, .text = HS_JOURNAL_LAYER},
    {"stage", HS_CUSTOM, LAYER(point.key), .custom = &hs_stage_key_custom},
    {"failed", HS_TEXT, HS_OWNED(struct hs_layer_line, layer.failed), HS_OPTIONAL},
    {"entering", HS_PART, HS_OPTIONAL, .fields = &time_fields, .when = has_time},
};
const struct hs_fields hs_layer_line_fields = {HS_ROWS(layer_rows, struct hs_layer_line),
                                               .check = check_layer};
