/*
 * transformer.h - what a step of training a transformer communicates along the axes of a mesh, by
 * the model's sizes under Megatron's names or those of a config.json of Hugging Face.
 *
 * With L layers on the fullest stage, hidden size h, sequences of s tokens, micro-batches of b
 * sequences and m of them per step and data-parallel rank, a block of activations is b s h / cp
 * elements. Full recomputation runs the way forward twice.
 *
 *     tp    an AllReduce of a block: 2 per layer forward, 2 backward (Shoeybi et al.,
 *           "Megatron-LM", 2019, section 3). With sequence parallelism each is a ReduceScatter and
 *           an AllGather, and backward an AllGather more brings back what a layer's half was given
 *           (Korthikanti et al., 2022, section 4.2.2)
 *     cp    a ring of sendrecvs with keys and values, 2 b s / (cp tp) elements by the heads that
 *           have keys of their own: cp - 1 per layer forward, and twice as many backward, with
 *           their gradients (Liu et al., "Ring Attention", 2023). Or, all_gather, an AllGather of
 *           all of them forward and backward and a ReduceScatter of their gradients (Llama Team,
 *           "The Llama 3 Herd of Models", 2024, section 3.3.2; Megatron-Core's cp-comm-type)
 *     ep    an AllToAll of each token to its k experts and one back, b s k h / (cp tp) elements,
 *           per layer with experts, forward and backward; tokens are balanced (Rajbhandari et al.,
 *           "DeepSpeed-MoE", ICML 2022, section 5; Megatron-Core's dispatcher "alltoall"). Experts
 *           lie along tp, too: AllGathers and ReduceScatters of k blocks, in place of the dense
 *           layer's. With tp they are trained with sequence parallelism alone, as in Megatron
 *     pp    a sendrecv of a block each way: 2 m, v times as many where a rank has v stages, of 1 /
 *           tp of it with sequence parallelism (Narayanan et al., "Efficient Large-Scale Language
 *           Model Training", SC 2021, sections 2.2 and 3.2)
 *     dp    an AllReduce of the gradients, or with a distributed optimizer a ReduceScatter of them
 *           and an AllGather of the weights: parameters / (tp pp) elements, once per step
 *     fsdp  per layer and micro-batch two AllGathers of the weights and a ReduceScatter of the
 *           gradients (Rajbhandari et al., "ZeRO", SC 2020, section 7; TorchTitan's dp_shard); with
 *           dp besides, its replicas AllReduce their shards each time (HSDP)
 *
 * Ranks are those of the whole mesh: ep takes none of dp, so that data is parallel along ep, dp and
 * fsdp. What is no expert is replicated (of fsdp: sharded) along them and cp, experts along dp,
 * fsdp and cp: Megatron's groups. Embeddings' and the loss' calls are left out.
 */
#ifndef HS_MODEL_TRANSFORMER_H
#define HS_MODEL_TRANSFORMER_H

#include "model/job.h"

/* 0: not given. Multi-latent attention has a rank of keys and values. */
struct hs_attention {
    int64_t heads, groups, head; /* groups of queries that share keys; elements of a head */
    int64_t query_rank, key_rank, plain, rotary, value;
};

struct hs_experts {
    int64_t count, top, hidden;    /* 0: none; of a token; of an expert's feed-forward layer */
    int64_t shared, shared_hidden; /* of all tokens: how many, or the sum of their elements */
    int64_t dense_layers;          /* first layers without experts */
    int64_t every;
};

enum { HS_RECOMPUTE_SELECTIVE = 1, HS_RECOMPUTE_FULL };
enum { HS_CONTEXT_RING = 1, HS_CONTEXT_GATHER };

/* How it is trained; 0: not given. */
struct hs_training {
    int64_t sequence_parallel, distributed_optimizer,
        full_gradients; /* flags; the last: of 32 bits */
    int64_t recompute, context, dispatcher;
    int64_t stage_layers; /* of one of several stages that a rank has */
    int64_t tensor, expert_tensor, pipeline, contexts, expert; /* ranks, as the mesh says, too */
};

struct hs_transformer {
    int64_t layers, hidden, sequence, micro_batch, global_batch;
    int64_t parameters; /* 0: they are counted */
    int64_t vocabulary; /* 0: without embeddings */
    int64_t feed_forward;
    int64_t gated, untied; /* flags: three matrices; embeddings of input and output are two */
    int64_t uncounted;     /* flag: another kind of layer than parameters are counted of */
    struct hs_attention attention;
    struct hs_experts experts;
    struct hs_training training;
};

/* Of "num-layers=80,hidden-size=8192,...", or of a command line of Megatron's, "--num-layers 80
 * --hidden-size 8192", whose other options are skipped; a word with a '.' or '/' is a file of
 * either, or a config.json: "config.json,seq-length=4096". HS_INVALID: a name that is unknown (with
 * the nearest) or there twice, layers or hidden size missing, a value that is not understood, or
 * what the messages do not know. HS_MEMORY. */
enum hs_status hs_transformer_parse(struct hs_transformer *model, const char *text,
                                    struct hs_error *err);

/* Parameters: of experts that are chosen among, and all others. With feed-forward layers that are
 * gated as Llama has them, without biases; else as GPT, 12 L h^2 (1 + 13 / 12 h + (V + s) / 12 L h)
 * where the feed-forward layers have 4 h (Narayanan et al., equation 2). HS_INVALID: they cannot be
 * counted, or are fewer than the experts'. */
struct hs_transformer_count {
    double experts, others;
};
enum hs_status hs_transformer_count(struct hs_transformer_count *out,
                                    const struct hs_transformer *model, struct hs_error *err);

/* Adds its messages along the job's axes of more than one rank, of elements of so many bytes.
 * HS_INVALID: a size that is missing, an axis of another name, or which the model does not fit, a
 * global batch that is no multiple of micro-batch and data-parallel ranks, or no axis that
 * communicates. */
enum hs_status hs_transformer_messages(struct hs_job *job, const struct hs_transformer *model,
                                       size_t element_bytes, struct hs_error *err);

#endif
