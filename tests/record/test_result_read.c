/*
 * Result files are read field by field, and what is wrong is refused and said. Runs from the top of
 * the source tree.
 */
#include "library/price_plan.h"
#include "result_tools.h"

#define BAD "tests/record/bad.txt"

static void a_full_file_is_read_field_by_field(void **state)
{
    struct hs_result result;
    const struct hs_result_message *message;

    (void)state;
    load(&result, GOOD "full.json");
    assert_string_equal(result.command, "hiersearch measure small --size 1kB \"quoted\" \xc3\xa9");
    assert_string_equal(result.created, "2026-01-31T23:59:60Z");
    assert_string_equal(result.backend, "host");
    assert_int_equal(result.version_count, 2);
    assert_string_equal(result.versions[1].name, "mpi");
    assert_string_equal(result.versions[1].text, "MPICH 4.0.2");
    assert_int_equal(result.np, 8);
    assert_true(result.has_system);
    assert_string_equal(result.system.name, "small");
    assert_int_equal(result.system.level_count, 2);
    assert_true(result.extrapolated);
    assert_int_equal(result.placement.node_count, 2);
    assert_string_equal(result.placement.nodes[0].host, "a");
    assert_int_equal(result.placement.nodes[0].ranks, 5);
    assert_int_equal(result.placement.nodes[1].ranks, 3);
    assert_string_equal(result.placement.note, "uneven");
    assert_false(result.complete);
    assert_string_equal(result.note, "cut short: 2 candidates left");
    assert_int_equal(result.message_count, 2);
    message = &result.messages[0];
    assert_true(message->message_bytes == 1000 && message->padded_bytes == 1024);
    assert_int_equal(message->datatype, HS_BFLOAT16);
    assert_int_equal(message->operation, HS_AVERAGE);
    assert_string_equal(message->strategy, "lattice");
    assert_true(message->splits == 4 && message->looked_at == UINT64_MAX);
    assert_int_equal(message->pruned_count, 2);
    assert_string_equal(message->pruned[1].rule, "containment keep 4");
    assert_true(message->pruned[0].splits == ((uint64_t)1 << 53) - 1);
    assert_true(message->pruned[1].splits == (uint64_t)1 << 53);
    assert_true(message->flat_seconds == 0.001);
    assert_plan(&message->best, "4x2/8");
    assert_int_equal(message->baseline_count, 2);
    assert_string_equal(message->baselines[0].name, "MPI_Allreduce");
    assert_int_equal(message->candidate_count, 4);
    assert_true(result.messages[1].message_bytes == (uint64_t)1 << 50);
    hs_result_release(&result);
}

static void kinds_of_nodes_are_read_field_by_field(void **state)
{
    struct hs_result result;
    const struct hs_result_topology *kind, *bare;

    (void)state;
    load(&result, GOOD "topology.json");
    assert_int_equal(result.topology_count, 2);
    kind = &result.topology[0];
    assert_int_equal(kind->host_count, 2);
    assert_string_equal(kind->hosts[1], "n2");
    assert_string_equal(kind->cpu, "Some CPU");
    assert_true(kind->packages == 2 && kind->numa_nodes == 4 && kind->cores == 64 &&
                kind->hardware_threads == 128 && kind->memory_bytes == (int64_t)1 << 40);
    assert_string_equal(kind->driver, "580.95.05");
    assert_int_equal(kind->gpu_count, 2);
    assert_string_equal(kind->gpus[0].name, "GPU one");
    assert_string_equal(kind->gpus[0].pci, "0000:17:00");
    assert_true(kind->gpus[0].numa_node == 0 && kind->gpus[1].numa_node == -1);
    assert_true(kind->gpus[0].nvlinks == 18 && kind->gpus[0].nvswitch_links == 18);
    assert_true(kind->gpus[0].pcie_generation == 5 && kind->gpus[0].pcie_width == 16);
    assert_true(kind->gpus[1].pcie_generation == 0 && kind->gpus[1].pcie_width == 0);
    assert_string_equal(kind->gpus[0].links[1], "NV18");
    assert_int_equal(kind->nic_count, 1);
    assert_true(kind->nics[0].rdma && kind->nics[0].bytes_per_second == 50e9);
    assert_string_equal(kind->nics[0].links[1], "SYS");
    assert_string_equal(kind->notes, "one line\nand another");
    assert_string_equal(kind->proposed_system, "nvlink:2@370.8GB/s~3.4us,net@50GB/s~14us");
    bare = &result.topology[1];
    assert_true(bare->gpu_count == 0 && bare->packages == 0 && bare->nics[0].bytes_per_second == 0);
    assert_true(bare->cpu == NULL && bare->driver == NULL && bare->notes == NULL &&
                bare->proposed_system == NULL);
    hs_result_release(&result);
}

