/* Each kind's numbers against values computed by hand from the results below. */
#include "test.h"

#include "plot/plot.h"

#define SYSTEM                                                                                     \
    "\"system\": {\"format\": \"hiersearch.system/1\", \"name\": \"%s\", \"levels\": ["            \
    "{\"name\": \"in\", \"arity\": 2, \"fabric\": \"switch\", \"latency_us\": 1,"                  \
    " \"bandwidth_GBps\": 8},"                                                                     \
    "{\"name\": \"out\", \"arity\": null, \"fabric\": \"switch\", \"latency_us\": 2,"              \
    " \"bandwidth_GBps\": 1}]},"

#define HEAD                                                                                       \
    "{\"format\": \"hiersearch.result/2\", \"command\": \"c\","                                    \
    "\"created\": \"2026-01-31T12:00:00Z\", \"versions\": {\"hiersearch\": \"0.1.0\"},"

#define MESSAGE                                                                                    \
    "{\"message_bytes\": %d, \"dtype\": \"float32\", \"op\": \"sum\","                             \
    "\"search\": {\"splits\": 2, \"looked_at\": 2, \"pruned\": []},"

/* Four processes, 8 MB: 2x2 takes 3 s (predicted 2 s), flat 6 s (predicted 8 s), the library 9 s.
 */
#define MEASURED                                                                                   \
    HEAD "\"backend\": \"host\", \"np\": 4," SYSTEM                                                \
         "\"placement\": {\"nodes\": [{\"host\": \"a\", \"ranks\": 4}]}, \"complete\": true,"      \
         "\"results\": [" MESSAGE                                                                  \
         "\"best\": \"2x2\", \"baselines\": [{\"name\": \"MPI_Allreduce\","                        \
         "\"measured\": {\"status\": \"ok\", \"median_seconds\": 9, \"samples_seconds\": [9],"     \
         "\"wrong_elements\": 0}}],"                                                               \
         "\"candidates\": [{\"plan\": \"2x2\", \"predicted_seconds\": 2, \"measured\": "           \
         "{\"status\": \"ok\", \"median_seconds\": 3, \"ci95_seconds\": [2.5, 4],"                 \
         "\"samples_seconds\": [3], \"wrong_elements\": 0,"                                        \
         "\"stages\": [{\"stage\": \"reduce-scatter:1:2\", \"seconds\": 0.5},"                     \
         "{\"stage\": \"allreduce:2:2\", \"seconds\": 1.5},"                                       \
         "{\"stage\": \"allgather:1:2\", \"seconds\": 0.75}]}},"                                   \
         "{\"plan\": \"4\", \"predicted_seconds\": 8, \"measured\": {\"status\": \"ok\","          \
         "\"median_seconds\": 6, \"samples_seconds\": [6], \"wrong_elements\": 0}}]}]}"

/* Eight processes, predicted only. */
#define PREDICTED                                                                                  \
    HEAD "\"np\": 8," SYSTEM "\"complete\": true, \"results\": [" MESSAGE                          \
         "\"best\": \"2x4\", \"baselines\": [],"                                                   \
         "\"candidates\": [{\"plan\": \"2x4\", \"predicted_seconds\": 0.25},"                      \
         "{\"plan\": \"8\", \"predicted_seconds\": 0.5}]}]}"

static void read_text(struct hs_result *result, char *text)
{
    struct hs_error error;

    assert_non_null(text);
    assert_status_is(hs_result_parse(result, "test.json", text, strlen(text), &error), HS_OK,
                     &error);
    free(text);
}

/* A macro, so that the compiler sees the format. */
#define load(result, format, machine, bytes)                                                       \
    do {                                                                                           \
        char *text_;                                                                               \
        read_text(result, asprintf(&text_, format, machine, bytes) < 0 ? NULL : text_);            \
    } while (0)

