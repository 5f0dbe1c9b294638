/*
 * mpi_carry.c - a call of the program's by plan: its data made contiguous where it is not, run by
 * the engine, and brought where the program wants it.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apply/loaded.h"
#include "apply/mpi_plans.h"
#include "engine/mpi_base.h"
#include "engine/pages.h"
#include "model/traffic.h"

/* ---- sums that the engine does not make ---- */

/* Of the call that this thread carries out; MPI_OP_NULL: the engine's own. */
static _Thread_local MPI_Op local_operation = MPI_OP_NULL;
static _Thread_local MPI_Datatype local_type;

static void reduce(struct hs_queue *queue, void *dst, const void *a, const void *b, size_t count,
                   struct hs_reduction reduction)
{
    size_t bytes = count * hs_datatype_bytes(reduction.datatype);

    if (local_operation == MPI_OP_NULL) {
        hs_memory_host.reduce(queue, dst, a, b, count, reduction);
        return;
    }
    if (dst == b) {
        b = a;
    } else if (dst != a) {
        memcpy(dst, a, bytes);
    }
    PMPI_Reduce_local(b, dst, (int)count, local_type, local_operation);
}

struct hs_memory hs_carry_memory(void)
{
    struct hs_memory memory = hs_memory_host;

    memory.reduce = reduce;
    memory.allocate = memory.allocate_staging = hs_pages_reserve;
    return memory;
}

/* ---- where data lies ---- */

/* libcuda's, where the program has loaded it: its MPI library may take pointers to a GPU's memory.
 * The values are those of cuda.h. */
#define MEMORY_TYPE   2 /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */
#define DEVICE_MEMORY 2 /* CU_MEMORYTYPE_DEVICE */
typedef int pointer_function(void *value, int attribute, uintptr_t pointer);
typedef int copy_function(uintptr_t to, uintptr_t from, size_t bytes);

static bool is_on_gpu(const void *pointer)
{
    static _Thread_local struct hs_loaded known;
    void *found = hs_loaded_cuda_again(&known, "cuPointerGetAttribute");
    pointer_function *ask;
    unsigned type = 0;

    memcpy(&ask, &found, sizeof(ask));
    return ask && ask(&type, MEMORY_TYPE, (uintptr_t)pointer) == 0 && type == DEVICE_MEMORY;
}

/* Between the program's memory, wherever that is, and ours. */
static void copy(void *to, const void *from, size_t bytes)
{
    void *found;
    copy_function *across;

    if (to == from)
        return;
    if (!is_on_gpu(to) && !is_on_gpu(from)) {
        memcpy(to, from, bytes);
        return;
    }
    found = hs_loaded_cuda("cuMemcpy");
    memcpy(&across, &found, sizeof(across));
    across((uintptr_t)to, (uintptr_t)from, bytes);
}

/* Elements in memory as they travel, one behind the other. */
static bool is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Aint lower, extent;
    int bytes;

    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_size(type, &bytes);
    return combiner == MPI_COMBINER_NAMED && lower == 0 && extent == bytes;
}

static char *element(const void *buffer, int64_t index, MPI_Datatype type)
{
    MPI_Aint lower, extent;

    PMPI_Type_get_extent(type, &lower, &extent);
    return (char *)(uintptr_t)buffer + index * extent;
}

/* MPICH packs nothing at MPI_BOTTOM: the same elements, from where the first one begins. *type is
 * the caller's to free. */
static void *above_bottom(MPI_Datatype *type)
{
    MPI_Aint first, extent, back;
    MPI_Datatype moved;
    int one = 1;

    PMPI_Type_get_true_extent(*type, &first, &extent);
    back = -first;
    PMPI_Type_create_hindexed(1, &one, &back, *type, &moved);
    PMPI_Type_commit(&moved);
    *type = moved;
    return (void *)first; /* NOLINT(performance-no-int-to-ptr): an address, to MPI */
}

