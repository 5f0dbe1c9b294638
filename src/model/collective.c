#include "model/collective.h"

const char *const hs_collective_names[HS_COLLECTIVE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
};

/* After a reduce-scatter over `inner` ranks each has 1 / inner of the message left. */
static double scattered(double bytes, int64_t inner)
{
    return bytes / (double)inner;
}

static double allreduce_bus_factor(int64_t size)
{
    return 2 * (double)(size - 1) / (double)size;
}

const struct hs_collective_row hs_collectives[HS_COLLECTIVE_COUNT] = {
    [HS_COLLECTIVE_ALLREDUCE] = {.outward = HS_REDUCE_SCATTER,
                                 .last = HS_ALLREDUCE,
                                 .inward = HS_ALLGATHER,
                                 .entering = scattered,
                                 .outcome = HS_OUTCOME_REDUCED,
                                 .bus_factor = allreduce_bus_factor,
                                 .sent = 2},
};