/* The text of a kind for one or two results; owned by the caller. */
static char *text_of(const char *name, const struct hs_result *a, const struct hs_result *b,
                     const char *plan)
{
    struct hs_named_result inputs[] = {{"a.json", a}, {"b.json", b}};
    struct hs_plot_job job = {.inputs = inputs, .input_count = b ? 2 : 1, .plan = plan};
    const struct hs_plot_kind *kind;
    struct hs_text out = {0};
    struct hs_error error;

    assert_status_is(hs_plot_kind_find(&kind, name, &error), HS_OK, &error);
    assert_status_is(hs_plot_write(&out, kind, &job, &error), HS_OK, &error);
    return out.data;
}

static enum hs_status failure_of(struct hs_error *error, const char *name,
                                 const struct hs_result *a, const struct hs_result *b,
                                 const char *plan)
{
    struct hs_named_result inputs[] = {{"a.json", a}, {"b.json", b}};
    struct hs_plot_job job = {.inputs = inputs, .input_count = b ? 2 : 1, .plan = plan};
    const struct hs_plot_kind *kind;
    struct hs_text out = {0};
    enum hs_status status;

    assert_status_is(hs_plot_kind_find(&kind, name, error), HS_OK, error);
    status = hs_plot_write(&out, kind, &job, error);
    hs_text_release(&out);
    return status;
}

static void scaling_has_flat_best_and_library(void **state)
{
    struct hs_result measured, predicted;
    char *text;

    (void)state;
    load(&measured, MEASURED, "m", 8000000);
    load(&predicted, PREDICTED, "m", 8000000);
    text = text_of("scaling", &predicted, &measured, NULL);
    assert_has(text, "hiersearch.plot/1,scaling\n");
    assert_has(text, "title,\"m: 4 to 8 processes, 8MB per process\"\n");
    assert_has(text, "time_unit,s\n");
    assert_has(text, "# predicted\n# np,flat_seconds,best_seconds,best_plan\n"
                     "4,8,2,2x2\n8,0.5,0.25,2x4\n\n\n");
    assert_has(text, "4,6,6,6,3,2.5,4,9,9,9,2x2,MPI_Allreduce\n");
    free(text);
    hs_result_release(&measured);
    hs_result_release(&predicted);
}

/* The library takes 9 s, 2x2 3 s, 2.5 s to 4 s; 8 / 2 by what is predicted. */
static void gain_is_over_the_library_and_the_flat_split(void **state)
{
    struct hs_result measured, predicted;
    char *text;

    (void)state;
    load(&measured, MEASURED, "m", 8000000);
    load(&predicted, PREDICTED, "m", 8000000);
    text = text_of("gain", &measured, NULL, NULL);
    assert_has(text, "over,the flat split\nmeasured_over,MPI_Allreduce\n");
    assert_has(text, "# model\n# bytes,gain,low,high,plan\n8000000,4,4,4,2x2\n");
    assert_has(text, "# runs\n# bytes,gain,low,high,plan\n8000000,3,2.25,3.6,2x2\n");
    free(text);
    text = text_of("gain", &predicted, NULL, NULL);
    assert_has(text, "\n8000000,2,2,2,2x4\n");
    assert_null(strstr(text, "# runs"));
    free(text);
    hs_result_release(&measured);
    hs_result_release(&predicted);
}

static void layers_stack_the_phases_in_time(void **state)
{
    struct hs_result measured;
    char *text;

    (void)state;
    load(&measured, MEASURED, "m", 8000000);
    text = text_of("layers", &measured, NULL, NULL);
    /* Measured 2x2: 0.5 reduce-scatter, 1.5 allreduce, 0.75 allgather, in the lower half of row 0.
     */
    assert_has(text, "-0.4,0,0,0.5,1,1,1,");
    assert_has(text, "-0.4,0,0.5,2,2,2,1,");
    assert_has(text, "-0.4,0,2,2.75,3,1,1,");
    /* The model, eq. 2-4 with s = 1: layer (1, 2) in 8 GB/s of 8 MB takes 2 us + 8 MB / 8 GB/s =
     * 1.002 ms, a half for each of its phases; layer (2, 2) of 4 MB has 2 rings on a link of 1
     * GB/s, so 4 us + 4 MB / 0.5 GB/s = 8.004 ms. */
    assert_has(text, "0,0.4,0,0.000501,1,1,0,");
    assert_has(text, "0,0.4,0.000501,0.008505,2,2,0,");
    /* The library's default, 9 s, below both plans; all four kinds of bars are in the legend. */
    assert_has(text, "-2.4,-1.6,0,9,5,0,1,-\n");
    assert_has(text, "drawn, 1 2 3 5\n");
    assert_has(text, "-2,MPI_Allreduce\n");
    assert_has(text, "0,0.4,0.008505,0.009006,3,1,0,");
    /* Whole plans: the file's prediction and the measurement with its interval. */
    assert_has(text, ",2,2,2,2,0,2.000 s predicted\n");
    assert_has(text, ",3,2.5,4,4,1,3.000 s measured\n");
    assert_has(text, "-1,4 (flat)\n");
    free(text);
    hs_result_release(&measured);
}