/* So many elements to or from so many bytes; more than MPI counts by an int, in parts. */
static void pack_either(bool packs, char *packed, size_t bytes, void *elements, int64_t count,
                        MPI_Datatype type)
{
    bool is_bottom = elements == MPI_BOTTOM;
    int width;

    if (is_bottom)
        elements = above_bottom(&type);
    PMPI_Type_size(type, &width);
    for (int64_t done = 0, part; done < count; done += part) {
        int room = (int)hs_smaller((int64_t)bytes - done * width, INT32_MAX), at = 0;
        char *first = element(elements, done, type), *there = packed + done * width;

        part = hs_smaller(count - done, INT32_MAX / 2 / hs_larger(width, 1) + 1);
        if (packs)
            PMPI_Pack(first, (int)part, type, there, room, &at, MPI_COMM_SELF);
        else
            PMPI_Unpack(there, room, &at, first, (int)part, type, MPI_COMM_SELF);
    }
    if (is_bottom)
        PMPI_Type_free(&type);
}

static void pack(char *to, size_t bytes, const void *from, int64_t count, MPI_Datatype type)
{
    pack_either(true, to, bytes, (void *)(uintptr_t)from, count, type);
}

static void unpack(void *to, int64_t count, MPI_Datatype type, const char *from, size_t bytes)
{
    pack_either(false, (char *)(uintptr_t)from, bytes, to, count, type);
}

/* ---- a call ---- */

/* A call on its way: the whole message at `input` and `output`, which may be the program's. */
struct carried {
    struct hs_party *party;
    const struct hs_asked *asked;
    const struct hs_message *message;
    struct hs_task task;
    size_t padded;         /* bytes */
    size_t block;          /* bytes of one rank's part; of an allreduce all */
    char *own[HS_BUFFERS]; /* of the party's room: input, output, the library's result */
    const char *input;     /* what the engine gets */
    char *output;
};

/* All ranks need them as large, whether they use them or not: so all wait here, or none, whatever
 * other communicators made of a shared room. */
static enum hs_status need_buffers(struct hs_party *party, size_t bytes, struct hs_error *err)
{
    struct hs_mpi_base *base = party->engine;
    enum hs_status status = HS_OK;
    char *grown = NULL;

    if (bytes <= party->bytes)
        return HS_OK;
    bytes += bytes / 2;
    if (bytes > party->room->bytes && !(grown = malloc(HS_BUFFERS * bytes)))
        status = hs_no_memory(err);
    status = hs_agree(base->comms.world, &base->comms.idle, status, err);
    if (status != HS_OK) {
        free(grown);
        return status;
    }
    if (grown) {
        free(party->room->data);
        *party->room = (struct hs_room){grown, bytes};
    }
    party->bytes = bytes;
    return HS_OK;
}

/* The message of this rank as it enters, in the program's memory or in ours. In place it may lie
 * where the result goes. */
static void bring_in(struct carried *c, bool apart)
{
    const struct hs_asked *asked = c->asked;
    bool in_place = asked->from == MPI_IN_PLACE;
    const void *from = in_place ? asked->to : asked->from;
    size_t bytes = c->message->bytes;

    switch (asked->collective) {
    case HS_COLLECTIVE_ALLGATHER: {
        /* Where it stays: at this rank's place of the output. */
        MPI_Datatype type = in_place ? asked->taken : asked->given;
        MPI_Count count = in_place ? asked->take : asked->give;
        char *block = c->output + (size_t)c->party->rank * c->block;

        if (in_place)
            from = element(from, (int64_t)c->party->rank * asked->take, type);
        if (is_plain(type))
            copy(block, from, c->block);
        else
            pack(block, c->block, from, count, type);
        c->input = c->output;
        return;
    }
    case HS_COLLECTIVE_ALLTOALL: {
        MPI_Datatype type = in_place ? asked->taken : asked->given;
        int64_t count = (int64_t)c->party->size * (in_place ? asked->take : asked->give);

        if (!is_plain(type)) {
            pack(c->own[0], bytes, from, count, type);
            c->input = c->own[0];
            return;
        }
        apart = apart || in_place; /* an exchange does not read where it writes */
        break;
    }
    default:
        apart = apart || c->padded > bytes;
    }
    c->input = from;
    if (!apart && !is_on_gpu(from))
        return;
    copy(c->own[0], from, bytes);
    memset(c->own[0] + bytes, 0, c->padded - bytes);
    c->input = c->own[0];
}

/* Whether the result may be made where the program wants it: not a reduce-scatter's, which has room
 * for a block there. */
static bool is_made_there(const struct carried *c)
{
    bool fits =
        c->asked->collective != HS_COLLECTIVE_REDUCE_SCATTER && c->padded == c->message->bytes;

    return fits && (c->message->reduces || is_plain(c->asked->taken)) && !is_on_gpu(c->asked->to);
}

