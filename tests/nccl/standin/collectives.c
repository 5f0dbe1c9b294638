/* collectives.c - NCCL's collectives. See standin.h. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comms.h"
#include "engine/float16.h"
#include "engine/reduce.h"
#include "system/datatype.h"

const char *const standin_call_names[] = {"reduce-scatter", "allgather", "allreduce", "exchange",
                                          "broadcast"};
static uint32_t ordinals;
static int group_depth;
static size_t moved[RANKS_MAX + 1]; /* bytes of the larger sides, by the size of the communicator */
static size_t copied;               /* of these by copy engines */

static bool is_whole(int datatype)
{
    return datatype == ncclInt32 || datatype == ncclInt64;
}

static int bytes_of(ncclDataType_t datatype)
{
    if (datatype == ncclInt64)
        return 8;
    return datatype == ncclFloat64 ? 8 : datatype == ncclFloat32 || datatype == ncclInt32 ? 4 : 2;
}

static int64_t whole_at(const void *data, size_t i, int datatype)
{
    return datatype == ncclInt64 ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i];
}

static void put_whole(void *data, size_t i, int datatype, int64_t value)
{
    if (datatype == ncclInt64)
        ((int64_t *)data)[i] = value;
    else
        ((int32_t *)data)[i] = (int32_t)value;
}

/* `b` into `a`; of ncclAvg the sum. */
static void reduce_whole(void *a, const void *b, const struct standin_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        int64_t x = whole_at(a, i, work->datatype), y = whole_at(b, i, work->datatype);
        int64_t value = work->operation == ncclProd  ? x * y
                        : work->operation == ncclMax ? (x > y ? x : y)
                        : work->operation == ncclMin ? (x < y ? x : y)
                                                     : x + y;
        put_whole(a, i, work->datatype, value);
    }
}

static enum hs_datatype datatype_of(int datatype)
{
    switch (datatype) {
    case ncclFloat64:
        return HS_FLOAT64;
    case ncclFloat32:
        return HS_FLOAT32;
    case ncclFloat16:
        return HS_FLOAT16;
    default:
        return HS_BFLOAT16;
    }
}

void standin_collective_restart(void)
{
    ordinals = 0;
}

void standin_collective_number(struct standin_work *work)
{
    if (work->comm->state == COMM_GONE)
        standin_broken("state", "%s on a communicator that is gone", work->name);
    work->sequence = ++work->comm->issued;
    work->ordinal = ++ordinals;
}

static char *slot(const struct ncclComm *comm, int rank)
{
    return comm->region->slots + (size_t)rank * SLOT_BYTES;
}

/* Elements in and out of one rank. */
static size_t input_count(const struct standin_work *work)
{
    return work->kind == CALL_REDUCE_SCATTER ? work->count * (size_t)work->comm->size : work->count;
}

/* ncclAvg and ncclDevPreMulSum of floats: each input times the factor, rounded to the type, then
 * the sum. */
static void scale(void *data, size_t count, int datatype, double exact)
{
    float factor = (float)exact;
    uint16_t *halves = data;
    for (size_t i = 0; i < count; i++)
        if (datatype == ncclFloat64)
            ((double *)data)[i] *= exact;
        else if (datatype == ncclFloat32)
            ((float *)data)[i] *= factor;
        else if (datatype == ncclFloat16)
            halves[i] = hs_float_to_float16(hs_float16_to_float(halves[i]) *
                                            hs_float16_to_float(hs_float_to_float16(factor)));
        else
            halves[i] = hs_float_to_bfloat16(hs_bfloat16_to_float(halves[i]) *
                                             hs_bfloat16_to_float(hs_float_to_bfloat16(factor)));
}

/* What is sent, to rank 0 first. */
static void put_sent(const struct standin_work *work)
{
    const struct ncclComm *comm = work->comm;
    char *to = slot(comm, comm->rank);
    for (int r = 0; r < comm->size; r++) {
        memcpy(to, work->exchange->from[r], work->exchange->sent[r]);
        to += work->exchange->sent[r];
    }
}

