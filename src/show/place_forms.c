#include "show/place_forms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/list.h"
#include "base/notes.h"

#define HOSTS_BYTES_MAX ((size_t)1 << 24)
/* Linux takes 128 KiB, its end included, as one word of a command line (MAX_ARG_STRLEN, execve(2));
 * what is not the list has no more than this of it. */
#define WORD_BYTES_MAX ((size_t)(128 << 10) - 64)

/* What is placed, and the two answers; borrowed. */
struct placed {
    const struct hs_job *job;
    const struct hs_axes_layout *order;  /* the best of whole axes */
    const struct hs_axes_layout *layout; /* the best, with axes split where that gains */
    int64_t node_ranks;                  /* of a node; forms that name nodes want whole ones */
    const char *hosts; /* names with commas between, or a file with a line of each; NULL: none */
};

static int64_t ranks_of(const struct placed *place)
{
    return hs_mesh_ranks(&place->job->mesh);
}

static int64_t place_of(const struct placed *place, int64_t rank)
{
    return hs_axes_layout_rank(place->layout, &place->job->mesh, rank);
}

static enum hs_status check_nodes(const struct placed *place, struct hs_error *err)
{
    if (ranks_of(place) % place->node_ranks == 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%" PRId64 " processes are no whole nodes of %" PRId64,
                   ranks_of(place), place->node_ranks);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

struct hosts {
    char *text;   /* owned; the names lie in it */
    char **names; /* [count] owned */
    size_t count, capacity;
};

static void release_hosts(struct hosts *hosts)
{
    free(hosts->text);
    free(hosts->names);
}

/* Other programs read it, as words of theirs. */
static enum hs_status check_host(const char *name, struct hs_error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";

    if (name[0] != '-' && name[strspn(name, letters)] == '\0')
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "--hosts: expected names of letters, digits and . _ -, found \"%.60s\"", name);
}

/* A file where there is one of that name. */
static enum hs_status read_hosts(struct hosts *hosts, const char *said, struct hs_error *err)
{
    static const char between[] = ", \t\r\n";
    enum hs_status status = HS_OK;

    if (strchr(said, ',') || !strchr(said, '/'))
        hosts->text = hs_strdup(said);
    else
        status = hs_file_read_text(&hosts->text, said, HOSTS_BYTES_MAX, err);
    if (status == HS_OK && !hosts->text)
        status = hs_no_memory(err);
    for (char *at = hosts->text; status == HS_OK && *(at += strspn(at, between));) {
        char **name = hs_grow(&hosts->names, &hosts->capacity, hosts->count, sizeof(*name), err);

        if (!name)
            return HS_MEMORY;
        *name = at;
        hosts->count++;
        at += strcspn(at, between);
        if (*at)
            *at++ = '\0';
        status = check_host(*name, err);
    }
    return status;
}

/* Names of as many hosts as the ranks have whole nodes. */
static enum hs_status find_hosts(struct hosts *hosts, const struct placed *place,
                                 struct hs_error *err)
{
    int64_t nodes = ranks_of(place) / place->node_ranks;
    enum hs_status status = read_hosts(hosts, place->hosts, err);

    if (status == HS_OK && (int64_t)hosts->count < nodes)
        status = hs_fail(err, HS_INVALID, "--hosts: expected %" PRId64 " names, found %zu", nodes,
                         hosts->count);
    return status;
}

/* The host of each rank, a line each: what starts ranks one after the other takes it. */
static enum hs_status print_hostfile(struct hs_text *out, struct hs_text *notes,
                                     const struct placed *place, struct hs_error *err)
{
    struct hosts hosts = {.count = 0};
    enum hs_status status = check_nodes(place, err);

    if (status == HS_OK && !place->hosts)
        status =
            hs_fail(err, HS_INVALID, "--format hostfile: expected --hosts, the names of the nodes");
    if (status == HS_OK)
        status = find_hosts(&hosts, place, err);
    for (int64_t rank = 0; status == HS_OK && rank < ranks_of(place); rank++)
        hs_text_append(out, "%s\n", hosts.names[place_of(place, rank) / place->node_ranks]);
    release_hosts(&hosts);
    if (status == HS_OK)
        hs_say_note(notes,
                    "line r is the host of rank r: mpirun --map-by seq --hostfile FILE (Open MPI), "
                    "mpiexec -f FILE (MPICH), SLURM_HOSTFILE=FILE srun --distribution=arbitrary");
    return status;
}

