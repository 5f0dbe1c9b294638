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

/* Adds what the times said much of to the system's own. */
static enum hs_status keep(struct hs_system *system, const struct hs_constants_question *question,
                           const double *values, struct hs_error *err)
{
    for (size_t k = 0; k < question->model->count; k++) {
        const struct hs_constant *row = &question->model->constants[k];
        double range = exp(HS_NORMAL95 * question->deviations[k]);
        struct hs_own_constants *kept = &system->constants;
        size_t at = 0;

        if (!(question->deviations[k] < HS_CONSTANT_LEARNED * row->width))
            continue;
        while (at < kept->count && strcmp(kept->items[at].name, row->name) != 0)
            at++;
        if (at == kept->count) {
            if (!hs_grow(&kept->items, NULL, kept->count, sizeof(*kept->items), err))
                return HS_MEMORY;
            kept->count++;
        }
        snprintf(kept->items[at].name, sizeof(kept->items[at].name), "%s", row->name);
        kept->items[at].value = values[k];
        kept->items[at].low = values[k] / range;
        kept->items[at].high = values[k] * range;
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
    double residual;
    struct hs_constants_question question = {
        .model = hs_calls_model(system), .around = around, .deviations = deviations};
    enum hs_status status = list_points(&points, &question.count, list, err);

    question.points = points;
    if (status == HS_OK) {
        hs_calls_values(values, system);
        *before = hs_constants_error(&residual, &question, values);
        start_values(around, system);
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
    return status;
}
