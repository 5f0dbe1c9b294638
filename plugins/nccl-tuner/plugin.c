/* A tuner plugin for NCCL that reads hiersearch's result file: HIERSEARCH_RESULT=result.json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "rules.h"

#define CHANNELS_MAX 64
#define EXPORTED     __attribute__((visibility("default")))

/* One communicator. */
struct tuner {
    struct rules rules;
    size_t ranks, nodes;
    int channels; /* 0: NCCL's own choice */
    TUNER_LOGGER(log);
    unsigned char *said; /* [rules * layers], owned: protocols (bits) whose choice was logged */
};

static const char *const protocol_names[TUNER_PROTOCOLS] = {"LL", "LL128", "Simple"};
static const char *const collective_names[] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter",
                                               "AllReduce"};

static enum tuner_status refuse(const struct tuner *tuner, const char *what, const char *why)
{
    tuner->log(TUNER_WARN, TUNER_LOG_INIT | TUNER_LOG_TUNING, __FILE__, __LINE__,
               "TUNER/hiersearch: %s: %s", what, why);
    return TUNER_INVALID_USAGE;
}

static enum tuner_status read_channels(struct tuner *tuner)
{
    const char *text = getenv("HIERSEARCH_TUNER_CHANNELS");
    char *end;
    long channels;

    if (!text || !text[0])
        return TUNER_SUCCESS;
    channels = strtol(text, &end, 10);
    if (*end != '\0' || channels < 1 || channels > CHANNELS_MAX)
        return refuse(tuner, "HIERSEARCH_TUNER_CHANNELS", "expected a number from 1 to 64");
    tuner->channels = (int)channels;
    return TUNER_SUCCESS;
}

/* A file that cannot be used is an error: who names one wants it used, and training untuned looks
 * the same. */
static enum tuner_status read_rules(struct tuner *tuner)
{
    const char *path = getenv("HIERSEARCH_RESULT");
    const char *wrong;

    if (!path || !path[0])
        return refuse(tuner, "HIERSEARCH_RESULT", "not set; it names hiersearch's result file");
    wrong = rules_load(&tuner->rules, path);
    if (wrong)
        return refuse(tuner, path, wrong);
    tuner->said = calloc(tuner->rules.count * RULES_LAYERS, 1);
    tuner->log(TUNER_INFO, TUNER_LOG_INIT | TUNER_LOG_TUNING, __FILE__, __LINE__,
               "TUNER/hiersearch: %s: %zu rules for %.0f processes; %s size %zu", path,
               tuner->rules.count, tuner->rules.np,
               rules_know(&tuner->rules, tuner->ranks) ? "this communicator is a layer's, of"
                                                       : "left alone: no layer has",
               tuner->ranks);
    return tuner->said ? TUNER_SUCCESS : TUNER_SYSTEM_ERROR;
}

static enum tuner_status finalize(void *context)
{
    struct tuner *tuner = context;

    if (tuner) {
        rules_release(&tuner->rules);
        free(tuner->said);
    }
    free(tuner);
    return TUNER_SUCCESS;
}

static enum tuner_status init(void **context, size_t ranks, size_t nodes, TUNER_LOGGER(logger))
{
    struct tuner *tuner = calloc(1, sizeof(*tuner));
    enum tuner_status status;

    *context = NULL;
    if (!tuner)
        return TUNER_SYSTEM_ERROR;
    tuner->ranks = ranks;
    tuner->nodes = nodes;
    tuner->log = logger;
    status = read_channels(tuner);
    if (status == TUNER_SUCCESS)
        status = read_rules(tuner);
    if (status == TUNER_SUCCESS)
        *context = tuner;
    else
        finalize(tuner);
    return status;
}

static enum tuner_status init_v4(size_t ranks, size_t nodes, TUNER_LOGGER(logger), void **context)
{
    return init(context, ranks, nodes, logger);
}

static enum tuner_status init_v5(void **context, uint64_t communicator, size_t ranks, size_t nodes,
                                 TUNER_LOGGER(logger), void *nvlink_domains, void *constants)
{
    (void)communicator, (void)nvlink_domains, (void)constants;
    return init(context, ranks, nodes, logger);
}

/* The protocol for which NCCL's own model gives a ring the least time; -1: no ring can be used. */
static int cheapest(const float *ring, int protocols)
{
    int best = -1;

    for (int i = 0; i < protocols && i < TUNER_PROTOCOLS; i++)
        if (ring[i] >= 0 && (best < 0 || ring[i] < ring[best]))
            best = i;
    return best;
}

static void say(struct tuner *tuner, const struct rules_match *match,
                enum tuner_collective collective, size_t bytes, int protocol)
{
    size_t place = (size_t)(match->rule - tuner->rules.rules) * RULES_LAYERS + (size_t)match->layer;
    unsigned bit = 1U << (protocol + (collective == TUNER_ALL_GATHER ? TUNER_PROTOCOLS : 0));

    if (tuner->said[place] & bit)
        return;
    tuner->said[place] |= (unsigned char)bit;
    tuner->log(TUNER_INFO, TUNER_LOG_TUNING, __FILE__, __LINE__,
               "TUNER/hiersearch: %s of %zu bytes, %zu ranks on %zu nodes: layer %d of %s: "
               "Ring/%s, channels %d%s",
               collective_names[collective], bytes, tuner->ranks, tuner->nodes, match->layer + 1,
               match->rule->plan, protocol_names[protocol], tuner->channels,
               tuner->channels ? "" : " (NCCL's)");
}

static enum tuner_status get_coll_info(void *context, enum tuner_collective collective,
                                       size_t bytes, int pipelined, float **costs, int algorithms,
                                       int protocols, int registered, int *channels)
{
    struct tuner *tuner = context;
    float *ring = (float *)(void *)costs + (ptrdiff_t)TUNER_RING * protocols; /* one block */
    struct rules_match match;
    int protocol;

    (void)pipelined, (void)registered;
    *channels = 0;
    match = rules_find(&tuner->rules, collective, tuner->ranks, tuner->nodes, bytes);
    if (!match.rule || algorithms <= TUNER_RING)
        return TUNER_SUCCESS;
    protocol = cheapest(ring, protocols);
    if (protocol < 0)
        return TUNER_SUCCESS;
    ring[protocol] = 0;
    *channels = tuner->channels;
    say(tuner, &match, collective, bytes, protocol);
    return TUNER_SUCCESS;
}

extern const struct tuner_v4 ncclTunerPlugin_v4;
extern const struct tuner_v5 ncclTunerPlugin_v5;

EXPORTED const struct tuner_v4 ncclTunerPlugin_v4 = {"hiersearch", init_v4, get_coll_info,
                                                     finalize};
EXPORTED const struct tuner_v5 ncclTunerPlugin_v5 = {"hiersearch", init_v5, get_coll_info,
                                                     finalize};
