/*
 * shard.h - how many ways to shard a model: what each way communicates per step of fully sharded
 * data parallelism, expected over the samples, and what a GPU holds. The answer is complete before
 * anything of it is printed; docs/job.md has its document.
 *
 * N ranks of data parallelism are S shards x R replicas. A step AllGathers the weights of every
 * unit twice, forward and backward, and ReduceScatters its gradients once, along the S ranks that
 * have the shards; where R > 1 each rank then AllReduces its shard of the gradients with the
 * replicas' (Rajbhandari, Rasley, Ruwase and He, "ZeRO", SC 2020, section 7: 3 times the weights;
 * Zhao et al., "PyTorch FSDP", VLDB 2023, section 3.2: hybrid sharding). Times are added up:
 * nothing is hidden behind computing.
 *
 * A parameter has b bytes of weight and as many of gradient, and the optimizer's: of Adam two
 * moments of b bytes, or 4 where b is less, and then a master copy of 4 (ZeRO, section 3.1: K = 12
 * for b = 2). All of that is sharded; the weights of HS_SHARD_UNITS_WHOLE units are whole beside
 * it:
 *
 *     memory of a GPU = parameters (2 b + optimizer) / S + 2 unit, without activations.
 *
 * The verdict is against full sharding, S = N, which is what FSDP does by default.
 */
#ifndef HS_ANSWER_SHARD_H
#define HS_ANSWER_SHARD_H

#include "answer/jobs.h"

/* Units that are whole on a GPU at a time: one at work, the next on its way. */
#define HS_SHARD_UNITS_WHOLE 2

/* What is asked. */
struct hs_shard_settings {
    struct hs_question ask;
    double parameters;           /* 0: not given */
    const char *model;           /* transformer.h, in place of them; NULL: not given */
    int64_t units;               /* that are gathered one after the other; 0: not given */
    uint64_t memory;             /* of a GPU; 0: not given */
    const char *optimizer;       /* bytes it keeps of each parameter, as typed; NULL: Adam's */
    int64_t optimizer_bytes;     /* the same, read */
    struct hs_transformer sizes; /* the model, read */
};

/* One way. */
struct hs_sharding_way {
    int64_t shards, replicas;
    double memory_bytes; /* of a GPU */
    bool fits;
    struct hs_job_sum sum;                 /* of a step */
    double shard_seconds, replica_seconds; /* along the axes of the mesh, expected */
    double library_seconds; /* by the library's default calls; NaN: they have no price */
    double ratio;           /* its time over that of full sharding; NaN: that was not looked at */
    struct hs_plan gather, scatter, reduce;
};

struct hs_sharding {
    char *machine; /* owned; as typed */
    int64_t np;
    double parameters;
    int64_t units;
    double unit_bytes;               /* of one whole unit's weights */
    int64_t weights, optimizer, all; /* sharded bytes per parameter; gradients are as the weights */
    double memory;                   /* bytes of a GPU; 0: not known */
    const char
        *gpu; /* whose memory it is, as the catalogue has it; NULL: it was given, or not known */
    enum hs_datatype datatype;
    struct hs_job_verdict verdict;
    char *evidence;               /* owned */
    int64_t samples;              /* 0: times are nominal */
    struct hs_sharding_way *ways; /* [count] owned: the verdict's first, then those that fit, by
                                     time, then the others, by memory */
    size_t count, possible;       /* looked at, and that there are */
    struct hs_job_lines ties;     /* ways that are faster than full sharding by less than 3 % */
    struct hs_job_lines assumptions, next;
};

/* What is asked goes together; what it leaves open is as usual. HS_INVALID. */
enum hs_status hs_shard_take(struct hs_shard_settings *settings, struct hs_error *err);
/* The ways of most shards where --budget ends before all. HS_INVALID as hs_search, HS_MEMORY;
 * release in any case. */
enum hs_status hs_shard(struct hs_sharding *out, const struct hs_asked *asked,
                        const struct hs_shard_settings *settings, struct hs_error *err);
void hs_sharding_release(struct hs_sharding *sharding);

/* Appends the document of docs/sharding.schema.json, and that schema. HS_MEMORY. */
enum hs_status hs_sharding_print(struct hs_text *out, const struct hs_sharding *sharding,
                                 struct hs_error *err);
enum hs_status hs_sharding_print_schema(struct hs_text *out, struct hs_error *err);

#endif
