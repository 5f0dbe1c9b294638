/*
 * random_calls.c - random collective calls, each against the library alone (random_check.h), on
 * communicators that come and go, while other things are under way.
 *     random_calls CALLS [SEED] [MAXBYTES]
 * Odd seeds ask for MPI_THREAD_MULTIPLE. Whatever stands in for the library may not show: what is
 * wrong is printed with the seed and the number of the call, and the status is 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_check.h"

#define GROUPS      10 /* the first two are there to the end: the world, and each rank by itself */
#define SUMS        3
#define SUM_MAX     5000
#define MESSAGE_MAX 2000
#define LATER       500000000u /* numbers of calls that are made beside others */

static uint64_t seed;
static struct group groups[GROUPS];

/* ---- communicators that come and go ---- */

static MPI_Comm made_split(MPI_Comm parent, int color, int key)
{
    MPI_Comm comm;

    MPI_Comm_split(parent, color, key, &comm);
    return comm;
}

static MPI_Comm made_cartesian(MPI_Comm parent, int size, bool sub, uint64_t *shared)
{
    const int periods[2] = {0, 1}, kept[2] = {sub && below(shared, 2), 1};
    int sizes[2] = {0, 0};
    MPI_Comm whole, part;

    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(parent, 2, sizes, periods, (int)below(shared, 2), &whole);
    if (!sub)
        return whole;
    MPI_Cart_sub(whole, kept[0] ? (const int[2]){1, 0} : (const int[2]){0, 1}, &part);
    MPI_Comm_free(&whole);
    return part;
}

/* Open MPI 4.1.4 goes wrong by itself where a rank of the parent awaits a message of any tag: what
 * it sends to make a communicator of some, or between two sides, has the program's tag. So all of
 * them are through with what they awaited. */
static void nothing_is_awaited(MPI_Comm parent)
{
    PMPI_Barrier(parent);
}

/* Of some of the parent's ranks, from the last to the first; by the members alone, or by all. */
static MPI_Comm made_of_some(MPI_Comm parent, int size, bool by_members, uint64_t *shared)
{
    int first = (int)below(shared, (uint64_t)size), rank;
    int range[1][3] = {{size - 1, first, -1}};
    MPI_Group all, some;
    MPI_Comm comm = MPI_COMM_NULL;

    PMPI_Comm_rank(parent, &rank);
    PMPI_Comm_group(parent, &all);
    PMPI_Group_range_incl(all, 1, range, &some);
    if (!by_members)
        MPI_Comm_create(parent, some, &comm);
    else
        nothing_is_awaited(parent);
    if (by_members && rank >= first)
        MPI_Comm_create_group(parent, some, 17, &comm);
    PMPI_Group_free(&all);
    PMPI_Group_free(&some);
    return comm;
}

static MPI_Comm made_between(MPI_Comm parent, int rank, int size, uint64_t *shared)
{
    int second = (int)(1 + below(shared, (uint64_t)(size - 1)));
    MPI_Comm half, comm;

    MPI_Comm_split(parent, rank >= second, rank, &half);
    nothing_is_awaited(parent);
    MPI_Intercomm_create(half, 0, parent, rank >= second ? 0 : second, 18, &comm);
    MPI_Comm_free(&half);
    return comm;
}

static MPI_Comm made_later(MPI_Comm parent)
{
    int one = 1, sum = 0, size;
    MPI_Request request;
    MPI_Comm comm;

    PMPI_Comm_size(parent, &size);
    MPI_Comm_idup(parent, &comm, &request);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, parent);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != size)
        wrong(0, "a sum while a communicator is duplicated is %d of %d", sum, size);
    return comm;
}

static MPI_Comm made_of_node(MPI_Comm parent, int rank)
{
    MPI_Comm comm;

    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    return comm;
}

/* Equal on the members of a new one that this rank, of its parent, is in, and another one than that
 * of others that were made at the same time: the first one's rank in the parent says which. */
static uint64_t color_of(const struct group *new, const struct group *parent, uint64_t number,
                         int rank)
{
    uint64_t first = new->inter ? 0 : (uint64_t)rank;

    if (!new->inter)
        PMPI_Bcast(&first, 1, MPI_UINT64_T, 0, new->comm);
    return mixed(parent->color, number, first);
}

