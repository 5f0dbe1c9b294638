#include "estimate/gpu_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FORMAT_WITHIN 64    /* letters of a file */
#define FIGURES_MAX   10000 /* of a file */

#define PROBE(member)  HS_AT(struct hs_gpu_probe, member)
#define FIGURE(member) HS_AT(struct hs_gpu_figure, member)

static const struct hs_field figure_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct hs_gpu_figure, name), .min = 1},
    {"bytes", HS_INTEGER, FIGURE(bytes), .max = 0x1p53},
    {"count", HS_INTEGER, FIGURE(count), .max = 0x1p53},
    {"seconds", HS_TIME, FIGURE(seconds)},
};
static const struct hs_fields figure_fields = {HS_ROWS(figure_rows, struct hs_gpu_figure)};

static const struct hs_field probe_rows[] = {
    {"format", HS_CONSTANT, .text = HS_PROBE_FORMAT},
    {"gpu", HS_TEXT, HS_OWNED(struct hs_gpu_probe, gpu), .min = 1},
    {"driver", HS_TEXT, HS_OWNED(struct hs_gpu_probe, driver), .min = 1},
    {"processors", HS_INTEGER, PROBE(processors), .min = 1, .max = 1e6},
    {"figures", HS_LIST, HS_LIST_AT(struct hs_gpu_probe, figures, count), .max = FIGURES_MAX,
     .fields = &figure_fields},
};
const struct hs_fields hs_gpu_probe_fields = {HS_ROWS(probe_rows, struct hs_gpu_probe)};

bool hs_gpu_probe_is(const char *text)
{
    const char *format = strstr(text, HS_PROBE_FORMAT);

    return format && format - text < FORMAT_WITHIN;
}

/* The next figure of that name from *at on; NULL: there is none. */
static const struct hs_gpu_figure *next_of(const struct hs_gpu_probe *probe, const char *name,
                                           size_t *at)
{
    while (*at < probe->count) {
        const struct hs_gpu_figure *figure = &probe->figures[(*at)++];

        if (strcmp(figure->name, name) == 0 && figure->seconds > 0)
            return figure;
    }
    return NULL;
}

static double most_of_a_block(const struct hs_gpu_probe *probe)
{
    const struct hs_gpu_figure *figure;
    double most = 0;

    for (size_t at = 0; (figure = next_of(probe, HS_PROBE_ADD, &at));)
        if (figure->count > 0)
            most = fmax(most, (double)figure->bytes / ((double)figure->count * figure->seconds));
    return most;
}

/* 0: nothing of it was measured. */
static int64_t at_once(const struct hs_gpu_probe *probe)
{
    const struct hs_gpu_figure *figure, *alone = NULL, *beside = NULL;
    double part;

    for (size_t at = 0; (figure = next_of(probe, HS_PROBE_BESIDE, &at));) {
        if (figure->count == 0)
            alone = figure;
        else if (!beside || figure->count > beside->count)
            beside = figure;
    }
    if (!alone || !beside)
        return 0;
    part = 1 - alone->seconds / beside->seconds;
    if (part * (double)probe->processors <= (double)beside->count)
        return probe->processors;
    return llrint((double)beside->count / part);
}

enum hs_status hs_gpu_probe_parse(struct hs_gpu_probe *probe, const char *name, const char *text,
                                  size_t length, struct hs_error *err)
{
    if (probe->gpu)
        return hs_fail(err, HS_INVALID, "%s: the figures of a GPU, of which there are some already",
                       name);
    return hs_fields_parse(&hs_gpu_probe_fields, probe, name, text, length, err);
}

enum hs_status hs_gpu_probe_use(struct hs_system *system, const struct hs_gpu_probe *probe,
                                struct hs_error *err)
{
    struct hs_gpu_blocks blocks = {most_of_a_block(probe) / 1e9, at_once(probe)};
    struct hs_text source = {0};

    if (!system->parts)
        return hs_fail(err, HS_INVALID,
                       "a GPU's own figures are for a machine in parts, such as \"8xH100, "
                       "8xNDR400\", on which stages are NCCL's calls");
    if (!(blocks.GBps > 0))
        return hs_fail(err, HS_INVALID, "expected a figure \"%s\", found none", HS_PROBE_ADD);
    if (blocks.at_once == 0)
        return hs_fail(err, HS_INVALID, "expected figures \"%s\" of none and of some, found none",
                       HS_PROBE_BESIDE);
    hs_text_append(&source, "measured: gpu-probe, %s, %s", probe->gpu, probe->driver);
    if (source.failed) {
        hs_text_release(&source);
        return hs_no_memory(err);
    }
    free(system->blocks_source);
    system->blocks_source = source.data;
    system->blocks = system->nccl.parts.blocks = blocks;
    return HS_OK;
}