static void layers_shows_a_plan_by_the_model(void **state)
{
    struct hs_result predicted;
    struct hs_error error;
    char *text;

    (void)state;
    load(&predicted, PREDICTED, "m", 8000000);
    text = text_of("layers", &predicted, NULL, "2x2x2");
    assert_has(text, ",2x2x2\n");
    free(text);
    assert_int_equal(failure_of(&error, "layers", &predicted, NULL, "2x3"), HS_INVALID);
    assert_has(error.message, "--plan: ");
    hs_result_release(&predicted);
}

static void bandwidth_is_bus_bandwidth(void **state)
{
    struct hs_result measured;
    char *text;

    (void)state;
    load(&measured, MEASURED, "m", 8000000);
    text = text_of("bandwidth", &measured, NULL, NULL);
    /* n / t * 2 (4 - 1) / 4: 12 MB / 2 s, / 3 s, / 4 s (slow end), / 2.5 s (fast end). */
    assert_has(text, "# plan1\n# bytes,predicted,measured,low,high\n"
                     "8000000,6000000,4000000,3000000,4800000\n");
    assert_has(text, "# plan2\n# bytes,predicted,measured,low,high\n"
                     "8000000,1500000,2000000,2000000,2000000\n");
    assert_has(text, "# library\n# bytes,predicted,measured,low,high\n"
                     "8000000,?,1333333.33,1333333.33,1333333.33\n");
    /* Layer (1, 2): 8 MB travel, by the model in 1.002 ms, measured in 0.5 + 0.75 s; no fit of one
     * point. */
    assert_has(text, "# layer1\n# bytes,predicted,measured,fitted\n"
                     "8000000,7.98403194e+09,6400000,?\n");
    free(text);
    hs_result_release(&measured);
}

static void accuracy_counts_the_errors(void **state)
{
    struct hs_result measured, predicted;
    struct hs_error error;
    char *text;

    (void)state;
    load(&measured, MEASURED, "m", 8000000);
    load(&predicted, PREDICTED, "m", 8000000);
    text = text_of("accuracy", &measured, &predicted, NULL);
    /* 2 / 3 - 1 = -1/3 and 8 / 6 - 1 = 1/3. */
    assert_has(text, "points,2\nmedian_error,0.333333333\nmean_error,0.333333333\n"
                     "worst_error,0.333333333\n");
    assert_has(text, "2,3,2.5,4,1,2x2,2x2\n8,6,6,6,1,4,4\n");
    assert_has(text, "caption1,\"2 candidates, error of the prediction: median 33.3 %");
    free(text);
    assert_int_equal(failure_of(&error, "accuracy", &predicted, NULL, NULL), HS_INVALID);
    assert_has(error.message, "a.json: has no candidate that was both predicted and measured");
    hs_result_release(&measured);
    hs_result_release(&predicted);
}