/* Where this rank's result is in the engine's output. */
static const char *result_of(const struct carried *c)
{
    bool is_block = c->asked->collective == HS_COLLECTIVE_REDUCE_SCATTER;

    return c->output + (is_block ? (size_t)c->party->rank * c->block : 0);
}

static size_t result_bytes(const struct carried *c)
{
    return c->asked->collective == HS_COLLECTIVE_REDUCE_SCATTER ? c->block : c->message->bytes;
}

static void bring_out(const struct carried *c, const char *result)
{
    const struct hs_asked *asked = c->asked;

    if (result == asked->to)
        return;
    if (c->message->reduces || is_plain(asked->taken))
        copy(asked->to, result, result_bytes(c));
    else
        unpack(asked->to, (int64_t)c->party->size * asked->take, asked->taken, result,
               c->message->bytes);
}

static enum hs_status run(struct carried *c, struct hs_error *err)
{
    const struct hs_engine *engine = hs_backend_host.engine;
    struct hs_work work = {.task = &c->task,
                           .line = 1,
                           .datatype = c->message->width == 8   ? HS_FLOAT64
                                       : c->message->width == 4 ? HS_FLOAT32
                                                                : HS_FLOAT16,
                           .operation = HS_SUM,
                           .input = c->input,
                           .output = c->output,
                           .room = c->padded / c->message->width};
    struct hs_idle idle = c->party->idle;
    bool done = false, moved;
    enum hs_status status = engine->prepare(c->party->engine, &work, err);

    if (status != HS_OK)
        return status;
    local_operation =
        c->message->reduces && !c->message->ours ? c->message->operation : MPI_OP_NULL;
    local_type = c->message->type;
    status = engine->start(c->party->engine, &work, err);
    while (status == HS_OK && !done) {
        status = engine->test(c->party->engine, &done, &moved, err);
        hs_idle_looked(&idle, moved);
    }
    local_operation = MPI_OP_NULL;
    /* What went wrong now is no lack of memory before the begin. */
    return status == HS_OK ? HS_OK : HS_FAILED;
}

/* The same calls with counts of int, and of MPI_Count. */
#define ASKED(suffix, count)                                                                       \
    static int ask##suffix(const struct hs_asked *asked)                                           \
    {                                                                                              \
        count give = (count)asked->give, take = (count)asked->take;                                \
                                                                                                   \
        switch (hs_collectives[asked->collective].last) {                                          \
        case HS_REDUCE_SCATTER:                                                                    \
            if (asked->takes.counts)                                                               \
                return PMPI_Reduce_scatter##suffix(asked->from, asked->to, asked->takes.counts,    \
                                                   asked->taken, asked->operation, asked->comm);   \
            return PMPI_Reduce_scatter_block##suffix(asked->from, asked->to, take, asked->taken,   \
                                                     asked->operation, asked->comm);               \
        case HS_ALLGATHER:                                                                         \
            return PMPI_Allgather##suffix(asked->from, give, asked->given, asked->to, take,        \
                                          asked->taken, asked->comm);                              \
        case HS_EXCHANGE:                                                                          \
            return PMPI_Alltoall##suffix(asked->from, give, asked->given, asked->to, take,         \
                                         asked->taken, asked->comm);                               \
        case HS_ALLREDUCE:                                                                         \
        case HS_PAIR:                                                                              \
        case HS_PHASE_COUNT:                                                                       \
            break;                                                                                 \
        }                                                                                          \
        return PMPI_Allreduce##suffix(asked->from, asked->to, take, asked->taken,                  \
                                      asked->operation, asked->comm);                              \
    }
ASKED(, int)
#if MPI_VERSION >= 4
ASKED(_c, MPI_Count)
#endif

int hs_ask_library(const struct hs_asked *asked)
{
#if MPI_VERSION >= 4
    if (asked->large)
        return ask_c(asked);
#endif
    return ask(asked);
}

/* ---- against the library ---- */

/* The same call on what is contiguous, from the first buffer to the third. */
static struct hs_asked contiguous(const struct carried *c)
{
    struct hs_asked same = *c->asked;
    size_t width = c->message->width;

