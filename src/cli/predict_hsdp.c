#include <inttypes.h>
#include <math.h>

#include "cli/predict.h"
#include "search/axes.h"
#include "search/lattice.h"
#include "view/figures.h"
#include "view/placements.h"

/* What Adam keeps of a parameter: two moments, and of weights in 16 bits a copy besides, all in 32
 * (Rajbhandari and others, "ZeRO", 2020, section 3.1: K = 12). */
#define MOMENTS    2
#define FULL_BYTES 4
/* Units that are whole on a GPU at a time: one at work, the next on its way. */
#define UNITS_WHOLE 2

/* One way of it. */
struct way {
    int64_t shards, replicas;
    double seconds[2]; /* of a step, along the axes of the mesh */
    double library_seconds, memory;
    struct hs_plan plans[2];
};

/* What lies in shards, bytes per parameter: weights, gradients, and what the optimizer keeps. */
struct state {
    int64_t weights, optimizer, all;
};

static struct state state_of(const struct hs_predict_settings *settings)
{
    int64_t bytes = (int64_t)hs_datatype_bytes(settings->ask.datatype);
    struct state state = {bytes, settings->hsdp.optimizer_bytes, 0};

    if (!settings->hsdp.optimizer)
        state.optimizer = MOMENTS * (bytes < FULL_BYTES ? FULL_BYTES : bytes) +
                          (bytes < FULL_BYTES ? FULL_BYTES : 0);
    state.all = 2 * bytes + state.optimizer;
    return state;
}

#define STATE                                                                                      \
    "%" PRId64 " bytes per parameter (weights %" PRId64 ", gradients %" PRId64                     \
    ", optimizer %" PRId64 ")"
#define AS_STATE(state) (state).all, (state).weights, (state).weights, (state).optimizer

static double unit_bytes(const struct hs_hsdp_words *words, enum hs_datatype datatype)
{
    return ceil(words->parameters / (double)words->units) * (double)hs_datatype_bytes(datatype);
}

/* Fully sharded, a unit is gathered for the way forward and for the way back, its gradients are
 * reduced and scattered; then replicas reduce their shards. */
static struct hs_job job_of(const struct hs_predict_settings *settings, int64_t shards,
                            int64_t replicas)
{
    double bytes = unit_bytes(&settings->hsdp, settings->ask.datatype);
    int64_t units = settings->hsdp.units;
    struct hs_job job = {.mesh = {2, {{"dp_shard", shards}, {"dp_replicate", replicas}}, 0}};

    if (shards > 1) {
        job.messages[job.count++] = (struct hs_job_message){1, HS_COLLECTIVE_ALLGATHER,
                                                            settings->ask.order, bytes, 2 * units};
        job.messages[job.count++] = (struct hs_job_message){1, HS_COLLECTIVE_REDUCE_SCATTER,
                                                            settings->ask.order, bytes, units};
    }
    if (replicas > 1)
        job.messages[job.count++] = (struct hs_job_message){2, HS_COLLECTIVE_ALLREDUCE, HS_IN_PLACE,
                                                            ceil(bytes / (double)shards), units};
    return job;
}

static enum hs_status weigh(struct way *way, const struct hs_predict *predict, int64_t shards,
                            struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    int64_t np = (int64_t)settings->ask.np.first;
    struct hs_job job = job_of(settings, shards, np / shards);
    struct hs_search_request request = hs_predict_job_request(predict);
    struct hs_axes_result result;
    enum hs_status status = hs_axes_search_given(&result, &request, &job, err);

    *way = (struct way){.shards = shards, .replicas = np / shards};
    if (status != HS_OK)
        return status;
    for (size_t m = 0; m < job.count; m++) {
        const struct hs_axes_call *call = &result.calls[result.orders[0].calls[m]];
        struct hs_library_price own = hs_library_price(predict->asked.system, &call->problem,
                                                       hs_datatype_bytes(settings->ask.datatype));
        int axis = job.messages[m].over == 1 ? 0 : 1;
        double calls = (double)job.messages[m].calls;

        way->seconds[axis] += calls * call->seconds;
        way->plans[axis] = call->plan;
        way->library_seconds += calls * (hs_library_is_priced(&own) ? own.seconds : NAN);
    }
    way->memory = settings->hsdp.parameters * (double)state_of(settings).all / (double)shards +
                  UNITS_WHOLE * unit_bytes(&settings->hsdp, settings->ask.datatype);
    hs_axes_result_release(&result);
    return HS_OK;
}

static bool fits(const struct hs_predict *predict, const struct way *way)
{
    uint64_t memory = predict->settings->hsdp.memory;

    return memory == 0 || way->memory <= (double)memory;
}

