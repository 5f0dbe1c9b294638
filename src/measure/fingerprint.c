/* fingerprint.c - see fingerprint.h. */
#include "measure/fingerprint.h"

#include <assert.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"

/* A fact whose text is NULL remembers that memory ran out. */
static void add(struct hs_fingerprint *print, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct hs_fingerprint *print, const char *name, const char *format, ...)
{
    struct hs_journal_fact *fact = &print->facts[print->count++];
    va_list arguments;

    assert(print->count <= HS_FINGERPRINT_FACTS);
    fact->name = name;
    va_start(arguments, format);
    if (vasprintf(&fact->text, format, arguments) < 0)
        fact->text = NULL;
    va_end(arguments);
}

static void add_sizes(struct hs_fingerprint *print, const struct hs_range *sizes)
{
    char first[HS_UNIT_TEXT], last[HS_UNIT_TEXT];

    hs_bytes_format(first, sizes->first);
    hs_bytes_format(last, sizes->last);
    add(print, "size", "%s%s%s", first, sizes->last > sizes->first ? ":" : "",
        sizes->last > sizes->first ? last : "");
}

/* "n1:4 n2:4": hosts and ranks, in order. */
static void add_nodes(struct hs_fingerprint *print, const struct hs_rank_order *order)
{
    struct hs_text text = {0};

    for (int64_t i = 0; i < order->node_count; i++)
        hs_text_append(&text, "%s%s:%" PRId64, i ? " " : "", order->nodes[i].host,
                       order->nodes[i].ranks);
    add(print, "nodes", "%s", text.failed || !text.data ? "" : text.data);
    hs_text_release(&text);
}

static void add_system(struct hs_fingerprint *print, const struct hs_campaign *campaign)
{
    struct hs_text text = {0};

    if (campaign->has_system)
        hs_system_format(&text, &campaign->system);
    add(print, "system", "%s", text.data ? text.data : "");
    hs_text_release(&text);
}

static void add_library(struct hs_fingerprint *print)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    add(print, "mpi", "%s", library);
}

/* As rank 0 has them. NVML's driver is more precise than CUDA's, which names the CUDA version only.
 * */
static void add_device(struct hs_fingerprint *print, const struct hs_campaign *campaign)
{
    const struct hs_memory *memory = campaign->memory ? campaign->memory : &hs_memory_host;
    struct hs_device_facts facts = {.gpu = ""};

    if (campaign->backend->memory_use != HS_MEMORY_OWN)
        add(print, "buffers", "%s", memory->name);
    if (campaign->backend->identify)
        campaign->backend->identify(&facts);
    else if (campaign->backend->memory_use != HS_MEMORY_OWN && memory->identify)
        memory->identify(&facts);
    else
        return;
    add(print, "gpu", "%s", facts.gpu);
    add(print, "driver", "%s%s%s", campaign->machine.driver,
        campaign->machine.driver[0] ? ", " : "", facts.driver);
    if (facts.nccl[0])
        add(print, "nccl", "%s", facts.nccl);
}

enum hs_status hs_fingerprint_take(struct hs_fingerprint *print, const struct hs_campaign *campaign,
                                   struct hs_error *err)
{
    const struct hs_campaign_options *options = &campaign->options;

    *print = (struct hs_fingerprint){.count = 0};
    add(print, "np", "%d", campaign->ranks.np);
    add(print, "backend", "%s", campaign->backend->name);
    add_sizes(print, &options->sizes);
    add(print, "dtype", "%s", hs_datatype_names[options->datatype]);
    add(print, "op", "%s", hs_operation_names[options->operation]);
    add_nodes(print, &campaign->order);
    add_system(print, campaign);
    add(print, "hiersearch", "%s", HS_VERSION);
    add_library(print);
    add_device(print, campaign);
    if (campaign->backend == &hs_backend_null)
        add(print, "seed", "%" PRId64, options->seed);
    for (size_t i = 0; i < print->count; i++)
        if (!print->facts[i].text)
            return hs_fail(err, HS_MEMORY, "out of memory");
    return HS_OK;
}

void hs_fingerprint_release(struct hs_fingerprint *print)
{
    for (size_t i = 0; i < print->count; i++)
        free(print->facts[i].text);
    print->count = 0;
}
