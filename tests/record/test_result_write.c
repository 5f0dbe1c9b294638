/*
 * What is written can be read and is written again without a change; a file is replaced or left
 * alone. Runs from the top of the source tree.
 */
#include "result_tools.h"
#include "systems.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "library/price_plan.h"

/* ---- writing ---- */

static void a_file_that_was_read_is_written_byte_for_byte(void **state)
{
    static const char *const paths[] = {GOOD "full.json", GOOD "minimal.json", GOOD "range.json",
                                        GOOD "topology.json", GOOD "choices.json"};

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        struct hs_result result;
        char *text = read_text(paths[i]), *printed;

        load(&result, paths[i]);
        printed = print(&result);
        assert_string_equal(printed, text);
        hs_result_release(&result);
        free(printed);
        free(text);
    }
}

/* One layer's worth of every kind of field, predicted by the model. */
static void fill(struct hs_result *result, const char *plan)
{
    struct hs_result_message *message = start(result);
    struct hs_candidate *candidate = add(message, plan, 0);

    assert_int_equal(
        hs_system_parse(&result->system, "nvlink:mesh:4@111.6GB/s~4.8us,ib@0.1GB/s", NULL), HS_OK);
    result->has_system = true;
    candidate->cost = malloc(sizeof(*candidate->cost));
    assert_non_null(candidate->cost);
    *candidate->cost = cost_of(&result->system, &candidate->plan, 1024.0 / 3);
    candidate->predicted_seconds = candidate->cost->seconds;
    assert_int_equal(hs_result_rank(message, NULL), HS_OK);
}

static void a_prediction_comes_back_as_the_model_made_it(void **state)
{
    static const char *const plans[] = {"8", "2x4", "2x2x2/3", "4x2"};

    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
        struct hs_result result, again;
        struct hs_plan_cost *cost, *read;
        char *text;

        fill(&result, plans[i]);
        text = print_twice(&result);
        parse_text(&again, text);
        cost = result.messages[0].candidates[0].cost;
        read = again.messages[0].candidates[0].cost;
        assert_true(read->seconds == cost->seconds && read->pacing_level == cost->pacing_level);
        for (int l = 0; l < cost->count; l++) {
            const struct hs_stage_cost *a = &cost->stages[l], *b = &read->stages[l];

            assert_true(a->seconds == b->seconds && a->bytes == b->bytes &&
                        a->latency_seconds == b->latency_seconds &&
                        a->bandwidth_seconds == b->bandwidth_seconds &&
                        a->launch_seconds == b->launch_seconds && a->level == b->level &&
                        a->bottleneck == b->bottleneck &&
                        a->ring_bytes_per_second == b->ring_bytes_per_second &&
                        a->rings_per_link == b->rings_per_link && a->misaligned == b->misaligned);
        }
        free(text);
        hs_result_release(&again);
        hs_result_release(&result);
    }
}

static void numbers_that_do_not_exist_are_absent(void **state)
{
    struct hs_result result;
    struct hs_result_message *message = start(&result);
    struct hs_measured *measured;
    char *text;

    (void)state;
    measured = hs_candidate_add_measured(add(message, "8", NAN));
    measured->status = HS_MEASURE_FAILED;
    measured->ci95_low_seconds = 1;
    measured->device_median_seconds = INFINITY;
    text = print_twice(&result);
    assert_null(strstr(text, "flat_seconds"));
    assert_null(strstr(text, "predicted_seconds"));
    assert_null(strstr(text, "median_seconds"));
    assert_null(strstr(text, "ci95_seconds"));
    assert_null(strstr(text, "samples_seconds"));
    assert_null(strstr(text, "null"));
    assert_non_null(strstr(text, "\"status\": \"failed\""));
    free(text);
    hs_result_release(&result);
}

static void layers_without_end_are_left_out_as_a_whole(void **state)
{
    struct hs_result result, again;
    char *text;

    (void)state;
    fill(&result, "4x2");
    result.messages[0].candidates[0].cost->stages[1].bandwidth_seconds = INFINITY;
    text = print_twice(&result);
    parse_text(&again, text);
    assert_null(again.messages[0].candidates[0].cost);
    assert_true(again.messages[0].candidates[0].predicted_seconds ==
                result.messages[0].candidates[0].predicted_seconds);
    free(text);
    hs_result_release(&again);
    hs_result_release(&result);
}