static void what_the_library_had_and_took_is_read(void **state)
{
    struct hs_result result;
    const struct hs_result_message *message;
    struct hs_text text = {0};

    (void)state;
    load(&result, GOOD "choices.json");
    assert_int_equal(result.environment_count, 2);
    assert_string_equal(result.environment[0].name, "NCCL_ALGO");
    assert_string_equal(result.environment[0].text, "Tree");
    assert_string_equal(result.environment[1].text, "");
    message = &result.messages[0];
    assert_string_equal(message->baselines[0].measured.choices[0].name, "allreduce");
    hs_measured_append_choices(&text, message->candidates[0].measured);
    assert_string_equal(text.data, "allreduce:1:5 symmetric");
    hs_text_release(&text);
    hs_result_release(&result);
}

static void variables_are_kept_by_their_beginning_and_in_order(void **state)
{
    static char one[] = "NCCL_PROTO=LL", two[] = "PATH=/NCCL_X=1", three[] = "NCCL_ALGO=a=b",
                four[] = "NCCL_";
    char *variables[] = {one, two, three, four, NULL};
    struct hs_result result = {0};

    (void)state;
    assert_int_equal(hs_result_set_environment(&result, variables, "NCCL_", NULL), HS_OK);
    assert_int_equal(result.environment_count, 2);
    assert_string_equal(result.environment[0].name, "NCCL_ALGO");
    assert_string_equal(result.environment[0].text, "a=b");
    assert_string_equal(result.environment[1].name, "NCCL_PROTO");
    hs_result_release(&result);
}

/* What nvidia-smi topo prints, and nothing else. */
static void links_are_words_of_a_list(void **state)
{
    static const char *const right[] = {"X",   "NV1", "NV18", "NV999", "PIX",
                                        "PXB", "PHB", "NODE", "SYS",   "?"};
    static const char *const wrong[] = {"",     "NV", "NV0", "NV1000", "NV1x",
                                        "NV+1", "N",  "x",   "PI",     "SYS "};

    (void)state;
    for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
        assert_true(hs_topology_link_valid(right[i]));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_false(hs_topology_link_valid(wrong[i]));
}

static void check_stages(const struct hs_measured *measured, size_t count,
                         const struct hs_stage_time *expected)
{
    assert_int_equal(measured->stage_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(hs_stage_key_equal(measured->stages[i].key, expected[i].key));
        assert_true(measured->stages[i].seconds == expected[i].seconds);
    }
}

static void a_prediction_has_a_range(void **state)
{
    struct hs_result result;

    (void)state;
    load(&result, GOOD "range.json");
    assert_true(result.messages[0].candidates[0].predicted_low_seconds == 0.0005 &&
                result.messages[0].candidates[0].predicted_high_seconds == 0.002);
    hs_result_release(&result);
}

static void a_prediction_has_an_answer(void **state)
{
    struct hs_result result;
    const struct hs_answer *answer;

    (void)state;
    load(&result, GOOD "range.json");
    answer = result.messages[0].answer;
    assert_non_null(answer);
    assert_int_equal(answer->verdict.advice, HS_ADVICE_UNDECIDED);
    assert_true(answer->verdict.gain_low == 0.5 && answer->verdict.gain == 1.25 &&
                answer->verdict.gain_high == 2 && answer->verdict.share == 0.7);
    assert_string_equal(answer->usual->choice, "tree, LL");
    assert_true(answer->usual->seconds == 0.00125 && answer->bound_seconds == 0.0005);
    assert_int_equal(answer->samples, 200);
    assert_int_equal(answer->tie_count, 1);
    assert_int_equal(answer->ties[0].split.count, 2);
    assert_true(answer->hints[0].gain == 1.4);
    assert_string_equal(answer->next[0], "mpiexec -n 4 hiersearch measure --plans 4");
    hs_result_release(&result);
}

