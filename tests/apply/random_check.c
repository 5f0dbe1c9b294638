/* random_check.c - draws one call, makes it by MPI_X and by PMPI_X, and compares what both left. */
#include "random_check.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_layout.h"

#define COUNT_MAX (1 << 20)

#define KINDS(ROW)                                                                                 \
    ROW(Allreduce)                                                                                 \
    ROW(Reduce_scatter)                                                                            \
    ROW(Reduce_scatter_block)                                                                      \
    ROW(Reduce)                                                                                    \
    ROW(Scan)                                                                                      \
    ROW(Allgather)                                                                                 \
    ROW(Alltoall)                                                                                  \
    ROW(Bcast)                                                                                     \
    ROW(Allgatherv)                                                                                \
    ROW(Alltoallv)                                                                                 \
    ROW(Barrier)
enum kind {
#define ROW(name) name,
    KINDS(ROW)
#undef ROW
        KIND_COUNT
};
static const char *const names[] = {
#define ROW(name) #name,
    KINDS(ROW)
#undef ROW
};

struct call {
    const struct group *group;
    uint64_t number;
    enum kind kind;
    int size, rank, root; /* size: of an inter-communicator the other side's */
    bool in_place;
    bool large;            /* counts of MPI_Count, where MPI has them: this rank's choice */
    int count;             /* elements, of each rank's block where there are blocks */
    int counts[RANKS_MAX]; /* of blocks that differ, on all ranks alike */
    const struct datum *datum;
    struct op op;
    struct side from, to;
};

static uint64_t seed;
static size_t max_bytes;
static _Atomic unsigned long called[KIND_COUNT];

/* ---- random numbers: SplitMix64 ---- */

uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t below(uint64_t *state, uint64_t limit)
{
    return draw(state) % limit;
}

uint64_t mixed(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = a;

    state = draw(&state) ^ b;
    state = draw(&state) ^ c;
    return draw(&state);
}

/* ---- what is wrong ---- */

_Noreturn void wrong(uint64_t number, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    int rank;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "random_calls: seed %llu, call %llu, rank %d: %s\n", (unsigned long long)seed,
            (unsigned long long)number, rank, text);
    fflush(stderr);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

_Noreturn static void differs(const struct call *call, const char *what, size_t at)
{
    wrong(call->number,
          "%s of %d %s by %s, root %d, on %s of %d, rank %d of it, %s; laid out %s to %s: %s (%zu)",
          names[call->kind], call->count, call->datum->name, call->op.name ? call->op.name : "-",
          call->root, call->group->made, call->size, call->rank,
          call->in_place ? "in place" : "out of place", call->from.name, call->to.name, what, at);
}

/* ---- the call ---- */

#define MADE(name, ...) (library ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

#if MPI_VERSION >= 4
/* The form with counts of MPI_Count; -1: it has none here. */
static int make_large(const struct call *call, bool library, const void *from, void *to)
{
    const MPI_Comm comm = call->group->comm;
    const struct side *give = &call->from, *take = &call->to;
    MPI_Count counts[RANKS_MAX];

    for (int i = 0; i < call->size; i++)
        counts[i] = call->counts[i];
    switch (call->kind) {
    case Allreduce:
        return MADE(Allreduce_c, from, to, call->count, take->type, call->op.op, comm);
    case Reduce_scatter:
        return MADE(Reduce_scatter_c, from, to, counts, take->type, call->op.op, comm);
    case Reduce_scatter_block:
        return MADE(Reduce_scatter_block_c, from, to, call->count, take->type, call->op.op, comm);
    case Allgather:
        return MADE(Allgather_c, from, give->items, give->type, to, take->items, take->type, comm);
    case Alltoall:
        return MADE(Alltoall_c, from, give->items, give->type, to, take->items, take->type, comm);
    case Bcast:
        return MADE(Bcast_c, to, take->items, take->type, call->root, comm);
    default:
        return -1;
    }
}
#endif

