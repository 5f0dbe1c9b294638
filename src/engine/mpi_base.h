/*
 * mpi_base.h - what the engines over MPI, `host` and `mpi`, share: communicators, a transport, our
 * types and operations as MPI knows them, and the library's own collectives.
 */
#ifndef HS_ENGINE_MPI_BASE_H
#define HS_ENGINE_MPI_BASE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/forced.h"
#include "engine/layer_comms.h"
#include "engine/stages.h"
#include "engine/transport.h"

/* The first member of the state of both engines. */
struct hs_mpi_base {
    struct hs_layer_comms comms;
    struct hs_transport transport;
    struct hs_queue *queue; /* for what is not an algorithm's */
    char *staging;          /* a message on its way to and from a native; NULL: not needed */
    size_t staging_bytes;
    /* A message on its way: between two layers of an all-to-all, of a packed allgather, and of runs
     * that are brought together. NULL: not needed so far. */
    char *between;
    size_t between_bytes;
    struct hs_forced forced;
    MPI_Datatype types[HS_DATATYPE_COUNT];
    MPI_Op sum[HS_DATATYPE_COUNT], max[HS_DATATYPE_COUNT]; /* an average adds */
    /* What runs now; of packed work as packing.h changed it. */
    struct hs_work work;
    struct hs_work asked;
    struct hs_stages stages;
};

/* An open: a zeroed state of `bytes` bytes that starts with a struct hs_mpi_base, which is made
 * ready. Collective; the status is that of all ranks. On failure *state is NULL. */
enum hs_status hs_mpi_base_open(void **state, size_t bytes, const struct hs_engine_config *config,
                                struct hs_error *err);
/* Collective. */
void hs_mpi_base_release(struct hs_mpi_base *base);

/* Bytes of memory that it holds, its own state among them. */
size_t hs_mpi_base_bytes(const struct hs_mpi_base *base);
/* By which operation MPI adds the work's elements: of an average a sum, which
 * hs_mpi_base_reduction's divisor then divides. */
MPI_Op hs_mpi_base_op(const struct hs_mpi_base *base, const struct hs_work *work);
/* What divides an average over all ranks. */
struct hs_reduction hs_mpi_base_reduction(const struct hs_mpi_base *base,
                                          const struct hs_work *work);

/* Collective where there is not room enough yet; of work that needs any. Exchanges
 * write where they do not read: the last to the output, the one before between, and so on. */
enum hs_status hs_mpi_base_need_between(struct hs_mpi_base *base, const struct hs_stages *stages,
                                        const struct hs_work *work, struct hs_error *err);
/* Local. Before the stages of a plan or a stage alone: takes it as what runs now. */
void hs_mpi_base_begin(struct hs_mpi_base *base, const struct hs_work *work);
/* What the stage of that number of what runs now reads and writes: messages. */
const char *hs_mpi_base_read_by(const struct hs_mpi_base *base, int stage);
char *hs_mpi_base_written_by(const struct hs_mpi_base *base, int stage);

/* The test of both: the stages of what runs now, and what is left behind them. */
enum hs_status hs_mpi_base_test(struct hs_mpi_base *base, const struct hs_stage_runner *runner,
                                bool *done, bool *moved, struct hs_error *err);

/* The library's own collectives, one of each. Prepare makes room on the way to an MPI library that
 * takes no pointers to the memory; start is all of it. */
extern const char *const hs_mpi_natives[HS_COLLECTIVE_COUNT][HS_NATIVES_MAX + 1];
bool hs_mpi_has_native(int native);
enum hs_status hs_mpi_native_prepare(struct hs_mpi_base *base, const struct hs_work *work,
                                     struct hs_error *err);
enum hs_status hs_mpi_native_start(struct hs_mpi_base *base, const struct hs_work *work,
                                   struct hs_error *err);

/* Functions of struct hs_engine. */
void hs_mpi_base_stage_seconds(void *state, double seconds[HS_STAGES_MAX]);
void hs_mpi_base_describe(const void *state, char *text, size_t bytes);

#endif
