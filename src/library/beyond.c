#include "library/beyond.h"

#include <inttypes.h>

#include "base/units.h"
#include "library/constants_rccl.h"

/* The longest of the published times, of both libraries, and NCCL's first and last version. */
#define LONGEST_BYTES (16.0 * 1073741824)
#define FIRST_VERSION HS_NCCL_VERSION(2, 18, 0)
#define LAST_VERSION  HS_NCCL_VERSION(2, 30, 99)

struct hs_beyond hs_beyond_of(const struct hs_system *system, const struct hs_group *group,
                              double bytes)
{
    bool native = hs_system_is_nccl_native(system);
    int64_t unit = native ? system->nccl.gpus : hs_system_node_ranks(system);
    int64_t most = native ? system->nccl.parts.fitted_domains : HS_RCCL_NODES;
    int version = native ? system->nccl.version : 0;
    struct hs_beyond beyond = {0};

    if (system->fits.count > 0 || (native && system->nccl.doubt > 0) ||
        (!native && hs_system_library(system) != HS_LIBRARY_RCCL))
        return beyond;
    if (hs_group_spread(group, unit).units > (most > 1 ? most : 1))
        beyond.nodes = most;
    if (bytes > LONGEST_BYTES)
        beyond.bytes = LONGEST_BYTES;
    if (version > 0 && version < FIRST_VERSION)
        beyond.version = FIRST_VERSION;
    if (version > LAST_VERSION)
        beyond.version = LAST_VERSION;
    return beyond;
}

struct hs_beyond hs_beyond_of_layer(const struct hs_system *system, int64_t ranks,
                                    struct hs_layer layer, double bytes)
{
    const struct hs_group group = {.ranks = ranks, .stride = layer.stride, .size = layer.size};

    return hs_beyond_of(system, &group, bytes);
}

bool hs_beyond_any(const struct hs_beyond *beyond)
{
    return beyond->nodes > 0 || beyond->bytes > 0 || beyond->version > 0;
}

void hs_beyond_add(struct hs_beyond *beyond, const struct hs_beyond *other)
{
    beyond->nodes = other->nodes > 0 ? other->nodes : beyond->nodes;
    beyond->bytes = other->bytes > 0 ? other->bytes : beyond->bytes;
    beyond->version = other->version > 0 ? other->version : beyond->version;
}

void hs_beyond_append(struct hs_text *out, const struct hs_beyond *beyond)
{
    const char *between = "";

    if (beyond->nodes > 0) {
        hs_text_append(out, "more than the %" PRId64 " node%s measured", beyond->nodes,
                       beyond->nodes == 1 ? "" : "s");
        between = ", ";
    }
    if (beyond->bytes > 0) {
        hs_text_append(out, "%smore than the %s measured", between,
                       HS_AS_BYTES((uint64_t)beyond->bytes));
        between = ", ";
    }
    if (beyond->version > 0)
        hs_text_append(out, "%sNCCL %s %d.%d", between,
                       beyond->version == LAST_VERSION ? "newer than" : "older than",
                       beyond->version / 10000, beyond->version / 100 % 100);
}
