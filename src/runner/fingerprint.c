/* fingerprint.c - see fingerprint.h. */
#include "runner/fingerprint.h"

#include <assert.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/backends.h"
#include "record/result.h"
#include "version.h"

#define FACTS_MAX 23

/* A fact with a NULL remembers that memory ran out. */
static void add(struct hs_journal_run *run, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct hs_journal_run *run, const char *name, const char *format, ...)
{
    struct hs_fact *fact = &run->facts[run->count++];
    va_list arguments;

    assert(run->count <= FACTS_MAX);
    fact->name = hs_strdup(name);
    va_start(arguments, format);
    if (vasprintf(&fact->text, format, arguments) < 0)
        fact->text = NULL;
    va_end(arguments);
}

static void add_sizes(struct hs_journal_run *run, const struct hs_range *sizes)
{
    struct hs_text text = {0};
    char size[HS_UNIT_TEXT];

    for (uint64_t bytes = sizes->first; bytes; bytes = hs_range_next(sizes, bytes))
        hs_text_append(&text, "%s%s", text.length ? "," : "", hs_bytes_format(size, bytes));
    add(run, "size", "%s", text.failed ? "" : text.data);
    hs_text_release(&text);
}

/* "allreduce", "reduce-scatter reversed" */
static void add_collective(struct hs_journal_run *run, const struct hs_campaign_options *options)
{
    bool ordered = hs_collectives[options->call.collective].ordered;

    add(run, HS_JOURNAL_COLLECTIVE, "%s%s%s", hs_collective_names[options->call.collective],
        ordered ? " " : "", ordered ? hs_layout_names[options->call.layout] : "");
}

/* "dp of tp=2,dp=8"; where all call "", which a journal from before there were meshes says, too. */
static void add_mesh(struct hs_journal_run *run, const struct hs_mesh *mesh)
{
    char axes[HS_MESH_TEXT], over[HS_MESH_TEXT];

    add(run, "mesh", "%s%s%s", hs_mesh_format_over(over, mesh), mesh->count > 0 ? " of " : "",
        hs_mesh_format(axes, mesh));
}

/* "n1:4 n2:4": hosts and ranks, in order. */
static void add_nodes(struct hs_journal_run *run, const struct hs_rank_order *order)
{
    struct hs_text text = {0};

    for (int64_t i = 0; i < order->node_count; i++)
        hs_text_append(&text, "%s%s:%" PRId64, i ? " " : "", order->nodes[i].host,
                       order->nodes[i].ranks);
    add(run, "nodes", "%s", text.failed || !text.data ? "" : text.data);
    hs_text_release(&text);
}

/* What the line leaves out of single links. */
static void add_links(struct hs_text *text, const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++)
        for (size_t i = 0; i < system->levels[l].links.count; i++) {
            const struct hs_link *link = &system->levels[l].links.items[i];

            hs_text_append(text, " %d%c%dx%d@%.17g~%.17g", link->from, link->one_way ? '>' : '-',
                           link->to, link->count, link->bytes_per_second, link->latency_seconds);
        }
}

static void add_system(struct hs_journal_run *run, const struct hs_campaign *campaign)
{
    struct hs_text text = {0};

    if (campaign->has_system) {
        hs_system_format(&text, &campaign->system);
        add_links(&text, &campaign->system);
    }
    add(run, "system", "%s", text.data ? text.data : "");
    hs_text_release(&text);
}

static void add_library(struct hs_journal_run *run)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    add(run, "mpi", "%s", library);
}

/* As rank 0 has them. NVML's driver is more precise than CUDA's, which names the CUDA version only.
 * */
static void add_device(struct hs_journal_run *run, const struct hs_campaign *campaign)
{
    const struct hs_memory *memory = campaign->memory ? campaign->memory : &hs_memory_host;
    struct hs_device_facts facts = {.gpu = ""};

    if (campaign->backend->memory_use != HS_MEMORY_OWN)
        add(run, "buffers", "%s", memory->name);
    if (campaign->backend->identify)
        campaign->backend->identify(&facts);
    else if (campaign->backend->memory_use != HS_MEMORY_OWN && memory->identify)
        memory->identify(&facts);
    else
        return;
    add(run, "gpu", "%s", facts.gpu);
    add(run, "driver", "%s%s%s", campaign->machine.driver, campaign->machine.driver[0] ? ", " : "",
        facts.driver);
    if (facts.nccl[0])
        add(run, "nccl", "%s", facts.nccl);
}

/* What of NCCL's environment may change times: "NCCL_ALGO=Ring NCCL_PROTO=LL". */
static void add_environment(struct hs_journal_run *run, struct hs_error *err)
{
    struct hs_result result = {0};
    struct hs_text text = {0};

    if (hs_result_set_environment(&result, environ, "NCCL_", err) != HS_OK)
        text.failed = true;
    for (size_t i = 0; i < result.environment_count && !text.failed; i++)
        if (strncmp(result.environment[i].name, "NCCL_DEBUG", strlen("NCCL_DEBUG")) != 0)
            hs_text_append(&text, "%s%s=%s", text.length ? " " : "", result.environment[i].name,
                           result.environment[i].text);
    add(run, "environment", "%s", text.data ? text.data : "");
    hs_text_release(&text);
    hs_result_release(&result);
}

enum hs_status hs_fingerprint_take(struct hs_journal_run *run, const struct hs_campaign *campaign,
                                   struct hs_error *err)
{
    const struct hs_campaign_options *options = &campaign->settings.campaign;

    *run = (struct hs_journal_run){.facts = calloc(FACTS_MAX, sizeof(*run->facts))};
    if (!run->facts)
        return hs_no_memory(err);
    add(run, "np", "%d", campaign->ranks.np);
    add(run, "backend", "%s", campaign->backend->name);
    add(run, "measures", "%s", campaign->settings.calibrate ? "layers" : "plans");
    add_sizes(run, &options->sizes);
    add(run, "dtype", "%s", hs_datatype_names[options->datatype]);
    if (options->registered)
        add(run, "registered", "yes");
    add(run, "op", "%s", hs_operation_names[options->operation]);
    add_collective(run, options);
    add_mesh(run, &options->call.mesh);
    add_nodes(run, &campaign->order);
    add_system(run, campaign);
    add(run, "hiersearch", "%s", HS_VERSION);
    add_library(run);
    add_device(run, campaign);
    if (hs_backend_is_nccl(campaign->backend->name))
        add_environment(run, err);
    if (campaign->backend == &hs_backend_null)
        add(run, "seed", "%" PRId64, options->play.seed);
    for (size_t i = 0; i < run->count; i++)
        if (!run->facts[i].name || !run->facts[i].text)
            return hs_no_memory(err);
    return HS_OK;
}
