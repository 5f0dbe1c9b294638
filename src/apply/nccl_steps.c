/* nccl_steps.c - see nccl_steps.h. */
#include "apply/nccl_steps.h"

#include <assert.h>

#include "apply/nccl_driver.h"
#include "engine/float16.h"
#include "record/counts.h"

/* ---- types ---- */

size_t hs_nccl_width(hs_nccl_type type)
{
#define ROW(name, type, bytes) bytes,
    static const unsigned char widths[] = {HS_NCCL_TYPES(ROW)};
#undef ROW
    return (size_t)type < sizeof(widths) ? widths[(size_t)type] : 0;
}

#define ROW(name, type, bytes) HS_COUNTED_TYPE_##type,
static const enum hs_counted_type types[] = {HS_NCCL_TYPES(ROW)};
#undef ROW

#define ROW(name, operation) HS_COUNTED_OPERATION_##operation,
static const enum hs_counted_operation operations[] = {HS_NCCL_OPERATIONS(ROW)};
#undef ROW

static bool is_average(hs_nccl_operation operation)
{
    return (size_t)operation < sizeof(operations) / sizeof(operations[0]) &&
           operations[(size_t)operation] == HS_COUNTED_OPERATION_AVERAGE;
}

/* NCCL's own, but for means of whole numbers, which the library rounds in each layer. */
static bool has_type(const struct hs_nccl_asked *asked)
{
    const size_t operation = (size_t)asked->operation;
    enum hs_counted_type type;

    if (hs_nccl_width(asked->type) == 0)
        return false;
    if (asked->collective == HS_COLLECTIVE_ALLGATHER)
        return true;
    if (operation >= sizeof(operations) / sizeof(operations[0]))
        return false;
    type = types[(size_t)asked->type];
    return !is_average(asked->operation) ||
           (type != HS_COUNTED_TYPE_INT8 && type != HS_COUNTED_TYPE_UINT8 &&
            type != HS_COUNTED_TYPE_INT32 && type != HS_COUNTED_TYPE_UINT32 &&
            type != HS_COUNTED_TYPE_INT64 && type != HS_COUNTED_TYPE_UINT64);
}

uint64_t hs_nccl_bytes(const struct hs_nccl_asked *asked, int ranks)
{
    return asked->count * hs_nccl_width(asked->type) *
           (asked->collective == HS_COLLECTIVE_ALLREDUCE ? 1 : (uint64_t)ranks);
}

/* Elements of an allreduce that the layers but the last divide into whole lines. */
static size_t divisible(const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    size_t parts, width = hs_nccl_width(asked->type);

    assert(width > 0);
    parts = HS_NCCL_LINE / width;
    for (int i = 0; i < plan->split.count - 1; i++)
        parts *= (size_t)plan->split.sizes[i];
    return asked->count - asked->count % parts;
}

/* Whether there is anything for the plan's layers to divide. */
static bool divides(const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    return asked->collective == HS_COLLECTIVE_ALLREDUCE ? divisible(plan, asked) > 0
                                                        : asked->count > 0;
}

/* ---- which way a call goes ---- */

static bool has_parts(const struct hs_nccl_family *family, const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (!hs_nccl_part_of(family, hs_split_layer(&plan->split, i)))
            return false;
    return true;
}