static int make(const struct call *call, bool library, const void *from, void *to)
{
    const MPI_Comm comm = call->group->comm;
    const struct side *give = &call->from, *take = &call->to;
    const MPI_Datatype type = take->type;
    const MPI_Op op = call->op.op;

    if (call->in_place && (call->kind != Reduce || call->rank == call->root))
        from = MPI_IN_PLACE;
#if MPI_VERSION >= 4
    if (call->large) {
        int status = make_large(call, library, from, to);

        if (status >= 0)
            return status;
    }
#endif
    switch (call->kind) {
    case Allreduce:
        return MADE(Allreduce, from, to, call->count, type, op, comm);
    case Reduce_scatter:
        return MADE(Reduce_scatter, from, to, call->counts, type, op, comm);
    case Reduce_scatter_block:
        return MADE(Reduce_scatter_block, from, to, call->count, type, op, comm);
    case Reduce:
        return MADE(Reduce, from, to, call->count, type, op, call->root, comm);
    case Scan:
        return MADE(Scan, from, to, call->count, type, op, comm);
    case Allgather:
        return MADE(Allgather, from, give->items, give->type, to, take->items, type, comm);
    case Alltoall:
        return MADE(Alltoall, from, give->items, give->type, to, take->items, type, comm);
    case Bcast:
        return MADE(Bcast, to, take->items, type, call->root, comm);
    case Allgatherv:
        return MADE(Allgatherv, from, give->items, give->type, to, take->counts, take->at, type,
                    comm);
    case Alltoallv:
        return MADE(Alltoallv, from, give->counts, give->at, give->type, to, take->counts, take->at,
                    type, comm);
    case Barrier:
        return MADE(Barrier, comm);
    default:
        abort();
    }
}

static bool reduces(const struct call *call)
{
    return call->kind <= Scan;
}

static bool is_scattered(const struct call *call)
{
    return call->kind == Reduce_scatter || call->kind == Reduce_scatter_block;
}

static int sum_of(const int *list, int size)
{
    int sum = 0;

    for (int i = 0; i < size; i++)
        sum += list[i];
    return sum;
}

/* Log-uniform, and often none. */
static int choose_count(uint64_t *shared, size_t bytes)
{
    uint64_t limit = max_bytes / bytes < COUNT_MAX ? max_bytes / bytes : COUNT_MAX;

    if (below(shared, 12) == 0)
        return 0;
    return (int)(1 + below(shared, (uint64_t)1 << below(shared, 21)) % (limit ? limit : 1));
}

/* Whom and what: alike on all members. */
static void choose_call(struct call *call, uint64_t *shared)
{
    static const enum kind across[] = {Allreduce, Allgather, Alltoall, Barrier};
    const enum kind most[] = {Allreduce, Reduce_scatter, Reduce_scatter_block, Allgather, Alltoall};
    size_t blocks;

    if (call->group->inter)
        call->kind = across[below(shared, 4)];
    else
        call->kind =
            below(shared, 3) ? most[below(shared, 5)] : (enum kind)below(shared, KIND_COUNT);
#ifdef MPICH_VERSION /* 4.0.2 hangs by itself: the receive takes what a rank sends to itself */
    if (call->group->awaited && (call->kind == Alltoall || call->kind == Alltoallv))
        call->kind = Allgather;
#endif
    call->datum = datum_draw(shared, reduces(call));
    if (reduces(call))
        call->op = op_draw(shared, call->datum);
    blocks = (size_t)call->size;
    if (call->group->inter) /* alike on both sides */
        blocks = RANKS_MAX;
    else if (call->kind == Allreduce || call->kind == Reduce || call->kind == Scan ||
             call->kind == Bcast)
        blocks = 1;
    call->count = choose_count(shared, call->datum->bytes * blocks);
    call->root = (int)below(shared, (uint64_t)call->size);
    call->in_place = !call->group->inter && call->kind != Bcast && call->kind != Alltoallv &&
                     call->kind != Barrier && below(shared, 4) == 0;
#ifdef MPICH_VERSION /* 4.0.2 crashes by itself: reads MPI_IN_PLACE, copies what overlaps */
    if (call->kind == Reduce || call->kind == Reduce_scatter)
        call->in_place = false;
#endif
    for (int i = 0, even = (int)below(shared, 2); i < call->size; i++)
        call->counts[i] = even ? call->count : (int)below(shared, (uint64_t)call->count + 1);
}

