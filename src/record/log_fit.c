#include "record/log_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/statistics.h"
#include "library/library_mpi.h"
#include "library/library_nccl.h"
#include "library/price_nccl.h"

/* The calls that have a price, for a model: owned by the caller. */
static enum hs_status list_points(struct hs_price_point **points, size_t *count,
                                  const struct hs_call_list *list, struct hs_error *err)
{
    *count = 0;
    *points = calloc(list->count + 1, sizeof(**points));
    if (!*points)
        return hs_no_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        const void *call = hs_log_call_priced(&list->items[i]);

        if (call)
            (*points)[(*count)++] = (struct hs_price_point){call, list->items[i].seconds};
    }
    if (*count > 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: nothing is fitted to MPI's alltoall, and there is no other call",
                   list->items[0].file);
}

/* ---- where algorithms change ----------------------------------------------------------------- */

#define SWITCH_MOST 16.0 /* times and over the library's sizes */
#define SWITCH_STEP 2.0
#define SWITCH_COST 4.0 /* of a fit's (constants.h), that a change has to save */

static void choose(struct hs_call_list *calls, enum hs_library_call kind, double moved)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->items[i].kind == kind && hs_log_call_priced(&calls->items[i]) &&
            !calls->items[i].among)
            hs_log_call_choose(&calls->items[i], moved);
}

static bool has(const struct hs_call_list *calls, enum hs_library_call kind)
{
    size_t i = 0;

    while (i < calls->count && (calls->items[i].kind != kind || calls->items[i].among))
        i++;
    return i < calls->count;
}

/* Leaves the calls of a kind to the algorithms by which the constants meet the times best. */
static enum hs_status find_switch(double *moved, struct hs_call_list *calls,
                                  enum hs_library_call kind,
                                  const struct hs_constants_question *question,
                                  struct hs_error *err)
{
    double least = INFINITY, tried, values[HS_CONSTANTS_MAX], cost;
    enum hs_status status = HS_OK;

    *moved = 1;
    for (tried = 1 / SWITCH_MOST; tried <= SWITCH_MOST && !status; tried *= SWITCH_STEP) {
        choose(calls, kind, tried);
        memcpy(values, question->around, sizeof(values));
        status = hs_constants_fit(values, &cost, question, err);
        cost += tried == 1 ? 0 : SWITCH_COST;
        if (status == HS_OK && cost < least) {
            least = cost;
            *moved = tried;
        }
    }
    choose(calls, kind, *moved);
    return status;
}

static enum hs_status keep_one(struct hs_own_constants *kept, const char *name, double value,
                               double range, struct hs_error *err)
{
    size_t at = 0;

    while (at < kept->count && strcmp(kept->items[at].name, name) != 0)
        at++;
    if (at == kept->count) {
        if (!hs_grow(&kept->items, NULL, kept->count, sizeof(*kept->items), err))
            return HS_MEMORY;
        kept->count++;
    }
    snprintf(kept->items[at].name, sizeof(kept->items[at].name), "%s", name);
    kept->items[at].value = value;
    kept->items[at].low = value / range;
    kept->items[at].high = value * range;
    return HS_OK;
}

/* Of an MPI library on nodes of several ranks, where no two machines are alike. */
static enum hs_status find_switches(struct hs_system *system, struct hs_call_list *calls,
                                    const struct hs_constants_question *question,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;
    double moved;

    if (question->model != &hs_mpi_price_model || !hs_system_shares_memory(system))
        return HS_OK;
    for (int kind = 0; kind < HS_LIBRARY_CALL_COUNT && !status; kind++) {
        if (!has(calls, (enum hs_library_call)kind))
            continue;
        status = find_switch(&moved, calls, (enum hs_library_call)kind, question, err);
        if (!status)
            status = keep_one(
                &system->constants,
                hs_mpi_constants[hs_mpi_switch_of((enum hs_library_call)kind)].name, moved,
                sqrt(SWITCH_STEP), err);
    }
    return status;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Adds what the times said much of to the system's own. */
static enum hs_status keep(struct hs_system *system, const struct hs_constants_question *question,
                           const double *values, struct hs_error *err)
{
    for (size_t k = 0; k < question->model->count; k++) {
        const struct hs_constant *row = &question->model->constants[k];
        double range = exp(HS_NORMAL95 * question->deviations[k]);

        if (!(question->deviations[k] < HS_CONSTANT_LEARNED * row->width))
            continue;
        if (keep_one(&system->constants, row->name, values[k], range, err))
            return HS_MEMORY;
        if (question->model == &hs_nccl_price_model)
            system->nccl.own[k] = values[k];
    }
    system->nccl.doubt = system->constants.count > 0 ? HS_NCCL_DOUBT_OWN : 0;
    return HS_OK;
}

/* Levels alone price calls without what such constants are for: then those that ship. */
static void start_values(double *values, const struct hs_system *system)
{
    if (system->constants.count > 0)
        hs_calls_values(values, system);
    else
        hs_constants_shipped(values, hs_calls_model(system));
}

/* The latest version among the logs is what runs there, as far as they say another than usual. */
static enum hs_status keep_version(struct hs_system *system, const struct hs_call_list *list,
                                   struct hs_error *err)
{
    char text[HS_NCCL_VERSION_TEXT];
    int version = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].library == HS_LIBRARY_NCCL && list->items[i].nccl.call.version > version)
            version = list->items[i].nccl.call.version;
    if (version == 0 ||
        version == (system->nccl.version ? system->nccl.version : HS_NCCL_VERSION_USUAL))
        return HS_OK;
    free(system->library_version);
    system->library_version = hs_strdup(hs_nccl_version_format(text, version));
    system->nccl.version = version;
    return system->library_version ? HS_OK : hs_no_memory(err);
}

