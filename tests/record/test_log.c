/* Logs of other people's programs: each kind, and what may stand in between. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "library/library_nccl.h"
#include "record/log.h"
#include "test.h"

#define LOGS "tests/record/logs/"

static struct hs_log load(const char *file)
{
    struct hs_error err = {0};
    struct hs_log log;

    if (hs_log_load(&log, NULL, NULL, file, &err) != HS_OK)
        fail_msg("%s", err.message);
    return log;
}

static void assert_run(const struct hs_log_run *run, int call, int64_t ranks, int64_t nodes,
                       int version)
{
    assert_int_equal(run->call_known, call >= 0);
    if (call >= 0)
        assert_int_equal(run->call, call);
    assert_int_equal(run->ranks, ranks);
    assert_int_equal(run->nodes, nodes);
    assert_int_equal(run->nccl_version, version);
}

static void assert_point(const struct hs_log_point *point, size_t run, uint64_t bytes, double us,
                         bool in_place)
{
    assert_int_equal(point->run, run);
    assert_true(point->bytes == bytes);
    assert_near(point->seconds, us * 1e-6, 1e-12);
    assert_int_equal(point->in_place, in_place);
}

static void two_runs_with_a_launcher_that_talks(void **state)
{
    struct hs_log log = load(LOGS "two-runs.txt");

    (void)state;
    assert_int_equal(log.run_count, 2);
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 4, 2, 23003);
    assert_run(&log.runs[1], HS_CALL_REDUCE_SCATTER, 2, 1, 23003);
    assert_int_equal(log.point_count, 8);
    assert_point(&log.points[0], 0, 1024, 36.95, false);
    assert_point(&log.points[1], 0, 1024, 34.17, true);
    assert_point(&log.points[5], 0, 4096, 41.01, true);
    assert_point(&log.points[7], 1, 8589934592, 1.1e7, true);
    assert_null(log.notes.data);
    hs_log_release(&log);
}

/* They do not say which collective it is: the ratio of the bandwidths does. */
static void old_versions_and_lines_behind_a_launchers_prefix(void **state)
{
    static const char *const files[] = {LOGS "old.txt", LOGS "prefixed-mpi.txt",
                                        LOGS "prefixed-srun.txt"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(files); i++) {
        struct hs_log log = load(files[i]);

        assert_int_equal(log.run_count, 1);
        assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 4, 1, 0);
        assert_int_equal(log.point_count, 4);
        assert_point(&log.points[2], 0, 134217728, 965.3, false);
        assert_point(&log.points[3], 0, 134217728, 963.9, true);
        hs_log_release(&log);
    }
}

static void rows_that_are_cut_short_or_wrong_are_left_out_and_noted(void **state)
{
    struct hs_log log = load(LOGS "middle.txt");

    (void)state;
    assert_run(&log.runs[0], HS_CALL_ALLTOALL, 2, 1, 22807);
    assert_int_equal(log.point_count, 4);
    assert_point(&log.points[2], 0, 2097152, 32.10, true);
    assert_point(&log.points[3], 0, 4194304, 45.73, false);
    assert_has(log.notes.data, "middle.txt:13: left out: its data was wrong\n");
    assert_has(log.notes.data, "middle.txt:15: the test failed here");
    assert_has(log.notes.data, "middle.txt:17: left out: the row is cut short\n");
    hs_log_release(&log);
}

static void osu_says_neither_ranks_nor_nodes(void **state)
{
    struct hs_log log = load(LOGS "osu.txt");

    (void)state;
    assert_int_equal(log.run_count, 2);
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 0, 0, 0);
    assert_run(&log.runs[1], HS_CALL_ALLGATHER, 0, 0, 0);
    assert_false(log.runs[0].per_rank);
    assert_true(log.runs[1].per_rank);
    assert_int_equal(log.point_count, 3);
    assert_point(&log.points[1], 0, 1048576, 402.75, false);
    assert_point(&log.points[2], 1, 4096, 12.5, false);
    hs_log_release(&log);
}