/* Open MPI's: rank, node, slot in it. By its number in the allocation, where it has no name. */
static void print_slot(struct hs_text *out, const struct placed *place, const struct hosts *hosts,
                       int64_t rank)
{
    int64_t at = place_of(place, rank), node = at / place->node_ranks;

    hs_text_append(out, "rank %" PRId64 "=", rank);
    if (hosts->count > 0)
        hs_text_append(out, "%s", hosts->names[node]);
    else
        hs_text_append(out, "+n%" PRId64, node);
    hs_text_append(out, " slot=%" PRId64 "\n", at % place->node_ranks);
}

static enum hs_status print_rankfile(struct hs_text *out, struct hs_text *notes,
                                     const struct placed *place, struct hs_error *err)
{
    struct hosts hosts = {.count = 0};
    enum hs_status status = check_nodes(place, err);

    if (status == HS_OK && place->hosts)
        status = find_hosts(&hosts, place, err);
    for (int64_t rank = 0; status == HS_OK && rank < ranks_of(place); rank++)
        print_slot(out, place, &hosts, rank);
    if (status == HS_OK)
        hs_say_note(
            notes,
            "mpirun --rankfile FILE (Open MPI), which also binds each rank to the core of its "
            "slot; --format hostfile binds nothing%s",
            hosts.count > 0 ? ""
                            : "; +n0 is the first node of a batch system's allocation, without "
                              "one name the nodes (--hosts)");
    release_hosts(&hosts);
    return status;
}

/* Whether ranks are dealt out to the nodes in turn, `plane` at a time. */
static bool is_plane(const struct placed *place, int64_t plane)
{
    int64_t nodes = ranks_of(place) / place->node_ranks;

    for (int64_t rank = 0; rank < ranks_of(place); rank++)
        if (place_of(place, rank) / place->node_ranks != rank / plane % nodes)
            return false;
    return true;
}

/* Any order at all: the host of each task, in the order of tasks. */
static enum hs_status print_arbitrary(struct hs_text *out, const struct placed *place,
                                      struct hs_error *err)
{
    struct hosts hosts = {.count = 0};
    struct hs_text list = {0};
    enum hs_status status = HS_OK;

    if (!place->hosts)
        status =
            hs_fail(err, HS_INVALID,
                    "--format srun: nodes do not get ranks in turn: name them (--hosts), and it "
                    "is said by --distribution=arbitrary");
    if (status == HS_OK)
        status = find_hosts(&hosts, place, err);
    for (int64_t rank = 0; status == HS_OK && rank < ranks_of(place); rank++)
        hs_text_append(&list, "%s%s", rank > 0 ? "," : "",
                       hosts.names[place_of(place, rank) / place->node_ranks]);
    if (status == HS_OK && list.length > WORD_BYTES_MAX)
        status =
            hs_fail(err, HS_INVALID,
                    "--format srun: %" PRId64 " hosts are too many for a command line; --format "
                    "hostfile says it as SLURM_HOSTFILE for --distribution=arbitrary",
                    ranks_of(place));
    if (status == HS_OK)
        hs_text_append(out,
                       "srun --nodes=%" PRId64 " --ntasks=%" PRId64
                       " --distribution=arbitrary --nodelist=%s\n",
                       ranks_of(place) / place->node_ranks, ranks_of(place),
                       list.data ? list.data : "");
    out->failed = out->failed || list.failed;
    hs_text_release(&list);
    release_hosts(&hosts);
    return status;
}

