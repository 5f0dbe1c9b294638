/*
 * transformer.h - what a step of training a transformer communicates along the axes of a mesh, by
 * the model's sizes under Megatron's names.
 *
 * With L layers, hidden size h, sequences of s tokens, micro-batches of b sequences and m of them
 * per step and data-parallel rank, a block of activations is b s h elements, of a rank of context
 * parallelism s / cp of them:
 *
 *     tp  an AllReduce of a block: 2 per layer forward, 2 backward (Shoeybi et al., "Megatron-LM",
 *         2019, section 3); sequence parallelism moves the same as AllGather and ReduceScatter
 *         (Korthikanti et al. 2022, section 4.2.2), so L / pp x 4 m calls
 *     pp  a sendrecv of a block each way: 2 m (Narayanan et al., "Efficient Large-Scale Language
 *         Model Training", SC 2021, section 3.2)
 *     cp  a ring of sendrecvs with keys and values, 2 b s h / (cp tp) elements, times query groups
 *         over heads: cp - 1 per layer forward, and twice as many backward, with their gradients
 *         (Liu et al., "Ring Attention", 2023)
 *     dp  a ReduceScatter of the gradients and an AllGather of the weights, parameters / (tp pp)
 *         elements, once per step; with cp along dp+cp
 */
#ifndef HS_MODEL_TRANSFORMER_H
#define HS_MODEL_TRANSFORMER_H

#include "model/job.h"

struct hs_transformer {
    int64_t layers, hidden, sequence, micro_batch, global_batch;
    int64_t parameters; /* 0: not given: 12 L h^2, as of a GPT with feed-forward layers of 4 h */
    int64_t heads, query_groups; /* of attention; 0: not given, each query has keys of its own */
};

/* Of "num-layers=80,hidden-size=8192,...", or of a command line of Megatron's, "--num-layers 80
 * --hidden-size 8192": the names are num-layers, hidden-size, seq-length, micro-batch-size,
 * global-batch-size, and, which may be missing, parameters (70e9, 70B), num-attention-heads and
 * num-query-groups. HS_INVALID: a name that is unknown (with the nearest), missing or there twice,
 * or a value that is no number. */
enum hs_status hs_transformer_parse(struct hs_transformer *model, const char *text,
                                    struct hs_error *err);

/* Adds its messages along the job's axes of more than one rank, of elements of so many bytes.
 * HS_INVALID: an axis of another name, a global batch that is no multiple of micro-batch and dp, or
 * no axis that communicates. */
enum hs_status hs_transformer_messages(struct hs_job *job, const struct hs_transformer *model,
                                       size_t element_bytes, struct hs_error *err);

#endif
