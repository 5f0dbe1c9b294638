/* The library as C programs see it: every function, with what it refuses. */
#include "test.h"

#include <locale.h>

#include "asked.h"
#include "hiersearch.h"

static struct hiersearch_error *error;

/* Fails unless the call went well. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != HIERSEARCH_OK)                                                               \
            fail_msg("%s: %s", #call, hiersearch_error_text(error));                               \
    } while (0)
/* Fails unless the call was refused with this line. */
#define assert_refused(call, line)                                                                 \
    do {                                                                                           \
        assert_int_equal(call, HIERSEARCH_INVALID);                                                \
        assert_string_equal(hiersearch_error_text(error), line);                                   \
    } while (0)

static struct hiersearch_system *find(const char *text)
{
    struct hiersearch_system *system;

    assert_ok(hiersearch_system_find(&system, text, error));
    return system;
}

static struct hiersearch_question *ask(const char *kind, const char *const *options)
{
    struct hiersearch_question *question;

    assert_ok(hiersearch_question_new(&question, kind, error));
    for (; *options; options += 2)
        assert_ok(hiersearch_question_set(question, options[0], options[1], error));
    return question;
}
#define ASK(kind, ...) ask(kind, (const char *const[]){__VA_ARGS__, NULL})

static struct hiersearch_result *predict(const char *system_text, const char *np, const char *size)
{
    struct hiersearch_system *system = find(system_text);
    struct hiersearch_question *question = ASK("predict", "np", np, "size", size, "samples", "0");
    struct hiersearch_result *result;

    assert_ok(hiersearch_predict(&result, system, question, error));
    hiersearch_question_free(question);
    hiersearch_system_free(system);
    return result;
}

/* A ring of 4 over 1 GB/s without latency: 2 (p - 1) / p n / bandwidth. */
#define RING "one:4@1GB/s~0us"

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_prediction_is_the_equation_s(void **state)
{
    struct hiersearch_result *result = predict(RING, "4", "1GB");
    uint64_t bytes;
    double seconds;
    char *plan;

    (void)state;
    assert_int_equal(hiersearch_result_processes(result), 4);
    assert_int_equal(hiersearch_result_count(result), 1);
    assert_ok(hiersearch_result_best(&plan, &bytes, &seconds, result, 0, error));
    assert_string_equal(plan, "4");
    assert_int_equal(bytes, 1000000000);
    assert_near(seconds, 1.5, 1e-9);
    assert_ok(hiersearch_result_best(NULL, NULL, NULL, result, 0, error));
    assert_refused(hiersearch_result_best(NULL, NULL, NULL, result, 1, error),
                   "expected a message below 1, found 1");
    hiersearch_text_free(plan);
    hiersearch_result_free(result);
}

static void stages_are_those_that_run(void **state)
{
    struct hiersearch_result *result = predict("a:4@100GB/s~1us,b:4@1GB/s~1us", "16", "16MB");
    struct hiersearch_stages *stages;
    struct hiersearch_stage stage;
    int64_t ranks[4];

    (void)state;
    assert_ok(hiersearch_stages_new(&stages, result, 0, "4x4", error));
    assert_int_equal(hiersearch_stages_count(stages), 3);
    assert_ok(hiersearch_stages_get(&stage, stages, 1, error));
    assert_string_equal(stage.phase, "allreduce");
    assert_string_equal(stage.algorithm, "ring");
    assert_int_equal(stage.stride, 4);
    assert_int_equal(stage.size, 4);
    assert_near(stage.bytes, 4e6, 1e-12);
    /* a ring's 2 (p - 1) steps of a quarter each; four rings share what a node sends */
    assert_near(stage.seconds, 6 * (4 * 1e6 / 1e9 + 1e-6), 1e-9);
    assert_ok(hiersearch_stages_group(ranks, stages, 1, 9, error));
    assert_memory_equal(ranks, ((int64_t[]){1, 5, 9, 13}), sizeof(ranks));
    assert_ok(hiersearch_stages_group(ranks, stages, 0, 9, error));
    assert_memory_equal(ranks, ((int64_t[]){8, 9, 10, 11}), sizeof(ranks));
    assert_refused(hiersearch_stages_group(ranks, stages, 1, 16, error),
                   "expected a process from 0 to 15, found 16");
    assert_refused(hiersearch_stages_get(&stage, stages, 3, error),
                   "expected a stage below 3, found 3");
    hiersearch_stages_free(stages);
    assert_ok(hiersearch_stages_new(&stages, result, 0, NULL, error));
    assert_true(hiersearch_stages_count(stages) > 0);
    hiersearch_stages_free(stages);
    assert_int_equal(hiersearch_stages_new(&stages, result, 0, "4x5", error), HIERSEARCH_INVALID);
    assert_null(stages);
    hiersearch_result_free(result);
}

static void the_default_call_is_one_stage_at_its_price(void **state)
{
    struct hiersearch_result *result = predict("8xH100, 8xNDR400, 32:2", "8", "64KiB");
    struct hiersearch_stages *stages;
    struct hiersearch_stage stage;
    char *plan;
    double seconds;

    (void)state;
    assert_ok(hiersearch_result_best(&plan, NULL, &seconds, result, 0, error));
    assert_string_equal(plan, "default");
    for (int named = 0; named < 2; named++) {
        assert_ok(hiersearch_stages_new(&stages, result, 0, named ? plan : NULL, error));
        assert_int_equal(hiersearch_stages_count(stages), 1);
        assert_ok(hiersearch_stages_get(&stage, stages, 0, error));
        assert_string_equal(stage.phase, "allreduce");
        assert_string_equal(stage.algorithm, "native");
        assert_int_equal(stage.stride, 1);
        assert_int_equal(stage.size, 8);
        assert_near(stage.bytes, 65536, 1e-12);
        assert_near(stage.seconds, seconds, 1e-9);
        hiersearch_stages_free(stages);
    }
    hiersearch_text_free(plan);
    hiersearch_result_free(result);
}

static void options_are_set_taken_back_and_refused(void **state)
{
    struct hiersearch_system *system = find(RING);
    struct hiersearch_question *question;
    struct hiersearch_result *result;
    char *json;

    (void)state;
    assert_refused(hiersearch_question_new(&question, "predit", error),
                   "unknown kind of question \"predit\", did you mean \"predict\"?");
    assert_null(question);
    question = ASK("predict", "np", "4", "size", "1MiB");
    assert_refused(hiersearch_question_set(question, "colective", "allreduce", error),
                   "unknown option \"--colective\", did you mean \"--collective\"?");
    assert_refused(hiersearch_question_set(question, "widen", "yes", error),
                   "--widen: expected true or false, found \"yes\"");
    assert_refused(hiersearch_question_set(question, "np", "many", error),
                   "--np: process count: expected a whole number from 1 to 2147483648, found "
                   "\"many\"");
    assert_ok(hiersearch_predict(&result, system, question, error)); /* it stayed as it was */
    hiersearch_result_free(result);
    assert_ok(hiersearch_question_set(question, "widen", "true", error));
    assert_refused(hiersearch_predict(&result, system, question, error),
                   "--widen: only for --search containment");
    assert_null(result);
    assert_ok(hiersearch_question_set(question, "widen", "false", error));
    assert_ok(hiersearch_question_set(question, "size", NULL, error));
    assert_ok(hiersearch_predict(&result, system, question, error));
    hiersearch_result_free(result);
    assert_ok(hiersearch_question_set(question, "np", "2,4", error));
    assert_int_equal(hiersearch_predict(&result, system, question, error), HIERSEARCH_INVALID);
    assert_has(hiersearch_error_text(error), "expected one process count");
    assert_ok(answered(&json, NULL,
                       &(struct asked){.question = question, .system = system, .format = "json"},
                       error));
    assert_ptr_not_equal(strchr(json, '\n'), strrchr(json, '\n')); /* a line for each */
    hiersearch_text_free(json);
    assert_ok(hiersearch_question_set(question, "np", NULL, error));
    assert_refused(
        answered(&json, NULL,
                 &(struct asked){.question = question, .system = system, .format = "json"}, error),
        "--np P[:P] is missing");
    assert_null(json);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
    assert_ok(hiersearch_options_json(&json, "predict", error));
    assert_has(json, "\"name\": \"collective\"");
    assert_has(json, "\"reduce-scatter\"");
    hiersearch_text_free(json);
    assert_int_equal(hiersearch_options_json(&json, "predictions", error), HIERSEARCH_INVALID);
    assert_null(json);
}

