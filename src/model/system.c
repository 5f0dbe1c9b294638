#include "model/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const hs_fabric_names[HS_FABRIC_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_FABRICS(HS_ROW)
#undef HS_ROW
};

const char *const hs_latency_kind_names[HS_LATENCY_KIND_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_LATENCY_KINDS(HS_ROW)
#undef HS_ROW
};

void hs_system_release(struct hs_system *system)
{
    for (size_t l = 0; l < HS_LEVELS_MAX; l++) {
        free(system->levels[l].arity_source);
        free(system->levels[l].fabric_source);
        free(system->levels[l].latency_source);
        free(system->levels[l].bandwidth_source);
    }
    hs_fits_release(&system->fits);
    free(system->title);
    free(system->source);
    free(system->notes);
    memset(system, 0, sizeof(*system));
}

int64_t hs_system_child_ranks(const struct hs_system *system, size_t level)
{
    int64_t ranks = 1;

    for (size_t l = 0; l < level && l < system->level_count; l++) {
        int64_t arity = system->levels[l].arity;

        if (arity == 0 || ranks > INT64_MAX / arity)
            return INT64_MAX;
        ranks *= arity;
    }
    return ranks;
}

int64_t hs_system_capacity(const struct hs_system *system)
{
    return hs_system_child_ranks(system, system->level_count);
}
