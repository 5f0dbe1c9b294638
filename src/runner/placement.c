/*
 * placement.c - see placement.h.
 *
 * The lowest rank of each node, its leader, speaks for it: leaders report to rank 0, rank 0 puts
 * the nodes in order and gives each leader the new number of its first rank.
 */
#include "runner/placement.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/scontrol.h"
#include "runner/check.h"
#include "runner/ranks.h"

#define SCONTROL_TIMEOUT_MS 5000

/* The launcher's view. */
struct group {
    MPI_Comm world;   /* the caller's */
    MPI_Comm node;    /* the ranks of this node, in the launcher's order */
    MPI_Comm leaders; /* first ranks of the nodes, in that order; MPI_COMM_NULL on all others */
    int rank, rank_in_node, ranks_in_node;
    int nodes; /* in the job */
};

static void group_init(struct group *group, MPI_Comm world)
{
    group->world = world;
    CHECK_MPI(MPI_Comm_rank(world, &group->rank));
    CHECK_MPI(
        MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, group->rank, MPI_INFO_NULL, &group->node));
    CHECK_MPI(MPI_Comm_rank(group->node, &group->rank_in_node));
    CHECK_MPI(MPI_Comm_size(group->node, &group->ranks_in_node));
    int color = group->rank_in_node == 0 ? 0 : MPI_UNDEFINED;
    CHECK_MPI(MPI_Comm_split(world, color, group->rank, &group->leaders));
    group->nodes = 0;
    if (group->leaders != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_size(group->leaders, &group->nodes));
    CHECK_MPI(MPI_Bcast(&group->nodes, 1, MPI_INT, 0, world));
}

static void group_release(struct group *group)
{
    if (group->leaders != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(&group->leaders));
    CHECK_MPI(MPI_Comm_free(&group->node));
}

/* Collective over the node: SLURMD_NODENAME, or "" unless all its ranks have the same. */
static void agree_on_slurm_name(char name[HS_NODE_NAME], const struct group *group)
{
    const char *mine = getenv("SLURMD_NODENAME");
    if (mine == NULL || strlen(mine) >= HS_NODE_NAME)
        mine = "";
    memset(name, 0, HS_NODE_NAME);
    memcpy(name, mine, strlen(mine));
    CHECK_MPI(MPI_Bcast(name, HS_NODE_NAME, MPI_CHAR, 0, group->node));
    int same = strcmp(name, mine) == 0, all_same;
    CHECK_MPI(MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_LAND, group->node));
    if (!all_same)
        name[0] = '\0';
}

/* Collective over the node. */
static struct hs_node_report report_of(const struct group *group)
{
    struct hs_node_report report;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    memset(&report, 0, sizeof report); /* it travels as bytes, gaps included */
    CHECK_MPI(MPI_Get_processor_name(host, &length));
    snprintf(report.place.host, sizeof report.place.host, "%.*s", HS_NODE_NAME - 1, host);
    report.place.ranks = group->ranks_in_node;
    report.first_rank = group->rank;
    agree_on_slurm_name(report.slurm_name, group);
    return report;
}

/* Rank 0: racks, if Slurm knows them. */
static void ask_slurm(struct hs_node_report *reports, size_t count, struct hs_text *note)
{
    const char *node_list = getenv("SLURM_JOB_NODELIST");
    struct hs_text topology = {0};
    struct hs_error err;
    if (getenv("SLURM_JOB_ID") == NULL || node_list == NULL)
        return;
    if (hs_scontrol_topology(&topology, SCONTROL_TIMEOUT_MS, &err) != HS_OK)
        hs_text_append(note, "racks unknown: %s", err.message);
    else if (topology.data != NULL && !topology.failed)
        hs_nodes_find_racks(reports, count, node_list, topology.data, note);
    hs_text_release(&topology);
}

/* What rank 0 works with; NULL on the others. */
struct desk {
    struct hs_node_report *reports; /* [nodes] */
    int *first_ranks;               /* [nodes] new numbers, in the order of the leaders */
};

static enum hs_status allocate(struct desk *desk, struct hs_rank_order *order,
                               const struct group *group, struct hs_error *err)
{
    size_t nodes = (size_t)group->nodes;
    enum hs_status status = HS_OK;
    struct hs_ranks ranks;
    hs_ranks_init(&ranks, group->world);
    order->nodes = calloc(nodes, sizeof *order->nodes);
    order->launched = calloc((size_t)ranks.np, sizeof *order->launched);
    bool enough = order->nodes != NULL && order->launched != NULL;
    if (group->rank == 0) {
        desk->reports = calloc(nodes, sizeof *desk->reports);
        desk->first_ranks = calloc(nodes, sizeof *desk->first_ranks);
        enough = enough && desk->reports != NULL && desk->first_ranks != NULL;
    }
    if (!enough)
        status =
            hs_fail(err, HS_MEMORY, "out of memory for the places of ranks on %zu nodes", nodes);
    return hs_ranks_agree(&ranks, status, err);
}