static enum hs_status print_srun(struct hs_text *out, struct hs_text *notes,
                                 const struct placed *place, struct hs_error *err)
{
    int64_t ranks = ranks_of(place), plane = place->node_ranks;
    enum hs_status status = check_nodes(place, err);

    (void)notes;
    if (status != HS_OK)
        return status;
    while (plane > 0 && (place->node_ranks % plane != 0 || !is_plane(place, plane)))
        plane--;
    if (plane == 0)
        return print_arbitrary(out, place, err);
    /* All three: in an allocation of more nodes srun takes its numbers for what is not said. */
    hs_text_append(out, "srun --nodes=%" PRId64 " --ntasks=%" PRId64 " --ntasks-per-node=%" PRId64,
                   ranks / place->node_ranks, ranks, place->node_ranks);
    if (plane == place->node_ranks)
        hs_text_append(out, " --distribution=block\n");
    else if (plane == 1)
        hs_text_append(out, " --distribution=cyclic\n");
    else
        hs_text_append(out, " --distribution=plane=%" PRId64 "\n", plane);
    return HS_OK;
}

/* ---- frameworks ------------------------------------------------------------------------------ */

/* An axis as a framework calls it, and what sets its size. */
struct framework_axis {
    const char *name, *setting;
};

/* Number of the axis of that name among the framework's; -1: none. */
static int find_axis(const struct framework_axis *axes, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(axes[i].name, name) == 0)
            return i;
    return -1;
}

static enum hs_status check_axes(const struct placed *place, const char *whose,
                                 const struct framework_axis *axes, int count, struct hs_error *err)
{
    const struct hs_mesh *mesh = &place->job->mesh;
    struct hs_text known = {0};
    enum hs_status status = HS_OK;

    for (int i = 0; i < count; i++)
        hs_text_append(&known, "%s%s", i > 0 ? ", " : "", axes[i].name);
    for (int a = 0; a < mesh->count && status == HS_OK; a++)
        if (find_axis(axes, count, mesh->axes[a].name) < 0)
            status = hs_fail(err, HS_INVALID, "%s has no axis \"%s\", expected some of %s", whose,
                             mesh->axes[a].name, known.failed ? "its own" : known.data);
    hs_text_release(&known);
    return status;
}

/* Whether the axes of the order lie as in the framework's list, the innermost first. */
static bool is_in_order(const struct placed *place, const char *const *list, int count)
{
    int last = -1;

    for (int i = 0; i < place->order->count; i++) {
        const char *name = place->job->mesh.axes[place->order->parts[i].axis].name;
        int at = 0;

        while (at < count && strcmp(list[at], name) != 0)
            at++;
        if (at < last)
            return false;
        last = at;
    }
    return true;
}

/* Where in the order, counted from the inside out, the axis of that name lies; -1: nowhere, or of
 * one rank. */
static int level_of(const struct placed *place, const char *name)
{
    for (int i = 0; i < place->order->count; i++)
        if (strcmp(place->job->mesh.axes[place->order->parts[i].axis].name, name) == 0)
            return i;
    return -1;
}

static int64_t size_of(const struct placed *place, const char *name)
{
    int level = level_of(place, name);

    return level < 0 ? 1 : place->order->parts[level].size;
}

/* Whether two axes that have several ranks do not lie next to each other. */
static bool are_apart(int level, int other)
{
    return level >= 0 && other >= 0 && abs(level - other) != 1;
}

/* Megatron numbers ranks twice in one order: experts' by tp, ep, dp, pp, the others' by tp, cp, dp,
 * pp. The dp of either has what the other calls ep or cp, so with ep an order is a placement where
 * dp lies between the two. Where both dp are not of one size it insists on pp outermost, with
 * experts and without. */
static enum hs_status check_megatron(const struct placed *place, struct hs_error *err)
{
    int ep = level_of(place, "ep"), dp = level_of(place, "dp"), cp = level_of(place, "cp");
    int pp = level_of(place, "pp");
    char text[HS_AXES_LAYOUT_TEXT];