static void system_has_levels_and_layers(void **state)
{
    struct hs_result predicted;
    char *text;

    (void)state;
    load(&predicted, PREDICTED, "m", 8000000);
    text = text_of("system", &predicted, NULL, NULL);
    /* 2 (4 - 1) / 4 of 8 MB in 1 GB/s, which is the limit; 2 (8 - 1) / 8 of them in 8 GB/s. */
    assert_has(text, "2,1,16,0,2,1,1,\"out joins all groups of 2; each has 1.000 "
                     "GB/s, latency 2.000 us: 12.00 ms at least\"\n"
                     "1,1,2,0.12,1,0,0,\"in joins 2 processes; each has 8.000 GB/s, "
                     "latency 1.000 us: 1.750 ms at least\"\n");
    assert_has(text, "1,1,2,-1,1,\"layer 1: rings of 2, stride 1, over in; 1 ring on a link, "
                     "8.000 GB/s each; 1.002 ms\"\n");
    assert_has(text, "2,2,8,-2,2,\"layer 2: rings of 4, stride 2, over out; 2 rings on a link, "
                     "500.0 MB/s each; 12.01 ms\"\n");
    free(text);
    hs_result_release(&predicted);
}

/* Four children, at 135, 225, 315 and 45 degrees; a switch of the first two lies beyond what they
 * have in the middle, 180 degrees, and a CPU beyond that. */
static void system_draws_single_links(void **state)
{
    static const char file[] = HEAD
        "\"np\": 4, \"system\": {\"format\": \"hiersearch.system/1\", \"name\": \"g\", \"levels\": "
        "[{\"name\": \"in\", \"arity\": 4, \"fabric\": \"links\", \"latency_us\": 1, \"relays\": "
        "2, "
        "\"links\": [{\"between\": [0, 1], \"count\": 2, \"bandwidth_GBps\": 10}, {\"between\": "
        "[2, 3], "
        "\"count\": 5, \"bandwidth_GBps\": 10}, {\"between\": [0, 2], \"bandwidth_GBps\": 5}, "
        "{\"between\": [0, 4], \"bandwidth_GBps\": 20}, {\"between\": [1, 4], \"one_way\": true, "
        "\"bandwidth_GBps\": 20}, {\"between\": [4, 5], \"bandwidth_GBps\": 20}]}]}, \"complete\": "
        "true, "
        "\"results\": [" MESSAGE "\"best\": \"4\", \"baselines\": [], "
        "\"candidates\": [{\"plan\": \"4\", \"predicted_seconds\": 0.5}]}]}";
    struct hs_result predicted;
    char *whole, *text;

    (void)state;
    assert_true(asprintf(&whole, file, 8000000) > 0);
    read_text(&predicted, whole);
    text = text_of("system", &predicted, NULL, NULL);
    assert_has(text, "graph,in\nlink_kinds,3\nlink_labels,1\none_way,1\nrelays,2\n");
    assert_has(text, "in joins 4 processes by single links; each has 40.00 GB/s, ");
    assert_has(text, "# vertices\n# vertex,x,y,relay\n"
                     "0,-0.707106781,0.707106781,0\n1,-0.707106781,-0.707106781,0\n"
                     "2,0.707106781,-0.707106781,0\n3,0.707106781,0.707106781,0\n"
                     "4,-1.36,");
    assert_has(text, ",1\n5,-1.7,");
    /* Two lines beside each other, 0.034 apart; one for five, which are counted in its middle. */
    assert_has(text, "# links\n# x,y,dx,dy,kind,width,one_way\n"
                     "-0.724106781,0.707106781,0,-1.41421356,1,1.4,0\n"
                     "-0.690106781,0.707106781,0,-1.41421356,1,1.4,0\n"
                     "0.707106781,-0.707106781,");
    assert_has(text, ",1.41421356,1,4,0\n");
    assert_has(text, "# link_labels\n# x,y,label\n0.707106781,");
    assert_has(text, ",5\n\n\n# link_kinds\n# kind,label\n1,10.00 GB/s a link\n"
                     "2,5.000 GB/s a link\n3,20.00 GB/s a link\n");
    free(text);
    hs_result_release(&predicted);
}