/* Rank 0: nodes get their order, and their ranks new numbers. */
static void arrange(struct desk *desk, struct hs_rank_order *order, size_t nodes,
                    struct hs_text *note)
{
    int next = 0;
    for (size_t i = 0; i < nodes; i++)
        desk->reports[i].index = i;
    ask_slurm(desk->reports, nodes, note);
    order->rack_count = hs_nodes_sort(desk->reports, nodes);
    order->even = hs_nodes_even(desk->reports, nodes);
    hs_nodes_note_uneven(desk->reports, nodes, note);
    for (size_t i = 0; i < nodes; i++) {
        order->nodes[i] = desk->reports[i].place;
        desk->first_ranks[desk->reports[i].index] = next;
        next += (int)desk->reports[i].place.ranks;
    }
}

/* Collective: makes the ordered communicator. */
static void renumber(struct hs_rank_order *order, const struct group *group, const int *first_ranks)
{
    int first = 0;
    if (group->leaders != MPI_COMM_NULL)
        CHECK_MPI(MPI_Scatter(first_ranks, 1, MPI_INT, &first, 1, MPI_INT, 0, group->leaders));
    CHECK_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, group->node));
    int number = first + group->rank_in_node;
    int moved = number != group->rank, any_moved;
    CHECK_MPI(MPI_Comm_split(group->world, 0, number, &order->ordered));
    CHECK_MPI(MPI_Allreduce(&moved, &any_moved, 1, MPI_INT, MPI_LOR, group->world));
    CHECK_MPI(MPI_Allgather(&group->rank, 1, MPI_INT, order->launched, 1, MPI_INT, order->ordered));
    order->reordered = any_moved;
}

/* Rank 0. */
static void write_note(struct hs_rank_order *order, struct hs_text *note)
{
    if (order->reordered) {
        hs_note_separate(note);
        hs_text_append(note, "ranks were reordered by %snode, the launcher had another order",
                       order->rack_count > 0 ? "rack and " : "");
    }
    if (note->data == NULL)
        return;
    int length = snprintf(order->note, sizeof order->note, "%s", note->data);
    if (length >= (int)sizeof order->note)
        memcpy(order->note + sizeof order->note - sizeof "...", "...", sizeof "...");
}

/* Collective: what rank 0 knows, to all. */
static void share(struct hs_rank_order *order, const struct group *group)
{
    int64_t numbers[2] = {order->rack_count, order->even};
    size_t bytes = (size_t)group->nodes * sizeof *order->nodes;
    assert(bytes <= INT_MAX);
    CHECK_MPI(MPI_Bcast(numbers, 2, MPI_INT64_T, 0, group->world));
    CHECK_MPI(MPI_Bcast(order->note, sizeof order->note, MPI_CHAR, 0, group->world));
    CHECK_MPI(MPI_Bcast(order->nodes, (int)bytes, MPI_BYTE, 0, group->world));
    order->node_count = group->nodes;
    order->rack_count = numbers[0];
    order->even = numbers[1] != 0;
}

enum hs_status hs_rank_order_init(struct hs_rank_order *order, MPI_Comm world, struct hs_error *err)
{
    struct group group;
    struct desk desk = {0};
    struct hs_text note = {0};

    *order = (struct hs_rank_order){.ordered = MPI_COMM_NULL};
    group_init(&group, world);
    enum hs_status status = allocate(&desk, order, &group, err);
    if (status == HS_OK) {
        struct hs_node_report report = report_of(&group);
        if (group.leaders != MPI_COMM_NULL)
            CHECK_MPI(MPI_Gather(&report, sizeof report, MPI_BYTE, desk.reports, sizeof report,
                                 MPI_BYTE, 0, group.leaders));
        if (group.rank == 0)
            arrange(&desk, order, (size_t)group.nodes, &note);
        renumber(order, &group, desk.first_ranks);
        if (group.rank == 0)
            write_note(order, &note);
        share(order, &group);
    } else {
        free(order->nodes);
        free(order->launched);
        order->nodes = NULL;
        order->launched = NULL;
    }
    free(desk.reports);
    free(desk.first_ranks);
    hs_text_release(&note);
    group_release(&group);
    return status;
}

void hs_rank_order_release(struct hs_rank_order *order)
{
    if (order->node_count > 0)
        CHECK_MPI(MPI_Comm_free(&order->ordered));
    free(order->nodes);
    free(order->launched);
    *order = (struct hs_rank_order){.ordered = MPI_COMM_NULL};
}