/* One of any kind from another; none of one that has two sides. */
static struct group made_from(const struct group *parent, uint64_t number)
{
    uint64_t shared = mixed(seed + 2, number, parent->color);
    struct group new = {.comm = MPI_COMM_NULL};
    int rank, size;

    if (parent->comm == MPI_COMM_NULL || parent->inter)
        return new;
    PMPI_Comm_rank(parent->comm, &rank);
    PMPI_Comm_size(parent->comm, &size);
    switch (below(&shared, 12)) {
    case 0:
        new.made = "a duplicate";
        MPI_Comm_dup(parent->comm, &new.comm);
        break;
    case 1:
        new.made = "a later duplicate";
        new.comm = made_later(parent->comm);
        break;
    case 2:
        new.made = "an equal part";
        new.comm = made_split(parent->comm, 2 * rank / size, rank);
        break;
    case 3:
        new.made = "an unequal part";
        new.comm = made_split(parent->comm, rank < (int)below(&shared, (uint64_t)size), rank);
        break;
    case 4:
        new.made = "every other one";
        new.comm = made_split(parent->comm, rank % (int)(2 + below(&shared, 2)), rank);
        break;
    case 5:
        new.made = "the reverse";
        new.comm = made_split(parent->comm, 0, -rank);
        break;
    case 6:
        new.made = "all but one";
        new.comm = made_split(
            parent->comm, rank == (int)below(&shared, (uint64_t)size) ? MPI_UNDEFINED : 5, rank);
        break;
    case 7:
        new.made = "a Cartesian one";
        new.comm = made_cartesian(parent->comm, size, false, &shared);
        break;
    case 8:
        new.made = "a line of a Cartesian one";
        new.comm = made_cartesian(parent->comm, size, true, &shared);
        break;
    case 9:
        new.made = "some, by themselves";
        new.comm = made_of_some(parent->comm, size, !parent->awaited, &shared);
        break;
    case 10:
        new.made = "some, by all";
        new.comm = made_of_some(parent->comm, size, false, &shared);
        break;
    default:
        new.inter = size > 1 && !parent->awaited;
        new.made = new.inter ? "two sides" : "a node";
        new.comm = new.inter ? made_between(parent->comm, rank, size, &shared)
                             : made_of_node(parent->comm, rank);
    }
    if (new.comm != MPI_COMM_NULL)
        new.color = color_of(&new, parent, number, rank);
    return new;
}

/* ---- what is under way meanwhile ---- */

/* A sum that was begun, and what it has to be. `busy`: on all ranks, `begun`: on the group's. */
static struct sum {
    bool busy, begun;
    MPI_Request request;
    uint64_t number;
    int count, from[SUM_MAX], to[SUM_MAX], expected[SUM_MAX];
} sums[SUMS];
/* A receive from anyone of anything, whose message is sent when it is completed. */
static struct message {
    bool busy, begun;
    struct group *group;
    MPI_Request request;
    uint64_t number;
    int count, sent[MESSAGE_MAX], received[MESSAGE_MAX];
} message;

static void begin_sum(struct sum *sum, const struct group *group, uint64_t number)
{
    uint64_t shared = mixed(seed + 3, number, group->color), own;
    int rank;

    if (sum->busy)
        return;
    sum->busy = true;
    if (group->comm == MPI_COMM_NULL || group->inter)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = mixed(seed + 4, number, (uint64_t)rank);
    sum->begun = true;
    sum->number = number;
    sum->count = (int)below(&shared, SUM_MAX);
    for (int i = 0; i < sum->count; i++) {
        sum->from[i] = (int)below(&own, 1000000);
        sum->to[i] = -1;
    }
    PMPI_Allreduce(sum->from, sum->expected, sum->count, MPI_INT, MPI_SUM, group->comm);
    MPI_Iallreduce(sum->from, sum->to, sum->count, MPI_INT, MPI_SUM, group->comm, &sum->request);
}

static void end_sum(struct sum *sum)
{
    sum->busy = false;
    if (!sum->begun)
        return;
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->begun = false;
    if (memcmp(sum->to, sum->expected, (size_t)sum->count * sizeof(int)) != 0)
        wrong(sum->number, "an Iallreduce of %d int that was begun here is wrong", sum->count);
}