static void get_received(const struct standin_work *work)
{
    const struct ncclComm *comm = work->comm;
    for (int r = 0; r < comm->size; r++) {
        const struct signature *theirs = &comm->region->members[r].signature;
        const char *from = slot(comm, r);
        for (int before = 0; before < comm->rank; before++)
            from += theirs->sent[before];
        memcpy(work->exchange->to[r], from, work->exchange->received[r]);
    }
}

static void arrive(struct standin_work *work)
{
    ncclComm_t comm = work->comm;
    struct member *me = &comm->region->members[comm->rank];
    size_t count = input_count(work),
           bytes = count * (size_t)bytes_of((ncclDataType_t)work->datatype);
    if (bytes > SLOT_BYTES)
        standin_broken("memory", "%zu bytes are more than the stand-in takes", bytes);
    standin_memory_open();
    if (work->exchange)
        put_sent(work);
    else
        memcpy(slot(comm, comm->rank), work->inputs[0], bytes);
    standin_memory_close();
    if (work->operation == ncclAvg && getenv("STANDIN_NO_AVERAGES") &&
        (work->kind == CALL_ALLREDUCE || work->kind == CALL_REDUCE_SCATTER))
        standin_broken("type", "%s takes an average", work->name);
    if (work->kind != CALL_BROADCAST && work->operation == ncclAvg && !is_whole(work->datatype))
        scale(slot(comm, comm->rank), count, work->datatype, 1.0 / comm->size);
    else if (work->kind != CALL_BROADCAST && work->operation >= ncclNumOps)
        scale(slot(comm, comm->rank), count, work->datatype,
              comm->scalars[work->operation - ncclNumOps]);
    me->signature = (struct signature){.kind = work->kind,
                                       .datatype = work->datatype,
                                       .operation = work->operation,
                                       .captured = work->captured,
                                       .registrations = comm->registrations,
                                       .windows = work->symmetric,
                                       .offset = work->offset,
                                       .count = work->count,
                                       .ordinal = work->ordinal};
    for (int r = 0; r < comm->size && work->exchange; r++)
        me->signature.sent[r] = work->exchange->sent[r];
    atomic_store(&me->arrived, work->sequence);
    work->arrived = true;
}

static void compare_sent(const struct standin_work *work, int r)
{
    const struct ncclComm *comm = work->comm;
    size_t sent = comm->region->members[r].signature.sent[comm->rank];
    if (sent != work->exchange->received[r])
        standin_broken("order", "rank %d sends rank %d %zu bytes, which receives %zu", r,
                       comm->rank, sent, work->exchange->received[r]);
}

static void compare(const struct standin_work *work)
{
    const struct ncclComm *comm = work->comm;
    const struct signature *mine = &comm->region->members[comm->rank].signature;
    for (int r = 0; r < comm->size; r++) {
        const struct signature *other = &comm->region->members[r].signature;
        if (mine->kind != other->kind || mine->datatype != other->datatype ||
            mine->operation != other->operation || mine->count != other->count ||
            mine->captured != other->captured)
            standin_broken("order", "call %u: %s of %lu elements here, %s of %lu on rank %d of %d",
                           work->sequence, standin_call_names[mine->kind],
                           (unsigned long)mine->count, standin_call_names[other->kind],
                           (unsigned long)other->count, r, comm->size);
        if (mine->windows != other->windows || mine->offset != other->offset)
            standin_broken("order", "%s: not at the same place of symmetric windows on all ranks",
                           standin_call_names[mine->kind]);
        if (mine->registrations != other->registrations)
            standin_broken("order", "buffers are registered on some ranks and not on others");
        if (mine->ordinal != other->ordinal)
            standin_broken("order", "%s: number %u of all calls here, %u on rank %d of %d",
                           standin_call_names[mine->kind], mine->ordinal, other->ordinal, r,
                           comm->size);
        if (work->exchange)
            compare_sent(work, r);
    }
}

