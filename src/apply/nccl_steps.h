/*
 * nccl_steps.h - a call as NCCL's own calls that carry it out by a plan, one behind the other on
 * the program's stream.
 *
 * An AllReduce of h layers is reduce-scatters from the inside out, an allreduce on the last, and
 * allgathers back: 2h - 1 calls, all in the receive buffer. What the layers do not divide into
 * parts of 128 bytes is reduced by one more call of the program's own communicator.
 *
 * The others are h calls, whose blocks lie in place (model/collective.h): the blocks that a rank
 * has between two layers are neighbours, so that each layer is one call of NCCL's on memory as it
 * lies, and nothing is packed. An AllGather goes from the inside out, in the receive buffer, which
 * has room for all. A ReduceScatter goes from the outside in: what leaves the outermost layer of p
 * ranks is 1/p of the message, for which the receive buffer has no room, and the send buffer is the
 * program's. So it has memory beside (nccl_families.h), in which all layers but the last leave
 * their blocks.
 */
#ifndef HS_APPLY_NCCL_STEPS_H
#define HS_APPLY_NCCL_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/nccl_families.h"

/* A call as the program made it. */
struct hs_nccl_asked {
    enum hs_collective collective; /* allreduce, reduce-scatter or allgather */
    const void *from;
    void *to;
    size_t count; /* as NCCL has it: of an allreduce all, of the others those of a block */
    hs_nccl_type type;
    hs_nccl_operation operation; /* -1: none */
    hs_nccl_comm comm;
    hs_nccl_stream stream;
};

/* Bytes of an element; 0: no type that was known in 2.22 to 2.30. */
size_t hs_nccl_width(hs_nccl_type type);
/* Whether plans have its type and operation: NCCL's own. Each layer takes the mean of its own
 * ranks, which is the mean of all but where the library rounds each to a whole number. */
bool hs_nccl_has_type(const struct hs_nccl_asked *asked);
/* Bytes of its larger side, as in rules. */
uint64_t hs_nccl_bytes(const struct hs_nccl_asked *asked, int ranks);
/* Whether there is anything for the plan's layers to divide. */
bool hs_nccl_divides(const struct hs_plan *plan, const struct hs_nccl_asked *asked);

/* By the library's own call, on the program's communicator. */
hs_nccl_result hs_nccl_call(const struct hs_nccl_functions *nccl,
                            const struct hs_nccl_asked *asked);
/* By a plan whose layers are all parts of the family: an error ends it where it is, and so does the
 * communicator's end. */
hs_nccl_result hs_nccl_carry(struct hs_nccl_family *family, const struct hs_plan *plan,
                             const struct hs_nccl_asked *asked);

#endif
