/* What a GPU's own figures say of blocks of kernels, and what that does to prices; by hand. */
#include "systems.h"
#include "test.h"

#include "estimate/gpu_probe.h"
#include "estimate/system_file.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"

#define GIB 1073741824.0

/* A block adds 20, 25 and 15.2 GB/s as there are more of them; the copy takes `beside` ms beside 24
 * that wait, and 1 ms alone. */
static const char text_of_a_probe[] =
    "{\"format\": \"hiersearch.gpu-probe/1\", \"gpu\": \"NVIDIA H100 80GB HBM3\", \"driver\": "
    "\"CUDA 13.0\", \"processors\": 132, \"figures\": [\n"
    "{\"name\": \"launch, host\", \"bytes\": 0, \"count\": 0, \"seconds\": 2e-06},\n"
    "{\"name\": \"sum of two arrays by `count` blocks, float32\", \"bytes\": 1000000000, "
    "\"count\": 1, \"seconds\": 0.05},\n"
    "{\"name\": \"sum of two arrays by `count` blocks, float32\", \"bytes\": 1000000000, "
    "\"count\": 2, \"seconds\": 0.02},\n"
    "{\"name\": \"sum of two arrays by `count` blocks, float32\", \"bytes\": 1000000000, "
    "\"count\": 132, \"seconds\": 0.0005},\n"
    "{\"name\": \"copy on the device beside `count` waiting blocks\", \"bytes\": 1000000, "
    "\"count\": 0, \"seconds\": 0.001},\n"
    "{\"name\": \"copy on the device beside `count` waiting blocks\", \"bytes\": 1000000, "
    "\"count\": 1, \"seconds\": 0.002},\n"
    "{\"name\": \"copy on the device beside `count` waiting blocks\", \"bytes\": 1000000, "
    "\"count\": 24, \"seconds\": %g}]}\n";

static struct hs_gpu_probe read_probe(double beside_seconds)
{
    struct hs_gpu_probe probe;
    struct hs_error err;
    char text[2048];
    int length = snprintf(text, sizeof(text), text_of_a_probe, beside_seconds);

    assert_true(hs_gpu_probe_is(text));
    assert_status_is(
        hs_fields_parse(&hs_gpu_probe_fields, &probe, "probe.json", text, (size_t)length, &err),
        HS_OK, &err);
    return probe;
}

static struct hs_system with_probe(const char *line, double beside_seconds)
{
    struct hs_gpu_probe probe = read_probe(beside_seconds);
    struct hs_system system = parse(line);
    struct hs_error err;

    assert_status_is(hs_gpu_probe_use(&system, &probe, &err), HS_OK, &err);
    hs_fields_release(&hs_gpu_probe_fields, &probe);
    return system;
}

static void limit(struct hs_system *system, double GBps, int64_t at_once)
{
    system->blocks = system->nccl.parts.blocks = (struct hs_gpu_blocks){GBps, at_once};
}

static void a_system_gets_the_figures_of_its_gpus(void **state)
{
    static const struct {
        double beside;
        int64_t at_once;
    } cases[] = {{0.00125, 120}, {0.0011, 132}, {0.0009, 132}, {0.003, 36}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_system system = with_probe("8xH100, 8xNDR400, 32", cases[i].beside);

        assert_near(system.blocks.GBps, 25, 1e-12);
        assert_int_equal(system.blocks.at_once, cases[i].at_once);
        assert_true(system.nccl.parts.blocks.at_once == cases[i].at_once &&
                    system.nccl.parts.blocks.GBps == system.blocks.GBps);
        assert_string_equal(system.blocks_source,
                            "measured: gpu-probe, NVIDIA H100 80GB HBM3, CUDA 13.0");
        hs_system_release(&system);
    }
}

static void a_file_carries_them(void **state)
{
    struct hs_system system = with_probe("8xH100, 8xNDR400, 32", 0.00125), again;
    struct hs_text text = {0};
    struct hs_error err;

    (void)state;
    snprintf(system.name, sizeof(system.name), "here");
    assert_status_is(hs_system_print(&text, &system, &err), HS_OK, &err);
    assert_has(text.data, "\"at_once\": 120");
    assert_status_is(
        hs_fields_parse(&hs_system_fields, &again, "x.json", text.data, text.length, &err), HS_OK,
        &err);
    assert_true(hs_system_equal(&system, &again));
    assert_true(again.nccl.parts.blocks.GBps == 25 && again.nccl.parts.blocks.at_once == 120);
    hs_system_drop_parts(&again);
    assert_false(hs_system_equal(&system, &again));
    hs_text_release(&text);
    assert_status_is(hs_system_print(&text, &again, &err), HS_OK, &err);
    assert_true(strstr(text.data, "blocks") == NULL);
    hs_text_release(&text);
    hs_system_release(&again);
    hs_system_release(&system);
}