/* How it lies in memory: each rank's own choice where the standard leaves it. */
static void choose_sides(struct call *call, uint64_t *own)
{
    struct side *give = &call->from, *take = &call->to;
    const struct datum *datum = call->datum;
    const int size = call->size;

    switch (call->kind) {
    case Bcast:
        side_of_all(take, datum, call->count, 1, own);
        return;
    case Allgather:
        side_of_all(give, datum, call->count, 1, own);
        side_of_all(take, datum, call->count, size, own);
        return;
    case Alltoall: /* in place, what comes takes the place of what goes: types are alike */
        side_of_all(give, datum, call->count, size, own);
        side_of_all(take, datum, call->count, size, call->in_place ? NULL : own);
        return;
    case Allgatherv:
#ifdef OPEN_MPI /* 4.1.4 hangs by itself: the size of this type decides on a rank's algorithm */
        side_of_all(give, datum, call->counts[call->rank], 1, NULL);
#else
        side_of_all(give, datum, call->counts[call->rank], 1, own);
#endif
        side_of_parts(take, datum, call->counts, size, own);
#ifdef MPICH_VERSION /* 4.0.2 fails by itself: its ring cuts by the extent of a rank's own type */
        side_plain(take, datum);
#endif
        return;
    case Alltoallv: {
        int go[RANKS_MAX], come[RANKS_MAX];

        for (int i = 0; i < size; i++) { /* from a to b: by both of them */
            uint64_t state = mixed(seed ^ call->number, (uint64_t)call->rank, (uint64_t)i);

            go[i] = (int)below(&state, (uint64_t)call->count + 1);
            state = mixed(seed ^ call->number, (uint64_t)i, (uint64_t)call->rank);
            come[i] = (int)below(&state, (uint64_t)call->count + 1);
        }
        side_of_parts(give, datum, go, size, own);
        side_of_parts(take, datum, come, size, own);
        return;
    }
    case Reduce_scatter:
        side_of_all(give, datum, sum_of(call->counts, size), 1, NULL);
        side_of_all(take, datum, call->in_place ? give->items : call->counts[call->rank], 1, NULL);
        return;
    case Reduce_scatter_block:
        side_of_all(give, datum, call->count * size, 1, NULL);
        side_of_all(take, datum, call->in_place ? give->items : call->count, 1, NULL);
        return;
    default:
        side_of_all(give, datum, call->count, 1, NULL);
        side_of_all(take, datum, call->count, 1, NULL);
    }
}

/* ---- what both left ---- */

/* Elements of the result of a reduction, on this rank. */
static size_t results_of(const struct call *call)
{
    if (call->kind == Reduce_scatter)
        return (size_t)call->counts[call->rank];
    return call->kind == Reduce && call->rank != call->root ? 0 : (size_t)call->count;
}

/* The sums of absolute values, by the library: what rounding goes by. Of the caller. */
static struct area sums_of_absolutes(const struct call *call, const struct area *input)
{
    struct call plain = *call;
    struct area positive = area_copy(input), sums = area_new(&call->to, 0, NULL);
    size_t wide = call->datum->bytes / (call->datum->is == COMPLEX ? 2 : 1);
    char *at = area_at(&positive);

    for (size_t i = 0; i < (size_t)call->from.items * call->datum->bytes; i += wide)
        at[i + wide - 1] &= 0x7f; /* the sign, of a little-endian machine */
    plain.in_place = false;
    if (make(&plain, true, at, area_at(&sums)) != MPI_SUCCESS)
        differs(call, "the library refuses absolute values", 0);
    area_free(&positive);
    return sums;
}

static void compare_rounded(const struct call *call, const char *ours, const char *theirs,
                            const char *sums)
{
    size_t wide = call->datum->bytes / (call->datum->is == COMPLEX ? 2 : 1);
    size_t reals = results_of(call) * call->datum->bytes / wide;
    bool narrow = wide == sizeof(float);

    for (size_t i = 0; i < reals; i++) {
        double a = narrow ? ((const float *)ours)[i] : ((const double *)ours)[i];
        double b = narrow ? ((const float *)theirs)[i] : ((const double *)theirs)[i];
        double s = narrow ? ((const float *)sums)[i] : ((const double *)sums)[i];

        if (!(fabs(a - b) <= call->size * (narrow ? FLT_EPSILON : DBL_EPSILON) * s))
            differs(call, "a sum is off by more than rounding", i);
    }
}

/* All ranks have the same bits of an AllReduce. */
static void compare_ranks(const struct call *call, const char *ours)
{
    uint64_t hash = 14695981039346656037u, both[2];

    for (size_t i = 0; i < results_of(call) * call->datum->bytes; i++)
        hash = (hash ^ (unsigned char)ours[i]) * 1099511628211u;
    both[0] = hash;
    both[1] = ~hash;
    PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MIN, call->group->comm);
    if (both[0] != hash || both[1] != ~hash)
        differs(call, "ranks have other bits than each other", 0);
}

