/* comms.c - NCCL's communicators and collectives. See standin.h. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comms.h"
#include "engine/float16.h"

/* How long the end of a communicator waits for the device before that counts as for ever. */
#define END_LOOK_MICROSECONDS 1000
#define END_LOOKS             4000

int standin_root_rank;
static ncclComm_t comms, aborted;
static unsigned splits, whole_splits; /* all; those that are as large as their parent */
static pthread_mutex_t abort_lock = PTHREAD_MUTEX_INITIALIZER; /* threads may abort */
static char last_message[256];

/* ---- small things ---- */

ncclResult_t standin_refuse(ncclResult_t code, const char *why)
{
    snprintf(last_message, sizeof last_message, "%s", why);
    return code;
}

const char *standin_fault(const char *call, int size)
{
    static char kind[16];
    char name[32];
    int wanted;
    const char *text = getenv("STANDIN_FAULT");
    kind[0] = '\0';
    if (text == NULL || standin_root_rank != 0)
        return "";
    if (sscanf(text, "%15[a-z]:%31[a-z-]:%d", kind, name, &wanted) == 3 && wanted == size &&
        strcmp(name, call) == 0)
        return kind;
    return "";
}

static void check_comm(ncclComm_t comm, const char *call)
{
    if (comm == NULL)
        standin_broken("state", "%s on no communicator", call);
    if (comm->state == COMM_GONE)
        standin_broken("state", "%s on a communicator that was %s", call,
                       comm->aborted ? "aborted" : "destroyed");
}

/* For all calls that start something. */
void standin_comm_check_ready(ncclComm_t comm, const char *call)
{
    check_comm(comm, call);
    if (comm->state == COMM_FINALISING || comm->state == COMM_FINALISED)
        standin_broken("state", "%s on a communicator that was finalised", call);
    if (comm->state == COMM_MAKING || comm->has_pending || comm->split_out != NULL ||
        comm->window_out != NULL)
        standin_broken("state", "%s on a communicator that is in progress", call);
    if (comm->suspended)
        standin_broken("state", "%s on a communicator that is suspended", call);
}

/* ---- making ---- */

static void path_of(char path[256], const char *name)
{
    const char *folder = getenv("STANDIN_DIR");
    snprintf(path, 256, "%s/%s", folder != NULL ? folder : "/tmp", name);
}

static ncclComm_t new_comm(const char *name, int size, int rank, bool blocking)
{
    char path[256];
    ncclComm_t comm = calloc(1, sizeof *comm);
    if (comm == NULL || size > RANKS_MAX)
        abort();
    snprintf(comm->name, sizeof comm->name, "%s", name);
    comm->size = size;
    comm->rank = rank;
    comm->blocking = blocking;
    comm->region_bytes = sizeof *comm->region + (size_t)size * SLOT_BYTES;
    path_of(path, name);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, (off_t)comm->region_bytes) != 0)
        standin_broken("memory", "%s cannot be made", path);
    comm->region = mmap(NULL, comm->region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (comm->region == MAP_FAILED)
        standin_broken("memory", "%s cannot be mapped", path);
    comm->next = comms;
    comms = comm;
    standin_profiler_init(comm);
    return comm;
}

bool standin_comm_all(const struct ncclComm *comm, size_t offset, unsigned least)
{
    for (int r = 0; r < comm->size; r++) {
        atomic_uint *value = (atomic_uint *)((char *)&comm->region->members[r] + offset);
        if (atomic_load(value) < least)
            return false;
    }
    return true;
}

/* Everybody has mapped the file once all are present, so its name may go. */
static bool is_made(ncclComm_t comm)
{
    char path[256];
    if (comm->faulty)
        return false;
    atomic_store(&comm->region->members[comm->rank].present, 1);
    if (!standin_comm_all(comm, offsetof(struct member, present), 1))
        return false;
    path_of(path, comm->name);
    unlink(path);
    if (comm->state == COMM_MAKING)
        comm->state = COMM_LIVE;
    return true;
}

/* One that cannot be made on a rank cannot be made on any. */
static bool is_failed(ncclComm_t comm)
{
    bool failed = false;
    if (strcmp(standin_fault("split", comm->size), "refuse") == 0)
        atomic_store(&comm->region->members[comm->rank].failed, 1);
    for (int r = 0; r < comm->size; r++)
        failed = failed || atomic_load(&comm->region->members[r].failed) > 0;
    return failed;
}