static void csv_is_bytes_and_seconds(void **state)
{
    struct hs_log log = load(LOGS "table.csv");

    (void)state;
    assert_run(&log.runs[0], -1, 16, 0, 0);
    assert_int_equal(log.point_count, 2);
    assert_point(&log.points[1], 0, 1048576, 210, false);
    hs_log_release(&log);
}

static void csv_of_several_runs(void **state)
{
    struct hs_log log = load(LOGS "runs.csv");

    (void)state;
    assert_int_equal(log.run_count, 4);
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 8, 2, 0);
    assert_run(&log.runs[1], HS_CALL_ALLREDUCE, 16, 4, 0);
    assert_run(&log.runs[2], HS_CALL_ALLGATHER, 16, 4, 0);
    assert_run(&log.runs[3], HS_CALL_ALLGATHER, 16, 4, 0);
    assert_int_equal(log.point_count, 5);
    assert_point(&log.points[1], 0, 1048576, 180, false);
    assert_point(&log.points[2], 1, 1024, 31, false);
    assert_point(&log.points[4], 3, 131072, 60, false);
    assert_has(log.notes.data, "runs.csv:6: left out: a run of another collective\n");
    hs_log_release(&log);
}

static void rccl_tests_say_that_they_are_not_of_nccl(void **state)
{
    struct hs_log log = load(LOGS "rccl.txt");

    (void)state;
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 4, 2, 0);
    assert_int_equal(log.runs[0].of, HS_LOG_OF_RCCL);
    assert_int_equal(log.point_count, 4);
    assert_point(&log.points[3], 0, 4194304, 101.5, true);
    assert_null(log.notes.data);
    hs_log_release(&log);
}

/* Their times are ms, which their bandwidths show: 4 MiB in 0.402 ms are 10.43 GB/s. */
static void the_oldest_tests_print_milliseconds(void **state)
{
    struct hs_log log = load(LOGS "oldest.txt");

    (void)state;
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 2, 1, 0);
    assert_int_equal(log.runs[0].of, HS_LOG_OF_NCCL);
    assert_int_equal(log.point_count, 4);
    assert_point(&log.points[0], 0, 4194304, 402, false);
    assert_near((double)log.points[0].bytes / log.points[0].seconds, 10.43e9, 0.01e9);
    hs_log_release(&log);
}

static void padded_ranks_times_of_day_and_dos_lines(void **state)
{
    static const char *const files[] = {LOGS "prefixed-padded.txt", LOGS "prefixed-time.txt",
                                        LOGS "dos.txt"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(files); i++) {
        struct hs_log log = load(files[i]);

        assert_int_equal(log.run_count, 1);
        assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 4, 2, 0);
        assert_int_equal(log.point_count, 4);
        assert_point(&log.points[1], 0, 1048576, 60.2, true);
        assert_point(&log.points[2], 0, 4194304, 101.5, false);
        assert_null(log.notes.data);
        hs_log_release(&log);
    }
}

static void what_nccl_algo_forced_is_read(void **state)
{
    struct hs_log log = load(LOGS "forced.txt"), json = load(LOGS "report.json");

    (void)state;
    assert_int_equal(log.runs[0].among, 1 << HS_NCCL_RING);
    assert_int_equal(json.runs[0].among, 1 << HS_NCCL_RING | 1 << HS_NCCL_PAT);
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 4, 2, 22809);
    hs_log_release(&json);
    hs_log_release(&log);
}

/* Point to point, non-blocking and rooted ones are no calls here. */
static void of_osu_only_collectives_of_all_ranks_are_read(void **state)
{
    struct hs_log log = load(LOGS "osu-others.txt"), nccl = load(LOGS "osu-nccl.txt");

    (void)state;
    assert_int_equal(log.run_count, 2);
    assert_run(&log.runs[0], HS_CALL_REDUCE_SCATTER, 0, 0, 0);
    assert_run(&log.runs[1], HS_CALL_ALLTOALL, 0, 0, 0);
    assert_int_equal(log.runs[0].of, HS_LOG_OF_MPI);
    assert_false(log.runs[0].per_rank);
    assert_true(log.runs[1].per_rank);
    assert_int_equal(log.point_count, 3);
    assert_point(&log.points[1], 0, 1048576, 310, false);
    assert_has(log.notes.data, "osu-others.txt:1: left out: a run of another collective\n");
    assert_has(log.notes.data, "osu-others.txt:6: left out");
    assert_has(log.notes.data, "osu-others.txt:13: left out");
    assert_int_equal(nccl.runs[0].of, HS_LOG_OF_NCCL);
    assert_int_equal(nccl.runs[1].call, HS_CALL_ALLGATHER);
    assert_true(nccl.runs[1].per_rank);
    hs_log_release(&nccl);
    hs_log_release(&log);
}

