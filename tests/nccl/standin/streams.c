/* streams.c - the CUDA runtime's streams, events and graphs. See standin.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "streams.h"

static cudaStream_t streams;
static cudaEvent_t events;
static int stream_count;
static cudaError_t last_error;
static unsigned turn;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *standin_need(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

cudaError_t standin_result(cudaError_t code)
{
    if (code != cudaSuccess)
        last_error = code;
    return code;
}

void standin_append(struct queue *queue, const struct command *command)
{
    struct command *copy = standin_need(sizeof *copy);
    *copy = *command;
    copy->next = NULL;
    if (queue->first == NULL)
        queue->end = &queue->first;
    *queue->end = copy;
    queue->end = &copy->next;
}

void standin_check_stream(cudaStream_t stream, const char *call)
{
    if (stream == NULL)
        standin_broken("capture", "%s on the default stream, which waits for all others", call);
    if (stream->dead)
        standin_broken("memory", "%s on a destroyed stream", call);
}

void standin_check_not_capturing(cudaStream_t stream, const char *call)
{
    standin_check_stream(stream, call);
    if (stream->capture != NULL)
        standin_broken("capture", "%s on a stream that is being captured", call);
}

static void check_event(cudaEvent_t event, const char *call)
{
    if (event == NULL || event->dead)
        standin_broken("memory", "%s of a destroyed event", call);
}

/* ---- queueing ---- */

/* What a GPU takes from one stream before the host has to wait. */
#define QUEUE_ROOM 1000

static void check_room(cudaStream_t stream)
{
    size_t count = 0;
    for (const struct command *at = stream->queue.first; at != NULL; at = at->next)
        count++;
    if (count > QUEUE_ROOM && standin_stream_held())
        standin_broken("gate", "%zu operations on a stream while the host holds one", count);
}

void standin_put_live(cudaStream_t stream, const struct standin_work *work)
{
    static char place; /* on the GPU, of kernels of collectives */
    static const struct standin_range one_kernel[STANDIN_RANGES] = {{&place, 1, true}};
    struct command command = {.kind = COMMAND_WORK, .work = *work};
    standin_clock_merge(&stream->clock, &standin_host_clock);
    uint32_t tick = ++stream->clock.ticks[stream->id];
    for (int r = 0; r < STANDIN_RANGES; r++)
        if (work->ranges[r].bytes > 0)
            standin_memory_check(work->ranges[r].begin, work->ranges[r].bytes, work->name);
    if (standin_mpi_check)
        standin_mpi_check(work->name, work->ranges);
    standin_access(work->name, work->ranges, stream->id, tick, &stream->clock);
    if (work->comm != NULL)
        standin_collective_number(&command.work);
    if (work->comm != NULL && getenv("STANDIN_ONE_KERNEL"))
        standin_access(work->name, one_kernel, stream->id, tick, &stream->clock);
    standin_append(&stream->queue, &command);
    check_room(stream);
}

void standin_stream_put(cudaStream_t stream, const struct standin_work *work)
{
    standin_check_stream(stream, work->name);
    struct capture *capture = stream->capture;
    if (capture == NULL) {
        standin_put_live(stream, work);
        return;
    }
    struct command command = {.kind = COMMAND_WORK, .work = *work, .lane = stream->lane};
    command.work.captured = true;
    capture->clocks[stream->lane][stream->lane]++;
    standin_append(&capture->commands, &command);
}

static struct moment *new_moment(const struct standin_clock *clock)
{
    struct moment *moment = standin_need(sizeof *moment);
    moment->clock = *clock;
    return moment;
}

struct moment *standin_use(struct moment *moment)
{
    moment->users++;
    return moment;
}

void standin_drop(struct moment *moment)
{
    if (moment != NULL && --moment->users == 0)
        free(moment);
}

struct moment *standin_record_live(cudaStream_t stream)
{
    standin_clock_merge(&stream->clock, &standin_host_clock);
    struct command command = {.kind = COMMAND_RECORD,
                              .moment = standin_use(new_moment(&stream->clock))};
    standin_append(&stream->queue, &command);
    return command.moment;
}

void standin_wait_live(cudaStream_t stream, struct moment *moment)
{
    struct command command = {.kind = COMMAND_WAIT, .moment = standin_use(moment)};
    standin_clock_merge(&stream->clock, &moment->clock);
    standin_append(&stream->queue, &command);
}

/* ---- carrying out ---- */

/* Of a collective, by the size of its communicator. */
static double seconds_of(const struct standin_work *work, const char *seconds)
{
    int size;
    double taken;
    for (; work->comm != NULL && sscanf(seconds, "%d:%lf", &size, &taken) == 2; seconds++) {
        if (size == standin_comm_size(work->comm))
            return taken;
        seconds += strcspn(seconds, ",");
        if (*seconds == '\0')
            break;
    }
    return 0;
}