static void a_question_of_another_kind_is_refused(void **state)
{
    struct hiersearch_system *system = find(RING), *fitted;
    struct hiersearch_question *question = ASK("fit", "name", "mine");
    struct hiersearch_result *result;
    struct hiersearch_inputs *inputs;
    struct hiersearch_exports *exports;
    char *json;

    (void)state;
    assert_refused(hiersearch_predict(&result, system, question, error),
                   "expected a question of kind \"predict\", found \"fit\"");
    assert_refused(hiersearch_predict(&result, system, NULL, error),
                   "expected a question of kind \"predict\", found none");
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(hiersearch_export(&exports, inputs, question, error),
                   "expected a question of kind \"export\", found \"fit\"");
    assert_null(exports);
    assert_refused(answered(&json, NULL,
                            &(struct asked){.kind = "profile", .inputs = inputs, .format = "json"},
                            error),
                   "expected one profile, or two, found 0 files");
    assert_null(json);
    assert_int_equal(hiersearch_fit(&fitted, system, inputs, NULL, error), HIERSEARCH_INVALID);
    assert_null(fitted);
    hiersearch_inputs_free(inputs);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

static void systems_are_read_written_and_copied(void **state)
{
    struct hiersearch_system *system, *copy, *again;
    char *json, *line, *same;

    (void)state;
    system = find("a:4@100GB/s,b:4@1GB/s~1us");
    assert_has(hiersearch_system_notes(system), "note: ");
    assert_int_equal(hiersearch_system_processes(system), 16);
    assert_ok(hiersearch_system_copy(&copy, system, error));
    assert_string_equal(hiersearch_system_notes(copy), hiersearch_system_notes(system));
    assert_ok(hiersearch_system_json(&json, copy, error));
    assert_ok(hiersearch_system_parse(&again, json, "a text", error));
    assert_string_equal(hiersearch_system_notes(again), "");
    assert_ok(hiersearch_system_json(&same, again, error));
    assert_string_equal(same, json);
    assert_ok(hiersearch_system_line(&line, again, error));
    assert_has(line, "a:4@100GB/s");
    hiersearch_text_free(line);
    hiersearch_text_free(same);
    hiersearch_text_free(json);
    hiersearch_system_free(again);
    hiersearch_system_free(copy);
    hiersearch_system_free(system);
    assert_int_equal(hiersearch_system_parse(&system, "{]", "a text", error), HIERSEARCH_INVALID);
    assert_has(hiersearch_error_text(error), "a text:1:2: ");
    assert_null(system);
    assert_int_equal(hiersearch_system_find(&system, "./no-such.json", error), HIERSEARCH_IO);
    assert_null(system);
    assert_refused(hiersearch_system_from_files(&system, NULL, 0, error), "expected files to read");
    assert_null(system);
}

/* Whatever the machine: it is found, or there is a reason. */
static void this_node_is_a_system_or_there_is_a_reason(void **state)
{
    struct hiersearch_system *system;

    (void)state;
    if (hiersearch_system_here(&system, error) == HIERSEARCH_OK)
        assert_true(hiersearch_system_processes(system) > 0);
    else
        assert_has(hiersearch_error_text(error), "this node: ");
    hiersearch_system_free(system);
}

static void results_come_back_as_they_were_written(void **state)
{
    char folder[] = "/tmp/hiersearch-test-XXXXXX", path[64];
    struct hiersearch_result *result = predict(RING, "8", "1KiB"), *again;
    char *json, *same;

    (void)state;
    assert_has(hiersearch_result_notes(result), "warning: " RING " describes 4 processes, 8 are");
    assert_ok(hiersearch_result_json(&json, result, error));
    assert_has(json, "\"command\": \"hiersearch predict one:4@1GB/s~0us --np 8 --size 1KiB "
                     "--samples 0\"");
    assert_ok(hiersearch_result_parse(&again, json, "a text", error));
    assert_ok(hiersearch_result_json(&same, again, error));
    assert_string_equal(same, json);
    hiersearch_text_free(same);
    hiersearch_result_free(again);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/result.json", folder);
    assert_ok(hiersearch_result_save(result, path, error));
    assert_ok(hiersearch_result_load(&again, path, error));
    assert_ok(hiersearch_result_json(&same, again, error));
    assert_string_equal(same, json);
    hiersearch_text_free(same);
    hiersearch_result_free(again);
    unlink(path);
    assert_int_equal(hiersearch_result_load(&again, path, error), HIERSEARCH_IO);
    assert_null(again);
    rmdir(folder);
    assert_int_not_equal(hiersearch_result_save(result, path, error), HIERSEARCH_OK);
    assert_refused(hiersearch_result_save(result, "-", error),
                   "expected the path of a file, found \"-\"");
    assert_int_equal(hiersearch_result_parse(&again, "{}", "a text", error), HIERSEARCH_INVALID);
    assert_null(again);
    hiersearch_text_free(json);
    hiersearch_result_free(result);
}

/* What is asked between does not matter, though machines are drawn once for a handle. */
static void the_same_question_has_the_same_answer(void **state)
{
    static const char *const np[] = {"512", "16", "512", "64", "512"};
    struct hiersearch_system *system = find("8xH100, 8xNDR400");
    struct hiersearch_question *question = ASK("predict", "size", "1MiB");
    char *first = NULL;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        struct hiersearch_result *result;
        char *json, *dated;

        assert_ok(hiersearch_question_set(question, "np", np[i], error));
        assert_ok(hiersearch_question_set(question, "samples", i == 3 ? "50" : "100", error));
        assert_ok(hiersearch_predict(&result, system, question, error));
        assert_ok(hiersearch_result_json(&json, result, error));
        hiersearch_result_free(result);
        dated = strstr(json, "\"created\"");
        assert_non_null(dated);
        memset(dated, ' ', strcspn(dated, "\n"));
        if (i == 0)
            first = json;
        else if (strcmp(np[i], "512") == 0)
            assert_string_equal(json, first);
        if (i > 0)
            hiersearch_text_free(json);
    }
    hiersearch_text_free(first);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

static const char log_of_nccl[] =
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304\n"
    "#  Rank  0 Group  0 Pid  653 on a device  0 [0x00] NVIDIA H100\n"
    "#  Rank  1 Group  0 Pid  654 on a device  1 [0x01] NVIDIA H100\n"
    "#                                                              out-of-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "     1048576        262144     float     sum      -1    30.00   34.95   34.95      0\n"
    "     4194304       1048576     float     sum      -1    60.00   69.91   69.91      0\n";

static void logs_calibrate_and_are_compared(void **state)
{
    struct hiersearch_system *system = find("8xH100, 8xNDR400"), *fitted;
    struct hiersearch_question *question = ASK("fit", "np", "2", "nodes", "1", "call", "allreduce");
    struct hiersearch_question *wrong = ASK("fit", "name", "My System");
    struct hiersearch_inputs *inputs;
    char *json, *notes;

    (void)state;
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_ok(hiersearch_inputs_add_text(inputs, "a log", log_of_nccl, error));
    assert_int_equal(hiersearch_inputs_add_text(inputs, "nothing", "no times\n", error),
                     HIERSEARCH_INVALID);
    assert_has(hiersearch_error_text(error), "nothing: ");
    assert_int_equal(hiersearch_inputs_add_file(inputs, "./no-such", error), HIERSEARCH_IO);
    assert_string_equal(hiersearch_inputs_notes(inputs), "");
    assert_int_equal(hiersearch_fit(&fitted, system, inputs, question, error), HIERSEARCH_FAILED);
    assert_has(hiersearch_error_text(error), "the fit does not reproduce its log within 10 %");
    assert_ok(hiersearch_question_set(question, "force", "true", error));
    assert_ok(hiersearch_fit(&fitted, system, inputs, question, error));
    assert_has(hiersearch_system_notes(fitted), "2 times of NCCL's calls: ");
    assert_ok(hiersearch_question_set(question, "name", "mine", error));
    hiersearch_system_free(fitted);
    assert_ok(hiersearch_fit(&fitted, system, inputs, question, error));
    assert_string_equal(hiersearch_system_name(fitted), "mine");
    hiersearch_system_free(fitted);
    assert_int_equal(hiersearch_fit(&fitted, system, inputs, wrong, error), HIERSEARCH_INVALID);
    assert_has(hiersearch_error_text(error), "--name: expected at most ");
    hiersearch_question_free(wrong);
    hiersearch_question_free(question);
    question = ASK("check", "call", "allreduce");
    assert_ok(answered(
        &json, &notes,
        &(struct asked){.question = question, .system = system, .inputs = inputs, .format = "json"},
        error));
    assert_has(json, "\"a log\"");
    assert_has(json, "\"verdict\": ");
    assert_string_equal(notes, "");
    hiersearch_text_free(notes);
    hiersearch_text_free(json);
    assert_ok(answered(&json, &notes,
                       &(struct asked){.question = question, .inputs = inputs, .format = "json"},
                       error));
    assert_has(json, "\"machine_proposed\": true");
    hiersearch_text_free(notes);
    hiersearch_text_free(json);
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
    hiersearch_system_free(system);
}

static void exports_are_files(void **state)
{
    struct hiersearch_result *result = predict("a:4@100GB/s~1us,b:4@1GB/s~1us", "16", "1MiB:4MiB");
    struct hiersearch_question *question = ASK("export", "to", "msccl");
    struct hiersearch_inputs *inputs;
    struct hiersearch_exports *exports;
    size_t length;
    char *json;

    (void)state;
    assert_ok(hiersearch_result_json(&json, result, error));
    hiersearch_result_free(result);
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(hiersearch_export(&exports, inputs, question, error),
                   "expected a result of measure or predict");
    assert_ok(hiersearch_inputs_add_text(inputs, "a result", json, error));
    hiersearch_text_free(json);
    assert_ok(hiersearch_export(&exports, inputs, question, error));
    assert_int_equal(hiersearch_exports_count(exports), 1);
    assert_non_null(hiersearch_exports_name(exports, 0));
    assert_has(hiersearch_exports_text(exports, 0, &length), "a result");
    assert_int_equal(length, strlen(hiersearch_exports_text(exports, 0, NULL)));
    assert_has(hiersearch_exports_notes(exports),
               "of 3 message sizes the largest is exported, 4MiB");
    assert_null(hiersearch_exports_name(exports, 1));
    assert_null(hiersearch_exports_text(exports, 1, &length));
    hiersearch_exports_free(exports);
    assert_ok(hiersearch_question_set(question, "size", "1GiB", error));
    assert_int_equal(hiersearch_export(&exports, inputs, question, error), HIERSEARCH_INVALID);
    assert_has(hiersearch_error_text(error), "--size 1GiB: a result has 1MiB, 2MiB, 4MiB");
    assert_refused(hiersearch_question_set(question, "to", "pytorhc", error),
                   "--to: unknown \"pytorhc\", did you mean \"pytorch\"?");
    assert_ok(hiersearch_inputs_add_text(inputs, "a log", log_of_nccl, error));
    assert_refused(hiersearch_export(&exports, inputs, question, error),
                   "a log: a log, expected results of measure or predict");
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
    assert_ok(hiersearch_formats_json(&json, error));
    assert_has(json, "\"name\": \"pytorch\"");
    hiersearch_text_free(json);
}

static void a_plot_s_numbers_need_nobody(const struct hiersearch_inputs *inputs)
{
    struct hiersearch_question *question = ASK("plot", "kind", "layers", "csv", "true");
    char *text, *notes;
    size_t length;

    assert_ok(answered(&text, &notes,
                       &(struct asked){.question = question, .inputs = inputs, .length = &length},
                       error));
    assert_int_equal(length, strlen(text));
    assert_int_equal(strncmp(text, "hiersearch.plot/1,layers\n", 25), 0);
    assert_string_equal(notes, "");
    hiersearch_text_free(text);
    hiersearch_text_free(notes);
    assert_ok(hiersearch_question_set(question, "type", "png", error));
    assert_refused(
        answered(&text, NULL, &(struct asked){.question = question, .inputs = inputs}, error),
        "--csv and --type: not together; CSV is no picture");
    assert_null(text);
    assert_ok(hiersearch_question_set(question, "type", NULL, error));
    assert_ok(hiersearch_question_set(question, "size", "1GiB", error));
    assert_int_equal(
        answered(&text, &notes,
                 &(struct asked){.question = question, .inputs = inputs, .length = &length}, error),
        HIERSEARCH_INVALID);
    assert_int_equal(length, 0);
    assert_null(notes);
    hiersearch_question_free(question);
}

static void a_page_loads_nothing(const struct hiersearch_inputs *inputs)
{
    char *html, *notes;

    assert_ok(answered(&html, &notes, &(struct asked){.kind = "report", .inputs = inputs}, error));
    assert_has(html, "<!DOCTYPE html>");
    assert_has(html, "4x4");
    assert_null(strstr(html, "<script"));
    hiersearch_text_free(html);
    hiersearch_text_free(notes);
    assert_ok(answered(&html, NULL, &(struct asked){.kind = "report", .inputs = inputs}, error));
    hiersearch_text_free(html);
}

static void results_become_pictures_and_pages(void **state)
{
    struct hiersearch_result *result = predict("a:4@100GB/s~1us,b:4@1GB/s~1us", "16", "1MiB:4MiB");
    struct hiersearch_question *question = ASK("plot", "size", "1MiB");
    struct hiersearch_inputs *inputs;
    char *json, *text;

    (void)state;
    assert_ok(hiersearch_result_json(&json, result, error));
    hiersearch_result_free(result);
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(
        answered(&text, NULL, &(struct asked){.kind = "report", .inputs = inputs}, error),
        "expected a result of measure or predict");
    assert_ok(hiersearch_inputs_add_text(inputs, "a result", json, error));
    hiersearch_text_free(json);
    assert_refused(
        answered(&text, NULL, &(struct asked){.question = question, .inputs = inputs}, error),
        "expected --kind KIND");
    a_plot_s_numbers_need_nobody(inputs);
    a_page_loads_nothing(inputs);
    assert_ok(hiersearch_inputs_add_text(inputs, "a log", log_of_nccl, error));
    assert_refused(
        answered(&text, NULL, &(struct asked){.kind = "report", .inputs = inputs}, error),
        "a log: a log, expected results of measure or predict");
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
}

static void figures_that_cannot_be_true_are_found(void **state)
{
    struct hiersearch_system *good = find("abci"), *bad = find("nvlink:8@9000GB/s,ib@25GB/s~9us");
    char *json;

    (void)state;
    assert_ok(answered(
        &json, NULL,
        &(struct asked){.kind = "systems", .flag = "check", .system = good, .format = "json"},
        error));
    assert_has(json, "\"findings\": [\n  ]");
    hiersearch_text_free(json);
    assert_ok(answered(
        &json, NULL,
        &(struct asked){.kind = "systems", .flag = "check", .system = bad, .format = "json"},
        error));
    assert_has(json, "levels[0] (nvlink), bandwidth");
    hiersearch_text_free(json);
    assert_ok(answered(
        &json, NULL, &(struct asked){.kind = "systems", .flag = "parts", .format = "json"}, error));
    assert_has(json, "H100");
    assert_has(json, "NDR400");
    hiersearch_text_free(json);
    hiersearch_system_free(good);
    hiersearch_system_free(bad);
}

static const char *without_date(char *json)
{
    char *dated = strstr(json, "\"created\"");

    if (dated)
        memset(dated, ' ', strcspn(dated, "\n"));
    return json;
}

/* Each question by itself, and in turn with others through one handle. */
static void a_handle_that_keeps_prices_answers_as_a_new_one(void **state)
{
    static const char *const machines[] = {"abci", "dgx-h100-superpod", "leonardo", "summit"};
    static const char *const options[][6] = {
        {"np", "64", "size", "64KiB", "samples", "200"},
        {"np", "64", "size", "100MiB", "samples", "200"},
        {"np", "64", "size", "3000000", "collective", "reduce-scatter"},
        {"np", "64", "size", "3000000", "collective", "allgather"},
        {"np", "128", "size", "64KiB", "samples", "50"},
        {"mesh", "tp=8,dp=8", "group", "dp", "size", "1MiB"},
        {"mesh", "tp=2,pp=4,dp=8", "group", "tp,dp", "size", "1MiB"},
        {"np", "64", "size", "20MB", "chunks", "1,2,4"},
        {"np", "64", "size", "20MB", "algorithms", "all"},
        {"np", "64", "size", "20MB", "dtype", "bf16"},
    };
    const size_t count = sizeof(options) / sizeof(options[0]);

    (void)state;
    for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
        struct hiersearch_system *kept = find(machines[m]);

        for (size_t i = 0; i < 2 * count; i++) {
            const char *const *of = options[i * 7 % count];
            struct hiersearch_question *question = ASK("predict", of[0], of[1], of[2], of[3]);
            struct hiersearch_system *anew = find(machines[m]);
            char *once, *again;

            assert_ok(hiersearch_question_set(question, of[4], of[5], error));
            assert_ok(answered(
                &once, NULL,
                &(struct asked){.question = question, .system = kept, .format = "json"}, error));
            assert_ok(answered(
                &again, NULL,
                &(struct asked){.question = question, .system = anew, .format = "json"}, error));
            assert_string_equal(without_date(once), without_date(again));
            hiersearch_text_free(once);
            hiersearch_text_free(again);
            hiersearch_question_free(question);
            hiersearch_system_free(anew);
        }
        hiersearch_system_free(kept);
    }
}

