#include <stdlib.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct systems_words {
    struct hs_argument_list systems; /* at most one, but for --from and --check */
    bool from, quiet;
};

/* The SYSTEMs, without what is said of a line of text, whose latencies are shown. */
static enum hs_status open_systems(struct hs_client *client, const struct systems_words *words,
                                   struct hs_error *err)
{
    const struct hs_argument_list *given = &words->systems;
    struct hiersearch_system *system = NULL;
    enum hs_status status = HS_OK;

    if (words->from)
        status =
            hs_system_open_files(&system, (const char *const *)given->items, given->count, err);
    for (size_t i = 0; i < given->count && !words->from && status == HS_OK; i++) {
        status = hs_system_open(&system, given->items[i], err);
        if (status == HS_OK)
            status = hs_client_keep(client, system, err);
    }
    return status == HS_OK && words->from ? hs_client_keep(client, system, err) : status;
}

static enum hs_status check_words(const struct hs_context *context,
                                  const struct systems_words *words, struct hs_error *err)
{
    static const char *const others[] = {"here", "names", "parts", "check"};
    bool check = *(const bool *)hs_question_field(context->question, "check");

    for (size_t i = 0; words->from && i < sizeof(others) / sizeof(others[0]); i++)
        if (*(const bool *)hs_question_field(context->question, others[i]))
            return hs_fail(err, HS_INVALID,
                           "--from: files, so none of --here, --names, --parts, --check");
    if (words->from && words->systems.count == 0)
        return hs_fail(err, HS_INVALID, "--from: expected files to read");
    if (!words->from && !check && words->systems.count > 1)
        return hs_fail(err, HS_INVALID, "unexpected argument \"%s\"", words->systems.items[1]);
    return HS_OK;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct systems_words *words = of_rows;
    struct hs_client client = hs_client_of(context, NULL);
    enum hs_status status = check_words(context, words, err);

    context->quiet = words->quiet;
    if (status == HS_OK)
        status = open_systems(&client, words, err);
    if (status == HS_OK)
        status = hs_client_answer(&client, err);
    context->found_fault = client.answer && hs_answer_found_fault(client.answer);
    hs_client_release(&client);
    return status;
}

#define FIELD(name) offsetof(struct systems_words, name)

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(systems),
     .help = "show this one in full, with the source of every figure: a name, a file or a line of "
             "text; with --from the files to read, with --check several"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "from",
     .type = &hs_option_flag,
     .offset = FIELD(from),
     .help = "the node that files speak of, joined, and the system that is proposed from it: what "
             "nvidia-smi topo -m, nvidia-smi -L, ibstat, ibv_devinfo -v, rocm-smi --showtopo, "
             "amd-smi topology or scontrol show topology printed, NCCL's XML "
             "(NCCL_TOPO_DUMP_FILE), hwloc's (lstopo --of xml), Slurm's topology.conf or "
             "topology.yaml"},
    HS_ROW_JSON(NULL, "the system file; without SYSTEM an array of all"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_systems = {
    .name = "systems",
    .summary = "the shipped machines and the sources of their figures; this machine",
    .description = "Systems are looked for in the folders of $HIERSEARCH_CONFIGS (separated by "
                   "':'), then among those installed with the program.",
    .examples =
        "  hiersearch systems\n"
        "  hiersearch systems --parts\n"
        "  hiersearch systems abci\n"
        "  hiersearch systems abci --json > mine.json\n"
        "  hiersearch systems --check mine.json\n"
        "  hiersearch systems --here --json > here.json\n"
        "  hiersearch systems --from topo.txt ibstat.txt topology.conf --name mine --json > "
        "mine.json",
    .usual = "here from parts text check name json",
    .arguments = arguments,
    .question = "systems",
    .options = options,
    .settings_bytes = sizeof(struct systems_words),
    .run = run,
};
