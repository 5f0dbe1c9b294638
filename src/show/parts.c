#include "show/parts.h"

#include <math.h>
#include <stdio.h>

#include "system/parts.h"

#define TEXT_BYTES 64

/* An end of the 90 % range of a GPU's rate, in bytes per second: of -1 the lower. */
static double range_end(const struct hs_gpu *gpu, int end)
{
    double deviation = hs_figure_kinds[gpu->rate].bandwidth_deviation;

    return fmin(gpu->peak_GBps, gpu->nvlink_GBps * exp(end * HS_FIGURE_RANGE * deviation)) * 1e9;
}

/* Bytes; NaN: not known. */
static double memory_of(const struct hs_gpu *gpu)
{
    return gpu->memory_GB > 0 ? gpu->memory_GB * 1e9 : (double)NAN;
}

/* "A100-mesh, SS11" */
static const char *parts_text(char text[TEXT_BYTES], const struct hs_fitted_node *node)
{
    snprintf(text, TEXT_BYTES, "%s%s, %s", node->gpu, node->mesh ? "-mesh" : "", node->nic);
    return text;
}

/* clang-format off */
#define GPUS(column)                                                                               \
    column(GPU, "gpu", "GPU", NULL, TEXT, ALWAYS, gpu->name)                                       \
    column(LINKS, "links", "links", NULL, TEXT, ALWAYS, hs_link_names[gpu->link])                  \
    column(GPU_RATE, "bytes_per_second", "rate", NULL, RATE, ALWAYS, gpu->nvlink_GBps * 1e9)       \
    column(GPU_LOW, "low", "90 % from", NULL, RATE, ALWAYS, range_end(gpu, -1))                    \
    column(GPU_HIGH, "high", "to", NULL, RATE, ALWAYS, range_end(gpu, 1))                          \
    column(GPU_KIND, "kind", "kind", NULL, TEXT, ALWAYS, hs_figure_kinds[gpu->rate].name)          \
    column(PEAK, "peak_bytes_per_second", "peak", NULL, RATE, ALWAYS, gpu->peak_GBps * 1e9)        \
    column(SLOT, "slot_bytes_per_second", "slot", NULL, RATE, ALWAYS, gpu->slot_GBps * 1e9)        \
    column(MEMORY, "memory_bytes", NULL, NULL, COUNT, ALWAYS, memory_of(gpu))                      \
    column(MEMORY_TEXT, NULL, "memory", NULL, FIGURE, ALWAYS,                                      \
           gpu->memory_GB > 0 ? HS_AS_BYTES((uint64_t)memory_of(gpu)) : NULL)                      \
    column(GPU_TIMES, "times", "times", NULL, TEXT, ALWAYS, hs_figure_kinds[gpu->times].name)      \
    column(GPU_SOURCE, "source", "source", NULL, TEXT, ALWAYS, gpu->source)

#define NICS(column)                                                                               \
    column(NIC, "nic", "NIC", NULL, TEXT, ALWAYS, nic->name)                                       \
    column(CLASS, "class", "class", NULL, TEXT, ALWAYS, hs_nic_class_names[nic->class])            \
    column(LINE, "bytes_per_second", "line rate", NULL, RATE, ALWAYS, nic->line_GBps * 1e9)        \
    column(NIC_TIMES, "times", "times", NULL, TEXT, ALWAYS, hs_figure_kinds[nic->times].name)      \
    column(NIC_SOURCE, "source", "source", NULL, TEXT, ALWAYS, nic->source)

#define NODES(column)                                                                              \
    column(NODE, "parts", "measured together", NULL, TEXT, ALWAYS,                                 \
           parts_text((char[TEXT_BYTES]){0}, node))                                                \
    column(DOMAINS, "nodes", "up to nodes", NULL, COUNT, ALWAYS, node->domains)                    \
    column(NODE_SOURCE, "source", "source", NULL, TEXT, ALWAYS, node->source)
/* clang-format on */

enum { GPUS(HS_COLUMN_ID) };
enum { NICS(HS_COLUMN_ID) };
enum { NODES(HS_COLUMN_ID) };
static const struct hs_column gpus[] = {GPUS(HS_COLUMN_ROW)}, nics[] = {NICS(HS_COLUMN_ROW)},
                              nodes[] = {NODES(HS_COLUMN_ROW)};

void hs_gpus_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "gpus", gpus);
    table->cut = true;
    for (size_t i = 0; i < hs_gpu_count; i++) {
        const struct hs_gpu *gpu = &hs_gpus[i];

        hs_table_row(table);
        GPUS(HS_COLUMN_PUT)
    }
}

void hs_nics_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "nics", nics);
    table->cut = true;
    for (size_t i = 0; i < hs_nic_count; i++) {
        const struct hs_nic *nic = &hs_nics[i];

        hs_table_row(table);
        NICS(HS_COLUMN_PUT)
    }
}

void hs_fitted_nodes_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "nodes", nodes);
    table->cut = true;
    for (size_t i = 0; i < hs_fitted_node_count; i++) {
        const struct hs_fitted_node *node = &hs_fitted_nodes[i];

        hs_table_row(table);
        NODES(HS_COLUMN_PUT)
    }
}