static void compute(const struct standin_work *work)
{
    const struct ncclComm *comm = work->comm;
    size_t width = (size_t)bytes_of((ncclDataType_t)work->datatype), bytes = work->count * width;
    size_t offset = work->kind == CALL_REDUCE_SCATTER ? (size_t)comm->rank * bytes : 0;
    char *output = work->output;
    if (work->exchange) {
        get_received(work);
        return;
    }
    if (work->kind == CALL_ALLGATHER) {
        for (int r = 0; r < comm->size; r++)
            memcpy(output + (size_t)r * bytes, slot(comm, r), bytes);
        return;
    }
    if (work->kind == CALL_BROADCAST) {
        memcpy(output, slot(comm, (int)work->operation), bytes);
        return;
    }
    memcpy(output, slot(comm, 0) + offset, bytes);
    if (is_whole(work->datatype)) {
        for (int r = 1; r < comm->size; r++)
            reduce_whole(output, slot(comm, r) + offset, work);
        for (size_t i = 0; work->operation == ncclAvg && i < work->count; i++)
            put_whole(output, i, work->datatype, whole_at(output, i, work->datatype) / comm->size);
        return;
    }
    for (int r = 1; r < comm->size; r++)
        hs_reduce(output, output, slot(comm, r) + offset, work->count,
                  (struct hs_reduction){datatype_of(work->datatype),
                                        work->operation == ncclMax ? HS_MAX : HS_SUM, 0});
}

/* Waits until nobody reads the slots any more, puts this rank's input there, waits for the others'.
 */
bool standin_collective_step(struct standin_work *work)
{
    ncclComm_t comm = work->comm;
    if (comm == NULL)
        return true; /* aborted */
    const char *fault = standin_fault(standin_call_names[work->kind], comm->size);
    if (strcmp(fault, "hang") == 0 || comm->done + 1 != work->sequence)
        return false;
    if (!work->arrived) {
        if (!standin_comm_all(comm, offsetof(struct member, finished), work->sequence - 1))
            return false;
        if (strcmp(fault, "error") == 0) {
            standin_refuse(ncclRemoteError, "injected");
            comm->error = ncclRemoteError;
            return false;
        }
        arrive(work);
    }
    if (!standin_comm_all(comm, offsetof(struct member, arrived), work->sequence))
        return false;
    compare(work);
    standin_memory_open();
    compute(work);
    if (strcmp(fault, "wrong") == 0)
        *(char *)work->output ^= 1;
    standin_memory_close();
    comm->done = work->sequence;
    atomic_store(&comm->region->members[comm->rank].finished, work->sequence);
    return true;
}

static bool disjoint(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a + a_bytes <= b || b + b_bytes <= a;
}

/* In place is: the same buffer, or the rank's own part of the larger one. */
static void check_overlap(const struct ncclComm *comm, const char *input, size_t in,
                          const char *output, size_t out)
{
    size_t part = in < out ? in : out;
    bool in_place = in == out  ? input == output
                    : in > out ? output == input + (size_t)comm->rank * part
                               : input == output + (size_t)comm->rank * part;
    if (!in_place && !disjoint(input, in, output, out))
        standin_broken("memory", "input and output overlap, and not as NCCL allows in place");
}

static struct {
    ncclComm_t comm;
    cudaStream_t stream;
    struct standin_work work;
} grouped[64];
static int grouped_count;

/* The sends and receives of the group that is open. */
static struct {
    ncclComm_t comm; /* NULL: none so far */
    cudaStream_t stream;
    ncclDataType_t datatype;
    struct exchange exchange;
} points;

static ncclResult_t issue(ncclComm_t comm, cudaStream_t stream, const struct standin_work *work)
{
    comm->pending = *work;
    comm->pending_stream = stream;
    comm->has_pending = true;
    return standin_comm_settle(comm);
}