static enum hs_status copy_list(struct hs_call_list *copy, const struct hs_call_list *list,
                                struct hs_error *err)
{
    copy->items = malloc((list->count + 1) * sizeof(*copy->items));
    if (!copy->items)
        return hs_no_memory(err);
    memcpy(copy->items, list->items, list->count * sizeof(*copy->items));
    copy->count = list->count;
    return HS_OK;
}

/* What all of the logs' calls were forced to is what runs there. */
static enum hs_status keep_algorithm(struct hs_system *system, const struct hs_call_list *list,
                                     struct hs_error *err)
{
    const char *const *names = hs_nccl_algorithm_names;
    size_t count = HS_NCCL_ALGORITHM_COUNT;
    struct hs_text text = {0};
    unsigned among = ~0U;

    for (size_t i = 0; i < list->count; i++) {
        if (hs_log_call_priced(&list->items[i]))
            among &= list->items[i].among;
        if (list->items[i].among != list->items[0].among)
            among = 0;
    }
    if (hs_system_library(system) != HS_LIBRARY_NCCL) {
        names = hs_mpi_algorithm_names;
        count = HS_MPI_ALGORITHM_COUNT;
    }
    for (size_t a = 0; a < count; a++)
        if (among & 1U << a)
            hs_text_append(&text, "%s%s", text.length > 0 ? "," : "", names[a]);
    free(system->library_algorithm);
    system->library_algorithm = text.length > 0 ? hs_strdup(text.data) : NULL;
    system->nccl.among = hs_system_library(system) == HS_LIBRARY_NCCL ? among : 0;
    hs_text_release(&text);
    return among == 0 || system->library_algorithm ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_calls_fit(struct hs_system *system, const struct hs_call_list *list,
                            double *before, double *after, struct hs_error *err)
{
    double values[HS_CONSTANTS_MAX], around[HS_CONSTANTS_MAX], deviations[HS_CONSTANTS_MAX];
    struct hs_price_point *points = NULL;
    struct hs_call_list calls = {0};
    double residual;
    struct hs_constants_question question = {
        .model = hs_calls_model(system), .around = around, .deviations = deviations};
    enum hs_status status = copy_list(&calls, list, err);

    if (status == HS_OK)
        status = list_points(&points, &question.count, &calls, err);

    question.points = points;
    if (status == HS_OK) {
        hs_calls_values(values, system);
        *before = hs_constants_error(&residual, &question, values);
        start_values(around, system);
        status = find_switches(system, &calls, &question, err);
    }
    if (status == HS_OK) {
        memcpy(values, around, sizeof(values));
        status = hs_constants_fit(values, NULL, &question, err);
    }
    if (status == HS_OK)
        status = keep(system, &question, values, err);
    if (status == HS_OK)
        status = keep_version(system, list, err);
    if (status == HS_OK)
        status = keep_algorithm(system, list, err);
    if (status == HS_OK) {
        hs_calls_values(values, system);
        *after = hs_constants_error(&residual, &question, values);
        system->constants.residual = system->constants.count > 0 ? residual : 0;
        system->nccl.residual = system->constants.residual;
    }
    free(points);
    hs_call_list_release(&calls);
    return status;
}
