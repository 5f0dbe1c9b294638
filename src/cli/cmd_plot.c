#include <string.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "plot/gnuplot.h"
#include "plot/pictures.h"

struct plot_settings {
    struct hs_argument_list results;
    struct hs_picture_settings ask;
    const char *output;
    bool quiet;
};

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

    *type = settings->ask.type;
    if (settings->ask.csv)
        return hs_picture_check(&settings->ask, err);
    if (!settings->output)
        return hs_fail(err, HS_INVALID,
                       "expected -o FILE that ends in .svg, .pdf or .png, or --csv");
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

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct plot_settings *settings = of_rows;
    struct hs_inputs inputs = {.takes_profile = true};
    struct hs_text picture = {0}, notes = {0};
    enum hs_status status;

    context->quiet = settings->quiet;
    status = check_settings(&settings->ask.type, settings, context, err);
    if (status == HS_OK)
        status = hs_output_check(settings->output, NULL, &settings->results, err);
    if (status == HS_OK)
        status = hs_inputs_load(&inputs, &settings->results, context, err);
    if (status == HS_OK)
        status = hs_picture_make(&picture, &notes, &settings->ask, &inputs, err);
    hs_notes_pass_on(context, &notes);
    if (status == HS_OK)
        status = hs_output_write(settings->output, &picture, context, err);
    hs_text_release(&picture);
    hs_inputs_release(&inputs);
    return status;
}

#define FIELD(name) offsetof(struct plot_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(results),
        "result files of measure or predict, several for scaling and accuracy; for calls a "
        "profile of a job; - is stdin"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_PICTURE_KIND(FIELD(ask)),
    HS_ROW_OUTPUT(NULL, FIELD(output), false,
                  "the picture; its name ends in .svg, .pdf or .png; - is stdout"),
    HS_ROWS_PICTURE(FIELD(ask), ", where the name does not say it"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_plot = {
    .name = "plot",
    .summary = "draws results with gnuplot",
    .description =
        "Draws result files with gnuplot. Kinds: "
        "scaling (time against processes), layers (where the time of each split goes), bandwidth "
        "(against message size), gain (of the best plan over the library's own call, against "
        "message "
        "size), accuracy (predicted against measured), system (the machine with a plan's "
        "layers, and the limit that its links set), calls (what a job spends in its collectives, "
        "of a profile). What is shown can be "
        "told apart without colour; machine and versions stand below "
        "each plot.",
    .examples = "  hiersearch plot results/*.json --as scaling -o scaling.svg\n"
                "  hiersearch plot here.json --as layers --plan 4x8x4 -o layers.pdf\n"
                "  hiersearch plot here.json --as accuracy --csv\n"
                "  hiersearch plot job.json --as calls -o job.svg",
    .usual = "as output size plan csv",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct plot_settings),
    .run = run,
};
