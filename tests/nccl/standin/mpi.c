/*
 * mpi.c - what MPI is handed of device and pinned memory. See standin.h.
 *
 * The functions that the backends give messages to stand in front of the library's (its profiling
 * interface). With $STANDIN_MPI=aware they take device memory, as a CUDA-aware library does, by way
 * of a copy: blocking collectives and messages, but no collectives that do not block, which Open
 * MPI's does not take either.
 */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* A message that is not through. */
struct message {
    MPI_Request request; /* several that are through at once may have the same */
    const char *what;
    struct standin_range range;
    void *copy; /* of device memory; NULL for pinned memory */
    struct message *next;
};

static struct message *messages;
static struct message *begun; /* the newest, which has no request yet; NULL: none is remembered */

static bool is_aware(void)
{
    const char *text = getenv("STANDIN_MPI");
    return text != NULL && strcmp(text, "aware") == 0;
}

/* What the library says of itself; not every mpi.h declares it. */
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
    return is_aware();
}

void standin_mpi_check(const char *what, const struct standin_range *ranges)
{
    for (int r = 0; r < STANDIN_RANGES; r++)
        for (const struct message *at = messages; ranges[r].bytes > 0 && at != NULL; at = at->next)
            if ((at->range.write || ranges[r].write) &&
                at->range.begin < ranges[r].begin + ranges[r].bytes &&
                ranges[r].begin < at->range.begin + at->range.bytes)
                standin_broken("race", "%s while %s is not through", what, at->what);
}

/* Device or pinned memory that MPI gets: the rules, and whether it is device memory. */
static bool hand_over(const char *what, const void *begin, size_t bytes, bool write)
{
    const struct standin_range ranges[STANDIN_RANGES] = {{(char *)begin, bytes, write}};
    enum standin_memory_kind kind =
        begin == MPI_IN_PLACE || bytes == 0 ? STANDIN_ORDINARY : standin_memory_kind(begin);
    if (kind == STANDIN_ORDINARY)
        return false;
    standin_memory_check(begin, bytes, what);
    if (kind == STANDIN_DEVICE && !is_aware())
        standin_broken("memory", "%s of device memory, and MPI is not CUDA-aware", what);
    standin_host_access(what, begin, bytes, write);
    standin_mpi_check(what, ranges);
    return kind == STANDIN_DEVICE;
}

static void copy(void *to, const void *from, size_t bytes)
{
    standin_memory_open();
    memcpy(to, from, bytes);
    standin_memory_close();
}

static void *need(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL)
        abort();
    return memory;
}

static size_t bytes_of(int count, MPI_Datatype type)
{
    int width;
    PMPI_Type_size(type, &width);
    return (size_t)count * (size_t)width;
}

/* ---- messages ---- */

/* Remembers a message of device or pinned memory; returns the buffer that the library gets. */
static void *begin(const char *what, void *buffer, size_t bytes, bool write)
{
    bool device = hand_over(what, buffer, bytes, write);
    begun = NULL;
    if (bytes == 0 || standin_memory_kind(buffer) == STANDIN_ORDINARY)
        return buffer;
    struct message *message = need(sizeof *message);
    *message = (struct message){.what = what,
                                .range = {buffer, bytes, write},
                                .copy = device ? need(bytes) : NULL,
                                .next = messages};
    messages = begun = message;
    if (device && !write)
        copy(message->copy, buffer, bytes);
    return device ? message->copy : buffer;
}

static int with_request(int code, const MPI_Request *request)
{
    if (begun != NULL)
        begun->request = *request;
    return code;
}

