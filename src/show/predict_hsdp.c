#include <inttypes.h>
#include <stdio.h>

#include "base/notes.h"
#include "show/placements.h"
#include "show/predict.h"

#define MEMORY_TEXT  64
#define FITTING_TEXT 160

#define STATE                                                                                      \
    "%" PRId64 " bytes per parameter (weights %" PRId64 ", gradients %" PRId64                     \
    ", optimizer %" PRId64 ")"
#define AS_STATE(sharded)                                                                          \
    (sharded)->all, (sharded)->weights, (sharded)->weights, (sharded)->optimizer

static void say_title(const struct hs_predict *predict, const struct hs_sharded *sharded)
{
    const struct hs_sharded_words *words = sharded->words;
    bool in_billions = words->parameters >= 1e6;

    hs_sheet_say(predict->sheet,
                 "%s: %" PRIu64 " processes, %.4g%s parameters of %s in %" PRId64
                 " units of %s: a step gathers each twice, scatters and reduces it\n",
                 predict->asked.label, predict->settings->ask.np.first,
                 words->parameters / (in_billions ? 1e9 : 1), in_billions ? " billion" : "",
                 hs_datatype_names[predict->settings->ask.datatype], words->units,
                 HS_AS_SIZE(sharded->unit_bytes));
}

/* How other programs are told it. */
static void say_settings(const struct hs_predict *predict, const struct hs_sharded_way *best)
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

/* "80GB of a GPU", "H100's 80GB" */
static const char *memory_text(char text[MEMORY_TEXT], const struct hs_sharded *sharded)
{
    const char *gpu = sharded->gpu, *size = HS_AS_BYTES((uint64_t)sharded->memory);

    snprintf(text, MEMORY_TEXT, "%s%s%s%s", gpu ? gpu : "", gpu ? "'s " : "", size,
             gpu ? "" : " of a GPU");
    return text;
}

static const char *fitting_text(char text[FITTING_TEXT], const struct hs_sharded *sharded)
{
    if (sharded->gpu)
        snprintf(text, FITTING_TEXT,
                 "the least of those that fit into %s (--memory says how much is left for them)",
                 memory_text((char[MEMORY_TEXT]){0}, sharded));
    else
        snprintf(text, FITTING_TEXT, "%s",
                 sharded->memory > 0 ? "the least of those that fit"
                                     : "if a GPU has the memory: --memory says how much");
    return text;
}

static void say_best(const struct hs_predict *predict, const struct hs_sharded *sharded)
{
    const struct hs_sharded_way *best = sharded->best;

    if (!best) {
        hs_sheet_stress(predict->sheet, "none %sfits",
                        sharded->count < sharded->possible ? "of those looked at " : "");
        hs_sheet_say(predict->sheet,
                     ": %s are less than its shard, " STATE ", and %d whole units\n\n",
                     memory_text((char[MEMORY_TEXT]){0}, sharded), AS_STATE(sharded),
                     HS_SHARDED_UNITS_WHOLE);
        return;
    }
    hs_sheet_stress(predict->sheet, "best  %" PRId64 " shard%s, %" PRId64 " time%s  %s",
                    best->shards, HS_PLURAL(best->shards), best->replicas,
                    HS_PLURAL(best->replicas), HS_AS_TIME(best->seconds[0] + best->seconds[1]));
    hs_sheet_say(predict->sheet, " of communication a step, %s\n",
                 fitting_text((char[FITTING_TEXT]){0}, sharded));
    hs_sheet_say(predict->sheet,
                 "      a GPU holds %s: its shard, " STATE
                 ", and %d whole units; activations come on top\n"
                 "      calls one after the other; what computing hides of them is not known\n\n",
                 HS_AS_SIZE(best->memory_bytes), AS_STATE(sharded), HS_SHARDED_UNITS_WHOLE);
}

enum hs_status hs_predict_hsdp(const struct hs_predict *predict, struct hs_error *err)
{
    struct hs_sharded sharded;
    enum hs_status status =
        hs_sharded_make(&sharded, &predict->asked, &predict->settings->hsdp, err);

    if (status == HS_OK) {
        say_title(predict, &sharded);
        say_best(predict, &sharded);
        if (sharded.count < sharded.possible)
            hs_say_warning(predict->notes,
                           "--budget: not looked at: more than %" PRId64
                           " shard%s, %zu of %zu ways",
                           sharded.ways[sharded.count - 1].shards,
                           HS_PLURAL(sharded.ways[sharded.count - 1].shards),
                           sharded.possible - sharded.count, sharded.possible);
        hs_sharded_show(predict->sheet, &sharded);
        if (sharded.best)
            say_settings(predict, sharded.best);
        status = hs_sheet_end(predict->sheet, err);
    }
    hs_sharded_release(&sharded);
    return status;
}
