#include "model/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/stage.h"

/* Letters behind the size of a layer: none, one for both ways, or one for each. */
static const char *read_letters(unsigned char ways[2], const char *at)
{
    enum hs_algorithm algorithm;

    if (hs_algorithm_find(&algorithm, *at)) {
        ways[0] = ways[1] = (unsigned char)algorithm;
        at++;
        if (hs_algorithm_find(&algorithm, *at)) {
            ways[1] = (unsigned char)algorithm;
            at++;
        }
    }
    return at;
}

/* Copies text without the letters of algorithms, up to the slash; what is no letter of one stays,
 * for hs_split_parse to complain about. Returns where it stopped, or NULL: too long. */
static const char *strip_letters(char *out, size_t bytes, struct hs_plan *plan, const char *text)
{
    size_t length = 0;
    int layer = 0;

    while (*text && *text != '/') {
        bool digit = *text >= '0' && *text <= '9';

        if (length + 1 == bytes)
            return NULL;
        layer += *text == 'x';
        out[length++] = *text++;
        if (digit && layer < HS_LAYERS_MAX)
            text = read_letters(plan->algorithms[layer], text);
    }
    out[length] = '\0';
    return text;
}

/* A way of a layer is one that its algorithm can do; all have an allreduce. */
static enum hs_status check_layer(const struct hs_plan *plan, int i, const char *text,
                                  struct hs_error *err)
{
    bool joint = i + 1 == plan->split.count &&
                 hs_plan_algorithm(plan, i, 0) == hs_plan_algorithm(plan, i, 1);

    for (int way = 0; way < 2; way++) {
        enum hs_algorithm algorithm = hs_plan_algorithm(plan, i, way);
        const struct hs_algorithm_row *row = hs_algorithms[algorithm];
        enum hs_phase phase = way == 0 ? HS_REDUCE_SCATTER : HS_ALLGATHER;

        if (row->admits && !row->admits(plan->split.sizes[i]))
            return hs_fail(err, HS_INVALID,
                           "plan \"%.200s\": layer %d: groups of this size have no %s", text, i + 1,
                           hs_algorithm_names[algorithm]);
        if (!joint && !(row->phases >> phase & 1))
            return hs_fail(err, HS_INVALID, "plan \"%.200s\": layer %d: no %s by %s", text, i + 1,
                           hs_phase_names[phase], hs_algorithm_names[algorithm]);
    }
    return HS_OK;
}

static enum hs_status check_algorithms(const struct hs_plan *plan, const char *text,
                                       struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int i = 0; i < plan->split.count && status == HS_OK; i++)
        status = check_layer(plan, i, text, err);
    return status;
}

enum hs_status hs_plan_parse(struct hs_plan *plan, const char *text, int64_t np,
                             struct hs_error *err)
{
    char split_text[512];
    const char *slash;
    int64_t chunks = 1;
    enum hs_status status = HS_OK;

    memset(plan, 0, sizeof(*plan));
    slash = strip_letters(split_text, sizeof(split_text), plan, text);
    if (!slash)
        return hs_fail(err, HS_INVALID, "plan \"%.40s...\": too long", text);
    if (*slash)
        status = hs_count_parse(&chunks, slash + 1, "number of chunks", 1, HS_CHUNKS_MAX, err);
    plan->chunks = (int)chunks;
    if (!status)
        status = hs_split_parse(&plan->split, split_text, np, err);
    return status ? status : check_algorithms(plan, text, err);
}

/* As few letters as say it. */
static void format_letters(char letters[3], const unsigned char ways[2])
{
    int count = 0;

    if (ways[0] != HS_RING || ways[1] != HS_RING)
        letters[count++] = hs_algorithm_letters[ways[0]];
    if (ways[1] != ways[0])
        letters[count++] = hs_algorithm_letters[ways[1]];
    letters[count] = '\0';
}

char *hs_plan_format(char text[HS_SPLIT_TEXT], const struct hs_plan *plan)
{
    char letters[3];
    int length = 0;

    snprintf(text, HS_SPLIT_TEXT, "%s", hs_plan_is_default(plan) ? HS_DEFAULT_NAME : "");
    for (int i = 0; i < plan->split.count; i++) {
        format_letters(letters, plan->algorithms[i]);
        length += snprintf(text + length, (size_t)(HS_SPLIT_TEXT - length), "%s%" PRId64 "%s",
                           i > 0 ? "x" : "", plan->split.sizes[i], letters);
    }
    if (plan->chunks > 1)
        snprintf(text + length, (size_t)(HS_SPLIT_TEXT - length), "/%d", plan->chunks);
    return text;
}

bool hs_plan_is_default(const struct hs_plan *plan)
{
    return plan->split.count == 0 && plan->chunks == 1;
}

int hs_plan_compare(const struct hs_plan *a, const struct hs_plan *b)
{
    int difference = (a->chunks > b->chunks) - (a->chunks < b->chunks);

    if (difference == 0)
        difference = hs_split_compare(&a->split, &b->split);
    return difference ? difference
                      : memcmp(a->algorithms, b->algorithms,
                               (size_t)a->split.count * sizeof(*a->algorithms));
}

bool hs_plan_same_layers(const struct hs_plan *a, const struct hs_plan *b)
{
    struct hs_plan same = *a;

    same.chunks = b->chunks;
    return hs_plan_compare(&same, b) == 0;
}

struct hs_plan hs_plan_flat(int64_t np)
{
    return (struct hs_plan){.split = hs_split_flat(np), .chunks = 1};
}

bool hs_plan_is_flat(const struct hs_plan *plan)
{
    return plan->split.count == 1 && plan->chunks == 1 && !hs_plan_has_letters(plan);
}

bool hs_plan_has_letters(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (plan->algorithms[i][0] != HS_RING || plan->algorithms[i][1] != HS_RING)
            return true;
    return false;
}

bool hs_plan_names_ours(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        for (int way = 0; way < 2; way++)
            if ((plan->algorithms[i][way] != HS_RING && plan->algorithms[i][way] != HS_NATIVE) ||
                plan->algorithms[i][way] != plan->algorithms[i][0])
                return true;
    return false;
}

enum hs_algorithm hs_plan_algorithm(const struct hs_plan *plan, int i, int way)
{
    return (enum hs_algorithm)plan->algorithms[i][way];
}
