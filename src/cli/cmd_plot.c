#include <string.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct plot_words {
    struct hs_argument_list results;
    const char *output;
    bool quiet;
};

/* The type that the file's name ends in, or NULL. */
static const char *type_of_name(const char *path)
{
    static const char *const types[] = {"svg", "pdf", "png", NULL};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && !strchr(dot, '/') && types[i]; i++)
        if (strcasecmp(dot + 1, types[i]) == 0)
            return types[i];
    return NULL;
}

/* The output's name says the type where nothing else does. */
static enum hs_status take_type(const struct hs_context *context, const char *output,
                                struct hs_error *err)
{
    const char **type = hs_question_field(context->question, "type");
    bool to_stdout = output && strcmp(output, "-") == 0;

    if (*(const bool *)hs_question_field(context->question, "csv"))
        return HS_OK;
    if (!output)
        return hs_fail(err, HS_INVALID,
                       "expected -o FILE that ends in .svg, .pdf or .png, or --csv");
    if (!*type && !to_stdout)
        *type = type_of_name(output);
    if (!*type)
        return hs_fail(err, HS_INVALID,
                       "-o %s: expected a name that ends in .svg, .pdf or .png, or --type", output);
    if (to_stdout && context->terminal.is_terminal && strcmp(*type, "svg") != 0)
        return hs_fail(err, HS_INVALID, "-o -: will not write a %s picture to a terminal", *type);
    return HS_OK;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct plot_words *words = of_rows;

    context->quiet = words->quiet;
    if (take_type(context, words->output, err))
        return HS_INVALID;
    return hs_client_draw(context, &words->results, words->output, err);
}

#define FIELD(name) offsetof(struct plot_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(results),
        "result files of measure or predict, several for scaling and accuracy; for calls a "
        "profile of a job, for check its answer as JSON; - is stdin"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), false,
                  "the picture; its name ends in .svg, .pdf or .png; - is stdout"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_plot = {
    .name = "plot",
    .summary = "draws results with gnuplot",
    .description =
        "Draws result files with gnuplot. Kinds: "
        "scaling (time against processes), layers (where the time of each split goes), bandwidth "
        "(against message size), gain (of the best plan over the library's default call, against "
        "message "
        "size), accuracy (predicted against measured), system (the machine with a plan's "
        "layers, and the limit that its links set), calls (what a job spends in its collectives, "
        "of a profile), check (a log against what is expected, of what check --json printed). What "
        "is shown can be "
        "told apart without color; machine and versions stand below "
        "each plot.",
    .examples = "  hiersearch plot results/*.json --kind scaling -o scaling.svg\n"
                "  hiersearch plot here.json --kind layers --plan 4x8x4 -o layers.pdf\n"
                "  hiersearch plot here.json --kind accuracy --csv\n"
                "  hiersearch plot job.json --kind calls -o job.svg\n"
                "  hiersearch plot checked.json --kind check -o checked.svg",
    .usual = "kind output size plan csv",
    .arguments = arguments,
    .question = "plot",
    .options = options,
    .settings_bytes = sizeof(struct plot_words),
    .run = run,
};
