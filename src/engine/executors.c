/* executors.c - the table of executors.h, and what executors have in common. */
#include "engine/executors.h"

#include "model/traffic.h"

/* Blocks from this many elements on are rounded up to whole cache lines where they need not be
 * equal. */
#define ALIGN_FROM_ELEMENTS 4096u
#define ALIGN_ELEMENTS      64u
/* A segment is not cut smaller than this to fill the lanes: each costs a message. */
#define SEGMENT_BYTES_MIN 8192u
/* Small blocks are gathered through it in few messages; large ones need none. */
#define GATHER_SCRATCH_BYTES ((size_t)512 << 10)

const struct hs_executor *const hs_executors[HS_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, letter, meaning) &hs_executor_##name,
    HS_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

const struct hs_executor *hs_executor_of(struct hs_stage_key key)
{
    static const struct hs_executor *const exchanges[HS_ALGORITHM_COUNT] = {
        [HS_RING] = &hs_executor_pairwise,
        [HS_HALVING] = &hs_executor_bruck,
        [HS_NATIVE] = &hs_executor_NATIVE};

    return (key.phase == HS_EXCHANGE ? exchanges : hs_executors)[key.algorithm];
}

static size_t divide_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* Staged rings pass gathered segments on from slots, too, and have one more slot per lane. */
size_t hs_executor_scratch_bytes(const struct hs_memory *memory,
                                 const struct hs_executor_options *options)
{
    size_t lanes_bytes = (size_t)options->lanes * options->segment_bytes;
    size_t bytes = !memory->direct    ? 3 * lanes_bytes
                   : options->reduces ? 2 * lanes_bytes
                                      : hs_least(2 * lanes_bytes, GATHER_SCRATCH_BYTES);

    return hs_most(bytes, HS_SCRATCH_LEAST);
}

struct hs_cut hs_cut_make(const struct hs_executor_call *call, size_t longest_bytes, size_t lanes)
{
    struct hs_cut cut = {.width = hs_datatype_bytes(call->reduction.datatype),
                         .count = call->count,
                         .block = divide_up(call->count, (size_t)call->layer.size),
                         .size = (size_t)call->layer.size};
    size_t longest = longest_bytes / cut.width;
    size_t shortest = hs_least(longest, SEGMENT_BYTES_MIN / cut.width), groups;

    if (call->phase == HS_ALLREDUCE && cut.block >= ALIGN_FROM_ELEMENTS)
        cut.block = divide_up(cut.block, ALIGN_ELEMENTS) * ALIGN_ELEMENTS;
    groups = divide_up(cut.block, longest * lanes);
    cut.segment = divide_up(divide_up(cut.block, groups * lanes), ALIGN_ELEMENTS) * ALIGN_ELEMENTS;
    cut.segment = hs_least(longest, cut.segment < shortest ? shortest : cut.segment);
    cut.used = hs_least(lanes, divide_up(cut.block, cut.segment));
    cut.groups = divide_up(cut.block, cut.segment * cut.used);
    return cut;
}

size_t hs_cut_at(const struct hs_cut *cut, size_t block, size_t number)
{
    return block * cut->block + number * cut->segment;
}

size_t hs_cut_length(const struct hs_cut *cut, size_t block, size_t number)
{
    size_t before = hs_least(block * cut->block, cut->count);
    size_t length = hs_least(cut->count - before, cut->block), first = number * cut->segment;

    return first < length ? hs_least(length - first, cut->segment) : 0;
}

bool hs_executor_alone(const struct hs_memory *memory, struct hs_queue *queue,
                       const struct hs_executor_call *call)
{
    if (call->layer.size > 1 && call->count > 0)
        return false;
    if (call->phase != HS_ALLGATHER && call->count > 0 && call->input != call->output) {
        memory->copy(queue, call->output, call->input,
                     call->count * hs_datatype_bytes(call->reduction.datatype));
        memory->wait(queue);
    }
    return true;
}
