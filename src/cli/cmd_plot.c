#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/gnuplot.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "plot/plot.h"

struct plot_settings {
    struct hs_argument_list results;
    const char *kind, *output, *size, *plan, *type;
    bool tsv, quiet;
};

/* ---- the kind of picture ---- */

/* The type that the file's name ends in, or NULL. */
static const char *type_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && !strchr(dot, '/') && hs_gnuplot_types[i]; i++)
        if (strcasecmp(dot + 1, hs_gnuplot_types[i]) == 0)
            return hs_gnuplot_types[i];
    return NULL;
}

static enum hs_status check_settings(const char **type, const struct plot_settings *settings,
                                     const struct hs_context *context, struct hs_error *err)
{
    bool to_stdout = settings->output && strcmp(settings->output, "-") == 0;

    *type = settings->type;
    if (settings->tsv)
        return settings->type
                   ? hs_fail(err, HS_INVALID, "--tsv and --type: not together; TSV is no picture")
                   : HS_OK;
    if (!settings->output)
        return hs_fail(err, HS_INVALID,
                       "expected -o FILE that ends in .svg, .pdf or .png, or --tsv");
    if (!*type && !to_stdout)
        *type = type_of_name(settings->output);
    if (!*type)
        return hs_fail(err, HS_INVALID,
                       "-o %s: expected a name that ends in .svg, .pdf or .png, or --type",
                       settings->output);
    if (to_stdout && context->terminal.is_terminal && strcmp(*type, "svg") != 0)
        return hs_fail(err, HS_INVALID, "-o -: will not write a %s picture to a terminal", *type);
    return HS_OK;
}

/* ---- output ---- */

static void print_complaints(const struct hs_context *context, const struct hs_text *complaints)
{
    const char *line = complaints->data ? complaints->data : "";

    for (; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");

        if (length > strspn(line, " \t^"))
            hs_warning(context, "gnuplot: %.*s", (int)length, line);
        line += length;
    }
}

static enum hs_status write_out(struct hs_context *context, const struct hs_text *data,
                                const char *path, struct hs_error *err)
{
    if (path && strcmp(path, "-") != 0)
        return hs_file_replace(path, data->data, data->length, err);
    hs_text_append_bytes(context->out, data->data, data->length);
    return HS_OK;
}

static enum hs_status draw(struct hs_context *context, const struct hs_text *tsv,
                           const struct plot_settings *settings, const char *type,
                           struct hs_error *err)
{
    struct hs_gnuplot_request request = {
        .kind = settings->kind, .type = type, .tsv = tsv, .limit_seconds = HS_GNUPLOT_SECONDS};
    struct hs_text picture = {0}, complaints = {0};
    enum hs_status status = hs_gnuplot_draw(&picture, &complaints, &request, err);

    if (status == HS_OK) {
        print_complaints(context, &complaints);
        status = write_out(context, &picture, settings->output, err);
    }
    hs_text_release(&complaints);
    hs_text_release(&picture);
    return status;
}

/* ---- running ---- */

static enum hs_status run_job(struct hs_context *context, const struct plot_settings *settings,
                              const struct hs_inputs *inputs, const char *type,
                              struct hs_error *err)
{
    struct hs_plot_job job = hs_inputs_plot_job(inputs);
    const struct hs_plot_kind *kind;
    struct hs_text tsv = {0};
    enum hs_status status = hs_plot_kind_find(&kind, settings->kind, err);

    job.plan = settings->plan;
    if (status == HS_OK && settings->size) {
        status = hs_bytes_parse(&job.bytes, settings->size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "--size");
    }
    if (status == HS_OK)
        status = hs_plot_write(&tsv, kind, &job, err);
    if (status == HS_OK && settings->tsv)
        status = write_out(context, &tsv, settings->output, err);
    else if (status == HS_OK)
        status = draw(context, &tsv, settings, type, err);
    hs_text_release(&tsv);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct plot_settings *settings = of_rows;
    struct hs_inputs inputs = {.takes_profile = true};
    const char *type;
    enum hs_status status;

    context->quiet = settings->quiet;
    status = check_settings(&type, settings, context, err);
    if (status == HS_OK)
        status = hs_output_check(settings->output, NULL, &settings->results, err);
    if (status == HS_OK)
        status = hs_inputs_load(&inputs, &settings->results, context, err);
    if (status == HS_OK)
        status = run_job(context, settings, &inputs, type, err);
    hs_inputs_release(&inputs);
    return status;
}

static const char *const *kind_names(void)
{
    static const char *names[32];
    size_t count = 0;

    for (; count < 31 && hs_plot_kinds[count]; count++)
        names[count] = hs_plot_kinds[count]->name;
    names[count] = NULL;
    return names;
}

static const char *const *type_names(void)
{
    return hs_gnuplot_types;
}

#define FIELD(name) offsetof(struct plot_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(results),
        "result files of measure or predict, several for scaling, top and accuracy; for calls a "
        "profile of a job; - is stdin"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "as",
     .letter = 'a',
     .argument = "KIND",
     .required = true,
     .words = kind_names,
     .type = &hs_option_word,
     .offset = FIELD(kind),
     .help = "what to show"},
    HS_ROW_OUTPUT(NULL, FIELD(output), false,
                  "the picture; its name ends in .svg, .pdf or .png; - is stdout"),
    HS_ROW_RESULT_SIZE(FIELD(size),
                       "message size to show (default: the largest that all results have)"),
    HS_ROW_RESULT_PLAN(
        FIELD(plan),
        "layers, bandwidth: show this plan too; lattice, system: show it instead of the best"),
    {.name = "type",
     .argument = "TYPE",
     .words = type_names,
     .type = &hs_option_word,
     .offset = FIELD(type),
     .help = "kind of picture, where the name does not say it"},
    {.name = "tsv",
     .type = &hs_option_flag,
     .offset = FIELD(tsv),
     .help = "the numbers as tab-separated values instead of the picture; needs no gnuplot"},
    HS_ROW_QUIET(NULL, FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_plot = {
    .name = "plot",
    .summary = "results as pictures",
    .description =
        "Draws result files with gnuplot, for people who would rather look than read. Kinds: "
        "scaling (time against processes), layers (where the time of each split goes), bandwidth "
        "(against message size), gain (of the best plan over the library's own call, against "
        "message "
        "size), top (the best five per process count), accuracy (predicted against measured), "
        "lattice (the divisors and the best path), system (the machine with a plan's "
        "layers, and the limit that its links set), calls (what a job spends in its collectives, "
        "of a profile). What is shown can be "
        "told apart without colour; machine and versions stand below "
        "each plot.",
    .examples = "  hiersearch plot results/*.json --as scaling -o scaling.svg\n"
                "  hiersearch plot here.json --as layers --plan 4x8x4 -o layers.pdf\n"
                "  hiersearch plot here.json --as accuracy --tsv\n"
                "  hiersearch plot job.json --as calls -o job.svg",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct plot_settings),
    .run = run,
};