static void take_time(void)
{
    const char *seconds = getenv("STANDIN_SPLIT_SECONDS");
    if (seconds != NULL)
        usleep((useconds_t)(1e6 * atof(seconds)));
}

/* All ranks of the parent have said where they go: makes the child. */
static void go_on_splitting(ncclComm_t comm)
{
    char name[NAME_BYTES];
    int size = 0, rank = 0;
    if (comm->child != NULL) {
        if (is_failed(comm->child)) {
            comm->split_error = standin_root_rank == 0 ? ncclSystemError : ncclRemoteError;
            comm->child->state = COMM_GONE;
            comm->child = NULL;
            comm->split_out = NULL;
        } else if (is_made(comm->child)) {
            take_time();
            *comm->split_out = comm->child;
            comm->split_out = NULL;
            comm->child = NULL;
        }
        return;
    }
    if (!standin_comm_all(comm, offsetof(struct member, splits), comm->splits))
        return;
    const struct member *members = comm->region->members, *me = &members[comm->rank];
    const unsigned at = comm->splits % 2;
    for (int r = 0; r < comm->size; r++)
        if (members[r].color[at] == me->color[at]) {
            size++;
            rank += members[r].key[at] < me->key[at] ||
                    (members[r].key[at] == me->key[at] && r < comm->rank);
        }
    snprintf(name, sizeof name, "%.64s.%u.%d", comm->name, comm->splits, me->color[at]);
    splits++;
    whole_splits += size == comm->size;
    comm->child = new_comm(name, size, rank, comm->blocking);
    comm->child->zero_cta = comm->split_zero_cta;
    comm->child->faulty = strcmp(standin_fault("split", size), "hang") == 0;
}

/* $STANDIN_LOCAL_RANKS: how many ranks next to each other are on a node; 0: all. */
static bool spans_nodes(const struct ncclComm *comm)
{
    const char *text = getenv("STANDIN_LOCAL_RANKS");
    return text != NULL && atoi(text) > 0 && comm->size > atoi(text);
}

/* All ranks have come. One of a communicator that NCCL has no such memory for is none. */
static void go_on_with_window(ncclComm_t comm)
{
    if (strcmp(standin_fault("window", comm->size), "error") == 0) {
        standin_refuse(ncclSystemError, "injected");
        comm->error = ncclSystemError;
        return;
    }
    comm->window_refused = strcmp(standin_fault("window", comm->size), "refuse") == 0;
    if (!comm->window_refused && !spans_nodes(comm)) {
        *comm->making = comm->made;
        standin_memory_register(comm->made.begin, 1);
        *comm->window_out = (ncclWindow_t)(void *)comm->making;
    }
    comm->window_out = NULL;
}

/* A call reaches its stream only while the program asks how it goes: a program that does not ask
 * records its events too early, and rule `race` finds that. */
static ncclResult_t look(ncclComm_t comm)
{
    standin_progress();
    if (comm->error != ncclSuccess)
        return comm->error;
    if (comm->state == COMM_MAKING && !is_made(comm))
        return ncclInProgress;
    if (comm->split_out != NULL) {
        go_on_splitting(comm);
        if (comm->split_out != NULL)
            return ncclInProgress;
        if (comm->split_error != ncclSuccess) {
            ncclResult_t error = comm->split_error;
            comm->split_error = ncclSuccess;
            return standin_refuse(error, "injected");
        }
    }
    if (comm->window_out != NULL) {
        if (!standin_comm_all(comm, offsetof(struct member, windows), comm->windows_made))
            return ncclInProgress;
        go_on_with_window(comm);
        if (comm->error != ncclSuccess)
            return comm->error;
    }
    if (comm->has_pending && ++comm->looks >= 3) {
        comm->has_pending = false;
        comm->looks = 0;
        standin_stream_put(comm->pending_stream, &comm->pending);
    }
    if (comm->state == COMM_FINALISING && !standin_stream_has(comm, false)) {
        atomic_store(&comm->region->members[comm->rank].finalised, 1);
        if (standin_comm_all(comm, offsetof(struct member, finalised), 1))
            comm->state = COMM_FINALISED;
    }
    return comm->has_pending || comm->state == COMM_FINALISING ? ncclInProgress : ncclSuccess;
}

