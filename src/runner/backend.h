/*
 * backend.h - what can run a plan: one const struct of functions per backend, one file each.
 *
 * A backend owns the buffers: the input (never written after open), the output, and its scratch.
 * The driver owns everything else: order of candidates, warm-up, repetition, clocks, statistics,
 * budget, watchdog. All functions are collective over config.world unless marked local, and are
 * called in the same order by all ranks.
 *
 * Rank r of `world` is rank r of the model: the driver has ordered ranks by node already.
 */
#ifndef HS_RUNNER_BACKEND_H
#define HS_RUNNER_BACKEND_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/backends.h"
#include "model/datatype.h"
#include "model/plan.h"
#include "model/stage.h"
#include "runner/idle.h"
#include "runner/memory.h"

/* Which memory a backend works on (config.memory; hs_buffers_choose). */
enum hs_memory_use {
    HS_MEMORY_OWN,   /* decides itself */
    HS_MEMORY_ANY,   /* any */
    HS_MEMORY_DIRECT /* what MPI may be handed pointers to */
};

struct hs_backend_config {
    MPI_Comm world;
    size_t count; /* elements per process, >= 1; padded inside to what a plan needs */
    enum hs_datatype datatype;
    enum hs_operation operation;
    size_t segment_bytes;           /* host: pipelining unit; 0 = the backend's choice */
    int segments_in_flight;         /* host: s; 0 = the backend's choice */
    const char *faults;             /* null: see null.c; NULL elsewhere */
    uint64_t seed;                  /* null: noise */
    const struct hs_system *system; /* null: the model it plays; NULL elsewhere */
    const struct hs_memory *memory; /* host, mpi: where messages lie; NULL: host memory */
    double timeout_seconds; /* nccl: what takes longer is given up (see recover); 0 = never */
};

#define HS_DEVICE_TEXT 256 /* bytes enough for what a backend says of its device */

/* Seconds of this rank, by the host's clock or by events of the device, in each phase of one run:
 * layer i's reduce-scatter (or the allreduce, for the last) and allgather. Summed over chunks. */
struct hs_layer_times {
    double reduce_scatter[HS_LAYERS_MAX];
    double allgather[HS_LAYERS_MAX];
};

/* A library's own AllReduce, measured beside the plans. */
struct hs_baseline {
    const char *name;
    enum hs_status (*run)(void *state, struct hs_error *err);
};

struct hs_backend {
    const char *name;
    const char *summary;
    enum hs_memory_use memory_use;
    /* Local. Whether it can work here; where not, one line says why. */
    bool (*available)(char *why, size_t why_bytes);
    /* Collective over `world`; after available was true on all ranks. Whether it can work for these
     * ranks together: HS_INVALID with the reason. NULL: always. */
    enum hs_status (*suits)(MPI_Comm world, struct hs_idle *idle, struct hs_error *err);
    /* Local, before open. NULL: times depend on no device that is the backend's own choice. */
    void (*identify)(struct hs_device_facts *facts);
    /* Allocates and fills the buffers. On failure *state is NULL. */
    enum hs_status (*open)(void **state, const struct hs_backend_config *config,
                           struct hs_error *err);
    /* Makes communicators and scratch for a plan; a layer (stride, size) is set up once and shared.
     */
    enum hs_status (*prepare)(void *state, const struct hs_plan *plan, struct hs_error *err);
    /* One allreduce by a prepared plan, input to output. times may be NULL. */
    enum hs_status (*run)(void *state, const struct hs_plan *plan, struct hs_layer_times *times,
                          struct hs_error *err);
    /* One phase of one layer alone on `count` elements entering the phase's larger side; prepares
     * what it needs at the first call. The data is not checked. */
    enum hs_status (*run_layer)(void *state, struct hs_layer layer, enum hs_phase phase,
                                size_t count, struct hs_error *err);
    /* After a prepare or a run that failed on any rank: gives up what hangs and makes the backend
     * fit for what comes next. NULL where there is nothing to mend. *timed_out: all that went wrong
     * is that something took longer than timeout_seconds. A failure of recover itself is the end of
     * the backend. */
    enum hs_status (*recover)(void *state, bool *timed_out, struct hs_error *err);
    /* Local. Fills the output with a value that verify must reject. */
    void (*spoil)(void *state);
    /* Local. Elements of this rank's output that are not the expected result. */
    uint64_t (*wrong_elements)(void *state);
    /* Local. Bytes of memory held: buffers and scratch. */
    size_t (*memory_bytes)(const void *state);
    /* Local. Elements per process that really travel for this plan (count, padded). */
    size_t (*padded_count)(const void *state, const struct hs_plan *plan);
    /* Seconds of the last run by the backend's own clock where it has one (CUDA events), else NULL.
     * Local. */
    double (*device_seconds)(const void *state);
    /* Local. The library and the device it runs on, for people and the result; NULL: nothing to
     * say. */
    void (*describe)(const void *state, char *text, size_t bytes);
    /* Time does not pass while it runs: device_seconds is the time (null). */
    bool virtual_clock;
    void (*close)(void *state);
    /* Ends with a row whose name is NULL. */
    const struct hs_baseline *baselines;
};

#define HS_ROW(identifier, name) extern const struct hs_backend hs_backend_##identifier;
HS_BACKENDS(HS_ROW)
#undef HS_ROW

/* The table, in the order of HS_BACKENDS. NULL-terminated. */
extern const struct hs_backend *const hs_backends[];

#define HS_BACKEND_NOTE 640 /* bytes enough for a note */

/* The backend of that name, or the first for "auto" that works on all ranks (null is never chosen).
 * `note`, of HS_BACKEND_NOTE bytes: for people, why `auto` passed over one that would work if the
 * ranks were placed otherwise; "" else. Collective. HS_INVALID with the reason why it cannot work
 * here. */
enum hs_status hs_backend_choose(const struct hs_backend **backend, char *note, const char *name,
                                 MPI_Comm world, struct hs_idle *idle, struct hs_error *err);

#endif