static void machines_without_parts_have_no_use_for_them(void **state)
{
    static const char file[] =
        "{\"format\": \"hiersearch.system/1\", \"name\": \"x\", \"blocks\": {\"GBps\": 20}, "
        "\"levels\": [{\"name\": \"net\", \"latency_us\": 1, \"bandwidth_GBps\": 1}]}";
    struct hs_gpu_probe probe = read_probe(0.001);
    struct hs_system system = parse("net@12.5GB/s~4us"), read;
    struct hs_error err;

    (void)state;
    assert_int_equal(hs_gpu_probe_use(&system, &probe, &err), HS_INVALID);
    assert_has(err.message, "a machine in parts");
    assert_int_equal(
        hs_fields_parse(&hs_system_fields, &read, "x.json", file, sizeof(file) - 1, &err),
        HS_INVALID);
    assert_has(err.message, "blocks: expected parts");
    hs_fields_release(&hs_gpu_probe_fields, &probe);
    hs_system_release(&system);
}

static void a_probe_without_the_figures_is_refused(void **state)
{
    struct hs_gpu_probe probe = read_probe(0.001);
    struct hs_system system = parse("8xH100, 8xNDR400, 32");
    size_t all = probe.count;
    struct hs_error err;

    (void)state;
    probe.count = 1;
    assert_int_equal(hs_gpu_probe_use(&system, &probe, &err), HS_INVALID);
    assert_has(err.message, "sum of two arrays by `count` blocks");
    probe.count = all - 2;
    assert_int_equal(hs_gpu_probe_use(&system, &probe, &err), HS_INVALID);
    assert_has(err.message, "waiting blocks");
    assert_true(system.blocks.GBps == 0 && !system.blocks_source);
    probe.count = all;
    hs_fields_release(&hs_gpu_probe_fields, &probe);
    hs_system_release(&system);
}

/* Of 8 GPUs, by the algorithm, on a machine with such blocks. */
static double seconds_by(const struct hs_system *system, enum hs_nccl_algorithm algorithm,
                         double bytes)
{
    struct hs_nccl_call call = {
        .kind = HS_CALL_ALLREDUCE, .bytes = bytes, .version = HS_NCCL_VERSION_USUAL};
    struct hs_nccl_choice choice = {algorithm, HS_NCCL_SIMPLE, 0};
    double values[HS_CONSTANTS_MAX];
    struct hs_nccl_run run;

    assert_int_equal(hs_parts_shape(&call.shape, &system->nccl.parts, 1, 8, NULL), HS_OK);
    hs_constants_shipped(values, &hs_nccl_price_model);
    run = hs_nccl_run(&call, choice);
    return hs_nccl_price_model.seconds(&run, values);
}

/* 24 channels, which 6 rings of 60 GB/s each become: with blocks of 5 GB/s, 120 GB/s. A byte more
 * takes 2 (7/8) of one at that rate and the own piece's part `own` at 18 links of 20.6 GB/s. */
static void channels_move_no_more_than_their_blocks_add(void **state)
{
    struct hs_system plain = parse("8xH100, 8xNDR400, 32"), slow = parse("8xH100, 8xNDR400, 32");
    double per_byte = 2 * 7 / 8.0 / 120e9 + 0.470517261 / 8 / 370.8e9, measured;

    (void)state;
    limit(&slow, 5, 0);
    measured =
        (seconds_by(&slow, HS_NCCL_RING, 128 * GIB) - seconds_by(&slow, HS_NCCL_RING, 64 * GIB)) /
        (64 * GIB);
    assert_near(measured, per_byte, 0.005);
    assert_true(seconds_by(&slow, HS_NCCL_TREE, GIB) > 2 * seconds_by(&plain, HS_NCCL_TREE, GIB));
    assert_true(seconds_by(&slow, HS_NCCL_NVLS, GIB) == seconds_by(&plain, HS_NCCL_NVLS, GIB));
    /* fewer processors than channels: 8 of 5 GB/s */
    limit(&slow, 5, 8);
    measured =
        (seconds_by(&slow, HS_NCCL_RING, 128 * GIB) - seconds_by(&slow, HS_NCCL_RING, 64 * GIB)) /
        (64 * GIB);
    per_byte = 2 * 7 / 8.0 / 40e9 + 0.470517261 / 8 / 370.8e9;
    assert_near(measured, per_byte, 0.005);
    /* faster than the links */
    limit(&slow, 25, 132);
    assert_true(seconds_by(&slow, HS_NCCL_RING, GIB) == seconds_by(&plain, HS_NCCL_RING, GIB));
    hs_system_release(&plain);
    hs_system_release(&slow);
}