static void a_measurement_is_read_field_by_field(void **state)
{
    struct hs_result result;
    const struct hs_measured *measured;

    (void)state;
    load(&result, GOOD "full.json");
    assert_true(isnan(result.messages[0].candidates[0].predicted_low_seconds));
    measured = result.messages[0].candidates[0].measured;
    assert_int_equal(measured->status, HS_MEASURE_OK);
    assert_string_equal(measured->reason, "few samples");
    assert_true(measured->median_seconds == 0.0003);
    assert_true(measured->ci95_low_seconds == 0.0002 && measured->ci95_high_seconds == 0.0004);
    assert_true(measured->device_median_seconds == 0.00029);
    assert_int_equal(measured->sample_count, 3);
    assert_true(measured->samples_seconds[0] == 0.0004 && measured->samples_seconds[1] == 0.0003 &&
                measured->samples_seconds[2] == 0.0002);
    check_stages(measured, 3,
                 (const struct hs_stage_time[]){{{HS_REDUCE_SCATTER, HS_RING, {1, 4}}, 0.0001},
                                                {{HS_ALLREDUCE, HS_RING, {4, 2}}, 0.00015},
                                                {{HS_ALLGATHER, HS_RING, {1, 4}}, 0.00005}});
    assert_true(hs_measured_layer_seconds(measured, (struct hs_layer){1, 4}) == 0.0001 + 0.00005);
    assert_true(isnan(hs_measured_layer_seconds(measured, (struct hs_layer){1, 8})));
    measured = result.messages[0].candidates[1].measured;
    assert_int_equal(measured->status, HS_MEASURE_SKIPPED);
    check_stages(measured, 1, &(struct hs_stage_time){{HS_ALLREDUCE, HS_RING, {1, 8}}, 0.5});
    measured = result.messages[0].candidates[3].measured;
    assert_int_equal(measured->status, HS_MEASURE_WRONG);
    assert_true(measured->wrong_elements == UINT64_MAX - 1);
    measured = &result.messages[0].baselines[0].measured;
    assert_true(measured->device_median_seconds == 0.0019 && measured->sample_count == 1);
    assert_string_equal(result.messages[0].baselines[1].measured.reason, "no such collective");
    hs_result_release(&result);
}

static void what_a_file_does_not_say_is_nan_or_null(void **state)
{
    struct hs_result result;
    const struct hs_measured *measured;

    (void)state;
    load(&result, GOOD "full.json");
    measured = result.messages[0].candidates[2].measured;
    assert_int_equal(measured->status, HS_MEASURE_TIMEOUT);
    assert_true(isnan(measured->median_seconds) && isnan(measured->ci95_low_seconds) &&
                isnan(measured->ci95_high_seconds) && isnan(measured->device_median_seconds));
    assert_true(!measured->reason && !measured->samples_seconds && measured->sample_count == 0 &&
                !measured->stages && measured->stage_count == 0);
    assert_true(isnan(hs_measured_stages_seconds(measured)));
    assert_true(isnan(result.messages[0].baselines[1].measured.median_seconds));
    assert_true(isnan(result.messages[0].candidates[2].predicted_seconds));
    assert_null(result.messages[0].candidates[2].cost);
    assert_null(result.messages[1].candidates[0].measured);
    assert_true(isnan(result.messages[1].flat_seconds));
    assert_int_equal(result.messages[1].best.split.count, 0);
    assert_null(result.messages[1].strategy);
    hs_result_release(&result);
    load(&result, GOOD "minimal.json");
    assert_true(!result.backend && !result.note && !result.has_system && result.complete);
    assert_true(result.version_count == 0 && result.message_count == 0);
    assert_true(result.placement.node_count == 0 && !result.placement.note);
    hs_result_release(&result);
}

static void layers_have_the_figures_of_the_file_and_the_rest_from_its_system(void **state)
{
    struct hs_result result;
    const struct hs_plan_cost *cost;
    const struct hs_stage_cost *layer;

    (void)state;
    load(&result, GOOD "full.json");
    cost = result.messages[0].candidates[0].cost;
    assert_int_equal(cost->count, 2);
    assert_true(cost->seconds == 0.00025 && cost->extrapolated);
    assert_true(fabs(cost->latency_seconds - 0.00018) < 1e-15);
    assert_true(fabs(cost->bandwidth_seconds - 0.00008) < 1e-15);
    assert_true(fabs(cost->launch_seconds - 0.00004) < 1e-15);
    layer = &cost->stages[1];
    assert_true(layer->key.layer.stride == 4 && layer->key.layer.size == 2);
    assert_int_equal(layer->level, 1);
    assert_true(layer->misaligned && layer->rings_per_link == 4);
    assert_true(layer->bytes == 256.5 && layer->seconds == 0.0002);
    assert_true(layer->latency_seconds == 0.00012 && layer->bandwidth_seconds == 0.00005);
    assert_true(layer->launch_seconds == 0.00003);
    /* By hand: 4 rings on a link of 18.6 GB/s; two ports of 9.3 GB/s with two rings each give the
     * same. */
    assert_int_equal(layer->bottleneck, 1);
    assert_true(fabs(layer->ring_bytes_per_second / 4.65e9 - 1) < 1e-12);
    hs_result_release(&result);
}

