/* Counts of ranks, and the profile that is made of them: what MPI programs do not reach easily. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../test.h"
#include "base/random.h"
#include "record/counts_files.h"
#include "record/merge.h"

static char folder[] = "/dev/shm/test_counts_XXXXXX";

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    hs_counts_remove(folder);
    return access(folder, F_OK) == 0;
}

static const struct hs_counted usual = {.call = HS_COUNTED_ALLREDUCE,
                                        .type = HS_COUNTED_TYPE_FLOAT32,
                                        .operation = HS_COUNTED_OPERATION_SUM,
                                        .bytes = 4096,
                                        .nanoseconds = 1000};

static struct hs_counts *create(int rank, int ranks)
{
    struct hs_counts *counts = hs_counts_create(folder, rank, ranks, 42);

    assert_non_null(counts);
    return counts;
}

static struct hs_profile merged(void)
{
    struct hs_profile profile;
    struct hs_error err;

    if (hs_profile_merge(&profile, folder, &err) != HS_OK)
        fail_msg("%s", err.message);
    return profile;
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

static void classes_are_powers_of_two(void **state)
{
    (void)state;
    assert_int_equal(hs_counts_class(0), 0);
    assert_int_equal(hs_counts_class(1), 1);
    assert_int_equal(hs_counts_class(1023), 10);
    assert_int_equal(hs_counts_class(1024), 11);
    assert_int_equal(hs_counts_class(UINT64_MAX), 64);
}

static void groups_are_progressions_or_lists(void **state)
{
    struct hs_counts *counts = create(0, 16);
    const int every_second[] = {1, 3, 5, 7}, any[] = {0, 1, 4, 5}, backwards[] = {3, 2, 1};

    (void)state;
    assert_int_equal(hs_counts_group(counts, every_second, 4), 0);
    assert_int_equal(hs_counts_group(counts, any, 4), 1);
    assert_int_equal(hs_counts_group(counts, every_second, 4), 2);
    assert_int_equal(hs_counts_group(counts, backwards, 3), 3);
    assert_int_equal(counts->groups[0].first, 1);
    assert_int_equal(counts->groups[0].stride, 2);
    assert_int_equal(counts->groups[1].stride, 0);
    assert_memory_equal(counts->members + counts->groups[1].members, any, sizeof(any));
    assert_int_equal(counts->groups[2].ordinal, 1);
    assert_int_equal(counts->groups[3].stride, -1);
    close_counts(counts);
}

/* More kinds of calls than there are rows: the rest is counted as uncounted. */
static void a_full_table_says_so(void **state)
{
    struct hs_counts *counts = create(0, 1);
    struct hs_profile profile;
    struct hs_counted call = usual;
    const int rank = 0;
    uint64_t made = 0, counted = 0;

    (void)state;
    for (int group = 0; group < HS_COUNTS_GROUPS; group++)
        hs_counts_group(counts, &rank, 1);
    assert_int_equal(hs_counts_group(counts, &rank, 1), -1);
    for (int group = -1; group < HS_COUNTS_GROUPS; group++)
        for (int size = 0; size < 5; size++, made++) {
            call.group = group;
            call.bytes = (uint64_t)1 << size;
            hs_counts_add(counts, hs_counts_find(counts, &call), &call);
        }
    assert_int_equal(hs_counts_write(counts), 0);
    profile = merged();
    for (size_t i = 0; i < profile.call_count; i++)
        counted += (uint64_t)profile.calls[i].calls;
    assert_int_equal(counted + counts->uncounted_calls, made);
    assert_int_equal(counted, HS_COUNTS_ROWS / 4 * 3);
    assert_int_equal(profile.uncounted_calls, counts->uncounted_calls);
    hs_profile_release(&profile);
    close_counts(counts);
}