static struct hs_plan_cost cost_by(const struct hs_system *system, const char *text)
{
    struct hs_plan plan;

    assert_int_equal(hs_plan_parse(&plan, text, 0, NULL), HS_OK);
    return cost_of(system, &plan, 64 * 1048576.0);
}

/* 24 channels inside, and 4 of the one GPU of each node that a layer between them has. Where a GPU
 * has 4 blocks at once, chunks overlap nowhere: the plan takes its stages one after the other. */
static void chunks_share_the_processors(void **state)
{
    struct hs_system system = parse("8xH100, 8xNDR400, 32");
    struct hs_plan_cost free = cost_by(&system, "8x16/8"), shared;
    double inside = free.stages[0].seconds, between = free.stages[1].seconds, busy;
    char text[HS_PACE_TEXT];

    (void)state;
    limit(&system, 0, 4);
    shared = cost_by(&system, "8x16/8");
    assert_near(shared.seconds, inside + between, 1e-12);
    assert_true(shared.seconds > 1.1 * free.seconds);
    assert_int_equal(shared.pacing_level, 3);
    assert_string_equal(hs_pace_text(text, &system, 3), "the processors of the GPUs");
    assert_string_equal(hs_pace_text(text, &system, 0), "level nvlink");
    limit(&system, 0, 8);
    shared = cost_by(&system, "8x16/8");
    busy = inside + between * 4 / 8;
    assert_near(shared.seconds, (inside + between) / 8 + 7 * busy / 8, 1e-12);
    limit(&system, 0, 32);
    shared = cost_by(&system, "8x16/8");
    assert_true(inside * 24 / 32 + between * 4 / 32 < between);
    assert_true(shared.seconds == free.seconds && shared.pacing_level == free.pacing_level);
    hs_system_release(&system);
}

/* Three levels of at most 32 channels each: as published for A100, H100 and B200, GPUs have more
 * processors than layers that can be at work at the same time have channels. */
static void published_numbers_of_processors_change_no_price(void **state)
{
    static const struct {
        const char *line;
        int64_t processors;
    } machines[] = {{"8xA100, 8xHDR200, 32:2", 108},
                    {"8xH100, 8xNDR400, 32:2", 132},
                    {"8xB200, 8xNDR400, 32:2", 148}};
    static const char *const plans[] = {"8x64/4", "2x4x64/8", "8x8x8/16", "2x2x2x4x4x4/8"};

    (void)state;
    for (size_t m = 0; m < HS_COUNT(machines); m++)
        for (size_t p = 0; p < HS_COUNT(plans); p++) {
            struct hs_system system = parse(machines[m].line);
            double before = cost_by(&system, plans[p]).seconds;

            limit(&system, 0, machines[m].processors);
            assert_true(cost_by(&system, plans[p]).seconds == before);
            hs_system_release(&system);
        }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a system gets the figures of its GPUs", a_system_gets_the_figures_of_its_gpus),
    HS_TEST("a system's file carries them", a_file_carries_them),
    HS_TEST("machines without parts have no use for them",
            machines_without_parts_have_no_use_for_them),
    HS_TEST("a probe without the figures is refused", a_probe_without_the_figures_is_refused),
    HS_TEST("channels move no more than their blocks add",
            channels_move_no_more_than_their_blocks_add),
    HS_TEST("chunks share the processors", chunks_share_the_processors),
    HS_TEST("published numbers of processors change no price",
            published_numbers_of_processors_change_no_price),
};
HS_TEST_MAIN(tests)