const struct hs_rule *hs_nccl_decide(const struct hs_rules *rules,
                                     const struct hs_nccl_family *family,
                                     const struct hs_nccl_asked *asked, enum hs_reason *why)
{
    const struct hs_rule *rule;
    uint64_t bytes;

    *why = HS_REASON_GROUP;
    if (!family || !family->group)
        return NULL;
    *why = HS_REASON_WINDOWS;
    if (family->windows > 0)
        return NULL;
    *why = HS_REASON_TYPE;
    if (!has_type(asked))
        return NULL;
    *why = HS_REASON_SIZE;
    bytes = hs_nccl_bytes(asked, family->size);
    rule = hs_rules_find(rules, asked->collective, family->group, bytes);
    if (!rule || rule->plan.split.count < 2)
        return NULL;
    *why = HS_REASON_PLAN;
    if (!hs_nccl_runs(rule) || !has_parts(family, &rule->plan))
        return NULL;
    *why = HS_REASON_SIZE;
    if (!divides(&rule->plan, asked))
        return NULL;
    *why = family->trial.blocks ? HS_REASON_MEMORY : HS_REASON_NONBLOCKING;
    if (!hs_nccl_takes_memory(rule))
        return rule;
    if (!hs_nccl_has_memory(family, rule, bytes))
        return NULL;
    *why = HS_REASON_CAPTURED;
    return hs_nccl_captures(family->driver, asked->stream) ? NULL : rule;
}

/* ---- steps ---- */

static const struct hs_nccl_part *part_of(const struct hs_nccl_family *family,
                                          const struct hs_plan *plan, int layer)
{
    return hs_nccl_part_of(family, hs_split_layer(&plan->split, layer));
}

/* Of the type, operation and stream of `asked`. */
static void add(struct hs_nccl_steps *steps, const struct hs_nccl_asked *asked,
                const struct hs_nccl_asked *of)
{
    struct hs_nccl_asked *call = &steps->calls[steps->count++];

    *call = *of;
    call->type = asked->type;
    call->operation = asked->operation;
    call->stream = asked->stream;
}

static void divide_allreduce(struct hs_nccl_steps *steps, const struct hs_nccl_family *family,
                             const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    size_t width = hs_nccl_width(asked->type), all = divisible(plan, asked), count = all;
    const int last = plan->split.count - 1;
    const char *from = asked->from;
    char *to = asked->to;

    for (int i = 0; i < last; i++) {
        const struct hs_nccl_part *part = part_of(family, plan, i);

        count /= (size_t)part->layer.size;
        to += (size_t)part->rank * count * width;
        add(steps, asked,
            &(struct hs_nccl_asked){HS_COLLECTIVE_REDUCE_SCATTER, from, to, count,
                                    .comm = part->comm});
        from = to;
    }
    add(steps, asked,
        &(struct hs_nccl_asked){HS_COLLECTIVE_ALLREDUCE, from, to, count,
                                .comm = part_of(family, plan, last)->comm});
    for (int i = last - 1; i >= 0; i--) {
        const struct hs_nccl_part *part = part_of(family, plan, i);

        to -= (size_t)part->rank * count * width;
        add(steps, asked,
            &(struct hs_nccl_asked){HS_COLLECTIVE_ALLGATHER,
                                    to + (size_t)part->rank * count * width, to, count,
                                    .comm = part->comm});
        count *= (size_t)part->layer.size;
    }
    if (all < asked->count)
        add(steps, asked,
            &(struct hs_nccl_asked){HS_COLLECTIVE_ALLREDUCE,
                                    (const char *)asked->from + all * width, to + all * width,
                                    asked->count - all, .comm = asked->comm});
}

/* The first leaves its blocks at the beginning of the memory beside, and each but the last those of
 * this rank where they are. */
static void divide_reduce_scatter(struct hs_nccl_steps *steps, const struct hs_nccl_family *family,
                                  const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    size_t width = hs_nccl_width(asked->type), count = asked->count * (size_t)family->size;
    const char *from = asked->from;
    char *to = family->memory.begin;

    for (int i = plan->split.count - 1; i >= 0; i--) {
        const struct hs_nccl_part *part = part_of(family, plan, i);

        count /= (size_t)part->layer.size;
        if (i < plan->split.count - 1)
            to += (size_t)part->rank * count * width;
        if (i == 0)
            to = asked->to;
        add(steps, asked,
            &(struct hs_nccl_asked){HS_COLLECTIVE_REDUCE_SCATTER, from, to, count,
                                    .comm = part->comm});
        from = to;
    }
}