static void end(MPI_Request request)
{
    for (struct message **at = &messages; *at != NULL; at = &(*at)->next)
        if ((*at)->request == request) {
            struct message *done = *at;
            if (done->copy != NULL && done->range.write)
                copy(done->range.begin, done->copy, done->range.bytes);
            *at = done->next;
            free(done->copy);
            free(done);
            return;
        }
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    void *handed = begin("MPI_Isend", (void *)buffer, bytes_of(count, type), false);
    return with_request(PMPI_Isend(handed, count, type, to, tag, comm, request), request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    void *handed = begin("MPI_Irecv", buffer, bytes_of(count, type), true);
    return with_request(PMPI_Irecv(handed, count, type, from, tag, comm, request), request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    MPI_Request tested = *request;
    int code = PMPI_Test(request, done, status);
    if (code == MPI_SUCCESS && *done)
        end(tested);
    return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int *through, int indices[],
                 MPI_Status statuses[])
{
    MPI_Request *tested = need((size_t)count * sizeof(MPI_Request) + 1);
    for (int i = 0; i < count; i++)
        tested[i] = requests[i];
    int code = PMPI_Testsome(count, requests, through, indices, statuses);
    for (int i = 0; code == MPI_SUCCESS && *through != MPI_UNDEFINED && i < *through; i++)
        end(tested[indices[i]]);
    free(tested);
    return code;
}

/* ---- collectives ---- */

/* Blocking calls spin; here ranks outnumber cores. */
static int finish(int code, MPI_Request *request)
{
    for (int done = 0; code == MPI_SUCCESS && !done;) {
        code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
    return code;
}

/* A collective's buffers, and copies of those in device memory. */
struct buffers {
    const void *from;
    void *to, *from_copy, *to_copy;
    size_t to_bytes;
};

static struct buffers take(const char *what, const void *from, size_t from_bytes, void *to,
                           size_t to_bytes)
{
    struct buffers buffers = {from, to, NULL, NULL, to_bytes};
    if (hand_over(what, from, from_bytes, false)) {
        buffers.from = buffers.from_copy = need(from_bytes);
        copy(buffers.from_copy, from, from_bytes);
    }
    if (hand_over(what, to, to_bytes, true)) {
        buffers.to = buffers.to_copy = need(to_bytes);
        copy(buffers.to_copy, to, to_bytes);
    }
    return buffers;
}

static int give_back(const struct buffers *buffers, void *to, int code)
{
    if (buffers->to_copy != NULL)
        copy(to, buffers->to_copy, buffers->to_bytes);
    free(buffers->from_copy);
    free(buffers->to_copy);
    return code;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    MPI_Request request;
    size_t bytes = bytes_of(count, type);
    struct buffers b = take("MPI_Allreduce", from, bytes, to, bytes);
    int code = PMPI_Iallreduce(b.from, b.to, count, type, op, comm, &request);
    return give_back(&b, to, finish(code, &request));
}

int MPI_Reduce_scatter_block(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    MPI_Request request;
    int size;
    PMPI_Comm_size(comm, &size);
    size_t bytes = bytes_of(count, type);
    struct buffers b = take("MPI_Reduce_scatter_block", from, bytes * (size_t)size, to, bytes);
    int code = PMPI_Ireduce_scatter_block(b.from, b.to, count, type, op, comm, &request);
    return give_back(&b, to, finish(code, &request));
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm)
{
    MPI_Request request;
    int size;
    PMPI_Comm_size(comm, &size);
    size_t bytes = from == MPI_IN_PLACE ? 0 : bytes_of(count, type);
    struct buffers b =
        take("MPI_Allgather", from, bytes, to, bytes_of(to_count, to_type) * (size_t)size);
    int code = PMPI_Iallgather(b.from, count, type, b.to, to_count, to_type, comm, &request);
    return give_back(&b, to, finish(code, &request));
}

/* Also of strided types, as long as all of them together leave no gap. */
int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm)
{
    MPI_Request request;
    int size;
    PMPI_Comm_size(comm, &size);
    struct buffers b = take("MPI_Alltoall", from, bytes_of(count, type) * (size_t)size, to,
                            bytes_of(to_count, to_type) * (size_t)size);
    int code = PMPI_Ialltoall(b.from, count, type, b.to, to_count, to_type, comm, &request);
    return give_back(&b, to, finish(code, &request));
}

static void no_device_memory(const char *what, const void *from, const void *to)
{
    if ((from != MPI_IN_PLACE && standin_memory_kind(from) == STANDIN_DEVICE) ||
        standin_memory_kind(to) == STANDIN_DEVICE)
        standin_broken("memory", "%s of device memory", what);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    no_device_memory("MPI_Iallreduce", from, to);
    return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Ireduce_scatter_block(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request)
{
    no_device_memory("MPI_Ireduce_scatter_block", from, to);
    return PMPI_Ireduce_scatter_block(from, to, count, type, op, comm, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                   MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
    no_device_memory("MPI_Iallgather", from, to);
    return PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request);
}

int MPI_Ialltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
    no_device_memory("MPI_Ialltoall", from, to);
    return PMPI_Ialltoall(from, count, type, to, to_count, to_type, comm, request);
}