static ncclResult_t call(const char *name, enum call_kind kind, const void *input, void *output,
                         size_t count, ncclDataType_t datatype, ncclRedOp_t operation,
                         ncclComm_t comm, cudaStream_t stream)
{
    standin_comm_check_ready(comm, name);
    size_t width = (size_t)bytes_of(datatype), size = (size_t)comm->size;
    size_t in = count * width * (kind == CALL_REDUCE_SCATTER ? size : 1);
    size_t out = count * width * (kind == CALL_ALLGATHER ? size : 1);
    struct standin_work work = {.name = name,
                                .step = standin_collective_step,
                                .comm = comm,
                                .kind = (int)kind,
                                .datatype = (int)datatype,
                                .operation = (int)operation,
                                .inputs = {input},
                                .output = output,
                                .count = count,
                                .ranges = {{(char *)input, in, false}, {output, out, true}}};
    /* Peers reach the larger side of a rank, of an allreduce both. */
    const struct window *from = standin_comm_window(comm, input, in),
                        *to = standin_comm_window(comm, output, out);
    work.symmetric = from != NULL && to != NULL;
    if (work.symmetric && kind != CALL_ALLGATHER)
        work.offset = (uint64_t)((const char *)input - from->begin);
    if (work.symmetric && kind != CALL_REDUCE_SCATTER)
        work.offset ^= (uint64_t)((char *)output - to->begin) << 32;
    check_overlap(comm, input, in, output, out);
    if (comm->issued == 0 && standin_stream_held())
        standin_broken("gate", "the first %s of a communicator while the host holds a stream",
                       name);
    if (strcmp(standin_fault(standin_call_names[kind], comm->size), "refuse") == 0)
        return standin_refuse(ncclSystemError, "injected");
    standin_profiler_call(comm, kind, in > out ? in : out, work.symmetric);
    moved[comm->size] += in > out ? in : out;
    if (work.symmetric && comm->zero_cta && kind == CALL_ALLGATHER)
        copied += out;
    if (group_depth == 0)
        return issue(comm, stream, &work);
    if (grouped_count == 64)
        return standin_refuse(ncclInvalidUsage, "too many calls in a group for the stand-in");
    grouped[grouped_count].comm = comm;
    grouped[grouped_count].stream = stream;
    grouped[grouped_count++].work = work;
    return ncclSuccess;
}

bool standin_grouping(void)
{
    return group_depth > 0;
}

ncclResult_t ncclGroupStart(void)
{
    group_depth++;
    return ncclSuccess;
}

/* Of what is sent, or what is received, the parts that do not lie one behind the other. */
static void add_range(struct standin_range ranges[STANDIN_RANGES], char *begin, size_t bytes,
                      bool write)
{
    for (int i = 0; i < STANDIN_RANGES && bytes > 0; i++) {
        struct standin_range *range = &ranges[i];
        bool joins = range->write == write && range->begin + range->bytes == begin;
        if (range->bytes > 0 && !joins)
            continue;
        *range = (struct standin_range){joins ? range->begin : begin, range->bytes + bytes, write};
        return;
    }
    if (bytes > 0)
        standin_broken("memory", "more places in a group of sends than the stand-in takes");
}

static void check_points(const struct exchange *exchange, int size)
{
    for (int r = 0; r < size; r++)
        for (int s = 0; s < size; s++)
            if (!disjoint(exchange->to[r], exchange->received[r], exchange->from[s],
                          exchange->sent[s]) ||
                (r != s && !disjoint(exchange->to[r], exchange->received[r], exchange->to[s],
                                     exchange->received[s])))
                standin_broken("memory", "what is received lies where something is sent from or "
                                         "received, too");
}

/* The sends and receives of a group, as one call. */
static ncclResult_t issue_points(void)
{
    ncclComm_t comm = points.comm;
    struct exchange *kept = malloc(sizeof *kept);
    if (kept == NULL)
        abort();
    *kept = points.exchange;
    struct standin_work work = {.name = "ncclSend and ncclRecv",
                                .step = standin_collective_step,
                                .comm = comm,
                                .kind = CALL_EXCHANGE,
                                .datatype = (int)points.datatype,
                                .operation = (int)ncclSum,
                                .output = kept->to[0],
                                .exchange = kept};
    check_points(kept, comm->size);
    for (int r = 0; r < comm->size; r++) {
        add_range(work.ranges, (char *)kept->from[r], kept->sent[r], false);
        add_range(work.ranges, kept->to[r], kept->received[r], true);
        work.count += kept->sent[r] / (size_t)bytes_of(points.datatype);
    }
    points.comm = NULL;
    if (strcmp(standin_fault(standin_call_names[CALL_EXCHANGE], comm->size), "refuse") == 0)
        return standin_refuse(ncclSystemError, "injected");
    return issue(comm, points.stream, &work);
}

