/*
 * probe: what an emulated cluster (tests/cluster/cluster) looks like from inside an MPI job.
 *
 * Prints, from rank 0, one line per node "node r0h1 ranks 2" (nodes are what
 * MPI_Comm_split_type says, not what the host names say), then the best of a few one-way transfer
 * rates in Mbit/s:
 *   rate host    rank to rank inside the first node
 *   rate rack    first node to second node
 *   rate spine   first node to the last node, which is in the last rack
 *   rate uplink  all nodes of the first half to all of the second half at once, added up
 * and half the round trip of 8 bytes between the same places: latency host|rack|spine, in us.
 * Measurements that need more nodes or ranks than there are have no line.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 1 << 20, MESSAGES = 16, TRIES = 3, PINGS = 200 };

struct place {
    int rank, size;
    int node, nodes;        /* number of my node, in order of its lowest rank */
    int in_node, node_size; /* my number in it */
};

static char *buffer;

static struct place find_place(void)
{
    struct place me;
    MPI_Comm node, firsts;
    MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &me.size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me.rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &me.in_node);
    MPI_Comm_size(node, &me.node_size);
    MPI_Comm_split(MPI_COMM_WORLD, me.in_node, me.rank, &firsts);
    MPI_Comm_rank(firsts, &me.node);
    MPI_Comm_size(firsts, &me.nodes);
    MPI_Bcast(&me.node, 1, MPI_INT, 0, node);
    MPI_Bcast(&me.nodes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&firsts);
    MPI_Comm_free(&node);
    return me;
}

static void print_nodes(const struct place *me)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(name, &length);
    if (me->rank > 0) {
        int words[2] = {me->in_node, me->node_size};
        MPI_Send(words, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(name, (int)sizeof name, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
        return;
    }
    printf("node %s ranks %d\n", name, me->node_size);
    for (int rank = 1; rank < me->size; rank++) {
        int words[2];
        MPI_Recv(words, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(name, (int)sizeof name, MPI_CHAR, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (words[0] == 0)
            printf("node %s ranks %d\n", name, words[1]);
    }
    fflush(stdout);
}

/* Ranks outnumber cores: who waits makes room, a little if it is being timed and much if not. */
static void wait_all(int count, MPI_Request *requests, bool timed)
{
    const struct timespec nap = {.tv_sec = 0, .tv_nsec = 500000};
    for (int next = 0; next < count;) {
        int done;
        MPI_Test(requests + next, &done, MPI_STATUS_IGNORE);
        if (done)
            next++;
        else if (timed)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
}

static void quiet_barrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_all(1, &request, false);
}

/* One way to `peer`, or from it; both end when everything has arrived. */
static void transfer(int peer, bool sending)
{
    MPI_Request requests[MESSAGES + 1];
    for (int i = 0; i < MESSAGES; i++) {
        char *part = buffer + (size_t)i * MESSAGE_BYTES;
        if (sending)
            MPI_Isend(part, MESSAGE_BYTES, MPI_CHAR, peer, 3, MPI_COMM_WORLD, requests + i);
        else
            MPI_Irecv(part, MESSAGE_BYTES, MPI_CHAR, peer, 3, MPI_COMM_WORLD, requests + i);
    }
    wait_all(MESSAGES, requests, true);
    if (sending)
        MPI_Irecv(NULL, 0, MPI_CHAR, peer, 4, MPI_COMM_WORLD, requests);
    else
        MPI_Isend(NULL, 0, MPI_CHAR, peer, 4, MPI_COMM_WORLD, requests);
    wait_all(1, requests, true);
}

static void ping(int peer, bool first)
{
    MPI_Request request;
    for (int i = 0; i < 2 * PINGS; i++) {
        if ((i % 2 == 0) == first)
            MPI_Isend(buffer, 8, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(buffer, 8, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &request);
        wait_all(1, &request, true);
    }
}

/* Seconds from the first start to the last end among the ranks that have a peer (-1: none).
 * All ranks run on one machine, so their clocks are one clock. */
static double seconds_of(void (*work)(int, bool), int peer, bool first)
{
    double best = HUGE_VAL;
    for (int attempt = 0; attempt <= TRIES; attempt++) {
        double span[2] = {-HUGE_VAL, -HUGE_VAL}, all[2];
        quiet_barrier();
        if (peer >= 0) {
            span[0] = -MPI_Wtime();
            work(peer, first);
            span[1] = MPI_Wtime();
        }
        quiet_barrier();
        MPI_Allreduce(span, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (attempt > 0)
            best = fmin(best, all[0] + all[1]); /* the first one makes connections */
    }
    return best;
}

/* Between rank 0 and another. */
static void print_pair(const struct place *me, const char *name, int other)
{
    int peer = me->rank == 0 ? other : me->rank == other ? 0 : -1;
    double seconds = seconds_of(transfer, peer, me->rank == 0);
    double round_trips = seconds_of(ping, peer, me->rank == 0);
    if (me->rank > 0)
        return;
    printf("rate %s %.1f\n", name, 8e-6 * MESSAGES * MESSAGE_BYTES / seconds);
    printf("latency %s %.1f\n", name, 1e6 * round_trips / PINGS / 2);
    fflush(stdout);
}

/* One rank of each node in the first half sends to its counterpart in the second half. */
static void print_uplink(const struct place *me, int ranks_per_node)
{
    int half = me->nodes / 2, peer = -1;
    if (me->in_node == 0 && me->node < half)
        peer = me->rank + half * ranks_per_node;
    if (me->in_node == 0 && me->node >= half && me->node < 2 * half) {
        peer = me->rank - half * ranks_per_node;
    }
    double seconds = seconds_of(transfer, peer, me->node < half);
    if (me->rank > 0)
        return;
    printf("rate uplink %.1f\n", 8e-6 * half * MESSAGES * MESSAGE_BYTES / seconds);
    fflush(stdout);
}

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct place me = find_place();
    int per_node = me.node_size;
    MPI_Bcast(&per_node, 1, MPI_INT, 0, MPI_COMM_WORLD);
    buffer = calloc(MESSAGES, MESSAGE_BYTES);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    print_nodes(&me);
    if (argc > 1 && strcmp(argv[1], "rates") == 0) {
        if (per_node > 1)
            print_pair(&me, "host", 1);
        if (me.nodes > 2)
            print_pair(&me, "rack", per_node);
        if (me.nodes > 1)
            print_pair(&me, "spine", (me.nodes - 1) * per_node);
        if (me.nodes > 1)
            print_uplink(&me, per_node);
    }
    free(buffer);
    /* MPICH 4.0.2 over UCX and TCP sometimes never returns from MPI_Finalize. All is printed by
     * then; leaving makes mpiexec complain and return 1, which is better than staying. */
    quiet_barrier();
    signal(SIGALRM, leave);
    alarm(2);
    MPI_Finalize();
    return 0;
}