static void divide_allgather(struct hs_nccl_steps *steps, const struct hs_nccl_family *family,
                             const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    size_t block = asked->count * hs_nccl_width(asked->type), count = asked->count;
    size_t rank = (size_t)family->rank;
    const char *from = asked->from;

    for (int i = 0; i < plan->split.count; i++) {
        const struct hs_nccl_part *part = part_of(family, plan, i);
        size_t blocks = (size_t)(part->layer.stride * part->layer.size);
        char *to = (char *)asked->to + rank / blocks * blocks * block;

        add(steps, asked,
            &(struct hs_nccl_asked){HS_COLLECTIVE_ALLGATHER, from, to, count, .comm = part->comm});
        from = to;
        count *= (size_t)part->layer.size;
    }
}

/* ---- packed layout ---- */

/* The same bytes of each block. */
struct piece {
    size_t begin, bytes;
};

/* In memory beside the digit of the innermost layer counts most. Each call is in place there, but
 * for the end that is the program's. */
static void divide_packed(struct hs_nccl_steps *steps, const struct hs_nccl_family *family,
                          const struct hs_plan *plan, const struct hs_nccl_asked *asked,
                          struct piece piece)
{
    const bool gathers = asked->collective == HS_COLLECTIVE_ALLGATHER;
    const int layers = plan->split.count;
    size_t first[HS_LAYERS_MAX + 1] = {0}, blocks[HS_LAYERS_MAX + 1];
    char *memory = family->memory.begin;

    /* Of the blocks that this rank has inside of layer i. */
    blocks[0] = (size_t)family->size;
    for (int i = 0; i < layers; i++) {
        blocks[i + 1] = blocks[i] / (size_t)plan->split.sizes[i];
        first[i + 1] = first[i] + (size_t)part_of(family, plan, i)->rank * blocks[i + 1];
    }
    for (int k = 0; k < layers; k++) {
        const int i = gathers ? layers - 1 - k : k;
        char *larger = memory + first[i] * piece.bytes;
        char *smaller = memory + first[i + 1] * piece.bytes;
        const size_t count = blocks[i + 1] * piece.bytes / hs_nccl_width(asked->type);
        hs_nccl_comm comm = part_of(family, plan, i)->comm;

        if (i == layers - 1 && gathers)
            add(steps, asked,
                &(struct hs_nccl_asked){HS_COLLECTIVE_ALLGATHER,
                                        (const char *)asked->from + piece.begin, larger, count,
                                        .comm = comm});
        else if (gathers)
            add(steps, asked,
                &(struct hs_nccl_asked){HS_COLLECTIVE_ALLGATHER, smaller, larger, count,
                                        .comm = comm});
        else
            add(steps, asked,
                &(struct hs_nccl_asked){HS_COLLECTIVE_REDUCE_SCATTER, larger,
                                        i == layers - 1 ? (char *)asked->to + piece.begin : smaller,
                                        count, .comm = comm});
    }
}

/* Between the blocks of the program's larger side and those in memory beside: those whose numbers
 * differ in the digit of the outermost layer alone are rows of one copy. */
static bool copy_packed(const struct hs_nccl_family *family, const struct hs_plan *plan,
                        const struct hs_nccl_asked *asked, struct piece piece)
{
    const size_t block = asked->count * hs_nccl_width(asked->type);
    const int last = plan->split.count - 1;
    const size_t rows = (size_t)plan->split.sizes[last], groups = (size_t)family->size / rows;

    for (size_t group = 0; group < groups; group++) {
        char *packed = (char *)family->memory.begin + group * rows * piece.bytes;
        size_t rest = group, number = 0;
        bool good;

        for (int i = last - 1; i >= 0; i--) {
            size_t size = (size_t)plan->split.sizes[i];

            number += rest % size * (size_t)hs_split_layer(&plan->split, i).stride;
            rest /= size;
        }
        number = number * block + piece.begin;
        if (asked->collective == HS_COLLECTIVE_ALLGATHER)
            good = hs_nccl_copy_rows(
                family->driver, (char *)asked->to + number, packed,
                (struct hs_nccl_spacing){groups * block, piece.bytes, piece.bytes, rows},
                asked->stream);
        else
            good = hs_nccl_copy_rows(
                family->driver, packed, (const char *)asked->from + number,
                (struct hs_nccl_spacing){piece.bytes, groups * block, piece.bytes, rows},
                asked->stream);
        if (!good)
            return false;
    }
    return true;
}