ncclResult_t standin_comm_settle(ncclComm_t comm)
{
    ncclResult_t result;
    if (!comm->blocking)
        return ncclInProgress;
    while ((result = look(comm)) == ncclInProgress)
        sched_yield();
    return result;
}

/* What the environment has already stays. */
static void read_conf(void)
{
    const char *path = getenv("NCCL_CONF_FILE");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    char line[256], *equals;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        equals = strchr(line, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        setenv(line, equals + 1, 0);
    }
    if (file != NULL)
        fclose(file);
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static unsigned number;
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "standin-%ld-%u", (long)getpid(), number++);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *out, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    if (config->magic != 0xcafebeef)
        return standin_refuse(ncclInvalidArgument, "the configuration was not initialised");
    if (comms == NULL) {
        standin_root_rank = rank;
        read_conf();
    }
    if (strcmp(standin_fault("init", size), "refuse") == 0)
        return standin_refuse(ncclSystemError, "injected");
    standin_collective_restart();
    *out = new_comm(id.internal, size, rank, config->blocking != 0);
    (*out)->faulty = strcmp(standin_fault("init", size), "hang") == 0;
    return standin_comm_settle(*out);
}

ncclResult_t ncclCommInitRank(ncclComm_t *out, int size, ncclUniqueId id, int rank)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    return ncclCommInitRankConfig(out, size, id, rank, &config);
}

/* As NCCL's own these are for communicators that are ready. */
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    standin_comm_check_ready(comm, "ncclCommCount");
    *count = comm->size;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    standin_comm_check_ready(comm, "ncclCommUserRank");
    *rank = comm->rank;
    return ncclSuccess;
}

/* A process has one. */
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    standin_comm_check_ready(comm, "ncclCommCuDevice");
    *device = 0;
    return ncclSuccess;
}

const struct window *standin_comm_window(const struct ncclComm *comm, const void *begin,
                                         size_t bytes)
{
    for (int i = 0; i < WINDOWS_MAX; i++) {
        const struct window *window = &comm->windows[i];
        if (window->begin != NULL && (const char *)begin >= window->begin &&
            (const char *)begin + bytes <= window->begin + window->bytes)
            return window;
    }
    return NULL;
}

#ifndef STANDIN_OLD
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *out,
                           ncclConfig_t *config)
{
    standin_comm_check_ready(comm, "ncclCommSplit");
#ifdef NCCL_CTA_POLICY_ZERO
    comm->split_zero_cta = config != NULL && config->CTAPolicy == NCCL_CTA_POLICY_ZERO;
#endif
    struct member *me = &comm->region->members[comm->rank];
    *out = NULL;
    comm->splits++;
    me->color[comm->splits % 2] = color;
    me->key[comm->splits % 2] = key;
    comm->split_out = out;
    atomic_store(&me->splits, comm->splits);
    return standin_comm_settle(comm);
}

