#include "answer/sharded.h"

#include <math.h>
#include <stdlib.h>

#include "answer/jobs.h"
#include "answer/point.h"
#include "library/price_library.h"
#include "search/axes.h"
#include "search/lattice.h"

/* What Adam keeps of a parameter: two moments, and of weights in 16 bits a copy besides, all in 32
 * (Rajbhandari and others, "ZeRO", 2020, section 3.1: K = 12). */
#define MOMENTS    2
#define FULL_BYTES 4

/* What is the same in all ways. */
static void describe(struct hs_sharded *sharded)
{
    const struct hs_sharded_words *words = sharded->words;
    const struct hs_gpu *gpu = &sharded->asked->system->nccl.parts.gpu;
    int64_t bytes = (int64_t)hs_datatype_bytes(sharded->asked->question->datatype);

    sharded->unit_bytes = ceil(words->parameters / (double)words->units) * (double)bytes;
    sharded->weights = bytes;
    sharded->optimizer = words->optimizer_bytes;
    if (!words->optimizer)
        sharded->optimizer = MOMENTS * (bytes < FULL_BYTES ? FULL_BYTES : bytes) +
                             (bytes < FULL_BYTES ? FULL_BYTES : 0);
    sharded->all = 2 * bytes + sharded->optimizer;
    sharded->memory = (double)words->memory;
    if (words->memory == 0 && gpu->memory_GB > 0) { /* of a line, whoever runs on it, or a file */
        sharded->memory = gpu->memory_GB * 1e9;
        sharded->gpu = gpu->name;
    }
}

/* Fully sharded, a unit is gathered for the way forward and for the way back, its gradients are
 * reduced and scattered; then replicas reduce their shards. */
static struct hs_job job_of(const struct hs_sharded *sharded, int64_t shards, int64_t replicas)
{
    enum hs_order order = sharded->asked->question->order;
    double bytes = sharded->unit_bytes;
    int64_t units = sharded->words->units;
    struct hs_job job = {.mesh = {2, {{"dp_shard", shards}, {"dp_replicate", replicas}}, 0}};

    if (shards > 1) {
        job.messages[job.count++] =
            (struct hs_job_message){1, HS_COLLECTIVE_ALLGATHER, order, bytes, 2 * units};
        job.messages[job.count++] =
            (struct hs_job_message){1, HS_COLLECTIVE_REDUCE_SCATTER, order, bytes, units};
    }
    if (replicas > 1)
        job.messages[job.count++] = (struct hs_job_message){2, HS_COLLECTIVE_ALLREDUCE, HS_IN_PLACE,
                                                            ceil(bytes / (double)shards), units};
    return job;
}

static enum hs_status weigh(struct hs_sharded_way *way, const struct hs_sharded *sharded,
                            int64_t shards, struct hs_error *err)
{
    const struct hs_asked *asked = sharded->asked;
    const struct hs_sharded_words *words = sharded->words;
    int64_t np = (int64_t)asked->question->np.first;
    struct hs_job job = job_of(sharded, shards, np / shards);
    struct hs_search_request request = hs_job_request(asked);
    struct hs_axes_result result;
    enum hs_status status = hs_axes_search_given(&result, &request, &job, err);

    *way = (struct hs_sharded_way){.shards = shards, .replicas = np / shards};
    if (status != HS_OK)
        return status;
    for (size_t m = 0; m < job.count; m++) {
        const struct hs_axes_call *call = &result.calls[result.orders[0].calls[m]];
        struct hs_library_price own = hs_library_price(
            asked->system, &call->problem, hs_datatype_bytes(asked->question->datatype));
        int axis = job.messages[m].over == 1 ? 0 : 1;
        double calls = (double)job.messages[m].calls;

        way->seconds[axis] += calls * call->seconds;
        way->plans[axis] = call->plan;
        way->library_seconds += calls * (hs_library_is_priced(&own) ? own.seconds : NAN);
    }
    way->memory_bytes = words->parameters * (double)sharded->all / (double)shards +
                        HS_SHARDED_UNITS_WHOLE * sharded->unit_bytes;
    way->fits = sharded->memory == 0 || way->memory_bytes <= sharded->memory;
    hs_axes_result_release(&result);
    return HS_OK;
}

enum hs_status hs_sharded_make(struct hs_sharded *sharded, const struct hs_asked *asked,
                               const struct hs_sharded_words *words, struct hs_error *err)
{
    struct hs_problem problem =
        hs_problem_of(HS_COLLECTIVE_ALLREDUCE, HS_IN_PLACE, (int64_t)asked->question->np.first, 0);
    struct hs_point_watcher watcher = {asked, &problem};
    struct hs_lattice shards;
    double least = INFINITY;
    enum hs_status status;

    *sharded = (struct hs_sharded){.asked = asked, .words = words};
    describe(sharded);
    status = hs_lattice_init(&shards, hs_group_world((int64_t)asked->question->np.first), err);
    if (status != HS_OK)
        return status;
    problem.bytes = sharded->unit_bytes;
    sharded->possible = shards.node_count;
    sharded->ways = calloc(sharded->possible, sizeof(*sharded->ways));
    if (!sharded->ways)
        status = hs_no_memory(err);
    for (size_t i = 0; i < sharded->possible && status == HS_OK &&
                       (hs_point_goes_on(&watcher, i, sharded->possible) || i == 0);
         i++) {
        struct hs_sharded_way *way = &sharded->ways[sharded->count++];

        status = weigh(way, sharded, shards.divisors[i], err);
        if (status == HS_OK && way->fits && way->seconds[0] + way->seconds[1] < least) {
            least = way->seconds[0] + way->seconds[1];
            sharded->best = way;
        }
    }
    hs_lattice_release(&shards);
    return status;
}

void hs_sharded_release(struct hs_sharded *sharded)
{
    free(sharded->ways);
}