/* The calls of a group go to their streams together, in their order. */
ncclResult_t ncclGroupEnd(void)
{
    if (group_depth == 0)
        return standin_refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group_depth > 0)
        return ncclSuccess;
    if (points.comm != NULL)
        return issue_points();
    for (int i = 0; i < grouped_count; i++)
        standin_stream_put(grouped[i].stream, &grouped[i].work);
    grouped_count = 0;
    standin_comm_end_aborted();
    return ncclSuccess;
}

ncclResult_t ncclReduceScatter(const void *input, void *output, size_t count,
                               ncclDataType_t datatype, ncclRedOp_t operation, ncclComm_t comm,
                               cudaStream_t stream)
{
    return call("ncclReduceScatter", CALL_REDUCE_SCATTER, input, output, count, datatype, operation,
                comm, stream);
}

ncclResult_t ncclAllGather(const void *input, void *output, size_t count, ncclDataType_t datatype,
                           ncclComm_t comm, cudaStream_t stream)
{
    return call("ncclAllGather", CALL_ALLGATHER, input, output, count, datatype, ncclSum, comm,
                stream);
}

ncclResult_t ncclAllReduce(const void *input, void *output, size_t count, ncclDataType_t datatype,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
    return call("ncclAllReduce", CALL_ALLREDUCE, input, output, count, datatype, operation, comm,
                stream);
}

/* Its root stands where others have an operation: it must be the same on all ranks. */
ncclResult_t ncclBroadcast(const void *input, void *output, size_t count, ncclDataType_t datatype,
                           int root, ncclComm_t comm, cudaStream_t stream)
{
    return call("ncclBroadcast", CALL_BROADCAST, input, output, count, datatype, (ncclRedOp_t)root,
                comm, stream);
}

/* By the other's name, as NCCL does it. */
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t datatype, int root,
                       ncclComm_t comm, cudaStream_t stream)
{
    return ncclBroadcast(buffer, buffer, count, datatype, root, comm, stream);
}

/* Of the group, whose first it may be. */
static void open_points(const char *name, ncclDataType_t datatype, int peer, ncclComm_t comm,
                        cudaStream_t stream)
{
    standin_comm_check_ready(comm, name);
    if (group_depth == 0 || grouped_count > 0 || (points.comm != NULL && points.comm != comm))
        standin_broken("order", "%s: the stand-in takes it in a group of one communicator's alone",
                       name);
    if (peer < 0 || peer >= comm->size)
        standin_broken("order", "%s: no rank %d among %d", name, peer, comm->size);
    if (comm->issued == 0 && standin_stream_held())
        standin_broken("gate", "the first %s of a communicator while the host holds a stream",
                       name);
    if (points.comm == NULL)
        memset(&points.exchange, 0, sizeof points.exchange);
    points.comm = comm;
    points.stream = stream;
    points.datatype = datatype;
}

ncclResult_t ncclSend(const void *input, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    open_points("ncclSend", datatype, peer, comm, stream);
    if (points.exchange.sends[peer])
        standin_broken("order", "ncclSend: rank %d twice in a group", peer);
    points.exchange.sends[peer] = true;
    points.exchange.from[peer] = input;
    points.exchange.sent[peer] = count * (size_t)bytes_of(datatype);
    return ncclSuccess;
}

ncclResult_t ncclRecv(void *output, size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    open_points("ncclRecv", datatype, peer, comm, stream);
    if (points.exchange.receives[peer])
        standin_broken("order", "ncclRecv: rank %d twice in a group", peer);
    points.exchange.receives[peer] = true;
    points.exchange.to[peer] = output;
    points.exchange.received[peer] = count * (size_t)bytes_of(datatype);
    return ncclSuccess;
}

__attribute__((destructor)) static void count_bytes(void)
{
    for (int size = 0; getenv("STANDIN_COUNTS_BYTES") != NULL && size <= RANKS_MAX; size++)
        if (moved[size] > 0)
            fprintf(stderr, "standin: %zu bytes among %d ranks\n", moved[size], size);
    if (getenv("STANDIN_COUNTS_BYTES") != NULL && copied > 0)
        fprintf(stderr, "standin: %zu bytes by copy engines\n", copied);
}
