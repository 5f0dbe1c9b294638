#include "answer/jobs.h"

#include <string.h>

/* Of a model: as many layers as large ones have, about. */
#define UNITS_USUAL 64
/* Bytes of a parameter: more than any optimizer keeps. */
#define OPTIMIZER_MOST 1024

const char *hs_job_asked(const struct hs_placed_words *place, const struct hs_sharded_words *hsdp)
{
    return place->asked ? "place" : hsdp->asked ? "hsdp" : NULL;
}

/* The first of the words that is given without the flag that it belongs to. */
static const char *stray_word(const struct hs_placed_words *place,
                              const struct hs_sharded_words *hsdp)
{
    if (!place->asked && place->messages)
        return "--messages: only with --place";
    if (!hsdp->asked &&
        (hsdp->parameters > 0 || hsdp->units > 0 || hsdp->memory > 0 || hsdp->optimizer))
        return hsdp->parameters > 0 ? "--parameters: only with --hsdp"
               : hsdp->units > 0    ? "--units: only with --hsdp"
               : hsdp->memory > 0   ? "--memory: only with --hsdp"
                                    : "--optimizer-bytes: only with --hsdp";
    return NULL;
}

static enum hs_status take_sharded(struct hs_sharded_words *words, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (words->units == 0)
        words->units = UNITS_USUAL;
    if (words->optimizer)
        status = hs_count_parse(&words->optimizer_bytes, words->optimizer, "bytes per parameter", 0,
                                OPTIMIZER_MOST, err);
    return status ? hs_error_prefix(err, status, "--optimizer-bytes") : HS_OK;
}

/* A job of several messages is no point of a search, nor a result. */
enum hs_status hs_job_take(const struct hs_question *ask, const struct hs_placed_words *place,
                           struct hs_sharded_words *hsdp, bool elsewise, struct hs_error *err)
{
    const char *stray = stray_word(place, hsdp), *asked = hs_job_asked(place, hsdp);

    if (stray)
        return hs_fail(err, HS_INVALID, "%s", stray);
    if (!asked)
        return HS_OK;
    if (place->asked && (!ask->words.mesh || !place->messages))
        return hs_fail(err, HS_INVALID, "--place: expected --%s",
                       ask->words.mesh ? "messages, such as tp:allreduce:64MiB*160"
                                       : "mesh, such as tp=8,dp=64");
    if (hsdp->asked && (hsdp->parameters == 0 || ask->words.mesh))
        return hs_fail(err, HS_INVALID,
                       "--hsdp: expected --parameters, such as 70e9, and no --mesh");
    if (hsdp->asked && (place->asked || ask->np.first != ask->np.last))
        return hs_fail(err, HS_INVALID, "--hsdp: expected one process count, and not --place");
    if (ask->words.over || ask->bytes.first > 0 || elsewise || ask->chunks.count > 0 ||
        (place->asked && ask->budget_seconds > 0) ||
        strcmp(ask->search, hs_search_strategies[0].name) != 0)
        return hs_fail(err, HS_INVALID,
                       "--%s: not together with --over, --size, --explain, --before, --output, "
                       "--chunks%s or --search",
                       asked, place->asked ? ", --budget" : "");
    return take_sharded(hsdp, err);
}

enum hs_status hs_job_check_profile(const struct hs_question *ask, bool elsewise,
                                    struct hs_error *err)
{
    if (ask->np.first > 0 || ask->words.mesh || ask->words.over || ask->bytes.first > 0)
        return hs_fail(err, HS_INVALID,
                       "--profile: says processes, groups and sizes itself; expected no --np, "
                       "--mesh, --over or --size");
    if (elsewise || ask->budget_seconds > 0)
        return hs_fail(err, HS_INVALID,
                       "--profile: not together with --place, --hsdp, --explain, --before, "
                       "--output, --as or --budget");
    return HS_OK;
}

struct hs_search_request hs_job_request(const struct hs_asked *asked)
{
    unsigned algorithms = asked->question->algorithms;

    return (struct hs_search_request){
        .system = asked->system,
        .algorithms = algorithms ? algorithms : hs_system_algorithms(asked->system),
        .serial_calls = hs_system_is_nccl_native(asked->system)};
}
