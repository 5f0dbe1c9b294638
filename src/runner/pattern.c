/* pattern.c - see pattern.h; the arithmetic is in pattern_math.h. */
#include "runner/pattern.h"

#include <string.h>

size_t hs_pattern_begin(const struct hs_group *group, int64_t rank, size_t room)
{
    return (size_t)hs_group_number(group, rank) * room;
}

/* GPUs and hosts are little-endian: the low bits come first. */
static void fill_carried(char *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                         size_t count)
{
    size_t width = hs_datatype_bytes(pattern->datatype);

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = hs_pattern_carried(pattern->datatype, (uint64_t)rank, first + i);

        memcpy(data + i * width, &bits, width);
    }
}

static uint64_t wrong_carried(const char *data, const struct hs_pattern *pattern,
                              struct hs_pattern_part part)
{
    size_t width = hs_datatype_bytes(pattern->datatype);
    uint64_t wrong = 0;

    for (size_t i = 0; i < part.count; i++) {
        uint64_t bits = hs_pattern_carried(pattern->datatype, (uint64_t)part.rank, part.first + i);

        wrong += memcmp(&bits, data + i * width, width) != 0;
    }
    return wrong;
}

void hs_pattern_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                     size_t count)
{
    struct hs_pattern_plan plan = hs_pattern_plan_of(pattern);
    size_t width = hs_datatype_bytes(pattern->datatype);
    uint64_t rank_in_cycle = (uint64_t)rank % plan.cycle;
    uint64_t owner = first % plan.np;

    if (pattern->carried) {
        fill_carried(data, pattern, rank, first, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct hs_pattern_draw drawn = hs_pattern_draw_of(&plan, first + i);
        int64_t value =
            hs_pattern_contribution(&plan, drawn, rank_in_cycle, owner == (uint64_t)rank);
        hs_pattern_store((char *)data + i * width, pattern->datatype, value, 1);
        owner = owner + 1 == plan.np ? 0 : owner + 1;
    }
}

uint64_t hs_pattern_wrong(const void *data, const struct hs_pattern *pattern,
                          struct hs_pattern_part part)
{
    struct hs_pattern_plan plan = hs_pattern_plan_of(pattern);
    size_t width = hs_datatype_bytes(pattern->datatype);
    int64_t divisor = hs_pattern_divisor(pattern, part.rank);
    uint64_t wrong = 0;

    if (pattern->carried)
        return wrong_carried(data, pattern, part);
    for (size_t i = 0; i < part.count; i++) {
        char expected[sizeof(double)];
        int64_t value = hs_pattern_expected(&plan, part.rank, part.first + i);
        hs_pattern_store(expected, pattern->datatype, value, divisor);
        wrong += memcmp(expected, (const char *)data + i * width, width) != 0;
    }
    return wrong;
}
