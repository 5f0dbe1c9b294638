/*
 * backends.h - what can run plans, and where the messages can lie, by name. The code behind the
 * names is in src/engine and src/runner; help and completion of programs without MPI have the names
 * alone.
 */
#ifndef HS_MODEL_BACKENDS_H
#define HS_MODEL_BACKENDS_H

#include <stdbool.h>

/* Identifier (hs_backend_*) and name, in the order in which `auto` looks:
 *   nccl            NCCL's collectives per layer, on GPU memory, one process per GPU;
 *   host            our pipelined algorithms over MPI point to point, on host or GPU memory;
 *   mpi             the MPI library's own collectives per layer, on host or GPU memory;
 *   nccl-graph      as nccl, everything replayed as one CUDA graph;
 *   nccl-symmetric  as nccl, with the messages in symmetric windows of every layer (NCCL 2.27 on);
 *   null            plays the model with noise and faults, moves no data (for tests).
 * NCCL's are there where the program is built with it; its variants come late: the host always
 * works before them. */
/* clang-format off */
#ifdef HS_HAVE_NCCL
#define HS_BACKENDS(row)                   \
    row(nccl, "nccl")                      \
    row(host, "host")                      \
    row(mpi, "mpi")                        \
    row(nccl_graph, "nccl-graph")          \
    row(nccl_symmetric, "nccl-symmetric")  \
    row(null, "null")
#else
#define HS_BACKENDS(row) row(host, "host") row(mpi, "mpi") row(null, "null")
#endif
/* clang-format on */

/* Whether NCCL's own choice runs in every layer; also of a backend that this program has not. */
bool hs_backend_is_nccl(const char *name);

#define HS_BACKEND_AUTO "auto" /* the first that works, null never */
#define HS_BACKEND_NULL "null" /* plays a model */

/* HS_BACKEND_AUTO, then the names. Ends with a NULL. */
extern const char *const hs_backend_names[];

enum hs_buffers { HS_BUFFERS_AUTO, HS_BUFFERS_HOST, HS_BUFFERS_DEVICE, HS_BUFFERS_COUNT };

/* Ends with a NULL. */
extern const char *const hs_buffers_names[HS_BUFFERS_COUNT + 1];

#endif