static int content_of(uint64_t number, uint64_t color, int rank, int i)
{
    return (int)mixed(number, color, (uint64_t)rank) + i;
}

static void begin_message(struct group *group, uint64_t number)
{
    uint64_t shared = mixed(seed + 5, number, group->color);

    if (message.busy)
        return;
    message.busy = true;
    if (group->comm == MPI_COMM_NULL || group->inter)
        return;
    message.begun = true;
    message.group = group;
    group->awaited = true;
    message.number = number;
    message.count = (int)below(&shared, MESSAGE_MAX);
    MPI_Irecv(message.received, MESSAGE_MAX, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, group->comm,
              &message.request);
}

static void end_message(void)
{
    int rank, size, count, tag = (int)(message.number % 1000);
    struct group *group = message.group;
    MPI_Request sent;
    MPI_Status status;

    message.busy = false;
    if (!message.begun)
        return;
    PMPI_Comm_rank(group->comm, &rank);
    PMPI_Comm_size(group->comm, &size);
    for (int i = 0; i < message.count; i++)
        message.sent[i] = content_of(message.number, group->color, rank, i);
    MPI_Isend(message.sent, message.count, MPI_INT, (rank + 1) % size, tag, group->comm, &sent);
    MPI_Wait(&message.request, &status);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    PMPI_Get_count(&status, MPI_INT, &count);
    rank = (rank + size - 1) % size;
    if (status.MPI_SOURCE != rank || status.MPI_TAG != tag || count != message.count)
        wrong(message.number,
              "a receive from anyone got %d int, tag %d, from %d: expected %d, %d, %d", count,
              status.MPI_TAG, status.MPI_SOURCE, message.count, tag, rank);
    for (int i = 0; i < count; i++)
        if (message.received[i] != content_of(message.number, group->color, rank, i))
            wrong(message.number, "a message that was awaited from here on is wrong at %d", i);
    group->awaited = false;
    message.begun = false;
}

static void make_other_group(uint64_t *shared, uint64_t number)
{
    struct group *old = &groups[2 + below(shared, GROUPS - 2)];
    const struct group *parent = &groups[below(shared, 2) ? 0 : below(shared, GROUPS)];

    end_message();
    if (parent == old || parent == &groups[1])
        parent = &groups[0];
#ifdef OPEN_MPI /* 4.1.4 crashes by itself: one may be freed with a sum under way on it */
    for (int i = 0; i < SUMS; i++)
        end_sum(&sums[i]);
#endif
    if (old->comm != MPI_COMM_NULL)
        MPI_Comm_free(&old->comm);
    *old = made_from(parent, number);
}

static void what_is_under_way(uint64_t *shared, uint64_t number)
{
    struct group *group = &groups[below(shared, GROUPS)];

    switch (below(shared, 16)) {
    case 0:
        make_other_group(shared, number);
        break;
    case 1:
    case 2:
        begin_sum(&sums[below(shared, SUMS)], group, number);
        break;
    case 3:
        end_sum(&sums[below(shared, SUMS)]);
        break;
    case 4:
        begin_message(group, number);
        break;
    case 5:
        end_message();
        break;
    default:
        break;
    }
}

/* ---- errors ---- */

static int handled;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

#define MADE(name, ...) (library ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

/* A call that both libraries refuse on each rank by itself. Negative counts are not among them but
 * for MPI_Bcast: MPICH 4.0.2 crashes. */
