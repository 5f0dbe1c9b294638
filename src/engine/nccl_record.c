/* nccl_record.c - see nccl_record.h. */
#include "engine/nccl_record.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NCCL's profiler interface, version 5: its binary layout, names our own ---- */

enum { EVENT_LAUNCHED = 1 << 1, EVENT_ASKED = 1 << 9 };

/* Of the description of an event, what is read here. */
struct event {
    uint64_t type;
    void *parent;
    int rank;
    union {
        struct {
            const char *function;
        } asked;
        struct {
            uint64_t number;
            const char *function;
            const void *input;
            void *output;
            size_t count;
            int root;
            const char *datatype;
            uint8_t channels, warps;
            const char *algorithm, *protocol;
        } launched;
    } of;
};

struct profiler {
    const char *name;
    int (*init)(void **context, uint64_t communicator, int *mask, const char *communicator_name,
                int nodes, int ranks, int rank, void *log);
    int (*start_event)(void *context, void **handle, const struct event *event);
    int (*stop_event)(void *handle);
    int (*record_state)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

extern const struct profiler ncclProfiler_v5;

/* ---- the plugin ---- */

/* NCCL may launch from a thread of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hs_nccl_record *made_into;
static int *events; /* NCCL's mask of those wanted, the same for all communicators */
static bool listening;

static void set_events(void)
{
    if (events)
        __atomic_store_n(events, listening ? EVENT_ASKED | EVENT_LAUNCHED : 0, __ATOMIC_RELAXED);
}

static int init(void **context, uint64_t communicator, int *mask, const char *communicator_name,
                int nodes, int ranks, int rank, void *log)
{
    (void)communicator, (void)communicator_name, (void)nodes, (void)ranks, (void)rank, (void)log;
    pthread_mutex_lock(&lock);
    *context = made_into;
    events = mask;
    set_events();
    pthread_mutex_unlock(&lock);
    return 0;
}

/* HS_PHASE_COUNT: none of ours. */
static enum hs_phase phase_of(const char *function)
{
    static const char *const names[HS_PAIR] = {[HS_REDUCE_SCATTER] = "ReduceScatter",
                                               [HS_ALLGATHER] = "AllGather",
                                               [HS_ALLREDUCE] = "AllReduce"};

    for (int p = 0; p < HS_PAIR; p++)
        if (function && names[p] && strcmp(function, names[p]) == 0)
            return (enum hs_phase)p;
    return HS_PHASE_COUNT;
}

/* Chunks may differ: each way is said once. */
static void add(char text[HS_CHOICE_TEXT], const char *way)
{
    size_t length = strlen(text);

    if (!strstr(text, way))
        snprintf(text + length, HS_CHOICE_TEXT - length, "%s%s", length > 0 ? " or " : "", way);
}

static void note_launch(struct hs_nccl_record *record, const struct event *event)
{
    enum hs_phase phase = phase_of(event->of.launched.function);
    const char *algorithm = event->of.launched.algorithm, *protocol = event->of.launched.protocol;
    char way[HS_CHOICE_TEXT];

    if (phase == HS_PHASE_COUNT)
        return;
    record->launched[phase]++;
    snprintf(way, sizeof(way), "%s %s %u channel%s", algorithm ? algorithm : "?",
             protocol ? protocol : "?", event->of.launched.channels,
             event->of.launched.channels == 1 ? "" : "s");
    add(record->text[phase], way);
}

static int start_event(void *context, void **handle, const struct event *event)
{
    struct hs_nccl_record *record = context;

    *handle = NULL;
    if (!record)
        return 0;
    pthread_mutex_lock(&lock);
    if (event->type == EVENT_LAUNCHED)
        note_launch(record, event);
    else if (event->type == EVENT_ASKED && phase_of(event->of.asked.function) != HS_PHASE_COUNT)
        record->asked[phase_of(event->of.asked.function)]++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int stop_event(void *handle)
{
    (void)handle;
    return 0;
}

static int record_state(void *handle, int state, void *arguments)
{
    (void)handle, (void)state, (void)arguments;
    return 0;
}

static int finalize(void *context)
{
    (void)context;
    return 0;
}

__attribute__((visibility("default"))) const struct profiler ncclProfiler_v5 = {
    "hiersearch", init, start_event, stop_event, record_state, finalize};

/* ---- what the engine sees ---- */

/* Only where the program shows its symbols can NCCL find it. */
enum hs_status hs_nccl_record_offer(struct hs_error *err)
{
    if (dlsym(RTLD_DEFAULT, "ncclProfiler_v5") != &ncclProfiler_v5)
        return HS_OK;
    return setenv("NCCL_PROFILER_PLUGIN", "STATIC_PLUGIN", 0) == 0 ? HS_OK : hs_no_memory(err);
}

void hs_nccl_record_into(struct hs_nccl_record *record)
{
    pthread_mutex_lock(&lock);
    made_into = record;
    pthread_mutex_unlock(&lock);
}

void hs_nccl_record_listen(bool on)
{
    pthread_mutex_lock(&lock);
    listening = on;
    set_events();
    pthread_mutex_unlock(&lock);
}

void hs_nccl_record_take(char text[HS_CHOICE_TEXT], struct hs_nccl_record *record,
                         enum hs_phase phase)
{
    pthread_mutex_lock(&lock);
    if (record->asked[phase] > record->launched[phase])
        add(record->text[phase], "symmetric");
    memcpy(text, record->text[phase], HS_CHOICE_TEXT);
    record->text[phase][0] = '\0';
    record->asked[phase] = record->launched[phase] = 0;
    pthread_mutex_unlock(&lock);
}
