/* What of a job's profile is measured: the sizes of one collective and group, each for as much of
 * the budget as it costs the job. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/inputs.h"
#include "cli/cmd_measure.h"
#include "record/profile_call.h"

/* A size that costs next to nothing gets this part of an even share. */
#define LEAST_SHARE 0.1
/* Part of the job from which on a load that is not measured is named. */
#define LEAST_SAID 0.001

/* " --mesh inside=8,group=8 --group group"; all ranks may be named so, too. */
static void append_mesh(struct hs_text *text, const struct hs_profile_load *load)
{
    if (load->mesh.count > 0)
        hs_text_append(text, " --mesh %s --group %s",
                       hs_mesh_format((char[HS_MESH_TEXT]){0}, &load->mesh),
                       hs_mesh_format_over((char[HS_MESH_TEXT]){0}, &load->mesh));
    else
        hs_text_append(text, " --mesh all=%" PRId64 " --group all", load->group.ranks);
}

/* Whether it is what the options ask for, as far as they do. */
static bool is_asked(const struct hs_profile_load *load, const struct hs_measure_settings *settings)
{
    const struct hs_mesh *mesh = &settings->campaign.call.mesh;
    struct hs_group group = hs_mesh_group(mesh, load->group.ranks);

    return (!settings->job.collective || settings->campaign.call.collective == load->collective) &&
           (mesh->count == 0 || hs_group_equal(&group, &load->group));
}

/* Which load is measured, and how the others are. */
static void say_choice(struct hs_measure_job *job, const struct hs_profile_load *loads,
                       size_t count, const struct hs_profile_load *chosen)
{
    double all = 0;
    size_t small = 0;

    for (size_t i = 0; i < count; i++)
        all += loads[i].cost;
    hs_text_append(&job->notes,
                   "%s: %s of groups of %" PRId64 ", %s %% of what the job spends where plans are "
                   "known, %zu size%s\n",
                   job->profile, hs_collective_names[chosen->collective], chosen->group.size,
                   HS_AS_PERCENT(chosen->cost / all, 1), chosen->size_count,
                   HS_PLURAL(chosen->size_count));
    for (size_t i = 0; i < count; i++) {
        if (&loads[i] == chosen)
            continue;
        if (loads[i].cost < LEAST_SAID * all) {
            small++;
            continue;
        }
        hs_text_append(&job->notes,
                       "not measured, %s %%: hiersearch measure --profile %s --collective %s",
                       HS_AS_PERCENT(loads[i].cost / all, 1), job->profile,
                       hs_collective_names[loads[i].collective]);
        append_mesh(&job->notes, &loads[i]);
        hs_text_append(&job->notes, "\n");
    }
    if (small > 0)
        hs_text_append(&job->notes, "nor are %zu more, each less than %s %%\n", small,
                       HS_AS_PERCENT(LEAST_SAID, 1));
}

/* Sizes in whole elements, those that then are one joined, with their shares of the budget. */
static void take_sizes(struct hs_measure_settings *settings, const struct hs_profile_load *load)
{
    struct hs_measure_job *job = &settings->job;
    struct hs_range *sizes = &settings->campaign.sizes;
    uint64_t element = hs_datatype_bytes(settings->campaign.datatype);
    double all = 0;

    *sizes = (struct hs_range){.count = 0};
    for (size_t i = 0; i < load->size_count; i++) {
        uint64_t bytes = load->sizes[i].bytes / element * element;

        bytes = bytes < element ? element : bytes;
        if (sizes->count == 0 || sizes->values[sizes->count - 1] != bytes) {
            job->shares[sizes->count] = 0;
            sizes->values[sizes->count++] = bytes;
        }
        job->shares[sizes->count - 1] += load->sizes[i].cost / load->cost;
    }
    sizes->first = sizes->values[0];
    sizes->last = sizes->values[sizes->count - 1];
    for (size_t i = 0; i < sizes->count; i++) {
        if (!(job->shares[i] > LEAST_SHARE / (double)sizes->count))
            job->shares[i] = LEAST_SHARE / (double)sizes->count;
        all += job->shares[i];
    }
    for (size_t i = 0; i < sizes->count; i++)
        job->shares[i] /= all;
}

static enum hs_status choose(struct hs_measure_settings *settings,
                             const struct hs_profile_load *loads, size_t count,
                             struct hs_error *err)
{
    struct hs_measure_job *job = &settings->job;
    size_t at = 0;

    while (at < count && !is_asked(&loads[at], settings))
        at++;
    if (at == count)
        return hs_fail(err, HS_INVALID,
                       "%s: the job calls no %s%s that can be measured; `hiersearch profile "
                       "--read` shows what it calls",
                       job->profile,
                       job->collective ? hs_collective_names[settings->campaign.call.collective]
                                       : "collective",
                       settings->campaign.call.mesh.count > 0 ? " of these groups" : "");
    settings->campaign.call.collective = loads[at].collective;
    if (settings->campaign.call.mesh.count == 0 || loads[at].mesh.count == 0)
        settings->campaign.call.mesh = loads[at].mesh;
    say_choice(job, loads, count, &loads[at]);
    take_sizes(settings, &loads[at]);
    return job->notes.failed ? hs_no_memory(err) : HS_OK;
}

enum hs_status hs_measure_take_profile(struct hs_measure_settings *settings, struct hs_error *err)
{
    struct hs_measure_job *job = &settings->job;
    struct hs_profile profile;
    struct hs_profile_load *loads = NULL;
    size_t count = 0;
    enum hs_status status = hs_inputs_profile(&profile, job->profile, err);

    if (status != HS_OK)
        return status;
    job->ranks = profile.ranks;
    status = hs_profile_loads(&loads, &count, &profile, err);
    if (status == HS_OK)
        status = choose(settings, loads, count, err);
    free(loads);
    hs_profile_release(&profile);
    return status;
}