static void counts_of_64_bits_come_back_exactly(void **state)
{
    static const struct {
        uint64_t value;
        const char *text;
    } cases[] = {
        {0, "\"splits\": 0,"},
        {9007199254740991, "\"splits\": 9007199254740991,"},
        {9007199254740992, "\"splits\": \"9007199254740992\","},
        {9007199254740993, "\"splits\": \"9007199254740993\","},
        {UINT64_MAX, "\"splits\": \"18446744073709551615\","},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hs_result result, again;
        char *text;

        start(&result)->splits = cases[i].value;
        text = print_twice(&result);
        assert_non_null(strstr(text, cases[i].text));
        parse_text(&again, text);
        assert_true(again.messages[0].splits == cases[i].value);
        free(text);
        hs_result_release(&again);
        hs_result_release(&result);
    }
}

#define OTHER "\xef\xbf\xbd"

static void text_of_any_bytes_can_be_written_and_read(void **state)
{
    struct hs_result result, again;
    char *text;

    (void)state;
    start(&result);
    free(result.command);
    result.command = hs_strdup("a\tb\n\"c\\\x01 \xe2\x82\xac \xff \xc0\xaf \xed\xa0\x80 \xe2\x82");
    text = print_twice(&result);
    parse_text(&again, text);
    /* Per byte that is not UTF-8 a replacement character. */
    assert_string_equal(again.command, "a\tb\n\"c\\\x01 \xe2\x82\xac " OTHER " " OTHER OTHER
                                       " " OTHER OTHER OTHER " " OTHER OTHER);
    free(text);
    hs_result_release(&again);
    hs_result_release(&result);
}

static void a_sample_that_is_no_time_is_not_written(void **state)
{
    static const double bad[] = {NAN, INFINITY, -1};
    static const char *const messages[] = {
        "samples_seconds[1]: expected seconds of 0 or more, found nan",
        "samples_seconds[1]: expected seconds of 0 or more, found inf",
        "samples_seconds[1]: expected seconds of 0 or more, found -1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct hs_result result;
        struct hs_measured *measured = hs_candidate_add_measured(add(start(&result), "8", 1));
        struct hs_error err = {HS_OK, ""};
        struct hs_text text = {0};

        measured->samples_seconds = calloc(2, sizeof(double));
        measured->sample_count = 2;
        measured->samples_seconds[1] = bad[i];
        assert_int_equal(hs_result_print(&text, &result, &err), HS_FAILED);
        assert_string_equal(err.message, messages[i]);
        hs_text_release(&text);
        hs_result_release(&result);
    }
}

static void a_result_has_to_say_how_and_when_it_was_made(void **state)
{
    struct hs_result result;
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};

    (void)state;
    start(&result);
    free(result.created);
    result.created = NULL;
    assert_int_equal(hs_result_print(&text, &result, &err), HS_INVALID);
    assert_string_equal(err.message, "created: missing, a result has to say how it was made");
    free(result.command);
    result.command = NULL;
    assert_int_equal(hs_result_print(&text, &result, &err), HS_INVALID);
    assert_string_equal(err.message, "command: missing, a result has to say how it was made");
    hs_text_release(&text);
    hs_result_release(&result);
}

/* ---- files ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/hiersearch-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int files_in(const char *path)
{
    DIR *open = opendir(path);
    int count = -2; /* "." and ".." */

    assert_non_null(open);
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

static int remove_folder(void **state)
{
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/result.json", folder);
    unlink(path);
    return rmdir(folder);
}

