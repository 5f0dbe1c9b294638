#include "model/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum hs_status hs_plan_parse(struct hs_plan *plan, const char *text, int64_t np,
                             struct hs_error *err)
{
    char split_text[512];
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : strlen(text);
    int64_t chunks = 1;
    enum hs_status status;

    memset(plan, 0, sizeof(*plan));
    if (length >= sizeof(split_text))
        return hs_fail(err, HS_INVALID, "plan \"%.40s...\": too long", text);
    memcpy(split_text, text, length);
    split_text[length] = '\0';
    if (slash) {
        status = hs_count_parse(&chunks, slash + 1, "number of chunks", 1, HS_CHUNKS_MAX, err);
        if (status)
            return status;
    }
    plan->chunks = (int)chunks;
    return hs_split_parse(&plan->split, split_text, np, err);
}

char *hs_plan_format(char text[HS_SPLIT_TEXT], const struct hs_plan *plan)
{
    size_t length;

    hs_split_format(text, &plan->split);
    length = strlen(text);
    if (plan->chunks > 1)
        snprintf(text + length, HS_SPLIT_TEXT - length, "/%d", plan->chunks);
    return text;
}

int hs_plan_compare(const struct hs_plan *a, const struct hs_plan *b)
{
    if (a->chunks != b->chunks)
        return a->chunks < b->chunks ? -1 : 1;
    return hs_split_compare(&a->split, &b->split);
}
