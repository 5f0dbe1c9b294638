#include <inttypes.h>
#include <string.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/progress_line.h"

struct predict_words {
    struct hs_argument_list systems; /* as typed; with --profile they may be results */
    const char *output;
    bool quiet;
};

#define FIELD(name) offsetof(struct predict_words, name)

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     .required = true,
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(systems),
     .help =
         "the machine: the parts of a node, such as '8xH100, 8xNDR400', or a name that `hiersearch "
         "systems` lists, or a file; '8xH100, 8xNDR400, 32:2' has 32 nodes under a leaf switch, "
         "2:1. A file's text has a '/' or ends in .json; - is stdin. Levels, innermost first, have "
         "an '@': nvlink:4@111.6GB/s~3.4us,ib:32@18.6GB/s~14us,spine@198GB/s. With --profile also "
         "result files of measure"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_JSON("Output", "print the result file instead of a table; with several process counts, "
                          "one document per line"),
    HS_ROW_OUTPUT("Output", FIELD(output), false,
                  "write the result file (one process count; several sizes go into one file); - is "
                  "stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

/* ---- how far a search is --------------------------------------------------------------------- */

/* Since when it is searched (seconds of the line's), by which strategy, and how far it is. */
struct watch {
    struct hs_progress_line line;
    const char *strategy;
    double began_at;
    uint64_t done;
};

static void show_plans(struct watch *watch, uint64_t done, uint64_t all)
{
    char priced[HS_FIGURE_TEXT], plans[HS_FIGURE_TEXT];
    double part = (double)done / (double)all;
    double elapsed = hs_progress_line_elapsed(&watch->line) - watch->began_at;

    hs_progress_line_draw(&watch->line, part, elapsed * (1 / part - 1), "%s of %s plans priced",
                          hs_count_figure(priced, done), hs_count_figure(plans, all));
}

/* How long a step of the other strategies takes says little about the next one. */
static void watch_search(void *of_line, int64_t processes, uint64_t bytes, uint64_t done,
                         uint64_t all)
{
    struct watch *watch = of_line;

    if (done < watch->done) /* another search */
        watch->began_at = hs_progress_line_elapsed(&watch->line);
    watch->done = done;
    if (!hs_progress_line_is_due(&watch->line))
        return;
    if (strcmp(watch->strategy, "exhaustive") == 0 && done > 0)
        show_plans(watch, done, all);
    else
        hs_progress_line_draw(&watch->line, (double)done / (double)all, 0,
                              "searching, %" PRId64 " processes, %s", processes,
                              HS_AS_BYTES(bytes));
}

/* ---- running --------------------------------------------------------------------------------- */

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct predict_words *words = of_rows;
    const struct hs_argument_list *given = &words->systems;
    const char *const *profile = hs_question_field(context->question, "profile");
    struct hs_client client = hs_client_of(context, words->output);
    struct watch watch = {.strategy =
                              *(const char *const *)hs_question_field(context->question, "search")};
    enum hs_status status;

    context->quiet = words->quiet;
    if (!*profile && given->count > 1)
        return hs_fail(err, HS_INVALID,
                       "expected one SYSTEM (several RESULTs are for --profile), found %s behind "
                       "%s",
                       given->items[1], given->items[0]);
    if (*profile && hs_is_result_file(given->items[0]))
        status = hs_client_read(&client, given, err);
    else
        status = hs_client_find(&client, given->items[0], err);
    if (status == HS_OK)
        status = hs_output_check(client.asker.output, given->items[0], NULL, err);
    hs_progress_line_init(&watch.line, words->quiet);
    client.asker.watch = watch_search;
    client.asker.watcher = &watch;
    if (status == HS_OK)
        status = hs_client_answer(&client, err);
    hs_progress_line_clear(&watch.line);
    hs_client_release(&client);
    return status;
}

const struct hs_command hs_command_predict = {
    .name = "predict",
    .summary = "the fastest way to run a collective on a machine, and how sure that is",
    .description = "Prices every way to split P processes into layers with the machine's latencies "
                   "and bandwidths, and says which to use, or to keep the library's default call, "
                   "how sure that is and on what evidence. A split is written innermost layer "
                   "first: 4x8x4 is 4 processes in a node, 8 nodes, 4 groups of those. Times are "
                   "for one call; busbw is bus bandwidth as nccl-tests defines it: size / time * "
                   "(P - 1) / P, and twice that of an AllReduce.",
    .examples =
        "  hiersearch predict '8xH100, 8xNDR400' --np 512\n"
        "  hiersearch predict abci --np 128\n"
        "  hiersearch predict abci --np 128 --explain best\n"
        "  hiersearch predict dgx-h100-superpod --np 64 --style nccl-tests\n"
        "  hiersearch predict summit --np 6:4608 --size 64MiB\n"
        "  hiersearch predict perlmutter --np 256 --size 64MiB --collective reduce-scatter "
        "--layout reversed\n"
        "  hiersearch predict nvlink:8@300GB/s~3us,ib@200GB/s~12us --np 1024 --chunks 1,2,4,8\n"
        "  hiersearch predict abci --np 128 --size 1MiB:1GiB -o abci-128.json\n"
        "  hiersearch predict abci --profile job.json\n"
        "  hiersearch predict allreduce.json allgather.json --profile job.json",
    .usual = "np size collective mesh group dtype profile details explain format output",
    .arguments = arguments,
    .question = "predict",
    .options = options,
    .settings_bytes = sizeof(struct predict_words),
    .run = run,
};
