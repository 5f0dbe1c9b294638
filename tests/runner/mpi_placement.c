/*
 * mpi_placement.c - says where the ranks are, for test_placement.sh to compare:
 *
 *     nodes=2 racks=0 even=1 reordered=1
 *     node n01 - 3                         host, rack ("-" unknown), ranks; in the new order
 *     node n02 - 3
 *     order 0 2 4 1 3 5                    the launcher's ranks in the new order
 *     note ranks were reordered ...        nothing after "note" where there is no remark
 *
 * Exit status 1, and a line on stderr, where the ranks do not agree or where the ranks that the
 * table puts on a node do not share memory.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/placement.h"

static int my_rank, np;

static void stop(const char *why)
{
    fprintf(stderr, "mpi_placement: rank %d: %s\n", my_rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void same_on_all(const void *data, size_t bytes, const char *what)
{
    char *first = malloc(bytes);
    if (first == NULL)
        stop("out of memory");
    memcpy(first, data, bytes);
    MPI_Bcast(first, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (memcmp(first, data, bytes) != 0)
        stop(what);
    free(first);
}

static void check_agreement(const struct hs_rank_order *order)
{
    int64_t numbers[4] = {order->node_count, order->rack_count, order->even, order->reordered};
    same_on_all(numbers, sizeof numbers, "another number of nodes or racks, or even, or reordered");
    same_on_all(order->note, sizeof order->note, "another note");
    same_on_all(order->nodes, (size_t)order->node_count * sizeof *order->nodes, "another node");
}

/* In the new order, ranks of the same line of the table share memory, and no others with them. */
static void check_nodes(const struct hs_rank_order *order)
{
    MPI_Comm node;
    int rank, size, lowest, highest, ranks_here;
    int64_t first = 0, line = 0;
    MPI_Comm_rank(order->ordered, &rank);
    MPI_Comm_size(order->ordered, &size);
    if (size != np)
        stop("the new communicator has another size");
    while (line < order->node_count && first + order->nodes[line].ranks <= rank)
        first += order->nodes[line++].ranks;
    MPI_Comm_split_type(order->ordered, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks_here);
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Allreduce(&rank, &highest, 1, MPI_INT, MPI_MAX, node);
    if (line == order->node_count || lowest != first || ranks_here != order->nodes[line].ranks ||
        highest != lowest + ranks_here - 1)
        stop("its node is not a block of the new order");
    MPI_Comm_free(&node);
}

static void print(const struct hs_rank_order *order, const int *launched)
{
    printf("nodes=%lld racks=%lld even=%d reordered=%d\n", (long long)order->node_count,
           (long long)order->rack_count, order->even, order->reordered);
    for (int64_t i = 0; i < order->node_count; i++)
        printf("node %s %s %lld\n", order->nodes[i].host,
               order->nodes[i].rack[0] != '\0' ? order->nodes[i].rack : "-",
               (long long)order->nodes[i].ranks);
    printf("order");
    for (int i = 0; i < np; i++)
        printf(" %d", launched[i]);
    printf("\nnote %s\n", order->note);
}

int main(int argc, char **argv)
{
    struct hs_rank_order order;
    struct hs_error err;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (hs_rank_order_init(&order, MPI_COMM_WORLD, &err) != HS_OK)
        stop(err.message);
    check_agreement(&order);
    check_nodes(&order);

    int *launched = calloc((size_t)np, sizeof *launched);
    if (launched == NULL)
        stop("out of memory");
    MPI_Comm_rank(order.ordered, &rank);
    MPI_Gather(&my_rank, 1, MPI_INT, launched, 1, MPI_INT, 0, order.ordered);
    if (rank == 0)
        print(&order, launched);
    free(launched);
    hs_rank_order_release(&order);
    MPI_Finalize();
    return 0;
}
