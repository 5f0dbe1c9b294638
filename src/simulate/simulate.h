/*
 * simulate.h - the program hiersearch-simulate: the engine `host`, unchanged, inside SMPI.
 *
 * It is compiled by smpicc and run by smpirun, which `hiersearch simulate` starts:
 *
 *     smpirun ... hiersearch-simulate RESULT_FILE
 *
 * Every rank is a simulated process. The file (record/result.h) has one message, and the candidates
 * to simulate; what comes in its place, complete or not at all, has their times, too, and is ranked
 * by them. Each plan is run once (the simulation is deterministic), in the order of the file, from
 * a moment that is the same on all ranks to the last rank's end. A stage's time is the sum over its
 * chunks, and of these the maximum over ranks. On stdout comes a line for each plan that is
 * through.
 *
 * What differs from a real run stands in the files of this folder, each in place of one of the
 * engine's:
 *
 *   shared_pages.c  for pages.c         all large buffers are one piece of memory
 *   no_data.c       for reduce.c        no arithmetic
 *   waiting.c       for idle.c          sleeps until a message is through, instead of polling
 *                   around transport.c  and for the launch time before each call
 *
 * Segments: a ring step sends one message of a whole block, and HS_RING_DEPTH steps are under way.
 * This is the pipelining granularity s = 1 of the model: each hop takes one latency and one block's
 * bytes. Whole blocks, too, are the messages of halving and of direct exchange, all of a step in
 * flight at once; a tree's are the segments that it makes itself, two in flight to each neighbour.
 * For other s, which in the model's words is the number of latencies that a step pays, `hiersearch
 * simulate` multiplies the latency of every message by s (SMPI's lat-factor), so model and
 * simulation have the same latency term.
 *
 * Launch time: the rank sleeps for it before each collective call, so with chunks its other layers
 * wait meanwhile, as they do where one thread launches and makes progress.
 */
#ifndef HS_SIMULATE_SIMULATE_H
#define HS_SIMULATE_SIMULATE_H

#include <mpi.h>
#include <stddef.h>

#include "engine/transport.h"

/* The piece of memory that every large buffer is; `bytes` is what the largest of them needs. */
void hs_shared_pages_init(size_t bytes);
/* Before any communication of the engine: room for the requests of np ranks. Every call of a stage
 * first sleeps `launch_seconds`. The same on all ranks. */
void hs_waiting_init(int np, double launch_seconds);

/* Put in place by the linker's --wrap, which makes these names. __real_X is the X that was there.
 */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void __wrap_hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes,
                              int to, int tag, MPI_Request *request);
void __wrap_hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                                 int tag, MPI_Request *request);
bool __wrap_hs_transport_test(struct hs_transport *transport, MPI_Request *request);
void __wrap_hs_transport_launch(struct hs_transport *transport);
int __wrap_MPI_Iallreduce(const void *input, void *output, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request);
void __wrap_smpi_shared_free(void *pointer);
void __real_smpi_shared_free(void *pointer);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#endif