static void a_result_that_was_saved_can_be_loaded(void **state)
{
    struct hs_result result, again;
    char path[128], *first, *second;

    (void)state;
    snprintf(path, sizeof(path), "%s/result.json", folder);
    load(&result, GOOD "full.json");
    assert_int_equal(hs_result_save(&result, path, NULL), HS_OK);
    assert_int_equal(files_in(folder), 1);
    load(&again, path);
    first = print(&result);
    second = print(&again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    hs_result_release(&again);
    hs_result_release(&result);
}

/* No file may grow beyond 512 bytes, as if the disk were full. */
static enum hs_status save_on_full_disk(const struct hs_result *result, const char *path,
                                        struct hs_error *err)
{
    struct rlimit old, small;
    enum hs_status status;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){512, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    status = hs_result_save(result, path, err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    return status;
}

static void what_cannot_be_saved_leaves_the_old_file(void **state)
{
    struct hs_result result, small;
    struct hs_error err = {HS_OK, ""};
    char path[128], *text, *before;

    (void)state;
    snprintf(path, sizeof(path), "%s/result.json", folder);
    load(&small, GOOD "minimal.json");
    load(&result, GOOD "full.json");
    assert_int_equal(hs_result_save(&small, path, NULL), HS_OK);
    before = read_text(path);
    assert_int_equal(save_on_full_disk(&result, path, &err), HS_IO);
    assert_non_null(strstr(err.message, path));
    text = read_text(path);
    assert_string_equal(text, before);
    assert_int_equal(files_in(folder), 1);
    free(text);
    free(result.command);
    result.command = NULL;
    assert_int_equal(hs_result_save(&result, path, &err), HS_INVALID);
    text = read_text(path);
    assert_string_equal(text, before);
    free(text);
    free(before);
    hs_result_release(&small);
    hs_result_release(&result);
}

static void a_folder_that_does_not_exist_is_an_error_of_one_line(void **state)
{
    struct hs_result result;
    struct hs_error err = {HS_OK, ""};
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/none/result.json", folder);
    load(&result, GOOD "minimal.json");
    assert_int_equal(hs_result_save(&result, path, &err), HS_IO);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "No such file or directory"));
    hs_result_release(&result);
}

static void a_dash_saves_to_standard_output(void **state)
{
    struct hs_result result;
    char path[128], *text, *expected;
    enum hs_status status;
    int kept, file;

    (void)state;
    snprintf(path, sizeof(path), "%s/result.json", folder);
    load(&result, GOOD "minimal.json");
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    close(file);
    status = hs_result_save(&result, "-", NULL);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(status, HS_OK);
    text = read_text(path);
    expected = read_text(GOOD "minimal.json");
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    hs_result_release(&result);
}

static void a_full_standard_output_is_an_error_of_one_line(void **state)
{
    struct hs_result result;
    struct hs_error err = {HS_OK, ""};
    enum hs_status status;
    int kept, file = open("/dev/full", O_WRONLY);

    (void)state;
    assert_true(file >= 0);
    load(&result, GOOD "minimal.json");
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    close(file);
    status = hs_result_save(&result, "-", &err);
    fflush(stdout);
    clearerr(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(status, HS_IO);
    assert_string_equal(err.message, "standard output: No space left on device");
    hs_result_release(&result);
}

static void running_out_of_memory_is_said(void **state)
{
    struct hs_result result;
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {.failed = true}; /* as if it could not grow */

    (void)state;
    load(&result, GOOD "full.json");
    assert_int_equal(hs_result_print(&text, &result, &err), HS_MEMORY);
    assert_string_equal(err.message, "out of memory");
    hs_text_release(&text);
    hs_result_release(&result);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a file that was read is written byte for byte",
            a_file_that_was_read_is_written_byte_for_byte),
    HS_TEST("a prediction comes back as the model made it",
            a_prediction_comes_back_as_the_model_made_it),
    HS_TEST("numbers that do not exist are absent", numbers_that_do_not_exist_are_absent),
    HS_TEST("layers without end are left out as a whole",
            layers_without_end_are_left_out_as_a_whole),
    HS_TEST("counts of 64 bits come back exactly", counts_of_64_bits_come_back_exactly),
    HS_TEST("text of any bytes can be written and read", text_of_any_bytes_can_be_written_and_read),
    HS_TEST("a sample that is no time is not written", a_sample_that_is_no_time_is_not_written),
    HS_TEST("a result has to say how and when it was made",
            a_result_has_to_say_how_and_when_it_was_made),
    {"a result that was saved can be loaded", a_result_that_was_saved_can_be_loaded, make_folder,
     remove_folder, NULL},
    {"what cannot be saved leaves the old file", what_cannot_be_saved_leaves_the_old_file,
     make_folder, remove_folder, NULL},
    {"a folder that does not exist is an error of one line",
     a_folder_that_does_not_exist_is_an_error_of_one_line, make_folder, remove_folder, NULL},
    {"a dash saves to standard output", a_dash_saves_to_standard_output, make_folder, remove_folder,
     NULL},
    HS_TEST("a full standard output is an error of one line",
            a_full_standard_output_is_an_error_of_one_line),
    HS_TEST("running out of memory is said", running_out_of_memory_is_said),
};
HS_TEST_MAIN(tests)