    hs_axes_layout_format(text, place->order, &place->job->mesh);
    if (ep >= 0 && (dp < 0 ? are_apart(ep, cp) : are_apart(ep, dp) || are_apart(cp, dp)))
        return hs_fail(
            err, HS_INVALID,
            "%s: Megatron has no such order, expected dp next to ep, and to cp; --format "
            "device-mesh says any order",
            text);
    if (pp >= 0 && pp + 1 < place->order->count && size_of(place, "ep") != size_of(place, "cp"))
        return hs_fail(err, HS_INVALID,
                       "%s: Megatron has no such order, with %s it expects pp outermost; --format "
                       "device-mesh says any order",
                       text, ep >= 0 ? "ep" : "cp");
    return HS_OK;
}

/* The line to change where no option gives the order. Of ep without dp, dp is named, too, towards
 * cp: it is where the others have the ranks of ep, and experts those of cp. */
static void print_order(struct hs_text *out, const struct placed *place)
{
    const struct hs_mesh *mesh = &place->job->mesh;
    int ep = level_of(place, "ep"), cp = level_of(place, "cp");
    bool add = ep >= 0 && level_of(place, "dp") < 0;

    hs_text_append(out, "# in megatron/training/initialize.py: "
                        "initialize_model_parallel(..., order=\"");
    for (int i = 0; i < place->order->count; i++)
        hs_text_append(out, "%s%s%s%s", i > 0 ? "-" : "",
                       add && i == ep && cp >= 0 && cp < ep ? "dp-" : "",
                       mesh->axes[place->order->parts[i].axis].name,
                       add && i == ep && (cp < 0 || cp > ep) ? "-dp" : "");
    hs_text_append(out, "\")\n");
}

/* megatron/core/parallel_state.py: initialize_model_parallel(order="tp-cp-ep-dp-pp"), the innermost
 * first; --use-tp-pp-dp-mapping makes it "tp-cp-ep-pp-dp". */
static enum hs_status print_megatron(struct hs_text *out, struct hs_text *notes,
                                     const struct placed *place, struct hs_error *err)
{
    static const struct framework_axis axes[] = {{"tp", "--tensor-model-parallel-size"},
                                                 {"cp", "--context-parallel-size"},
                                                 {"ep", "--expert-model-parallel-size"},
                                                 {"dp", NULL},
                                                 {"pp", "--pipeline-model-parallel-size"}};
    static const char *const usual[] = {"tp", "cp", "ep", "dp", "pp"};
    static const char *const mapped[] = {"tp", "cp", "ep", "pp", "dp"};
    const struct hs_mesh *mesh = &place->job->mesh;
    /* In Megatron's own orders experts' dp begins inside of cp. */
    bool both = level_of(place, "ep") >= 0 && level_of(place, "cp") >= 0;
    enum hs_status status = check_axes(place, "Megatron", axes, 5, err);

    if (status == HS_OK)
        status = check_megatron(place, err);
    if (status != HS_OK)
        return status;
    for (int i = 0; i < 5; i++)
        for (int a = 0; a < mesh->count; a++)
            if (axes[i].setting && strcmp(mesh->axes[a].name, axes[i].name) == 0)
                hs_text_append(out, "%s %" PRId64 "\n", axes[i].setting, mesh->axes[a].size);
    if (!both && is_in_order(place, usual, 5))
        hs_say_note(notes, "this is the order that Megatron has by itself");
    else if (!both && is_in_order(place, mapped, 5))
        hs_text_append(out, "--use-tp-pp-dp-mapping\n");
    else
        print_order(out, place);
    if (level_of(place, "ep") >= 0)
        hs_say_note(notes, "what is no expert is replicated along ep and dp: its messages go along "
                           "ep+dp");
    return HS_OK;
}

/* torchtitan/distributed/parallel_dims.py: the mesh is pp, dp_replicate, dp_shard, cp, tp, the
 * outermost first. */
