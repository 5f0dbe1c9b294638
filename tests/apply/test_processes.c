/* Processes that called NCCL and knew nothing of each other, put together. */
#include <fcntl.h>
#include <sys/stat.h>

#include "../test.h"
#include "base/random.h"
#include "record/counts_files.h"
#include "record/merge.h"

static char folder[] = "/dev/shm/test_processes_XXXXXX";

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    return access(folder, F_OK) == 0;
}

/* As process `pid` of host "hN" would: began a second after the epoch of the test, for ten. */
static struct hs_counts *create(int rank, int ranks, int pid)
{
    struct hs_counts *counts = hs_counts_create_nccl(folder, rank, ranks);

    assert_non_null(counts);
    counts->pid = pid;
    snprintf(counts->host, sizeof(counts->host), "h%d", pid / 100);
    snprintf(counts->library, sizeof(counts->library), "NCCL 2.28.9");
    counts->began_seconds = 1000;
    counts->nanoseconds = 10000000000u;
    counts->finished = 1;
    return counts;
}

static void call(struct hs_counts *counts, uint64_t made_of, int size, int rank, int device)
{
    struct hs_counted counted = {.call = HS_COUNTED_NCCL_ALLREDUCE,
                                 .begun = true,
                                 .type = HS_COUNTED_TYPE_BFLOAT16,
                                 .operation = HS_COUNTED_OPERATION_AVERAGE,
                                 .bytes = 100,
                                 .since_nanoseconds = counts->nanoseconds};

    counted.group = hs_counts_communicator(counts, made_of, size, rank, device);
    assert_true(counted.group >= 0);
    hs_counts_add(counts, hs_counts_find(counts, &counted), &counted);
}

static void close_counts(struct hs_counts *counts)
{
    assert_int_equal(hs_counts_end(counts), 0);
}

static void spoil(const struct hs_counts *counts, size_t at, uint64_t bits)
{
    const unsigned char byte = (unsigned char)(bits % 256);
    int file = open(hs_counts_file(counts), O_WRONLY);

    assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
    close(file);
}

static struct hs_profile merged(void)
{
    struct hs_profile profile;
    struct hs_error err;

    if (hs_profile_merge(&profile, folder, &err) != HS_OK)
        fail_msg("%s", err.message);
    hs_counts_remove(folder);
    return profile;
}

static const struct hs_profile_call *find(const struct hs_profile *profile, int ranks, int stride)
{
    for (size_t i = 0; i < profile->call_count; i++)
        if (profile->calls[i].group_ranks == ranks && profile->calls[i].group_stride == stride)
            return &profile->calls[i];
    fail_msg("no call of %d ranks, %d apart", ranks, stride);
    return NULL;
}

/* Files are written in any order, `known`: with the rank in the environment. Neighbours by four,
 * every fourth, all; the process number says nothing of the rank. */
static struct hs_profile mesh(int ranks, bool known, int missing)
{
    uint64_t random = 5;
    int order[64];

    for (int i = 0; i < ranks; i++) {
        int other = (int)(hs_random_bits(&random) % (uint64_t)(i + 1));

        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < ranks; i++) {
        int rank = order[i];
        struct hs_counts *counts;

        if (rank == missing)
            continue;
        counts = create(known ? rank : -1, known ? ranks : 0, 100 + i);
        call(counts, 7, ranks, rank, 0);
        call(counts, (uint64_t)(100 + rank / 4), 4, rank % 4, 0);
        call(counts, (uint64_t)(200 + rank % 4), ranks / 4, rank / 4, 0);
        close_counts(counts);
    }
    return merged();
}

static void communicators_get_their_ranks(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct hs_profile profile = mesh(32, known, -1);

        assert_int_equal(profile.ranks, 32);
        assert_int_equal(profile.missing_ranks, 0);
        assert_true(profile.finished);
        assert_string_equal(profile.rank_order, known ? "the environment of the processes"
                                                      : "the largest communicator");
        assert_string_equal(profile.library, "NCCL 2.28.9");
        assert_int_equal(profile.call_count, 3);
        assert_int_equal(find(&profile, 32, 1)->groups, 1);
        assert_int_equal(find(&profile, 4, 1)->groups, 8);
        assert_int_equal(find(&profile, 8, 4)->groups, 4);
        assert_int_equal(find(&profile, 8, 4)->ranks, 32);
        assert_int_equal(find(&profile, 8, 4)->calls, 32);
        assert_true(find(&profile, 8, 4)->begun);
        assert_string_equal(find(&profile, 8, 4)->call, "ncclAllReduce");
        hs_profile_release(&profile);
    }
}

/* What is not known of a communicator is not guessed. */
static void a_missing_process_is_told(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct hs_profile profile = mesh(32, known, 13);

        assert_int_equal(profile.ranks, 32);
        assert_int_equal(profile.missing_ranks, 1);
        assert_false(profile.finished);
        assert_int_equal(find(&profile, 32, 0)->ranks, 31);
        assert_int_equal(find(&profile, 4, 1)->groups, 7);
        assert_int_equal(find(&profile, 4, 0)->ranks, 3);
        assert_int_equal(find(&profile, 8, 4)->groups, 3);
        hs_profile_release(&profile);
    }
}

