/*
 * host_data.h - what the backends `host` and `mpi` share: input, output, and the library's
 * AllReduce, in host memory or a GPU's (memory.h).
 *
 * It is the first member of the state of both `host` and `mpi`, so functions that need only this
 * are common to their tables, and tests can put other data in.
 */
#ifndef HS_RUNNER_HOST_DATA_H
#define HS_RUNNER_HOST_DATA_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/datatype.h"
#include "runner/backend.h"
#include "runner/layer_comms.h"
#include "runner/memory.h"
#include "runner/pattern.h"

struct hs_host_data {
    struct hs_layer_comms comms;
    const struct hs_memory *memory;
    struct hs_queue *queue; /* for what is not a ring's */
    char *staging;          /* the message on its way to and from MPI; NULL where memory->direct */
    struct hs_pattern pattern;
    size_t count; /* elements per process as asked for */
    size_t room;  /* elements that fit: count and the padding of any plan; zeros beyond count */
    size_t width; /* bytes of an element */
    char *input, *output;
    /* float16 and bfloat16 are types and operations of ours; they are freed at the end. */
    MPI_Datatype type;
    MPI_Op op; /* average adds */
    bool own_type;
};

/* A backend's open: a zeroed state of `bytes` bytes that starts with a struct hs_host_data, which
 * is made ready. Collective; the status is that of all ranks. On failure *state is NULL. `name` is
 * the backend's. */
enum hs_status hs_host_data_open(void **state, size_t bytes, const char *name,
                                 const struct hs_backend_config *config, struct hs_error *err);
/* Collective. */
void hs_host_data_release(struct hs_host_data *data);
size_t hs_host_data_memory_bytes(const struct hs_host_data *data);

/* Functions of struct hs_backend; `state` is a struct hs_host_data or starts with one. */
bool hs_host_data_available(char *why, size_t why_bytes);
void hs_host_data_spoil(void *state);
uint64_t hs_host_data_wrong_elements(void *state);
size_t hs_host_data_padded_count(const void *state, const struct hs_plan *plan);
void hs_host_data_describe(const void *state, char *text, size_t bytes);
/* The row "MPI_Allreduce", and the end of the table. */
extern const struct hs_baseline hs_host_data_baselines[];

/* HS_INVALID where a split is not one of np processes, or `count` elements do not fit. Local. */
enum hs_status hs_host_data_check_plan(const struct hs_host_data *data, const struct hs_plan *plan,
                                       struct hs_error *err);
enum hs_status hs_host_data_check_layer(const struct hs_host_data *data, struct hs_layer layer,
                                        size_t count, struct hs_error *err);

#endif
