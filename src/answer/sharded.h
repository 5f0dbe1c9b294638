/*
 * sharded.h - in how many shards a model is to lie, and how often: what each way communicates in a
 * step of fully sharded data parallelism, and what a GPU holds.
 *
 * N ranks of data parallelism are S shards times R replicas. A step AllGathers the weights of every
 * unit twice, forward and backward, and ReduceScatters its gradients once, along the S ranks that
 * have the shards; where R > 1 each rank then AllReduces its shard of the gradients with the
 * replicas' (Rajbhandari, Rasley, Ruwase and He, "ZeRO", SC 2020, section 7: 3 times the weights;
 * Zhao et al., "PyTorch FSDP", VLDB 2023, section 3.2: hybrid sharding). Times are added up:
 * nothing is hidden behind computing.
 *
 * A parameter has b bytes of weight and as many of gradient, and the optimizer's: of Adam two
 * moments of b bytes, or 4 where b is less, and then a master copy of 4 (ZeRO, section 3.1: K = 12
 * for b = 2). All of that lies in shards; HS_SHARDED_UNITS_WHOLE units' weights are whole beside
 * it:
 *
 *     memory of a GPU = parameters (2 b + optimizer) / S + 2 unit, activations apart.
 */
#ifndef HS_API_SHARDED_H
#define HS_API_SHARDED_H

#include "answer/question.h"

/* Units that are whole on a GPU at a time: one at work, the next on its way. */
#define HS_SHARDED_UNITS_WHOLE 2

struct hs_sharded_words {
    bool asked;
    double parameters;
    int64_t units;           /* that are gathered one after the other; 0: not given */
    uint64_t memory;         /* of a GPU; 0: not given */
    const char *optimizer;   /* bytes it keeps of each parameter, as typed; NULL: Adam's */
    int64_t optimizer_bytes; /* the same, read */
};

/* Rows of it. */
#define HS_ROWS_SHARDED(place)                                                                     \
    HS_ROW_FLAG(                                                                                   \
        "hsdp", 0, "Sharding", (place) + offsetof(struct hs_sharded_words, asked),                 \
        "in how many shards a model's --parameters are to lie, and how often: what each way "      \
        "communicates in a step of fully sharded data parallelism, and what a GPU holds"),         \
        {.name = "parameters",                                                                     \
         .argument = "N",                                                                          \
         .group = "Sharding",                                                                      \
         .type = &hs_option_parameters,                                                            \
         .offset = (place) + offsetof(struct hs_sharded_words, parameters),                        \
         .help = "of the model, such as 70e9 or 70B"},                                             \
        HS_ROW_COUNT(                                                                              \
            "units", "units", 0, 100000, NULL, "Sharding",                                         \
            (place) + offsetof(struct hs_sharded_words, units),                                    \
            "in which it is wrapped, such as its layers, each gathered by itself (default 64)"),   \
        {.name = "memory",                                                                         \
         .argument = "SIZE",                                                                       \
         .group = "Sharding",                                                                      \
         .type = &hs_option_bytes,                                                                 \
         .offset = (place) + offsetof(struct hs_sharded_words, memory),                            \
         .help = "that a GPU has for them, activations apart (default: all that such a GPU has, "  \
                 "where the machine's parts are known)"},                                          \
    {                                                                                              \
        .name = "optimizer-bytes", .argument = "N", .group = "Sharding", .type = &hs_option_text,  \
        .offset = (place) + offsetof(struct hs_sharded_words, optimizer),                          \
        .help = "what the optimizer keeps of each parameter (default: Adam's two moments, in 32 "  \
                "bits or those of --dtype if they are more, and a copy in 32 of weights of fewer)" \
    }

/* One way of it. */
struct hs_sharded_way {
    int64_t shards, replicas;
    double seconds[2];       /* of a step, along the axes of the mesh: shards, replicas */
    double library_seconds;  /* by the library's own calls; NaN: they have no price */
    double memory_bytes;     /* of a GPU, activations apart */
    struct hs_plan plans[2]; /* split.count 0: there is none */
    bool fits;               /* into the memory of a GPU */
};

struct hs_sharded {
    const struct hs_asked *asked;         /* borrowed */
    const struct hs_sharded_words *words; /* borrowed */
    const char *gpu; /* whose memory counts, as the catalogue has it; NULL: none is known, or it was
                        given */
    double memory;   /* bytes of a GPU; 0: not known */
    double unit_bytes;                 /* of one whole unit's weights */
    int64_t weights, optimizer, all;   /* what lies in shards, bytes per parameter; gradients are
                                             as the weights */
    struct hs_sharded_way *ways;       /* [count] owned, fewest shards first */
    size_t count, possible;            /* ways looked at, and that there are */
    const struct hs_sharded_way *best; /* of those that fit; NULL: none does */
};

/* For the one process count of what is asked; the first ways where --budget ends before all.
 * HS_INVALID as hs_search, HS_MEMORY; release in any case. */
enum hs_status hs_sharded_make(struct hs_sharded *sharded, const struct hs_asked *asked,
                               const struct hs_sharded_words *words, struct hs_error *err);
void hs_sharded_release(struct hs_sharded *sharded);

#endif