/* ---- averages ---- */

/* The number of a type among those with a mean; HS_NCCL_MEANS: it has none, and each layer takes
 * that of its own ranks. */
static int mean_of(hs_nccl_type type)
{
    static const enum hs_counted_type means[HS_NCCL_MEANS] = {
        HS_COUNTED_TYPE_FLOAT16, HS_COUNTED_TYPE_FLOAT32, HS_COUNTED_TYPE_FLOAT64,
        HS_COUNTED_TYPE_BFLOAT16};
    int mean = 0;

    while (mean < HS_NCCL_MEANS && means[mean] != types[(size_t)type])
        mean++;
    return mean;
}

static bool make_mean(hs_nccl_operation *made, const struct hs_nccl_family *family,
                      hs_nccl_comm comm, hs_nccl_type type)
{
    double part64 = 1.0 / family->size;
    float part = (float)part64;
    uint16_t part16 = hs_float_to_float16(part), bpart16 = hs_float_to_bfloat16(part);
    void *const scalars[HS_NCCL_MEANS] = {&part16, &part, &part64, &bpart16};

    return family->nccl.ncclRedOpCreatePreMulSum(made, scalars[mean_of(type)], type,
                                                 (hs_nccl_residence)HS_NCCL_SCALAR_OF_HOST,
                                                 comm) == HS_NCCL_SUCCESS;
}

/* Layers add, and one multiplies what goes into it: NCCL's averages have no NVLS, which sums have
 * (enqueue.cc of 2.30, ncclNvlsSupported). It is the last, between nodes; of float16 the first, so
 * that no sum is larger than a mean. */
static void take_mean(struct hs_nccl_steps *steps, struct hs_nccl_family *family,
                      const struct hs_nccl_asked *asked)
{
    int mean = mean_of(asked->type), chosen = -1;
    struct hs_nccl_part *part = NULL;

    for (int i = 0; i < steps->count; i++)
        if (steps->calls[i].collective != HS_COLLECTIVE_ALLGATHER &&
            steps->calls[i].comm != asked->comm && (chosen < 0 || mean > 0))
            chosen = i;
    for (int i = 0; i < family->part_count && chosen >= 0; i++)
        if (family->parts[i].comm == steps->calls[chosen].comm)
            part = &family->parts[i];
    if (mean == HS_NCCL_MEANS || !part ||
        (part->mean[mean] == 0 && !make_mean(&part->mean[mean], family, part->comm, asked->type)))
        return;
    for (int i = 0; i < steps->count; i++)
        if (steps->calls[i].comm != asked->comm)
            steps->calls[i].operation = i == chosen ? part->mean[mean] : (hs_nccl_operation)0;
}

/* ---- carrying out ---- */

hs_nccl_result hs_nccl_call(const struct hs_nccl_functions *nccl, const struct hs_nccl_asked *asked)
{
    switch ((int)asked->collective) {
    case HS_COLLECTIVE_ALLREDUCE:
        return nccl->ncclAllReduce(asked->from, asked->to, asked->count, asked->type,
                                   asked->operation, asked->comm, asked->stream);
    case HS_COLLECTIVE_REDUCE_SCATTER:
        return nccl->ncclReduceScatter(asked->from, asked->to, asked->count, asked->type,
                                       asked->operation, asked->comm, asked->stream);
    default:
        return nccl->ncclAllGather(asked->from, asked->to, asked->count, asked->type, asked->comm,
                                   asked->stream);
    }
}