static void a_log_without_a_time_is_refused_with_the_place(void **state)
{
    static const char *const wrong[][2] = {
        {"no-heading.txt", "no-heading.txt:1: left out: rows without the heading"},
        {"failed.txt", "failed.txt:4: the test failed here"},
        {"other.txt", "other.txt:2: left out: a run of another collective"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        char path[128];
        struct hs_error err = {0};
        struct hs_log log;

        snprintf(path, sizeof(path), LOGS "%s", wrong[i][0]);
        assert_int_equal(hs_log_load(&log, NULL, NULL, path, &err), HS_INVALID);
        assert_has(err.message, wrong[i][1]);
        assert_has(err.message, ", and no other time is in it");
        assert_null(strchr(err.message, '\n'));
    }
}

static void json_of_nccl_tests(void **state)
{
    struct hs_log log = load(LOGS "report.json");

    (void)state;
    assert_run(&log.runs[0], HS_CALL_ALLGATHER, 2, 2, 22809);
    assert_int_equal(log.point_count, 3);
    assert_point(&log.points[0], 0, 1048576, 30.5, false);
    assert_point(&log.points[2], 0, 2097152, 40.25, true);
    assert_has(log.notes.data, "report.json:2: left out: its time is no time");
    hs_log_release(&log);
}

static void what_is_no_log_is_refused_with_what_would_be(void **state)
{
    static const char *const wrong[][2] = {
        {"", "found no time in it"},
        {"hello\n", "found no time in it"},
        {"# size count type redop root time\n", "found no time in it"},
        {"{}", "the results of nccl-tests -J"},
        {"{\"results\":[", "x:1:"},
        {"[1,2]", "found no time in it"},
        {"bytes,seconds\n-1,2\n1e3,nan\n5,inf\n7,-1\n", "x:4: left out: its time is no time, and"},
        {"bytes,seconds\n99999999999999999999999,1\n", "found no time in it"},
        {"bytes,seconds,np,nodes\n8,1,2,3\n", "x:2: left out: more nodes than ranks, and"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_error err = {0};
        struct hs_log log;

        assert_int_equal(hs_log_parse(&log, NULL, "x", wrong[i][0], strlen(wrong[i][0]), &err),
                         HS_INVALID);
        assert_has(err.message, wrong[i][1]);
        assert_null(log.points);
    }
}

/* One read tells them apart: JSON of nccl-tests has args, a result has none. */
static void what_is_no_log_is_read_as_a_result(void **state)
{
    struct hs_error err = {0};
    struct hs_result result;
    struct hs_log log;

    (void)state;
    assert_status_is(hs_log_load(&log, &result, NULL, "tests/record/good/minimal.json", &err),
                     HS_OK, &err);
    assert_true(log.point_count == 0 && log.run_count == 0 && result.np > 0);
    hs_result_release(&result);
    assert_status_is(hs_log_load(&log, &result, NULL, LOGS "report.json", &err), HS_OK, &err);
    assert_true(log.point_count == 3 && result.np == 0);
    hs_log_release(&log);
    assert_int_equal(hs_log_parse(&log, &result, "x", "{\"np\": 4}", 9, &err), HS_INVALID);
    assert_string_equal(err.message, "x: format: missing");
    assert_int_equal(hs_log_parse(&log, &result, "x", " \n", 2, &err), HS_INVALID);
    assert_true(log.point_count == 0 && result.np == 0);
}

/* Any prefix of any log is read or refused, and what is read is in order. */
static void logs_cut_anywhere(void **state)
{
    static const char *const files[] = {LOGS "two-runs.txt", LOGS "middle.txt",    LOGS "osu.txt",
                                        LOGS "table.csv",    LOGS "report.json",   LOGS "rccl.txt",
                                        LOGS "runs.csv",     LOGS "osu-others.txt"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(files); i++) {
        char *text;
        size_t length;

        assert_int_equal(hs_file_read(&text, &length, files[i], 1 << 20, NULL), HS_OK);
        for (size_t cut = 0; cut < length; cut++) {
            struct hs_log log;

            if (hs_log_parse(&log, NULL, "cut", text, cut, NULL) != HS_OK)
                continue;
            assert_true(log.run_count > 0 && log.point_count > 0);
            for (size_t p = 0; p < log.point_count; p++)
                assert_true(log.points[p].run < log.run_count && log.points[p].seconds > 0);
            hs_log_release(&log);
        }
        free(text);
    }
}

/* torchrun's "[default0]:" touches the '#'. */
static void a_prefix_that_touches_the_heading(void **state)
{
    struct hs_log log = load(LOGS "prefixed-touching.txt");

    (void)state;
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 8, 1, 0);
    assert_int_equal(log.point_count, 2);
    assert_point(&log.points[0], 0, 1048576, 67.3, false);
    assert_point(&log.points[1], 0, 1048576, 65.3, true);
    assert_null(log.notes.data);
    hs_log_release(&log);
}

static void rows_that_osu_validates_and_finds_wrong_are_left_out(void **state)
{
    struct hs_log log = load(LOGS "osu-validated.txt");

    (void)state;
    assert_int_equal(log.point_count, 2);
    assert_point(&log.points[0], 0, 1024, 20.1, false);
    assert_point(&log.points[1], 0, 1048576, 1120.1, false);
    assert_has(log.notes.data, "osu-validated.txt:5: left out: its data was wrong");
    hs_log_release(&log);
}

/* IMB runs on parts of the processes, too, and then says not which. */
static void intels_benchmarks_say_ranks_and_not_nodes(void **state)
{
    struct hs_log log = load(LOGS "imb.txt");

    (void)state;
    assert_int_equal(log.run_count, 2);
    assert_run(&log.runs[0], HS_CALL_ALLREDUCE, 16, 0, 0);
    assert_run(&log.runs[1], HS_CALL_ALLTOALL, 16, 0, 0);
    assert_int_equal(log.runs[0].of, HS_LOG_OF_MPI);
    assert_false(log.runs[0].per_rank);
    assert_true(log.runs[1].per_rank);
    assert_int_equal(log.point_count, 3);
    assert_point(&log.points[0], 0, 4, 11.06, false);
    assert_point(&log.points[1], 0, 1048576, 1121.06, false);
    assert_point(&log.points[2], 1, 65536, 240.5, false);
    assert_has(log.notes.data, "imb.txt:10: left out: some of the processes wait");
    assert_has(log.notes.data, "left out: a run of another collective");
    hs_log_release(&log);
}

/* PowerShell's `>` writes little endian; the other order is as good. */
static void logs_in_utf_16(void **state)
{
    struct hs_log plain = load(LOGS "two-runs.txt");
    struct hs_error err = {0};
    size_t length;
    char *text;

    (void)state;
    assert_status_is(hs_file_read(&text, &length, LOGS "two-runs.txt", 1 << 20, &err), HS_OK, &err);
    for (int big = 0; big < 2; big++) {
        char path[] = "/tmp/hs_test_utf16_XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        struct hs_log log;

        assert_non_null(file);
        fwrite(big ? "\xfe\xff" : "\xff\xfe", 1, 2, file);
        for (size_t i = 0; i < length; i++) {
            assert_true((unsigned char)text[i] < 0x80);
            fputc(big ? 0 : text[i], file);
            fputc(big ? text[i] : 0, file);
        }
        fclose(file);
        log = load(path);
        assert_int_equal(log.point_count, plain.point_count);
        for (size_t p = 0; p < plain.point_count; p++)
            assert_point(&log.points[p], plain.points[p].run, plain.points[p].bytes,
                         plain.points[p].seconds * 1e6, plain.points[p].in_place);
        hs_log_release(&log);
        remove(path);
    }
    free(text);
    hs_log_release(&plain);
}

/* The poster left out the ranks behind the eighth: 187.98 / 100.26 is 2 15 / 16. */
static void a_list_of_ranks_that_was_cut_contradicts_the_rates(void **state)
{
    struct hs_log log = load(LOGS "ranks-cut.txt");

    (void)state;
    assert_int_equal(log.runs[0].ranks, 8);
    assert_true(log.runs[0].ratio.least > 15.5 && log.runs[0].ratio.least < 16);
    assert_true(log.runs[0].ratio.most > 16 && log.runs[0].ratio.most < 16.5);
    hs_log_release(&log);
}

/* Each log of ranks that are all listed agrees with its rates. */
static void rates_agree_with_the_ranks_of_whole_logs(void **state)
{
    static const char *const files[] = {LOGS "two-runs.txt",  LOGS "old.txt",
                                        LOGS "info-gdr.txt",  LOGS "info-forced.txt",
                                        LOGS "info-nvls.txt", LOGS "info-sockets.txt",
                                        LOGS "info-ring.txt", LOGS "prefixed-touching.txt"};
    size_t said = 0;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(files); i++) {
        struct hs_log log = load(files[i]);

        for (size_t r = 0; r < log.run_count; r++) {
            const struct hs_log_run *run = &log.runs[r];

            said += run->ratio.least > 0;
            assert_int_equal(run->listed, run->ranks);
            if (run->ratio.least > 0)
                assert_true(run->ratio.least <= (double)run->ranks &&
                            (double)run->ranks <= run->ratio.most);
        }
        hs_log_release(&log);
    }
    assert_true(said >= 7);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("two runs with a launcher that talks", two_runs_with_a_launcher_that_talks),
    HS_TEST("old versions, and lines behind a launcher's prefix",
            old_versions_and_lines_behind_a_launchers_prefix),
    HS_TEST("rows that are cut short or wrong are left out and noted",
            rows_that_are_cut_short_or_wrong_are_left_out_and_noted),
    HS_TEST("OSU says neither ranks nor nodes", osu_says_neither_ranks_nor_nodes),
    HS_TEST("CSV is bytes and seconds", csv_is_bytes_and_seconds),
    HS_TEST("CSV of several runs", csv_of_several_runs),
    HS_TEST("rccl-tests say that they are not of NCCL", rccl_tests_say_that_they_are_not_of_nccl),
    HS_TEST("NCCL's oldest tests print milliseconds", the_oldest_tests_print_milliseconds),
    HS_TEST("padded ranks, times of day, and DOS lines", padded_ranks_times_of_day_and_dos_lines),
    HS_TEST("what NCCL_ALGO forced is read", what_nccl_algo_forced_is_read),
    HS_TEST("of OSU only collectives of all ranks are read",
            of_osu_only_collectives_of_all_ranks_are_read),
    HS_TEST("a log without a time is refused with the place",
            a_log_without_a_time_is_refused_with_the_place),
    HS_TEST("the JSON of nccl-tests", json_of_nccl_tests),
    HS_TEST("what is no log is refused with what would be",
            what_is_no_log_is_refused_with_what_would_be),
    HS_TEST("what is no log is read as a result", what_is_no_log_is_read_as_a_result),
    HS_TEST("logs cut anywhere", logs_cut_anywhere),
    HS_TEST("a prefix that touches the heading", a_prefix_that_touches_the_heading),
    HS_TEST("rows that OSU validates and finds wrong are left out",
            rows_that_osu_validates_and_finds_wrong_are_left_out),
    HS_TEST("Intel's benchmarks say ranks, and not nodes",
            intels_benchmarks_say_ranks_and_not_nodes),
    HS_TEST("logs in UTF-16", logs_in_utf_16),
    HS_TEST("a list of ranks that was cut contradicts the rates",
            a_list_of_ranks_that_was_cut_contradicts_the_rates),
    HS_TEST("rates agree with the ranks of whole logs", rates_agree_with_the_ranks_of_whole_logs),
};
HS_TEST_MAIN(tests)