static void two_machines_do_not_mix(void **state)
{
    struct hs_result a, b;
    struct hs_error error;

    (void)state;
    load(&a, MEASURED, "m", 8000000);
    load(&b, PREDICTED, "other", 8000000);
    assert_int_equal(failure_of(&error, "scaling", &a, &b, NULL), HS_INVALID);
    assert_string_equal(error.message,
                        "results of two machines in one plot: a.json is of m, b.json is of other");
    assert_int_equal(failure_of(&error, "layers", &a, &b, NULL), HS_INVALID);
    assert_string_equal(error.message, "layers: expected one result file, found 2");
    hs_result_release(&b);
    load(&b, PREDICTED, "m", 4000000);
    assert_int_equal(failure_of(&error, "scaling", &a, &b, NULL), HS_INVALID);
    assert_string_equal(error.message, "the 2 result files have no message size in common");
    hs_result_release(&a);
    hs_result_release(&b);
}

/* train.json: 200 calls of 62.5 ms by all ranks, a quarter of it waiting; NCCL's have bytes. */
static void calls_has_work_and_waiting(void **state)
{
    static const struct {
        const char *file, *says[4];
    } cases[] = {
        {"tests/golden/profile/train.json",
         {"\n0,9.375,3.125,200,0.208333333,\"MPI_Allreduce all 64, 25MiB\"\n", "\n-3,1.25,0,",
          "rows,7\n", "timed,1\n"}},
        {"tests/golden/profile/nccl.json",
         {"rows,9\n", "\n0,48000,0,3,?,\"ncclAllGather 2 x 2, -2 apart, 15.62KiB\"\n", "timed,0\n",
          "waiting,0\n"}},
    };
    const struct hs_plot_kind *kind;
    struct hs_error error;

    (void)state;
    assert_status_is(hs_plot_kind_find(&kind, "calls", &error), HS_OK, &error);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hs_profile profile;
        struct hs_plot_job job = {.profile = &profile, .profile_name = cases[i].file};
        struct hs_text out = {0};

        assert_status_is(hs_profile_load(&profile, cases[i].file, &error), HS_OK, &error);
        assert_status_is(hs_plot_write(&out, kind, &job, &error), HS_OK, &error);
        for (size_t k = 0; k < 4; k++)
            assert_has(out.data, cases[i].says[k]);
        hs_text_release(&out);
        assert_status_is(hs_plot_kind_find(&kind, "layers", &error), HS_OK, &error);
        assert_int_equal(hs_plot_write(&out, kind, &job, &error), HS_INVALID);
        assert_has(error.message, "layers: expected results, found tests/golden/profile/");
        assert_status_is(hs_plot_kind_find(&kind, "calls", &error), HS_OK, &error);
        hs_profile_release(&profile);
    }
}

static void an_unknown_kind_names_the_nearest(void **state)
{
    const struct hs_plot_kind *kind;
    struct hs_error error;

    (void)state;
    assert_int_equal(hs_plot_kind_find(&kind, "layer", &error), HS_INVALID);
    assert_string_equal(error.message,
                        "no kind of plot is called \"layer\"; did you mean \"layers\"?");
    assert_int_equal(hs_plot_kind_find(&kind, "zzz", &error), HS_INVALID);
    assert_string_equal(error.message, "no kind of plot is called \"zzz\"");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("scaling has the flat split, the best one and the library",
            scaling_has_flat_best_and_library),
    HS_TEST("gain is over the library, and of predictions over what they have",
            gain_is_over_the_library_and_the_flat_split),
    HS_TEST("layers stacks the phases in the order of time", layers_stack_the_phases_in_time),
    HS_TEST("layers shows a plan that is not in the file, by the model",
            layers_shows_a_plan_by_the_model),
    HS_TEST("bandwidth is n / t * 2 (np - 1) / np", bandwidth_is_bus_bandwidth),
    HS_TEST("accuracy counts how wrong the predictions are", accuracy_counts_the_errors),
    HS_TEST("system has the levels and the layers of the plan", system_has_levels_and_layers),
    HS_TEST("system draws a level of single links", system_draws_single_links),
    HS_TEST("results that do not belong together are refused", two_machines_do_not_mix),
    HS_TEST("calls has work and waiting, or bytes", calls_has_work_and_waiting),
    HS_TEST("an unknown kind is answered with the nearest one", an_unknown_kind_names_the_nearest),
};
HS_TEST_MAIN(tests)