static bool step(cudaStream_t stream, struct command *command)
{
    const char *seconds = getenv("STANDIN_SECONDS");
    switch (command->kind) {
    case COMMAND_WORK: {
        double taken = seconds != NULL ? seconds_of(&command->work, seconds) : 0;
        if (!command->work.step(&command->work))
            return false;
        stream->seconds += taken;
        return true;
    }
    case COMMAND_RECORD:
        command->moment->passed = true;
        command->moment->seconds = seconds != NULL ? stream->seconds : now_seconds();
        return true;
    case COMMAND_WAIT:
        if (command->moment->passed && seconds != NULL &&
            stream->seconds < command->moment->seconds)
            stream->seconds = command->moment->seconds;
        return command->moment->passed;
    }
    return false;
}

/* Nothing more once `until` (NULL: nothing) has passed. */
static bool run_stream(cudaStream_t stream, const struct moment *until)
{
    bool moved = false;
    while (!(until && until->passed) && stream->queue.first != NULL &&
           step(stream, stream->queue.first)) {
        struct command *done = stream->queue.first;
        stream->queue.first = done->next;
        standin_drop(done->moment);
        free(done);
        moved = true;
    }
    return moved;
}

/* A different stream comes first each time. */
static bool progress(const struct moment *until)
{
    bool moved, any = false;
    do {
        unsigned skip = stream_count > 0 ? turn++ % (unsigned)stream_count : 0, number = 0;
        moved = false;
        for (int pass = 0; pass < 2; pass++) {
            number = 0;
            for (cudaStream_t at = streams; at != NULL; at = at->next, number++)
                if ((number >= skip) == (pass == 0))
                    moved = run_stream(at, until) || moved;
        }
        any = any || moved;
    } while (moved);
    return any;
}

bool standin_progress(void)
{
    return progress(NULL);
}

bool standin_stream_has(const struct ncclComm *comm, bool drop)
{
    bool found = false;
    for (cudaStream_t stream = streams; stream != NULL; stream = stream->next)
        for (struct command *at = stream->queue.first; at != NULL; at = at->next)
            if (at->kind == COMMAND_WORK && at->work.comm == comm) {
                found = true;
                if (drop)
                    at->work.comm = NULL; /* its step then ends at once */
            }
    return found;
}

bool standin_stream_held(void)
{
    standin_progress();
    for (cudaStream_t at = streams; at != NULL; at = at->next)
        if (at->queue.first != NULL && at->queue.first->kind == COMMAND_WORK &&
            at->queue.first->work.gate)
            return true;
    return false;
}

bool standin_stream_stuck(void)
{
    standin_progress();
    for (cudaStream_t at = streams; at != NULL; at = at->next)
        if (at->queue.first != NULL)
            return true;
    return false;
}

bool standin_stream_captures(cudaStream_t stream)
{
    return stream != NULL && stream->capture != NULL;
}

/* ---- CUDA: streams and events ---- */

static int new_id(void)
{
    if (++stream_count >= STANDIN_STREAMS)
        standin_broken("leak", "more than %d streams", STANDIN_STREAMS);
    return stream_count;
}

/* A destroyed stream's handle is used again, for a stream that knows nothing of what was queued on
 * that one; so is its number, and its place in all clocks, where the host knows that all has
 * ended. */
cudaStream_t standin_new_stream(void)
{
    for (cudaStream_t at = streams; at != NULL; at = at->next)
        if (at->dead && at->queue.first == NULL) {
            at->dead = false;
            if (standin_host_clock.ticks[at->id] < at->clock.ticks[at->id])
                at->id = new_id();
            memset(&at->clock, 0, sizeof at->clock);
            at->clock.ticks[at->id] = standin_host_clock.ticks[at->id];
            return at;
        }
    cudaStream_t stream = standin_need(sizeof *stream);
    stream->id = new_id();
    stream->next = streams;
    streams = stream;
    return stream;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (flags != cudaStreamNonBlocking)
        standin_broken("capture", "a stream that waits for the default stream");
    *stream = standin_new_stream();
    return standin_result(cudaSuccess);
}

/* As often a stream's end is waited for, of which the host gets to know nothing. */
#define DESTROY_LOOKS 4000
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    standin_check_not_capturing(stream, "cudaStreamDestroy");
    const struct timespec pause = {0, 1000000};
    for (int looks = 0; looks < DESTROY_LOOKS && stream->queue.first != NULL; looks++)
        if (!standin_progress())
            nanosleep(&pause, NULL);
    if (stream->queue.first != NULL)
        standin_broken("memory", "cudaStreamDestroy of a stream whose work cannot end");
    stream->dead = true;
    return standin_result(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    standin_check_not_capturing(stream, "cudaStreamQuery");
    standin_progress();
    if (stream->queue.first != NULL)
        return standin_result(cudaErrorNotReady);
    standin_clock_merge(&standin_host_clock, &stream->clock);
    return standin_result(cudaSuccess);
}

