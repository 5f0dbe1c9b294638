#include "model/collective.h"

#include <math.h>

#include "base/text.h"

const char *const hs_collective_names[HS_COLLECTIVE_COUNT] = {
#define HS_ROW(name, text, words, meaning) text,
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
};

static const char *const collective_words[HS_COLLECTIVE_COUNT] = {
#define HS_ROW(name, text, words, meaning) words,
    HS_COLLECTIVES(HS_ROW)
#undef HS_ROW
};

enum hs_status hs_collective_parse(enum hs_collective *out, const char *text, struct hs_error *err)
{
    static const struct hs_vocabulary known = {"collective", hs_collective_names, collective_words,
                                               HS_COLLECTIVE_COUNT};
    size_t index;
    enum hs_status status = hs_vocabulary_find(&index, text, &known, err);

    *out = (enum hs_collective)index;
    return status;
}

const char *const hs_layout_names[HS_LAYOUT_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_LAYOUTS(HS_ROW)
#undef HS_ROW
};

const char *hs_layout_aside(enum hs_collective collective, enum hs_layout layout)
{
    static const char *const asides[HS_LAYOUT_COUNT] = {
#define HS_ROW(name, text, meaning) " (" text " layout)",
        HS_LAYOUTS(HS_ROW)
#undef HS_ROW
    };

    return layout == HS_NATURAL || !hs_collectives[collective].ordered ? "" : asides[layout];
}

static double once_around(int64_t size)
{
    return (double)(size - 1) / (double)size;
}

static double twice_around(int64_t size)
{
    return 2 * once_around(size);
}

/* Each side needs something of the other for every byte. */
static double crosses_whole(int64_t inside, int64_t size)
{
    (void)inside, (void)size;
    return 1;
}

/* Blocks of one side's ranks need the other side's data. */
static double crosses_as_blocks(int64_t inside, int64_t size)
{
    return fmax((double)inside, (double)(size - inside)) / (double)size;
}

/* Each of one side has a block for each of the other. */
static double crosses_by_pairs(int64_t inside, int64_t size)
{
    return (double)inside * (double)(size - inside) / (double)size;
}

const struct hs_collective_row hs_collectives[HS_COLLECTIVE_COUNT] = {
    [HS_COLLECTIVE_ALLREDUCE] = {.written = "AllReduce",
                                 .outward = HS_REDUCE_SCATTER,
                                 .last = HS_ALLREDUCE,
                                 .inward = HS_ALLGATHER,
                                 .begins_large = true,
                                 .outcome = HS_OUTCOME_REDUCED,
                                 .bus_factor = twice_around,
                                 .sent = 2,
                                 .crossing = crosses_whole,
                                 .reduced_in_switch = true},
    [HS_COLLECTIVE_REDUCE_SCATTER] = {.written = "ReduceScatter",
                                      .outward = HS_REDUCE_SCATTER,
                                      .last = HS_REDUCE_SCATTER,
                                      .inward = HS_PHASE_COUNT,
                                      .ordered = true,
                                      .begins_large = true,
                                      .outcome = HS_OUTCOME_REDUCED,
                                      .bus_factor = once_around,
                                      .sent = 1,
                                      .crossing = crosses_as_blocks},
    [HS_COLLECTIVE_ALLGATHER] = {.written = "AllGather",
                                 .outward = HS_ALLGATHER,
                                 .last = HS_ALLGATHER,
                                 .inward = HS_PHASE_COUNT,
                                 .ordered = true,
                                 .outcome = HS_OUTCOME_GATHERED,
                                 .bus_factor = once_around,
                                 .sent = 1,
                                 .crossing = crosses_as_blocks},
    [HS_COLLECTIVE_ALLTOALL] = {.written = "all-to-all",
                                .outward = HS_EXCHANGE,
                                .last = HS_EXCHANGE,
                                .inward = HS_PHASE_COUNT,
                                .begins_large = true,
                                .whole = true,
                                .outcome = HS_OUTCOME_EXCHANGED,
                                .bus_factor = once_around,
                                .crossing = crosses_by_pairs},
};

bool hs_collective_is_one_way(enum hs_collective collective)
{
    return hs_collectives[collective].inward == HS_PHASE_COUNT;
}
