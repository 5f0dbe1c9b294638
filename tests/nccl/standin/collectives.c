/* collectives.c - NCCL's collectives. See standin.h. */
#include <stddef.h>
#include <string.h>

#include "comms.h"
#include "engine/float16.h"
#include "engine/reduce.h"
#include "model/datatype.h"

const char *const standin_call_names[] = {"reduce-scatter", "allgather", "allreduce"};
static uint32_t ordinals;
static int group_depth;

static int bytes_of(ncclDataType_t datatype)
{
    return datatype == ncclFloat64 ? 8 : datatype == ncclFloat32 ? 4 : 2;
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

static void arrive(struct standin_work *work)
{
    ncclComm_t comm = work->comm;
    struct member *me = &comm->region->members[comm->rank];
    size_t count = input_count(work),
           bytes = count * (size_t)bytes_of((ncclDataType_t)work->datatype);
    if (bytes > SLOT_BYTES)
        standin_broken("memory", "%zu bytes are more than the stand-in takes", bytes);
    standin_memory_open();
    memcpy(slot(comm, comm->rank), work->inputs[0], bytes);
    standin_memory_close();
    if (work->operation == ncclAvg)
        scale(slot(comm, comm->rank), count, work->datatype, 1.0 / comm->size);
    else if (work->operation >= ncclNumOps)
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
    atomic_store(&me->arrived, work->sequence);
    work->arrived = true;
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
    }
}

static void compute(const struct standin_work *work)
{
    const struct ncclComm *comm = work->comm;
    size_t width = (size_t)bytes_of((ncclDataType_t)work->datatype), bytes = work->count * width;
    size_t offset = work->kind == CALL_REDUCE_SCATTER ? (size_t)comm->rank * bytes : 0;
    char *output = work->output;
    if (work->kind == CALL_ALLGATHER) {
        for (int r = 0; r < comm->size; r++)
            memcpy(output + (size_t)r * bytes, slot(comm, r), bytes);
        return;
    }
    memcpy(output, slot(comm, 0) + offset, bytes);
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

/* The calls of a group go to their streams together, in their order. */
ncclResult_t ncclGroupEnd(void)
{
    if (group_depth == 0)
        return standin_refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group_depth > 0)
        return ncclSuccess;
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