/* Each rank's calls take what it waits for the last one. */
static void waiting_is_what_all_but_the_last_take_longer(void **state)
{
    const int all[] = {0, 1, 2, 3};
    struct hs_profile profile;
    const uint64_t calls = 1000;

    (void)state;
    for (int rank = 0; rank < 4; rank++) {
        struct hs_counts *counts = create(rank, 4);
        struct hs_counted call = usual;

        call.group = hs_counts_group(counts, all, 4);
        for (uint64_t i = 0; i < calls; i++) {
            call.nanoseconds = rank == (int)(i % 4) ? 1000 : 5000;
            call.since_nanoseconds = 10000 * (i + 1);
            hs_counts_add(counts, hs_counts_find(counts, &call), &call);
        }
        counts->finished = rank != 2;
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(profile.call_count, 1);
    assert_false(profile.finished);
    assert_int_equal(profile.missing_ranks, 0);
    assert_int_equal(profile.calls[0].calls, 4 * calls);
    assert_int_equal(profile.calls[0].ranks, 4);
    assert_int_equal(profile.calls[0].groups, 1);
    /* 64 one by one, then every 16th */
    assert_int_equal(profile.calls[0].sampled_calls, 64 + (calls - 64 + 15) / 16);
    assert_true(fabs(profile.calls[0].seconds - 16e-6 * (double)calls) < 1e-9);
    assert_true(fabs(profile.calls[0].rank_seconds - 4e-6 * (double)calls) < 1e-9);
    assert_true(fabs(profile.calls[0].sampled_seconds / (double)profile.calls[0].sampled_calls -
                     4e-6) < 1e-12);
    assert_true(fabs(profile.calls[0].waited_seconds / (double)profile.calls[0].sampled_calls -
                     3e-6) < 1e-12);
    hs_profile_release(&profile);
}

/* Two calls with no work between: rank 0 leaves the first one sooner than the others, and is in the
 * second so much longer. */
static void what_a_call_before_left_is_no_waiting(void **state)
{
    const int all[] = {0, 1, 2, 3};
    struct hs_profile profile;

    (void)state;
    for (int rank = 0; rank < 4; rank++) {
        struct hs_counts *counts = create(rank, 4);
        struct hs_counted call = usual;

        call.group = hs_counts_group(counts, all, 4);
        for (uint64_t i = 0; i < 64; i++) {
            call.nanoseconds = (rank == 0) == (i % 2 == 0) ? 1000 : 5000;
            call.since_nanoseconds += call.nanoseconds;
            hs_counts_add(counts, hs_counts_find(counts, &call), &call);
        }
        close_counts(counts);
    }
    profile = merged();
    assert_int_equal(profile.calls[0].sampled_calls, 64);
    assert_true(profile.calls[0].waited_seconds < 1e-12);
    /* 3 of 4 ranks 4 us longer than the shortest, or 1 of 4 */
    assert_true(fabs(profile.calls[0].skewed_seconds - 64 * 2e-6) < 1e-12);
    hs_profile_release(&profile);
}

static void a_rank_without_counts_is_missing(void **state)
{
    char path[256];
    struct hs_profile profile;

    (void)state;
    assert_true(hs_counts_path(path, sizeof(path), folder, 1));
    unlink(path);
    profile = merged();
    assert_int_equal(profile.missing_ranks, 1);
    assert_int_equal(profile.ranks, 4);
    assert_int_equal(profile.calls[0].ranks, 3);
    assert_int_equal(profile.calls[0].sampled_calls, 0);
    assert_true(isnan(profile.calls[0].waited_seconds));
    hs_profile_release(&profile);
}

/* A file in which anything can stand is read or refused, and nothing else. */
static void spoilt_files_are_refused(void **state)
{
    uint64_t random = 7;
    const int rank = 0;
    size_t refused = 0;

    (void)state;
    for (int spoilt = 0; spoilt < 100; spoilt++) {
        struct hs_counts *counts = create(0, 1);
        struct hs_counted call = usual;
        struct hs_profile profile;
        struct hs_error err;
        const size_t places[] = {0, offsetof(struct hs_counts, rows),
                                 offsetof(struct hs_counts, groups),
                                 offsetof(struct hs_counts, samples)};

        call.group = hs_counts_group(counts, &rank, 1);
        for (int i = 0; i < 20; i++)
            hs_counts_add(counts, hs_counts_find(counts, &call), &call);
        assert_int_equal(hs_counts_write(counts), 0);
        for (int i = 0; i < 12; i++)
            spoil(counts, places[hs_random_bits(&random) % 4] + hs_random_bits(&random) % 300,
                  hs_random_bits(&random));
        if (hs_profile_merge(&profile, folder, &err) == HS_OK)
            hs_profile_release(&profile);
        else
            refused += strstr(err.message, "0.counts") != NULL;
        close_counts(counts);
    }
    assert_true(refused > 10);
}

/* Two ranks, whose only row has these; whether a profile is made of them. */
static bool is_read(struct hs_counts_row row, uint64_t uncounted)
{
    const int all[] = {0, 1};
    struct hs_profile profile;
    bool is = true;

    for (int rank = 0; rank < 2; rank++) {
        struct hs_counts *counts = create(rank, 2);
        struct hs_counted call = usual;
        struct hs_counts_row *place;

        call.group = hs_counts_group(counts, all, 2);
        place = hs_counts_find(counts, &call);
        hs_counts_add(counts, place, &call);
        place->calls = row.calls;
        place->bytes = row.bytes;
        place->nanoseconds = row.nanoseconds;
        place->longest_nanoseconds = row.longest_nanoseconds;
        place->changed = 1;
        counts->uncounted_calls = uncounted;
        close_counts(counts);
    }
    is = hs_profile_merge(&profile, folder, NULL) == HS_OK;
    if (is)
        hs_profile_release(&profile);
    return is;
}

/* A profile says at most 2^53 calls; times are below 2^63 nanoseconds. Right values as such files
 * have them. */
static void numbers_that_cannot_be_are_refused(void **state)
{
    const uint64_t most = (uint64_t)1 << 53, longest = INT64_MAX;

    (void)state;
    assert_true(is_read((struct hs_counts_row){.calls = most / 2, .bytes = longest}, most / 2));
    assert_false(is_read((struct hs_counts_row){.calls = most / 2 + 1}, 0));
    assert_false(is_read((struct hs_counts_row){.calls = most + 1}, 0));
    assert_false(is_read((struct hs_counts_row){.calls = 9221120238366514943u}, 0));
    assert_false(is_read((struct hs_counts_row){.calls = 1}, most / 2 + 1));
    assert_false(is_read((struct hs_counts_row){.calls = 1}, UINT64_MAX));
    assert_false(is_read((struct hs_counts_row){.calls = 1, .bytes = longest + 1}, 0));
    assert_true(is_read((struct hs_counts_row){.calls = 1, .nanoseconds = longest}, 0));
    assert_false(is_read((struct hs_counts_row){.calls = 1, .nanoseconds = longest + 1}, 0));
    assert_false(is_read((struct hs_counts_row){.calls = 1, .longest_nanoseconds = 1}, 0));
}

/* What is in the file when a process is killed: all of its first calls, and of more all but those
 * since the last tenth of a second. */
static void a_kill_loses_little(void **state)
{
    const int rank = 0;
    struct hs_counts *counts = create(0, 1);
    struct hs_counted call = usual;
    uint64_t made = 0;
    struct hs_profile profile;

    (void)state;
    call.group = hs_counts_group(counts, &rank, 1);
    while (made < 3 * HS_COUNTS_AT_ONCE) {
        call.since_nanoseconds += HS_COUNTS_EVERY / 10;
        call.bytes = made % 3 ? 4096 : 8;
        hs_counts_add(counts, hs_counts_find(counts, &call), &call);
        made++;
        if (made % 100 == 1 || made == HS_COUNTS_AT_ONCE) {
            uint64_t kept = 0;

            profile = merged();
            for (size_t i = 0; i < profile.call_count; i++)
                kept += (uint64_t)profile.calls[i].calls;
            assert_true(kept <= made);
            assert_true(kept >= (made <= HS_COUNTS_AT_ONCE ? made : made - 10));
            hs_profile_release(&profile);
        }
    }
    close_counts(counts);
    profile = merged();
    assert_int_equal(profile.calls[0].calls + profile.calls[1].calls, made);
    hs_profile_release(&profile);
}

/* A daemon closes all its files, and opens its own in their place. */
static void a_file_of_the_programs_is_not_written_to(void **state)
{
    const int rank = 0;
    int own = open("/dev/null", O_RDONLY), last;
    struct hs_counts *counts = create(0, 1);
    struct hs_counted call = usual;
    struct hs_profile profile;
    struct stat about;
    FILE *programs;

    (void)state;
    close(own);
    for (int file = own; file < own + 8; file++)
        close(file);
    programs = tmpfile();
    last = fileno(programs);
    while (last < own + 8) /* each number that was closed is of the program's file now */
        last = dup(last);
    call.group = hs_counts_group(counts, &rank, 1);
    hs_counts_add(counts, hs_counts_find(counts, &call), &call);
    close_counts(counts);
    assert_int_equal(fstat(fileno(programs), &about), 0);
    assert_int_equal(about.st_size, 0);
    for (int file = own; file <= last; file++)
        if (file != fileno(programs))
            close(file);
    fclose(programs);
    profile = merged();
    assert_int_equal(profile.calls[0].calls, 1);
    hs_profile_release(&profile);
}

/* As on a full disk: nothing is lost but the file, which is whole once there is room. */
static void without_room_the_program_lives(void **state)
{
    const int rank = 0;
    struct hs_counts *counts = create(0, 1);
    struct hs_counted call = usual;
    struct rlimit before, none;
    struct hs_profile profile;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    call.group = hs_counts_group(counts, &rank, 1);
    for (int i = 0; i < 3; i++)
        hs_counts_add(counts, hs_counts_find(counts, &call), &call);
    assert_int_equal(hs_counts_write(counts), EFBIG);
    assert_null(hs_counts_create(folder, 1, 2, 42));
    assert_int_equal(errno, EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    close_counts(counts);
    profile = merged();
    assert_int_equal(profile.calls[0].calls, 3);
    hs_profile_release(&profile);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("classes of sizes are powers of two", classes_are_powers_of_two),
    HS_TEST("groups are progressions or lists", groups_are_progressions_or_lists),
    HS_TEST("a full table says so", a_full_table_says_so),
    HS_TEST("waiting is what all but the last take longer",
            waiting_is_what_all_but_the_last_take_longer),
    HS_TEST("what a call before left is no waiting", what_a_call_before_left_is_no_waiting),
    HS_TEST("a rank without counts is missing", a_rank_without_counts_is_missing),
    HS_TEST("spoilt files are refused", spoilt_files_are_refused),
    HS_TEST("numbers that cannot be are refused", numbers_that_cannot_be_are_refused),
    HS_TEST("a kill loses little", a_kill_loses_little),
    HS_TEST("a file of the program's is not written to", a_file_of_the_programs_is_not_written_to),
    HS_TEST("without room the program lives", without_room_the_program_lives),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests(tests, begin, end) == 0 ? 0 : 1;
}