static int make_wrong(uint64_t which, bool library, MPI_Comm comm, int size)
{
    int from[256] = {0}, to[256] = {0}, counts[64] = {1};

    switch (which) {
    case 0:
        return MADE(Bcast, to, -1, MPI_INT, 0, comm);
    case 1:
        return MADE(Allreduce, from, to, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    case 2:
        return MADE(Allreduce, from, to, 1, MPI_INT, MPI_OP_NULL, comm);
    case 3:
        return MADE(Allreduce, from, to, 4, MPI_FLOAT, MPI_BAND, comm);
    case 4:
        return MADE(Bcast, to, 1, MPI_INT, size, comm);
    case 5:
        return MADE(Allgather, from, 1, MPI_DATATYPE_NULL, to, 1, MPI_DATATYPE_NULL, comm);
    case 6:
        return MADE(Alltoall, from, 1, MPI_DATATYPE_NULL, to, 1, MPI_DATATYPE_NULL, comm);
    case 7:
        return MADE(Reduce_scatter_block, from, to, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    case 8:
        return MADE(Reduce_scatter, from, to, counts, MPI_INT, MPI_OP_NULL, comm);
    default:
        return MADE(Reduce, from, to, 1, MPI_INT, MPI_SUM, -7, comm);
    }
}
#define WRONG_CALLS 10

static void check_errors(uint64_t *shared, uint64_t number)
{
    struct group group = {.made = "a duplicate that had errors", .color = 1};
    uint64_t which = below(shared, WRONG_CALLS);
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    int status[2], kind[2], times[2], size;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &group.comm);
    if (below(shared, 2))
        MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(group.comm, handler);
    for (int library = 0; library < 2; library++) {
        handled = 0;
        status[library] = make_wrong(which, library, group.comm, size);
        times[library] = handled;
        PMPI_Error_class(status[library], &kind[library]);
    }
    if (status[0] == MPI_SUCCESS || kind[0] != kind[1] || times[0] != times[1])
        wrong(number, "wrong call %d: class %d, handler called %d times; the library: %d, %d times",
              (int)which, kind[0], times[0], kind[1], times[1]);
    for (uint64_t i = 1; i < 4; i++)
        check_call(&group, LATER + 4 * number + i);
    if (handler != MPI_ERRORS_RETURN)
        MPI_Errhandler_free(&handler);
    MPI_Comm_free(&group.comm);
}

/* ---- two threads, each on its own duplicate of the world ---- */

static struct thread {
    struct group group;
    uint64_t number;
} threads[2];

static void *call_some(void *argument)
{
    const struct thread *thread = argument;

    for (uint64_t i = 0; i < 8; i++)
        check_call(&thread->group, 2 * LATER + 8 * thread->number + i);
    return NULL;
}

static void check_threads(uint64_t number)
{
    pthread_t other;

    for (int i = 0; i < 2; i++)
        threads[i].number = number;
    if (pthread_create(&other, NULL, call_some, &threads[1]) != 0)
        wrong(number, "no thread can be made");
    call_some(&threads[0]);
    pthread_join(other, NULL);
}

static void make_groups(bool with_threads)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    groups[0] = (struct group){.comm = MPI_COMM_WORLD, .made = "the world"};
    groups[1] = (struct group){
        .comm = MPI_COMM_SELF, .made = "itself", .color = mixed(seed, 1, (uint64_t)rank)};
    for (int i = 2; i < GROUPS; i++)
        groups[i] = made_from(&groups[0], (uint64_t)i);
    for (uint64_t i = 0; with_threads && i < 2; i++) {
        threads[i].group = (struct group){.made = "a thread's duplicate", .color = 2 + i};
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].group.comm);
    }
}

static void end_all(bool with_threads)
{
    for (int i = 0; i < SUMS; i++)
        end_sum(&sums[i]);
    end_message();
    for (int i = 2; i < GROUPS; i++)
        if (groups[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&groups[i].comm);
    for (int i = 0; with_threads && i < 2; i++)
        MPI_Comm_free(&threads[i].group.comm);
    check_end();
}

int main(int argc, char **argv)
{
    uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    size_t bytes = argc > 3 ? strtoull(argv[3], NULL, 10) : (size_t)8 << 20;
    int rank, provided = MPI_THREAD_SINGLE;
    bool with_threads;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (seed % 2)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    with_threads = provided == MPI_THREAD_MULTIPLE;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_begin(seed, bytes);
    make_groups(with_threads);
    for (uint64_t number = GROUPS; number < GROUPS + calls; number++) {
        uint64_t shared = mixed(seed + 6, number, 0);

        what_is_under_way(&shared, number);
        if (below(&shared, 100) == 0)
            check_errors(&shared, number);
        if (with_threads && below(&shared, 200) == 0)
            check_threads(number);
        check_call(&groups[below(&shared, 3) ? below(&shared, GROUPS) : 0], number);
    }
    end_all(with_threads);
    if (rank == 0) {
        printf("%llu calls, threads %s; of rank 0:", (unsigned long long)calls,
               with_threads ? "two" : "one");
        check_print_calls();
    }
    MPI_Finalize();
    return 0;
}