/* The first line of a file, without its end; owned by the caller. */
static void assert_refused(const char *path, const char *expected)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_result result, zero;
    enum hs_status status;

    memset(&zero, 0, sizeof(zero));
    memset(&result, 0xff, sizeof(result));
    status = hs_result_load(&result, path, &err);
    assert_string_equal(err.message, expected);
    assert_int_equal(status, strstr(expected, "cannot be read") ? HS_NO_FILE : HS_INVALID);
    assert_memory_equal(&result, &zero, sizeof(zero));
}

/* A case of the table: the base, with `is` in the place of `was`, is refused with that message. */
static void assert_change_refused(const char *name, const char *base, const char *message,
                                  const struct hs_text *was, const struct hs_text *is)
{
    char path[256], expected[1024];
    char *text = NULL, *place;
    size_t length;
    struct hs_text changed = {0};
    struct hs_error err = {HS_OK, ""};
    struct hs_result result, zero;

    snprintf(path, sizeof(path), GOOD "%s", base);
    snprintf(expected, sizeof(expected), "%s: %s", name, message);
    memset(&zero, 0, sizeof(zero));
    memset(&result, 0xff, sizeof(result));
    assert_status_is(hs_file_read(&text, &length, path, 1 << 20, &err), HS_OK, &err);
    place = strstr(text, was->data);
    if (!place || strstr(place + 1, was->data))
        fail_msg("%s: what is replaced stands not once in %s", name, path);
    hs_text_append_bytes(&changed, text, (size_t)(place - text));
    hs_text_append(&changed, "%s%s", is->data ? is->data : "", place + was->length);
    assert_int_equal(hs_result_parse(&result, name, changed.data, changed.length, &err),
                     HS_INVALID);
    assert_string_equal(err.message, expected);
    assert_memory_equal(&result, &zero, sizeof(zero));
    hs_text_release(&changed);
    free(text);
}

static void every_broken_file_is_refused_with_its_reason(void **state)
{
    char *table = read_text(BAD), *rest = table, *line;
    char name[128] = "", base[128] = "";
    const char *message = "";
    struct hs_text was = {0}, is = {0};
    int count = 0;

    (void)state;
    while ((line = strsep(&rest, "\n"))) {
        if (*line == '-' || *line == '+') {
            hs_text_append(*line == '-' ? &was : &is, "%s\n", line + 1);
        } else if (*line == '!') {
            message = line + 2;
        } else if (!*line && *name) { /* the end of a case */
            assert_change_refused(name, base, message, &was, &is);
            hs_text_release(&was);
            hs_text_release(&is);
            *name = '\0';
            count++;
        } else if (*line && *line != '#') {
            assert_int_equal(sscanf(line, "%127s %127s", name, base), 2);
        }
    }
    free(table);
    assert_in_range(count, 100, 1000);
}

static void what_is_no_result_at_all_is_refused(void **state)
{
    static const char *const texts[][2] = {
        {"[]", "text: expected an object, found an array"},
        {"\"hiersearch.result/2\"", "text: expected an object, found \"hiersearch.result/2\""},
        {"{}", "text: format: missing"},
        {"{\"format\": 1}", "text: format: expected a text in double quotes, found 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct hs_error err = {HS_OK, ""};
        struct hs_result result;

        assert_int_equal(hs_result_parse(&result, "text", texts[i][0], strlen(texts[i][0]), &err),
                         HS_INVALID);
        assert_string_equal(err.message, texts[i][1]);
    }
    assert_refused("tests/record/no-such-file.json",
                   "tests/record/no-such-file.json: cannot be read: No such file or directory");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a full file is read field by field", a_full_file_is_read_field_by_field),
    HS_TEST("kinds of nodes are read field by field", kinds_of_nodes_are_read_field_by_field),
    HS_TEST("what the library had and took is read", what_the_library_had_and_took_is_read),
    HS_TEST("variables are kept by their beginning and in order",
            variables_are_kept_by_their_beginning_and_in_order),
    HS_TEST("links are words of a list", links_are_words_of_a_list),
    HS_TEST("a prediction has a range", a_prediction_has_a_range),
    HS_TEST("a prediction has an answer", a_prediction_has_an_answer),
    HS_TEST("a measurement is read field by field", a_measurement_is_read_field_by_field),
    HS_TEST("what a file does not say is nan or null", what_a_file_does_not_say_is_nan_or_null),
    HS_TEST("layers have the figures of the file and the rest from its system",
            layers_have_the_figures_of_the_file_and_the_rest_from_its_system),
    HS_TEST("every broken file is refused with its reason",
            every_broken_file_is_refused_with_its_reason),
    HS_TEST("what is no result at all is refused", what_is_no_result_at_all_is_refused),
};
HS_TEST_MAIN(tests)