    same.from = c->own[0];
    same.to = c->own[2];
    same.takes.counts = NULL;
    same.large = false;
    if (c->message->reduces) {
        same.take = (int)(c->block / width);
        return same;
    }
    same.given = same.taken = width == 8 ? MPI_UINT64_T : width == 4 ? MPI_UINT32_T : MPI_UINT16_T;
    same.give = same.take = (int)(c->block / width);
    if (same.collective == HS_COLLECTIVE_ALLGATHER)
        same.from = c->output + (size_t)c->party->rank * c->block;
    return same;
}

static double value_at(const struct hs_message *message, const char *data, size_t i)
{
    return message->width == 4 ? (double)((const float *)(const void *)data)[i]
                               : ((const double *)(const void *)data)[i];
}

/* Sums of absolute values, which bound what an order of additions can change, in the first buffer;
 * the input is used up. */
static void sum_absolutes(struct carried *c, struct hs_asked same)
{
    size_t count = c->message->bytes / c->message->width;

    for (size_t i = 0; i < count; i++)
        if (c->message->width == 4)
            ((float *)(void *)c->own[0])[i] = fabsf(((float *)(void *)c->own[0])[i]);
        else
            ((double *)(void *)c->own[0])[i] = fabs(((double *)(void *)c->own[0])[i]);
    same.from = MPI_IN_PLACE;
    same.to = c->own[0];
    hs_ask_library(&same);
}

/* Whether two results may both be right: floats within 2 p eps sum |x| (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002, (4.4), for each of the two orders), or of a product's
 * absolute value; all else to the bit, but for the sign of a zero. */
static bool is_near(const struct carried *c, const char *mine, const char *theirs, size_t bytes)
{
    const struct hs_message *message = c->message;
    double eps = message->width == 4 ? (double)FLT_EPSILON : DBL_EPSILON;

    if (!message->floats)
        return memcmp(mine, theirs, bytes) == 0;
    for (size_t i = 0; i < bytes / message->width; i++) {
        double a = value_at(message, mine, i), b = value_at(message, theirs, i), bound = 0;

        if (message->operation == MPI_SUM)
            bound = value_at(message, c->own[0], i);
        else if (message->operation == MPI_PROD)
            bound = fabs(b);
        if (a == b || (isnan(a) && isnan(b)) || !isfinite(bound))
            continue;
        if (!(fabs(a - b) <= 2 * c->party->size * eps * bound))
            return false;
    }
    return true;
}

/* Returns what is right: the plan's result, or, where any rank has another one, the library's. */
static const char *check(struct carried *c, bool *differs)
{
    struct hs_asked same = contiguous(c);
    const char *mine = result_of(c);
    int other, any = 0;

    hs_ask_library(&same);
    if (c->message->floats && c->message->operation == MPI_SUM)
        sum_absolutes(c, same);
    other = !is_near(c, mine, c->own[2], result_bytes(c));
    PMPI_Allreduce(&other, &any, 1, MPI_INT, MPI_LOR, c->asked->comm);
    *differs = any != 0;
    return any ? c->own[2] : mine;
}

enum hs_status hs_carry(struct hs_party *party, const struct hs_asked *asked,
                        const struct hs_message *message, const struct hs_rule *rule, bool *differs,
                        struct hs_error *err)
{
    struct carried c = {.party = party,
                        .asked = asked,
                        .message = message,
                        .task = {.kind = HS_TASK_PLAN,
                                 .plan = rule->plan,
                                 .layout = rule->layout,
                                 .collective = asked->collective,
                                 .count = message->bytes / message->width}};
    bool parts = asked->collective != HS_COLLECTIVE_ALLREDUCE;
    const char *result;
    enum hs_status status;

    c.padded = hs_task_padded(&c.task, 1) * message->width;
    c.block = message->bytes / (parts ? (size_t)party->size : 1);
    status = need_buffers(party, c.padded, err);
    if (status != HS_OK)
        return status;
    for (int i = 0; i < HS_BUFFERS; i++)
        c.own[i] = party->room->data + (size_t)i * party->room->bytes;
    c.output = !differs && is_made_there(&c) ? asked->to : c.own[1];
    bring_in(&c, differs != NULL);
    status = run(&c, err);
    if (status != HS_OK)
        return status;
    result = differs ? check(&c, differs) : result_of(&c);
    bring_out(&c, result);
    return HS_OK;
}