/* Two processes of four GPUs each: one communicator of all, one per process, one per GPU number. */
static void a_rank_is_a_gpu(void **state)
{
    struct hs_profile profile;

    (void)state;
    for (int p = 0; p < 2; p++) {
        struct hs_counts *counts = create(p, 2, 100 * (p + 1));

        for (int gpu = 0; gpu < 4; gpu++) {
            call(counts, 7, 8, 4 * p + gpu, gpu);
            call(counts, (uint64_t)(10 + p), 4, gpu, gpu);
            call(counts, (uint64_t)(20 + gpu), 2, p, gpu);
        }
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(profile.ranks, 8);
    assert_int_equal(profile.node_count, 2);
    assert_int_equal(profile.nodes[1].ranks, 4);
    assert_int_equal(find(&profile, 8, 1)->ranks, 8);
    assert_int_equal(find(&profile, 4, 1)->groups, 2);
    assert_int_equal(find(&profile, 2, 4)->groups, 4);
    assert_int_equal(find(&profile, 2, 4)->ranks, 8);
    hs_profile_release(&profile);
}

/* Of the same numbers in the environment: those that ended before the others began. */
static void runs_before_are_left_out(void **state)
{
    struct hs_profile profile;

    (void)state;
    for (int file = 0; file < 4; file++) {
        struct hs_counts *counts = create(file % 2, 2, 100 + file);

        counts->began_seconds = file < 2 ? 900 : 1000 + file;
        call(counts, file < 2 ? 1 : 2, 2, file % 2, 0);
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(profile.ranks, 2);
    assert_int_equal(find(&profile, 2, 1)->calls, 2);
    hs_profile_release(&profile);
}

/* A host whose clock is late: who has a communicator with the last run is of it. */
static void clocks_may_differ(void **state)
{
    struct hs_profile profile;

    (void)state;
    for (int file = 0; file < 2; file++) {
        struct hs_counts *counts = create(file, 2, 100 + file);

        counts->began_seconds = 1000 + 100 * file;
        call(counts, 3, 2, file, 0);
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(find(&profile, 2, 1)->calls, 2);
    hs_profile_release(&profile);
}

/* Processes of which nobody says which ranks they are, without a communicator of all. */
static void an_order_that_is_not_known_is_told(void **state)
{
    struct hs_profile profile;

    (void)state;
    for (int p = 0; p < 4; p++) { /* one number for all, as a batch job's shell has it */
        struct hs_counts *counts = create(0, 1, 100 + p);

        call(counts, (uint64_t)(1 + p / 2), 2, p % 2, 0);
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(profile.ranks, 4);
    assert_non_null(strstr(profile.rank_order, "nothing else is known"));
    assert_int_equal(find(&profile, 2, 1)->groups, 2);
    hs_profile_release(&profile);
}

/* MPI counted in the same processes: its ranks are the job's, its profile has both. */
static void with_mpi_ranks_are_its_own(void **state)
{
    struct hs_profile profile;

    (void)state;
    for (int rank = 0; rank < 4; rank++) {
        struct hs_counts *mpi = hs_counts_create(folder, rank, 4, 42),
                         *counts = create(-1, 0, 9 - rank);
        const int all[] = {0, 1, 2, 3};
        struct hs_counted counted = {.call = HS_COUNTED_BARRIER,
                                     .group = hs_counts_group(mpi, all, 4)};

        mpi->pid = counts->pid;
        memcpy(mpi->host, counts->host, sizeof(mpi->host));
        snprintf(mpi->library, sizeof(mpi->library), "MPI");
        mpi->began_seconds = 999;
        mpi->finished = 1;
        counts->finished = 0; /* it has not come to its exit when MPI_Finalize merges */
        hs_counts_add(mpi, hs_counts_find(mpi, &counted), &counted);
        call(counts, (uint64_t)(1 + rank % 2), 2, rank / 2, 0);
        close_counts(counts);
        close_counts(mpi);
    }
    profile = merged();
    assert_int_equal(profile.ranks, 4);
    assert_true(profile.finished);
    assert_null(profile.rank_order);
    assert_string_equal(profile.library, "MPI, NCCL 2.28.9");
    assert_string_equal(profile.calls[0].call, "MPI_Barrier");
    assert_int_equal(find(&profile, 2, 2)->groups, 2);
    assert_int_equal(profile.node_count, 1);
    assert_int_equal(profile.nodes[0].ranks, 4);
    hs_profile_release(&profile);
}

/* A file in which anything can stand is read or refused, and nothing else. */
static void spoilt_files_are_refused(void **state)
{
    uint64_t random = 7;
    size_t refused = 0;

    (void)state;
    for (int spoilt = 0; spoilt < 200; spoilt++) {
        const size_t places[] = {0, offsetof(struct hs_counts, began_seconds),
                                 offsetof(struct hs_counts, rows),
                                 offsetof(struct hs_counts, groups)};
        struct hs_profile profile;
        struct hs_error err;

        for (int p = 0; p < 2; p++) {
            struct hs_counts *counts = create(p, 2, 100 + p);

            call(counts, 1, 2, p, 0);
            assert_int_equal(hs_counts_write(counts), 0);
            for (int i = 0; i < 6; i++)
                spoil(counts, places[hs_random_bits(&random) % 4] + hs_random_bits(&random) % 100,
                      hs_random_bits(&random));
            close_counts(counts);
        }
        if (hs_profile_merge(&profile, folder, &err) == HS_OK)
            hs_profile_release(&profile);
        else
            refused += strstr(err.message, "/nccl.") != NULL;
        hs_counts_remove(folder);
    }
    assert_true(refused > 10 && refused < 200);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("communicators get their ranks", communicators_get_their_ranks),
    HS_TEST("a missing process is told", a_missing_process_is_told),
    HS_TEST("a rank is a GPU", a_rank_is_a_gpu),
    HS_TEST("runs before are left out", runs_before_are_left_out),
    HS_TEST("clocks may differ", clocks_may_differ),
    HS_TEST("an order that is not known is told", an_order_that_is_not_known_is_told),
    HS_TEST("with MPI ranks are its own", with_mpi_ranks_are_its_own),
    HS_TEST("spoilt files are refused", spoilt_files_are_refused),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests(tests, begin, end) == 0 ? 0 : 1;
}