static bool is_rounded(const struct call *call)
{
    return reduces(call) && call->op.op == MPI_SUM &&
           (call->datum->is == REAL || call->datum->is == COMPLEX);
}

static void compare_reduction(const struct call *call, const struct area *input,
                              const struct area out[2])
{
    const char *ours = area_at(&out[0]), *theirs = area_at(&out[1]);
    size_t extent = call->datum->bytes, results = results_of(call);
    size_t before = out[0].at;
    /* In place, the rest of the input is nobody's. */
    size_t whole = call->in_place && is_scattered(call) ? (size_t)call->to.items : results;
    size_t end = before + whole * extent;

    if (is_rounded(call)) {
        struct area sums = sums_of_absolutes(call, input);

        compare_rounded(call, ours, theirs, area_at(&sums));
        area_free(&sums);
        if (call->kind == Allreduce && !call->group->inter)
            compare_ranks(call, ours);
    } else {
        size_t told = call->datum->is == PAIR && extent > 8 ? 12 : extent; /* padding is not */

        for (size_t i = 0; i < results; i++)
            if (memcmp(ours + i * extent, theirs + i * extent, told) != 0)
                differs(call, "an element is wrong", i);
    }
    if (memcmp(out[0].memory, out[1].memory, before) != 0)
        differs(call, "bytes before the result were touched", 0);
    if (memcmp(out[0].memory + end, out[1].memory + end, out[0].bytes - end) != 0)
        differs(call, "bytes behind the result were touched", end);
}

static void compare_moved(const struct call *call, const struct area out[2])
{
    for (size_t i = 0; i < out[0].bytes; i++)
        if (out[0].memory[i] != out[1].memory[i])
            differs(call, "a byte of the result, or around it, is wrong", i);
}

/* ---- one call ---- */

static void put_values(const struct call *call, struct area *area, uint64_t *own)
{
    for (size_t i = 0; i < (size_t)call->from.items; i++)
        put_value(call->datum, call->op.op, area_at(area) + i * call->datum->bytes, draw(own));
}

static void run_both(const struct call *call, uint64_t *own, bool library_first)
{
    struct area from = area_new(&call->from, draw(own), own), out[2], kept;
    uint64_t background = draw(own);

    out[0] = area_new(&call->to, background, own);
    out[1] = area_copy(&out[0]);
    if (reduces(call)) {
        put_values(call, &from, own);
        for (int i = 0; call->in_place && i < 2; i++)
            memcpy(area_at(&out[i]), area_at(&from), (size_t)call->from.items * call->datum->bytes);
    }
    kept = area_copy(&from);
    for (int i = 0; i < 2; i++) {
        bool library = (i == 0) == library_first;

        if (make(call, library, area_at(&from), area_at(&out[library])) != MPI_SUCCESS)
            differs(call, library ? "the library refuses it" : "it is refused", 0);
        if (memcmp(from.memory, kept.memory, from.bytes) != 0)
            differs(call, "what is sent was changed", (size_t)library);
    }
    if (reduces(call))
        compare_reduction(call, &kept, out);
    else
        compare_moved(call, out);
    area_free(&kept);
    area_free(&from);
    area_free(&out[0]);
    area_free(&out[1]);
}

void check_call(const struct group *group, uint64_t number)
{
    struct call call = {.group = group, .number = number, .from.name = "-", .to.name = "-"};
    uint64_t shared = mixed(seed, number, group->color), own;
    bool library_first = below(&shared, 2);
    int rank;

    if (group->comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = mixed(seed + 1, number, (uint64_t)rank);
    PMPI_Comm_rank(group->comm, &call.rank);
    if (group->inter)
        PMPI_Comm_remote_size(group->comm, &call.size);
    else
        PMPI_Comm_size(group->comm, &call.size);
    choose_call(&call, &shared);
    choose_sides(&call, &own);
    call.large = below(&own, 4) == 0;
    run_both(&call, &own, library_first);
    side_free(&call.from);
    side_free(&call.to);
    called[call.kind]++;
}

void check_begin(uint64_t from_seed, size_t most)
{
    seed = from_seed;
    max_bytes = most;
    data_begin();
}

void check_print_calls(void)
{
    for (int i = 0; i < KIND_COUNT; i++)
        printf("%s %lu %s", i ? "," : "", called[i], names[i]);
    printf("\n");
}

void check_end(void)
{
    data_end();
}