/* Blocks, as CUDA does: a collective that hangs hangs here too. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    const struct timespec pause = {0, 50000};
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
        cudaGetLastError();
        nanosleep(&pause, NULL);
    }
    return standin_result(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = standin_need(sizeof **event);
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    (*event)->next = events;
    events = *event;
    return standin_result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    check_event(event, "cudaEventDestroy");
    standin_drop(event->latest);
    event->latest = NULL;
    event->dead = true;
    return standin_result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    check_event(event, "cudaEventRecord");
    standin_check_stream(stream, "cudaEventRecord");
    struct capture *capture = stream->capture;
    standin_drop(event->latest);
    if (capture == NULL) {
        event->latest = standin_use(standin_record_live(stream));
        return standin_result(cudaSuccess);
    }
    event->latest = standin_use(new_moment(&standin_host_clock));
    event->latest->capture = capture;
    event->latest->number = capture->moments++;
    capture->moment_clocks =
        realloc(capture->moment_clocks, capture->moments * sizeof *capture->moment_clocks);
    if (capture->moment_clocks == NULL)
        abort();
    memcpy(capture->moment_clocks[event->latest->number], capture->clocks[stream->lane],
           sizeof *capture->moment_clocks);
    struct command command = {
        .kind = COMMAND_RECORD, .number = event->latest->number, .lane = stream->lane};
    standin_append(&capture->commands, &command);
    return standin_result(cudaSuccess);
}

void standin_join_capture(cudaStream_t stream, struct capture *capture)
{
    if (stream->capture == capture)
        return;
    if (stream->capture != NULL || capture->lanes == LANES_MAX)
        standin_broken("capture", "a stream joins two captures");
    stream->capture = capture;
    stream->lane = capture->lanes;
    capture->streams[capture->lanes++] = stream;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    check_event(event, "cudaStreamWaitEvent");
    standin_check_stream(stream, "cudaStreamWaitEvent");
    struct moment *moment = event->latest;
    if (moment == NULL)
        return standin_result(cudaSuccess); /* CUDA: an event never recorded is complete */
    if (moment->capture == NULL) {
        if (stream->capture != NULL)
            standin_broken("capture", "a captured stream waits for an event from outside");
        standin_wait_live(stream, moment);
        return standin_result(cudaSuccess);
    }
    struct capture *capture = moment->capture;
    if (capture->streams[0] == NULL || capture->streams[0]->capture != capture)
        standin_broken("capture", "wait for an event of a capture that has ended");
    standin_join_capture(stream, capture);
    for (int i = 0; i < LANES_MAX; i++)
        if (capture->clocks[stream->lane][i] < capture->moment_clocks[moment->number][i])
            capture->clocks[stream->lane][i] = capture->moment_clocks[moment->number][i];
    struct command command = {.kind = COMMAND_WAIT, .number = moment->number, .lane = stream->lane};
    standin_append(&capture->commands, &command);
    return standin_result(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    check_event(event, "cudaEventQuery");
    if (event->latest == NULL)
        return standin_result(cudaSuccess);
    if (event->latest->capture != NULL)
        standin_broken("capture", "cudaEventQuery of an event that was captured");
    /* A GPU takes its time: not at every look is anything done. */
    static unsigned looks;
    if (!event->latest->passed && looks++ % 3 != 2)
        return standin_result(cudaErrorNotReady);
    progress(event->latest); /* what is behind it is not known to be done */
    if (!event->latest->passed)
        return standin_result(cudaErrorNotReady);
    standin_clock_merge(&standin_host_clock, &event->latest->clock);
    return standin_result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    check_event(from, "cudaEventElapsedTime");
    check_event(to, "cudaEventElapsedTime");
    if (!from->timed || !to->timed || from->latest == NULL || to->latest == NULL)
        return standin_result(cudaErrorInvalidResourceHandle);
    if (!from->latest->passed || !to->latest->passed)
        return standin_result(cudaErrorNotReady);
    *milliseconds = (float)((to->latest->seconds - from->latest->seconds) * 1e3);
    return standin_result(cudaSuccess);
}

/* ---- CUDA: the rest ---- */

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}

/* Waits for the whole device, as CUDA's does. */
cudaError_t cudaFree(void *memory)
{
    standin_progress();
    for (cudaStream_t stream = streams; stream != NULL; stream = stream->next)
        if (stream->queue.first != NULL)
            standin_broken("memory", "cudaFree while work is queued that cannot end");
    standin_memory_free(memory, false, "cudaFree");
    return standin_result(cudaSuccess);
}

cudaError_t cudaFreeHost(void *memory)
{
    standin_progress();
    standin_memory_free(memory, true, "cudaFreeHost");
    return standin_result(cudaSuccess);
}

void standin_check_leaks(void)
{
    size_t live = 0;
    for (cudaStream_t at = streams; at != NULL; at = at->next)
        live += !at->dead;
    for (cudaEvent_t at = events; at != NULL; at = at->next)
        live += !at->dead;
    live += standin_graph_count();
    if (live + standin_memory_count() + standin_comm_count() > 0)
        standin_broken("leak",
                       "%zu streams, events or graphs, %zu blocks of memory, %zu communicators",
                       live, standin_memory_count(), standin_comm_count());
}