static enum hs_status print_torchtitan(struct hs_text *out, struct hs_text *notes,
                                       const struct placed *place, struct hs_error *err)
{
    static const struct framework_axis axes[] = {
        {"tp", "tensor_parallel_degree"},
        {"cp", "context_parallel_degree"},
        {"dp", "data_parallel_shard_degree"},
        {"dp_shard", "data_parallel_shard_degree"},
        {"dp_replicate", "data_parallel_replicate_degree"},
        {"pp", "pipeline_parallel_degree"},
    };
    static const char *const fixed[] = {"tp", "cp", "dp", "dp_shard", "dp_replicate", "pp"};
    const struct hs_mesh *mesh = &place->job->mesh;
    enum hs_status status = check_axes(place, "torchtitan", axes, 6, err);

    if (status != HS_OK)
        return status;
    hs_text_append(out, "[parallelism]\n");
    for (int i = 0; i < 6; i++)
        for (int a = 0; a < mesh->count; a++)
            if (strcmp(mesh->axes[a].name, axes[i].name) == 0)
                hs_text_append(out, "%s = %" PRId64 "\n", axes[i].setting, mesh->axes[a].size);
    if (!is_in_order(place, fixed, 6))
        hs_say_note(notes, "torchtitan numbers ranks tp, cp, dp_shard, dp_replicate, pp, the "
                           "innermost first, and has no other order: give --mesh in this one and "
                           "start its ranks by --format hostfile");
    return HS_OK;
}

/* torch.distributed.device_mesh: dimensions are the outermost first. */
static void print_dimensions(struct hs_text *out, const struct placed *place)
{
    const struct hs_mesh *mesh = &place->job->mesh;
    const struct hs_axes_layout *layout = place->layout;

    hs_text_append(out, "ranks = torch.arange(%" PRId64 ").reshape(", ranks_of(place));
    for (int i = layout->count - 1; i >= 0; i--)
        hs_text_append(out, "%" PRId64 "%s", layout->parts[i].size, i > 0 ? ", " : ").permute(");
    for (int a = mesh->count - 1, said = 0; a >= 0; a--)
        for (int i = layout->count - 1; i >= 0; i--)
            if (layout->parts[i].axis == a)
                hs_text_append(out, "%s%d", said++ > 0 ? ", " : "", layout->count - 1 - i);
    hs_text_append(out, ").reshape(");
    for (int a = mesh->count - 1; a >= 0; a--)
        hs_text_append(out, "%" PRId64 "%s", mesh->axes[a].size, a > 0 ? ", " : ")\n");
}

static enum hs_status print_device_mesh(struct hs_text *out, struct hs_text *notes,
                                        const struct placed *place, struct hs_error *err)
{
    const struct hs_mesh *mesh = &place->job->mesh;

    (void)notes;
    (void)err;
    hs_text_append(out, "import torch\n"
                        "from torch.distributed.device_mesh import DeviceMesh\n\n");
    print_dimensions(out, place);
    hs_text_append(out, "mesh = DeviceMesh(\"cuda\", ranks, mesh_dim_names=(");
    for (int a = mesh->count - 1; a >= 0; a--)
        hs_text_append(out, "\"%s\"%s", mesh->axes[a].name,
                       a > 0              ? ", "
                       : mesh->count == 1 ? ",))\n"
                                          : "))\n");
    return HS_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum hs_status (*print)(struct hs_text *, struct hs_text *, const struct placed *,
                            struct hs_error *);
} forms[] = {
#define HS_ROW(name, print) {name, print},
    HS_PLACE_FORMS(HS_ROW)
#undef HS_ROW
};
#define FORMS (sizeof(forms) / sizeof(*forms))

bool hs_place_is_form(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return true;
    return false;
}

enum hs_status hs_place_form_print(struct hs_text *out, struct hs_text *notes, const char *name,
                                   const struct hs_place_answer *placement, const char *hosts,
                                   struct hs_error *err)
{
    const struct placed place = {.job = &placement->job,
                                 .order = &hs_place_whole(placement)->layout,
                                 .layout = &placement->orders[0].layout,
                                 .node_ranks = placement->node_ranks,
                                 .hosts = hosts};

    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].print(out, notes, &place, err);
    return hs_fail(err, HS_INVALID, "--format: \"%s\" is no form of a placement", name);
}