ncclResult_t ncclCommRegister(ncclComm_t comm, void *buffer, size_t bytes, void **handle)
{
    standin_comm_check_ready(comm, "ncclCommRegister");
    standin_memory_check(buffer, bytes, "ncclCommRegister");
    if (strcmp(standin_fault("register", comm->size), "refuse") == 0)
        return standin_refuse(ncclSystemError, "injected");
    if (comm->registrations == 8)
        return standin_refuse(ncclInvalidUsage, "too many registrations for the stand-in");
    standin_memory_register(buffer, 1);
    comm->registered[comm->registrations++] = buffer;
    *handle = buffer;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(ncclComm_t comm, void *handle)
{
    standin_comm_check_ready(comm, "ncclCommDeregister");
    for (int i = 0; i < comm->registrations; i++)
        if (comm->registered[i] == handle) {
            comm->registered[i] = comm->registered[--comm->registrations];
            standin_memory_register(handle, -1);
            return ncclSuccess;
        }
    return standin_refuse(ncclInvalidArgument, "not registered");
}

/* A call of all ranks. What is no memory of NCCL's allocator is refused. */
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *out,
                                    int flags)
{
    standin_comm_check_ready(comm, "ncclCommWindowRegister");
    standin_memory_check(buffer, bytes, "ncclCommWindowRegister");
    if (flags != NCCL_WIN_COLL_SYMMETRIC || (uintptr_t)buffer % NCCL_WIN_REQUIRED_ALIGNMENT != 0 ||
        !standin_memory_allocated(buffer))
        return standin_refuse(ncclInvalidArgument, "not memory for a symmetric window");
    if (standin_comm_window(comm, buffer, 1) != NULL)
        standin_broken("memory", "a second window of the same memory in a communicator");
    comm->making = comm->windows;
    while (comm->making < comm->windows + WINDOWS_MAX && comm->making->begin != NULL)
        comm->making++;
    if (comm->making == comm->windows + WINDOWS_MAX)
        return standin_refuse(ncclInvalidUsage, "too many windows for the stand-in");
    *out = NULL;
    comm->made = (struct window){buffer, bytes};
    comm->window_out = out;
    atomic_store(&comm->region->members[comm->rank].windows, ++comm->windows_made);
    ncclResult_t result = standin_comm_settle(comm);
    if (result == ncclSuccess && comm->window_refused)
        return standin_refuse(ncclSystemError, "injected");
    return result;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t handle)
{
    struct window *window = (struct window *)(void *)handle;
    standin_comm_check_ready(comm, "ncclCommWindowDeregister");
    if (window == NULL)
        return ncclSuccess;
    if (window < comm->windows || window >= comm->windows + WINDOWS_MAX || window->begin == NULL)
        standin_broken("memory", "ncclCommWindowDeregister of something that is no window");
    if (standin_stream_has(comm, false))
        standin_broken("memory", "ncclCommWindowDeregister with work on a stream");
    standin_memory_register(window->begin, -1);
    window->begin = NULL;
    return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void **memory, size_t bytes)
{
    *memory = standin_memory_new(bytes, false);
    standin_memory_allocate(*memory);
    return *memory != NULL ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclMemFree(void *memory)
{
    standin_memory_free(memory, false, "ncclMemFree");
    return ncclSuccess;
}
#endif

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *operation, void *scalar, ncclDataType_t datatype,
                                      ncclScalarResidence_t residence, ncclComm_t comm)
{
    standin_comm_check_ready(comm, "ncclRedOpCreatePreMulSum");
    if (comm->scalar_count == 8 || residence != ncclScalarHostImmediate)
        return standin_refuse(ncclInvalidUsage, "more than the stand-in takes");
    comm->scalars[comm->scalar_count] = datatype == ncclFloat64   ? *(double *)scalar
                                        : datatype == ncclFloat32 ? *(float *)scalar
                                        : datatype == ncclFloat16
                                            ? hs_float16_to_float(*(uint16_t *)scalar)
                                            : hs_bfloat16_to_float(*(uint16_t *)scalar);
    *operation = (ncclRedOp_t)(ncclNumOps + comm->scalar_count++);
    return ncclSuccess;
}

/* ---- ending ---- */

static bool has_windows(const struct ncclComm *comm)
{
    for (int i = 0; i < WINDOWS_MAX; i++)
        if (comm->windows[i].begin != NULL)
            return true;
    return false;
}

static bool may_end(const struct ncclComm *comm)
{
    pthread_mutex_lock(&abort_lock);
    bool may = !standin_stream_stuck() && !standin_graph_has(comm);
    pthread_mutex_unlock(&abort_lock);
    return may;
}

/* Freeing what a communicator has on the device waits for the device, and for graphs with it. */
static void end(ncclComm_t comm)
{
    for (int look = 0; !may_end(comm); look++) {
        if (look == END_LOOKS)
            standin_broken("abort", "a communicator is ended while the GPU cannot get free");
        usleep(END_LOOK_MICROSECONDS);
    }
    pthread_mutex_lock(&abort_lock);
    comm->state = COMM_GONE;
    comm->has_pending = false;
    munmap(comm->region, comm->region_bytes);
    comm->region = NULL;
    pthread_mutex_unlock(&abort_lock);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    standin_comm_check_ready(comm, "ncclCommFinalize");
    if (has_windows(comm))
        standin_broken("memory", "ncclCommFinalize of a communicator with windows");
    comm->state = COMM_FINALISING;
    return standin_comm_settle(comm);
}