static void add_row(struct hs_table *table, const struct hs_predict *predict, const struct way *way)
{
    hs_shards_add(table, &(struct hs_shards_row){
                             .shards = way->shards,
                             .replicas = way->replicas,
                             .shard_seconds = way->seconds[0],
                             .replica_seconds = way->seconds[1],
                             .library_seconds = way->library_seconds,
                             .memory_bytes = way->memory,
                             .fits = fits(predict, way) ? NULL : "no",
                             .gather = way->plans[0].split.count > 0 ? &way->plans[0] : NULL,
                             .reduce = way->plans[1].split.count > 0 ? &way->plans[1] : NULL});
}

static void say_title(const struct hs_predict *predict)
{
    const struct hs_hsdp_words *words = &predict->settings->hsdp;
    double bytes = unit_bytes(words, predict->settings->ask.datatype);

    hs_sheet_say(predict->sheet,
                 "%s: %" PRIu64 " processes, %.4g billion parameters of %s in %" PRId64
                 " units of %s: a step gathers each twice, scatters and reduces it\n",
                 predict->asked.label, predict->settings->ask.np.first, words->parameters / 1e9,
                 hs_datatype_names[predict->settings->ask.datatype], words->units,
                 HS_AS_SIZE(bytes));
}

/* How other programs are told it. */
static void say_settings(const struct hs_predict *predict, const struct way *best)
{
    hs_sheet_say(predict->sheet,
                 "\nPyTorch     mesh = init_device_mesh(\"cuda\", (%" PRId64 ", %" PRId64
                 "), mesh_dim_names=(\"dp_replicate\", \"dp_shard\")); fully_shard(unit, "
                 "mesh=mesh)\n",
                 best->replicas, best->shards);
    hs_sheet_say(predict->sheet,
                 "torchtitan  data_parallel_replicate_degree = %" PRId64
                 ", data_parallel_shard_degree = %" PRId64 "\n",
                 best->replicas, best->shards);
    hs_sheet_say(predict->sheet,
                 "Megatron    --use-megatron-fsdp --data-parallel-sharding-strategy "
                 "optim_grads_params --outer-dp-sharding-strategy no_shard "
                 "--num-distributed-optimizer-instances %" PRId64 "\n",
                 best->replicas);
    hs_sheet_say(predict->sheet,
                 "DeepSpeed   \"zero_optimization\": {\"stage\": 3, \"mics_shard_size\": %" PRId64
                 "} (MiCS); \"zero_hpz_partition_size\" is not the same: it shards over all and "
                 "keeps weights alone a second time\n",
                 best->shards);
}

static void say_best(const struct hs_predict *predict, const struct way *best)
{
    struct state state = state_of(predict->settings);

    if (!best) {
        hs_sheet_stress(predict->sheet, "none fits");
        hs_sheet_say(predict->sheet,
                     ": %s of a GPU are less than its shard, " STATE ", and %d whole units\n\n",
                     HS_AS_BYTES(predict->settings->hsdp.memory), AS_STATE(state), UNITS_WHOLE);
        return;
    }
    hs_sheet_stress(predict->sheet, "best  %" PRId64 " shard%s, %" PRId64 " time%s  %s",
                    best->shards, HS_PLURAL(best->shards), best->replicas,
                    HS_PLURAL(best->replicas), HS_AS_TIME(best->seconds[0] + best->seconds[1]));
    hs_sheet_say(predict->sheet, " of communication a step, %s\n",
                 predict->settings->hsdp.memory > 0
                     ? "the least of those that fit"
                     : "if a GPU has the memory: --memory says how much");
    hs_sheet_say(predict->sheet,
                 "      a GPU holds %s: its shard, " STATE
                 ", and %d whole units; activations come on top\n"
                 "      calls one after the other; what computing hides of them is not known\n\n",
                 HS_AS_SIZE(best->memory), AS_STATE(state), UNITS_WHOLE);
}

enum hs_status hs_predict_hsdp(const struct hs_predict *predict, struct hs_error *err)
{
    int64_t np = (int64_t)predict->settings->ask.np.first;
    struct hs_lattice shards;
    struct hs_table table;
    struct way best = {.shards = 0}, way;
    double least = INFINITY;
    enum hs_status status = hs_lattice_init(&shards, hs_group_world(np), err);

    hs_shards_init(&table);
    for (size_t i = 0; i < shards.node_count && status == HS_OK; i++) {
        status = weigh(&way, predict, shards.divisors[i], err);
        if (status != HS_OK)
            break;
        add_row(&table, predict, &way);
        if (fits(predict, &way) && way.seconds[0] + way.seconds[1] < least) {
            least = way.seconds[0] + way.seconds[1];
            best = way;
            table.best = i;
        }
    }
    hs_lattice_release(&shards);
    if (status != HS_OK) {
        hs_table_release(&table);
        return status;
    }
    say_title(predict);
    say_best(predict, best.shards > 0 ? &best : NULL);
    hs_sheet_table(predict->sheet, &table);
    if (best.shards > 0)
        say_settings(predict, &best);
    return hs_sheet_end(predict->sheet, err);
}