static void profiles_are_read(void **state)
{
    char *json;

    (void)state;
    assert_int_equal(hiersearch_profile_json(&json, "./no-such", error), HIERSEARCH_IO);
    assert_null(json);
}

/* What one axis sends stays inside of nodes: a ring's 2 (p - 1) / p n / bandwidth there. */
static void axes_are_placed(void **state)
{
    struct hiersearch_system *system = find("node:2@100GB/s~0us,ib:2@1GB/s~0us");
    struct hiersearch_question *question =
        ASK("place", "mesh", "dp=2,tp=2", "messages", "tp:allreduce:1GB", "samples", "0");
    char *json, *notes;

    (void)state;
    assert_ok(answered(&json, &notes,
                       &(struct asked){.question = question, .system = system, .format = "json"},
                       error));
    assert_string_equal(notes, "");
    assert_has(json, "\"advice\": \"use\"");
    assert_has(json, "\"order\": \"tp=2,dp=2\",\n      \"given\": false,\n      "
                     "\"split\": false,\n      \"seconds\": 0.01,");
    assert_has(json, "\"seconds\": 2,");
    hiersearch_text_free(json);
    hiersearch_text_free(notes);
    assert_ok(hiersearch_question_set(question, "messages", NULL, error));
    assert_refused(
        answered(&json, NULL,
                 &(struct asked){.question = question, .system = system, .format = "json"}, error),
        "expected one of --messages, such as tp:allreduce:64MiB*160, and --model, such "
        "as num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,"
        "global-batch-size=512");
    assert_null(json);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

/* Of 1e9 parameters in 32 bits Adam has 16 bytes each, and one unit of two is whole twice; on one
 * process nothing is sent. */
static void models_are_sharded(void **state)
{
    struct hiersearch_system *system = find(RING);
    struct hiersearch_question *question = ASK("shard", "np", "4", "parameters", "1e9", "units",
                                               "2", "memory", "10GB", "samples", "0");
    char *json;

    (void)state;
    assert_ok(answered(&json, NULL,
                       &(struct asked){.question = question, .system = system, .format = "json"},
                       error));
    assert_has(json, "\"shards\": 1,\n      \"replicas\": 4,\n      \"memory_bytes\": "
                     "20000000000,\n      \"fits\": false,");
    assert_has(json, "\"shard_seconds\": 9,"); /* three times 3/4 of 4e9 bytes, by 1 GB/s */
    hiersearch_text_free(json);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

#define COUNTED "tests/golden/profile/job.json"

/* By the model a ring's 2 (p - 1) / p n / bandwidth of 8000 bytes, by what was measured, halfway
 * between 4000 and 16000, 10 of the library's calls less by sqrt(10 x 60) / sqrt(20 x 80). */
static void a_job_gains(void **state)
{
    struct hiersearch_system *system = find(RING);
    struct hiersearch_question *question = ASK("predict", "profile", COUNTED, "samples", "0");
    struct hiersearch_inputs *inputs;
    char *json;

    (void)state;
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(
        answered(&json, NULL,
                 &(struct asked){.question = question, .inputs = inputs, .format = "json"}, error),
        "expected a result of measure");
    assert_ok(hiersearch_inputs_add_file(inputs, "tests/golden/predict/job-measured.json", error));
    assert_ok(answered(&json, NULL,
                       &(struct asked){.question = question, .system = system, .format = "json"},
                       error));
    assert_has(json, "\"plan\": \"4\",\n      \"plan_seconds\": ");
    assert_near(strtod(strstr(json, "\"plan_seconds\": ") + 16, NULL), 1.2e-05, 1e-15);
    hiersearch_text_free(json);
    assert_ok(answered(&json, NULL,
                       &(struct asked){.question = question, .inputs = inputs, .format = "json"},
                       error));
    assert_has(json, "\"gain_seconds_per_rank\": ");
    assert_near(strtod(strstr(json, "\"gain_seconds_per_rank\": ") + 25, NULL),
                10 * 0.0551096574 * (1 - sqrt(10 * 60) / sqrt(20 * 80)), 1e-9);
    hiersearch_text_free(json);
    assert_ok(hiersearch_question_set(question, "profile", NULL, error));
    assert_refused(
        answered(&json, NULL,
                 &(struct asked){.question = question, .inputs = inputs, .format = "json"}, error),
        "expected a question with --profile, which is of a job");
    assert_null(json);
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
    hiersearch_system_free(system);
}

/* A job of one kind of calls: 4 ranks that spend a second each in 100 of them, and half of it. */
#define JOB(spent)                                                                                 \
    "{\"format\": \"hiersearch.profile/1\", \"command\": \"job\", \"library\": \"MPI\", "          \
    "\"created\": \"2026-01-01T00:00:00Z\", \"finished\": true, \"ranks\": 4, \"seconds\": 10, "   \
    "\"nodes\": [{\"host\": \"n\", \"ranks\": 4}], \"calls\": [{\"call\": \"MPI_Allreduce\", "     \
    "\"collective\": \"allreduce\", \"groups\": 1, \"group_ranks\": 4, \"group_stride\": 1, "      \
    "\"calls\": 400, \"ranks\": 4, \"bytes\": 409600, \"seconds\": " spent                         \
    ", \"rank_seconds\": 1, \"longest_seconds\": 0.01}]}"

static void profiles_are_compared(void **state)
{
    struct hiersearch_inputs *inputs;
    struct hiersearch_system *system = find(RING);
    struct hiersearch_system *fitted;
    char *json, *notes;

    (void)state;
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_ok(hiersearch_inputs_add_text(inputs, "before", JOB("4"), error));
    assert_refused(answered(&json, NULL,
                            &(struct asked){.kind = "check", .inputs = inputs, .format = "json"},
                            error),
                   "before: expected logs of nccl-tests, rccl-tests or OSU, or results of measure");
    assert_null(json);
    assert_int_equal(hiersearch_inputs_add_text(inputs, "wrong", JOB("-1"), error),
                     HIERSEARCH_INVALID);
    assert_ok(hiersearch_inputs_add_text(inputs, "after", JOB("2"), error));
    assert_refused(hiersearch_fit(&fitted, system, inputs, NULL, error),
                   "before is the profile of a job: expected results and logs alone");
    assert_refused(
        answered(&json, NULL, &(struct asked){.kind = "report", .inputs = inputs}, error),
        "before is the profile of a job: expected no after beside it");
    assert_ok(answered(&json, &notes,
                       &(struct asked){.kind = "profile", .inputs = inputs, .format = "json"},
                       error));
    assert_has(json, "\"mean_seconds_before\":0.01,");
    assert_has(json, "\"mean_seconds_after\":0.005,");
    assert_has(json, "\"faster\":2,");
    assert_has(json, "\"saved_seconds_per_rank\":0.5}");
    assert_string_equal(notes, "");
    hiersearch_text_free(json);
    hiersearch_text_free(notes);
    hiersearch_inputs_free(inputs);
    hiersearch_system_free(system);
}

/* The text of an answer for people; to be freed. */
static char *show(struct hiersearch_question *question, struct hiersearch_system *system,
                  const struct hiersearch_inputs *inputs)
{
    char *text = NULL, *notes = NULL;

    assert_ok(answered(&text, &notes,
                       &(struct asked){.question = question, .system = system, .inputs = inputs},
                       error));
    assert_non_null(notes);
    hiersearch_text_free(notes);
    hiersearch_question_free(question);
    return text;
}

/* The ring of 4 takes 2 (4 - 1) / 4 of 128 MiB at 1 GB/s. */
static void answers_are_shown_to_people(void **state)
{
    struct hiersearch_system *system = find(RING);
    char *text = show(ASK("predict", "np", "4", "size", "128MiB", "explain", "4", "samples", "0"),
                      system, NULL);

    (void)state;
    assert_non_null(strstr(text, "4 takes 201.3 ms"));
    assert_non_null(strstr(text, "Winner by message size"));
    hiersearch_text_free(text);
    text = show(ASK("place", "mesh", "dp=2,tp=2", "messages", "tp:allreduce:1MB", "format",
                    "hostfile", "hosts", "a,b,c,d"),
                system, NULL);
    assert_string_equal(text, "a\nb\nc\nd\n");
    hiersearch_text_free(text);
    text = show(ASK("predict", "np", "2:4", "size", "128MiB", "format", "csv"), system, NULL);
    assert_int_equal(strncmp(text, "np,", 3), 0);
    hiersearch_text_free(text);
    hiersearch_system_free(system);
}

/* What is asked for in words is no result, and each kind says what it takes. */
static void what_cannot_be_shown_is_refused(void **state)
{
    struct hiersearch_system *system = find(RING);
    struct hiersearch_question *question = ASK("predict", "np", "4", "explain", "best");
    struct hiersearch_result *result;
    char *text, *notes;

    (void)state;
    assert_refused(hiersearch_predict(&result, system, question, error),
                   "--explain: its answer is no result, hiersearch_ask has it");
    assert_refused(answered(&text, &notes, &(struct asked){.question = question}, error),
                   "predict: expected a system, or the results that measured a job's calls");
    assert_null(text);
    assert_null(notes);
    hiersearch_question_free(question);
    question = ASK("report", NULL);
    assert_refused(
        answered(&text, NULL, &(struct asked){.question = question, .system = system}, error),
        "expected a result of measure or predict");
    hiersearch_question_free(question);
    question = ASK("export", NULL);
    assert_refused(answered(&text, NULL, &(struct asked){.question = question}, error),
                   "expected RESULT, a file of `hiersearch measure` or predict");
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

/* The same answer in two formats; hints are in it, and in a result alone only with details. */
static void an_answer_is_whole(void **state)
{
    struct hiersearch_system *system = find("nvlink:4@100GB/s~3us,ib:64@12GB/s~9us");
    struct hiersearch_question *question = ASK("predict", "np", "127");
    struct hiersearch_answer *answer;
    struct hiersearch_result *result;
    char *text, *json, *fast;

    (void)state;
    assert_ok(hiersearch_ask(&answer, question, system, NULL, error));
    assert_ok(hiersearch_answer_text(&text, NULL, answer, NULL, error));
    assert_non_null(strstr(text, "Hint: 127 is prime"));
    assert_ok(hiersearch_answer_text(&json, NULL, answer, "json", error));
    assert_non_null(strstr(json, "127 is prime"));
    assert_ok(hiersearch_predict(&result, system, question, error));
    assert_ok(hiersearch_result_json(&fast, result, error));
    assert_null(strstr(fast, "127 is prime"));
    hiersearch_text_free(fast);
    hiersearch_result_free(result);
    assert_ok(hiersearch_question_set(question, "details", "true", error));
    assert_ok(hiersearch_predict(&result, system, question, error));
    assert_ok(hiersearch_result_json(&fast, result, error));
    assert_non_null(strstr(fast, "127 is prime"));
    hiersearch_text_free(fast);
    hiersearch_text_free(text);
    assert_refused(hiersearch_answer_text(&text, NULL, answer, "jsn", error),
                   "unknown format \"jsn\", did you mean \"json\"?");
    assert_refused(hiersearch_answer_text(&text, NULL, NULL, "json", error),
                   "expected an answer, found none");
    assert_int_equal(hiersearch_ask(NULL, question, system, NULL, error), HIERSEARCH_INVALID);
    assert_string_equal(hiersearch_answer_notes(NULL), "");
    hiersearch_answer_free(NULL);
    hiersearch_text_free(json);
    hiersearch_answer_free(answer);
    hiersearch_result_free(result);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

/* Columns of the longest line with a bar. */
static size_t longest_bar(const char *text)
{
    size_t longest = 0;

    while (*text) {
        size_t bytes = strcspn(text, "\n"), columns = 0, bars = 0;

        for (size_t i = 0; i < bytes; i++) {
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
            bars += memcmp(text + i, "\342\226", 2) == 0; /* block elements of UTF-8 */
        }
        if (bars > 5 && columns > longest)
            longest = columns;
        text += bytes + (text[bytes] == '\n');
    }
    return longest;
}

/* A machine gets another name by what is printed of it; the handle stays as it is. */
static void systems_are_shown(void **state)
{
    struct hiersearch_system *system = find("8xH100, 8xNDR400, 32:2"), *named;
    char *text = show(ASK("systems", "name", "mine", "format", "json"), system, NULL), *line;

    (void)state;
    assert_ok(hiersearch_system_parse(&named, text, "text", error));
    assert_string_equal(hiersearch_system_name(named), "mine");
    assert_string_not_equal(hiersearch_system_name(system), "mine");
    hiersearch_text_free(text);
    assert_ok(hiersearch_system_line(&line, named, error));
    text = show(ASK("systems", "text", "true"), named, NULL);
    assert_int_equal(strncmp(text, line, strlen(line)), 0);
    hiersearch_text_free(text);
    hiersearch_text_free(line);
    text = show(ASK("systems", "names", "true"), NULL, NULL);
    assert_ok(hiersearch_system_names(&line, error));
    assert_string_equal(text, line);
    hiersearch_text_free(text);
    hiersearch_text_free(line);
    hiersearch_system_free(named);
    hiersearch_system_free(system);
}

/* As wide as a terminal would be, and in its colors. */
static void text_is_as_wide_as_it_is_asked_for(void **state)
{
    struct hiersearch_system *system = find("abci");
    size_t before = 0;
    char *text;

    (void)state;
    for (int width = 70; width <= 90; width += 10) {
        char number[8];

        snprintf(number, sizeof(number), "%d", width);
        text = show(ASK("predict", "np", "16", "samples", "0", "details", "true", "width", number),
                    system, NULL);
        assert_true(longest_bar(text) <= (size_t)width);
        assert_true(longest_bar(text) > before); /* more room is used */
        assert_null(strchr(text, '\033'));
        before = longest_bar(text);
        hiersearch_text_free(text);
    }
    text = show(ASK("predict", "np", "16", "samples", "0", "color", "always"), system, NULL);
    assert_non_null(strchr(text, '\033'));
    hiersearch_text_free(text);
    hiersearch_system_free(system);
}

/* Plans with predictions for SimGrid; the system of the handle keeps its parts. */
static void simulations_are_prepared(void **state)
{
    struct hiersearch_system *system = find("8xH100, 8xNDR400, 32:2");
    struct hiersearch_question *question = ASK("simulate", "np", "16", "plans", "4x4,16");
    struct hiersearch_exports *files;
    struct hiersearch_result *result;
    char *before, *after;
    const char *plans = NULL;

    (void)state;
    assert_ok(hiersearch_system_json(&before, system, error));
    assert_ok(hiersearch_simulation(&files, system, question, error));
    assert_ok(hiersearch_system_json(&after, system, error));
    assert_string_equal(before, after);
    assert_int_equal(hiersearch_exports_count(files), 4);
    for (size_t i = 0; i < 4; i++)
        if (strcmp(hiersearch_exports_name(files, i), "result.json") == 0)
            plans = hiersearch_exports_text(files, i, NULL);
    assert_ok(hiersearch_result_parse(&result, plans, "plans", error));
    assert_int_equal(hiersearch_result_processes(result), 16);
    hiersearch_result_free(result);
    hiersearch_exports_free(files);
    assert_ok(hiersearch_question_set(question, "plans", "4x5", error));
    assert_int_equal(hiersearch_simulation(&files, system, question, error), HIERSEARCH_INVALID);
    assert_null(files);
    hiersearch_text_free(before);
    hiersearch_text_free(after);
    hiersearch_question_free(question);
    hiersearch_system_free(system);
}

static void what_comes_with_it_is_found(void **state)
{
    char *names, *json;

    (void)state;
    setenv("HIERSEARCH_CONFIGS", "configs", 1);
    assert_ok(hiersearch_system_names(&names, error));
    assert_has(names, "abci\n");
    assert_ok(answered(&json, NULL, &(struct asked){.kind = "systems", .format = "json"}, error));
    assert_has(json, "\"name\": \"abci\"");
    hiersearch_text_free(json);
    hiersearch_text_free(names);
}

static void nothing_is_freed_and_nobody_asks_for_an_error(void **state)
{
    struct hiersearch_system *system;

    (void)state;
    hiersearch_error_free(NULL);
    hiersearch_text_free(NULL);
    hiersearch_system_free(NULL);
    hiersearch_question_free(NULL);
    hiersearch_inputs_free(NULL);
    hiersearch_result_free(NULL);
    hiersearch_stages_free(NULL);
    hiersearch_exports_free(NULL);
    assert_int_equal(hiersearch_system_find(&system, "a@b", NULL), HIERSEARCH_INVALID);
    assert_int_equal(hiersearch_api(), HIERSEARCH_API);
    assert_true(hiersearch_version()[0] >= '0' && hiersearch_version()[0] <= '9');
}

/* Of handles that a call before did not make. */
static void a_system_or_a_question_that_is_missing_is_said(void)
{
    struct hiersearch_question *question = ASK("predict", "np", "4"), *none;
    struct hiersearch_system *system;
    struct hiersearch_result *result;
    char *text;

    assert_refused(hiersearch_system_find(&system, NULL, error),
                   "expected the text of a system, found none");
    assert_null(system);
    assert_refused(hiersearch_system_parse(&system, NULL, "mine", error),
                   "expected the text of a system file, found none");
    assert_refused(hiersearch_system_parse(&system, "{}", NULL, error),
                   "expected a name for the text, found none");
    assert_refused(hiersearch_system_from_files(&system, (const char *const[]){NULL}, 1, error),
                   "expected the path of a file, found none");
    assert_refused(hiersearch_system_copy(&system, NULL, error), "expected a system, found none");
    assert_refused(hiersearch_system_json(&text, NULL, error), "expected a system, found none");
    assert_refused(hiersearch_system_line(&text, NULL, error), "expected a system, found none");
    assert_refused(hiersearch_predict(&result, NULL, question, error),
                   "expected a system, found none");
    assert_null(result);
    assert_refused(
        answered(&text, NULL, &(struct asked){.question = question, .format = "json"}, error),
        "predict: expected a system, or the results that measured a job's calls");
    assert_refused(hiersearch_question_new(&none, NULL, error),
                   "expected a kind of question, found none");
    assert_refused(hiersearch_options_json(&text, NULL, error),
                   "expected a kind of question, found none");
    assert_refused(hiersearch_question_set(NULL, "np", "4", error),
                   "expected a question, found none");
    assert_refused(hiersearch_question_set(question, NULL, "4", error),
                   "expected the name of an option, found none");
    assert_refused(answered(&text, NULL, &(struct asked){0}, error),
                   "expected a question, found none");
    hiersearch_question_free(question);
}

/* Of a file's path and its text the one that is missing: "notes.txt" is not read in its place. */
static void inputs_that_are_missing_are_said(void)
{
    struct hiersearch_question *export = ASK("export", "to", "rules"),
                               *simulate = ASK("simulate", "np", "4"),
                               *predict = ASK("predict", "profile", "job.json");
    struct hiersearch_system *system = find(RING), *fitted;
    struct hiersearch_exports *exports;
    struct hiersearch_inputs *inputs;
    char *text;

    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(hiersearch_inputs_add_file(inputs, NULL, error),
                   "expected the path of a file, found none");
    assert_refused(hiersearch_inputs_add_text(inputs, "tests/record/logs/nodes.txt", NULL, error),
                   "expected the text of a file, found none");
    assert_refused(hiersearch_inputs_add_text(inputs, NULL, "{}", error),
                   "expected a name for the text, found none");
    assert_refused(hiersearch_inputs_add_file(NULL, "log", error), "expected inputs, found none");
    assert_refused(hiersearch_fit(&fitted, NULL, inputs, NULL, error),
                   "expected a system, found none");
    assert_refused(hiersearch_fit(&fitted, system, NULL, NULL, error),
                   "expected inputs, found none");
    assert_null(fitted);
    assert_refused(answered(&text, NULL,
                            &(struct asked){.kind = "check", .system = system, .format = "json"},
                            error),
                   "check: expected inputs: logs");
    assert_refused(
        answered(&text, NULL, &(struct asked){.question = predict, .format = "json"}, error),
        "predict: expected a system, or the results that measured a job's calls");
    assert_refused(hiersearch_export(&exports, NULL, export, error), "expected inputs, found none");
    assert_refused(answered(&text, NULL, &(struct asked){.kind = "report"}, error),
                   "expected a result of measure or predict");
    assert_refused(hiersearch_profile_json(&text, NULL, error),
                   "expected the path of a profile, found none");
    assert_refused(hiersearch_simulation(&exports, NULL, simulate, error),
                   "expected a system, found none");
    hiersearch_question_free(export);
    hiersearch_question_free(simulate);
    hiersearch_question_free(predict);
    hiersearch_inputs_free(inputs);
    hiersearch_system_free(system);
}

static void a_result_that_is_missing_is_said(void)
{
    struct hiersearch_result *result, *made = predict(RING, "4", "1MiB");
    struct hiersearch_stages *stages;
    struct hiersearch_stage stage;
    int64_t ranks[4];
    char *text;

    assert_refused(hiersearch_result_load(&result, NULL, error),
                   "expected the path of a result file, found none");
    assert_refused(hiersearch_result_parse(&result, NULL, "mine", error),
                   "expected the text of a result file, found none");
    assert_refused(hiersearch_result_parse(&result, "{}", NULL, error),
                   "expected a name for the text, found none");
    assert_null(result);
    assert_refused(hiersearch_result_json(&text, NULL, error), "expected a result, found none");
    assert_refused(hiersearch_result_save(NULL, "x", error), "expected a result, found none");
    assert_refused(hiersearch_result_save(made, NULL, error),
                   "expected the path of a file, found none");
    assert_refused(hiersearch_result_best(&text, NULL, NULL, NULL, 0, error),
                   "expected a result, found none");
    assert_null(text);
    assert_refused(hiersearch_stages_new(&stages, NULL, 0, NULL, error),
                   "expected a result, found none");
    assert_refused(hiersearch_stages_get(&stage, NULL, 0, error), "expected stages, found none");
    assert_refused(hiersearch_stages_group(ranks, NULL, 0, 0, error),
                   "expected stages, found none");
    hiersearch_result_free(made);
}

/* A program that does not look at a status goes on with NULL, and is told. */
static void what_is_not_given_is_an_error(void **state)
{
    size_t length = 1;

    (void)state;
    a_system_or_a_question_that_is_missing_is_said();
    inputs_that_are_missing_are_said();
    a_result_that_is_missing_is_said();
    assert_string_equal(hiersearch_system_name(NULL), "");
    assert_string_equal(hiersearch_system_notes(NULL), "");
    assert_string_equal(hiersearch_result_notes(NULL), "");
    assert_string_equal(hiersearch_inputs_notes(NULL), "");
    assert_string_equal(hiersearch_exports_notes(NULL), "");
    assert_null(hiersearch_exports_name(NULL, 0));
    assert_null(hiersearch_exports_text(NULL, 0, &length));
    assert_int_equal(length, 0);
    assert_int_equal(hiersearch_system_processes(NULL), 0);
    assert_int_equal(hiersearch_result_processes(NULL), 0);
    assert_int_equal(hiersearch_result_count(NULL) + hiersearch_stages_count(NULL) +
                         hiersearch_exports_count(NULL),
                     0);
    assert_int_equal(hiersearch_error_status(NULL), HIERSEARCH_OK);
    assert_string_equal(hiersearch_error_text(NULL), "");
}

#define assert_no_place(call) assert_refused(call, "expected a place for the answer, found none")

static void a_handle_needs_a_place(const struct hiersearch_system *system,
                                   const struct hiersearch_result *result,
                                   const struct hiersearch_inputs *inputs)
{
    struct hiersearch_question *export = ASK("export", "to", "rules"), *simulate;
    struct hiersearch_stages *stages;

    simulate = ASK("simulate", "np", "4");
    assert_ok(hiersearch_stages_new(&stages, result, 0, "4", error));
    assert_no_place(hiersearch_system_find(NULL, RING, error));
    assert_no_place(hiersearch_system_parse(NULL, "{}", "mine", error));
    assert_no_place(hiersearch_system_from_files(NULL, (const char *const[]){"x"}, 1, error));
    assert_no_place(hiersearch_system_here(NULL, error));
    assert_no_place(hiersearch_system_copy(NULL, system, error));
    assert_no_place(hiersearch_question_new(NULL, "predict", error));
    assert_no_place(hiersearch_result_load(NULL, "x", error));
    assert_no_place(hiersearch_result_parse(NULL, "{}", "mine", error));
    assert_no_place(hiersearch_stages_new(NULL, result, 0, "4", error));
    assert_no_place(hiersearch_stages_get(NULL, stages, 0, error));
    assert_no_place(hiersearch_stages_group(NULL, stages, 0, 0, error));
    assert_no_place(hiersearch_inputs_new(NULL, error));
    assert_no_place(hiersearch_fit(NULL, system, inputs, NULL, error));
    assert_no_place(hiersearch_simulation(NULL, system, simulate, error));
    assert_no_place(hiersearch_export(NULL, inputs, export, error));
    hiersearch_stages_free(stages);
    hiersearch_question_free(export);
    hiersearch_question_free(simulate);
}

/* Every function that writes something: with all else in order, and with nothing else. */
static void an_answer_needs_a_place(void **state)
{
    struct hiersearch_system *system = find(RING);
    struct hiersearch_result *result = predict(RING, "4", "1MiB");
    struct hiersearch_question *question = ASK("predict", "np", "4"), *plot;
    struct hiersearch_inputs *inputs;
    size_t length = 1;
    char *json, *notes;

    (void)state;
    plot = ASK("plot", "kind", "layers", "csv", "true");
    assert_ok(hiersearch_result_json(&json, result, error));
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_ok(hiersearch_inputs_add_text(inputs, "a result", json, error));
    hiersearch_text_free(json);
    a_handle_needs_a_place(system, result, inputs);
    assert_no_place(hiersearch_predict(NULL, system, question, error));
    assert_no_place(
        answered(NULL, NULL,
                 &(struct asked){.question = question, .system = system, .format = "json"}, error));
    assert_no_place(hiersearch_system_names(NULL, error));
    assert_no_place(
        answered(NULL, NULL, &(struct asked){.kind = "systems", .format = "json"}, error));
    assert_no_place(answered(
        NULL, NULL, &(struct asked){.kind = "systems", .flag = "parts", .format = "json"}, error));
    assert_no_place(hiersearch_system_json(NULL, system, error));
    assert_no_place(hiersearch_system_line(NULL, system, error));
    assert_no_place(answered(
        NULL, NULL,
        &(struct asked){.kind = "systems", .flag = "check", .system = system, .format = "json"},
        error));
    assert_no_place(hiersearch_options_json(NULL, "predict", error));
    assert_no_place(hiersearch_result_json(NULL, result, error));
    assert_no_place(
        answered(NULL, &notes, &(struct asked){.question = question, .system = system}, error));
    assert_null(notes);
    assert_no_place(hiersearch_formats_json(NULL, error));
    assert_no_place(answered(
        NULL, NULL, &(struct asked){.question = plot, .inputs = inputs, .length = &length}, error));
    assert_int_equal(length, 0);
    assert_no_place(
        answered(NULL, NULL, &(struct asked){.kind = "report", .inputs = inputs}, error));
    assert_int_equal(
        answered(NULL, NULL, &(struct asked){.kind = "predict", .format = "json"}, error),
        HIERSEARCH_INVALID);
    assert_int_equal(hiersearch_profile_json(NULL, NULL, error), HIERSEARCH_INVALID);
    assert_int_equal(answered(NULL, NULL, &(struct asked){.kind = "check", .format = "json"}, NULL),
                     HIERSEARCH_INVALID);
    hiersearch_question_free(question);
    hiersearch_question_free(plot);
    hiersearch_inputs_free(inputs);
    hiersearch_result_free(result);
    hiersearch_system_free(system);
}

/* What the command line reads there is the caller's here, who would wait for it. */
static void standard_input_is_the_caller_s(void **state)
{
    struct hiersearch_question *question = ASK("predict", "np", "4");
    struct hiersearch_system *system;
    struct hiersearch_result *result;
    struct hiersearch_inputs *inputs;
    char *json;

    (void)state;
    assert_ok(hiersearch_inputs_new(&inputs, error));
    assert_refused(hiersearch_system_find(&system, "-", error),
                   "expected the text of a system, found \"-\"");
    assert_refused(hiersearch_system_from_files(&system, (const char *const[]){"-"}, 1, error),
                   "expected the path of a file, found \"-\"");
    assert_refused(hiersearch_result_load(&result, "-", error),
                   "expected the path of a result file, found \"-\"");
    assert_refused(hiersearch_inputs_add_file(inputs, "-", error),
                   "expected the path of a file, found \"-\"");
    assert_refused(hiersearch_profile_json(&json, "-", error),
                   "expected the path of a profile, found \"-\"");
    assert_refused(hiersearch_question_set(question, "compare-with", "-", error),
                   "--compare-with: expected a value, found \"-\"");
    assert_ok(answered(
        &json, NULL,
        &(struct asked){.question = question, .system = (system = find(RING)), .format = "json"},
        error));
    hiersearch_text_free(json);
    hiersearch_system_free(system);
    hiersearch_question_free(question);
    hiersearch_inputs_free(inputs);
}

static void an_error_stays_until_the_next_one(void **state)
{
    struct hiersearch_error *own = hiersearch_error_new();
    struct hiersearch_system *system;

    (void)state;
    assert_int_equal(hiersearch_error_status(own), HIERSEARCH_OK);
    assert_string_equal(hiersearch_error_text(own), "");
    assert_int_equal(hiersearch_system_find(&system, "a@b", own), HIERSEARCH_INVALID);
    assert_int_equal(hiersearch_error_status(own), HIERSEARCH_INVALID);
    assert_true(strlen(hiersearch_error_text(own)) > 0);
    hiersearch_error_free(own);
}

/* A locale that writes 1,5 where one is installed; the numbers of texts and documents stay. */
static void the_caller_s_locale_does_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", NULL};
    struct hiersearch_system *system;
    size_t i = 0;
    char *json;

    (void)state;
    while (names[i] && !setlocale(LC_ALL, names[i]))
        i++;
    if (!names[i])
        print_message("no locale with another decimal point is installed\n");
    system = find("one:4@1.5GB/s~2.5us");
    assert_ok(hiersearch_system_json(&json, system, error));
    assert_has(json, "2.5");
    if (names[i])
        assert_string_equal(localeconv()->decimal_point, ",");
    hiersearch_text_free(json);
    hiersearch_system_free(system);
    setlocale(LC_ALL, "C");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a prediction is the equation's", a_prediction_is_the_equation_s),
    HS_TEST("planned stages and their groups are those that run", stages_are_those_that_run),
    HS_TEST("the default call is one stage at its price",
            the_default_call_is_one_stage_at_its_price),
    HS_TEST("options are set, taken back and refused", options_are_set_taken_back_and_refused),
    HS_TEST("a question of another kind is refused", a_question_of_another_kind_is_refused),
    HS_TEST("systems are read, written and copied", systems_are_read_written_and_copied),
    HS_TEST("this node is a system, or there is a reason",
            this_node_is_a_system_or_there_is_a_reason),
    HS_TEST("results come back as they were written", results_come_back_as_they_were_written),
    HS_TEST("the same question has the same answer, whatever was asked between",
            the_same_question_has_the_same_answer),
    HS_TEST("logs calibrate a system, and are judged", logs_calibrate_and_are_compared),
    HS_TEST("exports are files of memory", exports_are_files),
    HS_TEST("results become pictures and pages", results_become_pictures_and_pages),
    HS_TEST("figures that cannot be true are found", figures_that_cannot_be_true_are_found),
    HS_TEST("a handle that keeps prices answers as a new one",
            a_handle_that_keeps_prices_answers_as_a_new_one),
    HS_TEST("a profile that is not there is refused", profiles_are_read),
    HS_TEST("axes are placed where they send least", axes_are_placed),
    HS_TEST("models lie in shards", models_are_sharded),
    HS_TEST("a job that was counted gains by the model, and by what was measured", a_job_gains),
    HS_TEST("two profiles of a job are compared", profiles_are_compared),
    HS_TEST("answers are shown to people", answers_are_shown_to_people),
    HS_TEST("an answer is whole, and can be had in any format", an_answer_is_whole),
    HS_TEST("what cannot be shown is refused", what_cannot_be_shown_is_refused),
    HS_TEST("systems are shown, and get a name", systems_are_shown),
    HS_TEST("text is as wide as it is asked for", text_is_as_wide_as_it_is_asked_for),
    HS_TEST("simulations are prepared", simulations_are_prepared),
    HS_TEST("systems that come with the library are found", what_comes_with_it_is_found),
    HS_TEST("nothing can be freed, and an error need not be asked for",
            nothing_is_freed_and_nobody_asks_for_an_error),
    HS_TEST("what is not given is an error, and ends nothing", what_is_not_given_is_an_error),
    HS_TEST("an answer needs a place", an_answer_needs_a_place),
    HS_TEST("standard input is the caller's", standard_input_is_the_caller_s),
    HS_TEST("an error stays until the next one", an_error_stays_until_the_next_one),
    HS_TEST("the caller's locale does not matter", the_caller_s_locale_does_not_matter),
};

int main(void)
{
    int failed;

    error = hiersearch_error_new();
    failed = hs_run_tests(tests);
    hiersearch_error_free(error);
    return failed;
}