/* What ranks of a node have together is taken apart by all of them. */
static void destroy_together(ncclComm_t comm)
{
    atomic_store(&comm->region->members[comm->rank].destroyed, 1);
    for (int look = 0; getenv("STANDIN_NODE_DESTROY") != NULL; look++) {
        if (standin_comm_all(comm, offsetof(struct member, destroyed), 1))
            return;
        if (look == END_LOOKS)
            standin_broken("state", "ncclCommDestroy by some ranks of a node alone");
        usleep(END_LOOK_MICROSECONDS);
    }
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    check_comm(comm, "ncclCommDestroy");
    if (comm->state == COMM_MAKING || comm->state == COMM_FINALISING || comm->has_pending)
        standin_broken("state", "ncclCommDestroy of a communicator that is in progress");
    if (standin_stream_has(comm, false))
        standin_broken("state", "ncclCommDestroy of a communicator with work on a stream");
    if (comm->registrations > 0)
        standin_broken("memory", "ncclCommDestroy of a communicator with registered buffers");
    if (has_windows(comm))
        standin_broken("memory", "ncclCommDestroy of a communicator with windows");
    destroy_together(comm);
    end(comm);
    return ncclSuccess;
}

static void end_aborted(ncclComm_t comm)
{
    if (comm->child != NULL)
        end(comm->child);
    comm->child = NULL;
    end(comm);
}

void standin_comm_end_aborted(void)
{
    pthread_mutex_lock(&abort_lock);
    for (ncclComm_t comm = aborted; comm != NULL; comm = comm->next_abort)
        standin_stream_has(comm, true);
    pthread_mutex_unlock(&abort_lock);
    while (aborted != NULL) {
        ncclComm_t comm = aborted;
        aborted = comm->next_abort;
        end_aborted(comm);
    }
}

/* Its kernels end at once. Registrations go with the communicator, and so does a child that was not
 * handed out yet. In a group no kernel need end and nothing is taken apart before the group's end,
 * from 2.22 on. */
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    int version = 0;
    ncclGetVersion(&version);
    bool later = standin_grouping() && version >= 22200;
    pthread_mutex_lock(&abort_lock);
    check_comm(comm, "ncclCommAbort");
    comm->aborted = true;
    if (!later)
        standin_stream_has(comm, true);
    while (comm->registrations > 0)
        standin_memory_register(comm->registered[--comm->registrations], -1);
    for (int i = 0; i < WINDOWS_MAX; i++)
        if (comm->windows[i].begin != NULL) {
            standin_memory_register(comm->windows[i].begin, -1);
            comm->windows[i].begin = NULL;
        }
    comm->window_out = NULL;
    if (later) {
        comm->next_abort = aborted;
        aborted = comm;
    }
    pthread_mutex_unlock(&abort_lock);
    if (!later)
        end_aborted(comm);
    return ncclSuccess;
}

int standin_comm_size(const struct ncclComm *comm)
{
    return comm->size;
}

size_t standin_comm_count(void)
{
    size_t count = 0;
    for (ncclComm_t at = comms; at != NULL; at = at->next)
        count += at->state != COMM_GONE;
    return count;
}

/* A suspended one has none of the device's memory. */
size_t standin_comm_bytes(void)
{
    size_t bytes = 0;
    for (ncclComm_t at = comms; at != NULL; at = at->next)
        bytes += at->state != COMM_GONE && !at->suspended ? STANDIN_COMM_BYTES : 0;
    return bytes;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state)
{
    check_comm(comm, "ncclCommGetAsyncError");
    *state = look(comm);
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t code)
{
    return code == ncclRemoteError   ? "remote process exited or there was a network error"
           : code == ncclSystemError ? "unhandled system error"
                                     : "some other error";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_message;
}

__attribute__((destructor)) static void count_splits(void)
{
    if (getenv("STANDIN_COUNTS_SPLITS") != NULL)
        fprintf(stderr, "standin: %u splits, %u of all ranks\n", splits, whole_splits);
}

ncclResult_t ncclGetVersion(int *version)
{
#ifdef STANDIN_OLD
    *version = 21500;
#else
    const char *text = getenv("STANDIN_NCCL");
    *version = text != NULL ? atoi(text) : NCCL_VERSION_CODE;
#endif
    return ncclSuccess;
}
