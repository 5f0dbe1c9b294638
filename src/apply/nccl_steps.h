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
 *
 * Of packed layout (model/collective.h) an AllGather goes from the outside in, so that the
 * outermost layer moves the least, and a ReduceScatter from the inside out, both in memory beside.
 * There the blocks lie with the digits of their numbers the other way round: one copy of rows for
 * each group of the outermost layer brings them to their places, by the GPU's copy engines; of a
 * ReduceScatter before the calls, of an AllGather behind them. A message that is longer than the
 * memory goes in pieces of all of its blocks, one behind the other.
 */
#ifndef HS_APPLY_NCCL_STEPS_H
#define HS_APPLY_NCCL_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "apply/nccl_family.h"
#include "apply/reasons.h"

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

/* The calls of a plan, in their order, and how far it is. */
struct hs_nccl_steps {
    struct hs_nccl_asked calls[2 * HS_LAYERS_MAX];
    int count, next;
};

/* Bytes of an element; 0: no type that was known in 2.22 to 2.30. */
size_t hs_nccl_width(hs_nccl_type type);
/* Bytes of its larger side, as in rules. */
uint64_t hs_nccl_bytes(const struct hs_nccl_asked *asked, int ranks);
/* The rule by which it goes, or why there is none: by what all ranks know alike. */
const struct hs_rule *hs_nccl_decide(const struct hs_rules *rules,
                                     const struct hs_nccl_family *family,
                                     const struct hs_nccl_asked *asked, enum hs_reason *why);

/* By the library's own call, on the program's communicator. */
hs_nccl_result hs_nccl_call(const struct hs_nccl_functions *nccl,
                            const struct hs_nccl_asked *asked);
/* By a rule whose plan's layers are all parts of the family: an error ends it where it is, and so
 * does the communicator's end. HS_NCCL_IN_PROGRESS: nobody waits; it goes on as it is looked after,
 * when the program's communicator is ready, one call as soon as the one before has got to its
 * stream, until that says how it ended. */
hs_nccl_result hs_nccl_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                             const struct hs_nccl_asked *asked);
hs_nccl_result hs_nccl_carry_on(struct hs_nccl_family *family);

#endif
