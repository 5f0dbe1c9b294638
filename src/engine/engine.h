/*
 * engine.h - runs plans and single stages on the caller's buffers: one file per backend.
 *
 * An engine belongs to a communicator, whose rank r is rank r of the model. It owns communicators
 * of its own and scratch memory; input and output are the caller's. It knows no files and no clock
 * but the time of its stages, never prints, and never ends the job: what fails comes back as a
 * status.
 *
 *     backend->open(&state, &config, err);
 *     engine->prepare(state, &work, err);
 *     engine->start(state, &work, err);
 *     while (engine->test(state, &done, &moved, err) == HS_OK && !done)
 *         hs_idle_looked(&idle, moved);
 *
 * open, prepare, start, recover and close are called by all ranks in the same order; test makes
 * progress and does not wait. After a start or a test that failed on any rank, the engine is of no
 * use before recover was called on all of them; one without recover is to be closed.
 */
#ifndef HS_ENGINE_ENGINE_H
#define HS_ENGINE_ENGINE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/idle.h"
#include "engine/memory.h"
#include "engine/task.h"

struct hs_forests;

/* Scratch of engines that are never at work at the same time, made as they need it: {0} at first.
 * The caller's, who frees it by hs_scratch_release behind the last of them. */
struct hs_scratch {
    char *slots[HS_LAYERS_MAX][2]; /* of layer i: of what reduces, and of what gathers */
};
void hs_scratch_release(struct hs_scratch *scratch, const struct hs_memory *memory);

/* Which memory a backend works on. */
enum hs_memory_use {
    HS_MEMORY_OWN,   /* `own_memory` alone */
    HS_MEMORY_ANY,   /* any */
    HS_MEMORY_DIRECT /* what MPI may be handed pointers to */
};

struct hs_engine_config {
    MPI_Comm comm;
    bool comm_is_own;               /* host, mpi: the engine's from then on, once it is open */
    const struct hs_memory *memory; /* where messages lie; the backend can use it */
    double timeout_seconds;         /* nccl: what takes longer is given up; 0 = never */
    bool registered;                /* nccl: buffers with all communicators, the library's too */
    size_t segment_bytes;           /* host: pipelining unit; 0 = the engine's choice */
    int segments_in_flight;         /* host: s; 0 = the engine's choice */
    /* host: trees on single links (forests.h), of all nodes alike, which outlive the engine; NULL:
     * there are none. */
    const struct hs_forests *forests;
    struct hs_scratch *scratch; /* host, by its own choice of segments: shared; NULL: its own */
    const void *play;           /* null: see runner/null.h; NULL elsewhere */
};

#define HS_DEVICE_TEXT 256 /* bytes enough for what an engine says of its device */

/* What an open engine does. */
struct hs_engine {
    /* Makes communicators and scratch for it; a layer (stride, size) is set up once and shared.
     * HS_INVALID: a task that is none of these ranks, or has no room. The status is that of all
     * ranks. */
    enum hs_status (*prepare)(void *state, const struct hs_work *work, struct hs_error *err);
    /* Begins work that was prepared; the one before is done. The task and the buffers stay as they
     * are until then; of the input nothing is changed. */
    enum hs_status (*start)(void *state, const struct hs_work *work, struct hs_error *err);
    /* For times without what the host adds; NULL: there is nothing of the kind. Puts runs of work
     * that has just run by itself on the device, back to back, which begin when `go` is called,
     * also where this failed. Otherwise as start; device_seconds is then of one of them. Not of
     * `timed` work. */
    enum hs_status (*hold)(void *state, const struct hs_work *work, int runs, struct hs_error *err);
    /* Local. */
    void (*go)(void *state);
    /* Local. The most runs that the device can hold, >= 1; the same on all ranks. NULL with `hold`.
     */
    int (*runs_to_hold)(const void *state, const struct hs_work *work);
    /* *moved: whether anything was ready. */
    enum hs_status (*test)(void *state, bool *done, bool *moved, struct hs_error *err);
    /* After a failure on any rank: gives up what hangs and makes the engine fit for what comes
     * next. NULL where there is nothing to mend. *timed_out: all that went wrong is that something
     * took longer than timeout_seconds. A failure of recover itself is the end of the engine. */
    enum hs_status (*recover)(void *state, bool *timed_out, struct hs_error *err);
    /* Local, after work with `timed`: seconds of this rank in each stage of the plan, in their
     * order, summed over chunks. */
    void (*stage_seconds)(void *state, double seconds[HS_STAGES_MAX]);
    /* Local. Seconds of the last work by the device's own clock where there is one (CUDA events),
     * else NULL. */
    double (*device_seconds)(const void *state);
    /* Local. Bytes of scratch memory held. */
    size_t (*memory_bytes)(const void *state);
    /* Local. The library and the device it runs on, for people; "": nothing to say. */
    void (*describe)(const void *state, char *text, size_t bytes);
    /* Local. What the library took for the calls of each stage of the work that was prepared last,
     * which has run since; of a native its only one. For people; "": it is not known. NULL: nothing
     * ever is. */
    void (*choices)(const void *state, char text[HS_STAGES_MAX][HS_CHOICE_TEXT]);
    void (*close)(void *state);
    /* [HS_COLLECTIVE_COUNT] the library's calls for each collective, which HS_TASK_NATIVE names
     * by number; a NULL behind them. */
    const char *const (*natives)[HS_NATIVES_MAX + 1];
    /* Local. Whether the library that is there has the call of that number, also of those by forced
     * algorithms (task.h); NULL: it has all of `natives`. */
    bool (*has_native)(int native);
};

/* How an engine comes to be. */
struct hs_backend {
    const char *name;
    enum hs_memory_use memory_use;
    const struct hs_memory *own_memory; /* where memory_use is HS_MEMORY_OWN, else NULL */
    /* Local. Whether it can work here; where not, one line says why. NULL: always. */
    bool (*available)(char *why, size_t why_bytes);
    /* Collective over `world`; after available was true on all ranks. Whether it can work for these
     * ranks together: HS_INVALID with the reason. NULL: always. */
    enum hs_status (*suits)(MPI_Comm world, struct hs_idle *idle, struct hs_error *err);
    /* Local, before open. NULL: times depend on no device that is the backend's own choice. */
    void (*identify)(struct hs_device_facts *facts);
    /* Collective; the status is that of all ranks. On failure *state is NULL. */
    enum hs_status (*open)(void **state, const struct hs_engine_config *config,
                           struct hs_error *err);
    const struct hs_engine *engine;
    bool rings;         /* stages are priced as rings, also where NCCL could run (host, mpi) */
    bool any_algorithm; /* layers go by a plan's letters; else by the library's own choice */
    size_t line_bytes;  /* blocks that are long are whole numbers of them; 0: of elements */
    bool virtual_clock; /* no time passes while it works: device_seconds is the time (null) */
};

extern const struct hs_backend hs_backend_host, hs_backend_mpi;
/* Only where built with NCCL (HS_HAVE_NCCL). */
extern const struct hs_backend hs_backend_nccl, hs_backend_nccl_graph, hs_backend_nccl_symmetric;

#endif