/* Up to its end, an error, or one that nobody waits for. */
static hs_nccl_result go_on(struct hs_nccl_family *family, struct hs_nccl_steps *steps)
{
    hs_nccl_result result = HS_NCCL_SUCCESS;

    while (steps->next < steps->count && result == HS_NCCL_SUCCESS)
        result = family->ended ? HS_NCCL_INVALID_USAGE
                               : hs_nccl_call(&family->nccl, &steps->calls[steps->next++]);
    return result;
}

/* Piece by piece, of which each is as long as the memory has room for. */
static hs_nccl_result carry_packed(struct hs_nccl_family *family, const struct hs_plan *plan,
                                   const struct hs_nccl_asked *asked)
{
    const size_t block = asked->count * hs_nccl_width(asked->type);
    const bool gathers = asked->collective == HS_COLLECTIVE_ALLGATHER;
    size_t most = family->memory.bytes / (size_t)family->size;
    hs_nccl_result result = HS_NCCL_SUCCESS;

    if (most < block)
        most -= most % HS_NCCL_LINE;
    for (size_t begin = 0; begin < block && result == HS_NCCL_SUCCESS; begin += most) {
        const struct piece piece = {begin, most < block - begin ? most : block - begin};
        struct hs_nccl_steps steps = {.count = 0};

        divide_packed(&steps, family, plan, asked, piece);
        if (!gathers && is_average(asked->operation))
            take_mean(&steps, family, asked);
        if (!gathers && !copy_packed(family, plan, asked, piece))
            return HS_NCCL_CUDA_ERROR;
        result = go_on(family, &steps);
        if (gathers && result == HS_NCCL_SUCCESS && !copy_packed(family, plan, asked, piece))
            return HS_NCCL_CUDA_ERROR;
    }
    return result;
}

static hs_nccl_result carry_in_steps(struct hs_nccl_family *family, struct hs_nccl_steps *steps,
                                     const struct hs_plan *plan, const struct hs_nccl_asked *asked)
{
    if (asked->collective == HS_COLLECTIVE_ALLREDUCE)
        divide_allreduce(steps, family, plan, asked);
    else if (asked->collective == HS_COLLECTIVE_REDUCE_SCATTER)
        divide_reduce_scatter(steps, family, plan, asked);
    else
        divide_allgather(steps, family, plan, asked);
    if (asked->collective != HS_COLLECTIVE_ALLGATHER && is_average(asked->operation))
        take_mean(steps, family, asked);
    return go_on(family, steps);
}

hs_nccl_result hs_nccl_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                             const struct hs_nccl_asked *asked)
{
    struct hs_nccl_steps steps = {.count = 0};
    hs_nccl_result result;

    hs_nccl_order_before(family, asked->stream);
    result = rule->layout == HS_PACKED ? carry_packed(family, &rule->plan, asked)
                                       : carry_in_steps(family, &steps, &rule->plan, asked);
    if (result == HS_NCCL_IN_PROGRESS && family->steps)
        *family->steps = steps;
    else
        hs_nccl_order_after(family, asked->stream, result);
    return result;
}

hs_nccl_result hs_nccl_carry_on(struct hs_nccl_family *family)
{
    struct hs_nccl_steps *steps = family->steps;
    hs_nccl_result state = HS_NCCL_SUCCESS, result;

    if (!steps || steps->count == 0)
        return HS_NCCL_SUCCESS;
    result = family->nccl.ncclCommGetAsyncError(steps->calls[steps->next - 1].comm, &state);
    if (result == HS_NCCL_SUCCESS)
        result = state == HS_NCCL_SUCCESS ? go_on(family, steps) : state;
    if (result == HS_NCCL_IN_PROGRESS)
        return result;
    hs_nccl_order_after(family, steps->calls[0].stream, result);
    steps->count = 0;
    return result;
}
