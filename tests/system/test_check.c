/* Descriptions that cannot be true, and those that can. */
#include "system/check.h"
#include "test.h"

static size_t check(struct hs_finding findings[HS_FINDINGS_MAX], const char *text)
{
    struct hs_system system = {.level_count = 0};
    size_t count;

    assert_int_equal(hs_system_parse(&system, text, NULL), HS_OK);
    count = hs_system_check(findings, &system);
    hs_system_release(&system);
    return count;
}

static void what_can_be_true_is_not_found_fault_with(void **state)
{
    static const char *const systems[] = {
        "8xH100, 8xNDR400",
        "8xP100-pcie3, 1xFDR56",
        "72xGB300, 72xXDR800, 8:4",
        "8xMI355X, 8xRoCE400, 16",
        "4xGH200-mesh, 4xSS11-tcp, 112:1.5",
        "2xCPU, 1xETH10",
        "nvlink:8@370.8GB/s~3.4us,ib:32@384GB/s~14us;s=1",
        "ib@12GB/s~1.1us",
    };
    struct hs_finding findings[HS_FINDINGS_MAX];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(systems); i++)
        assert_int_equal(check(findings, systems[i]), 0);
}

/* One figure each that is wrong, where it is, and what was expected. */
static void what_cannot_is_found_with_its_place(void **state)
{
    static const struct {
        const char *text, *place, *expected;
    } wrong[] = {
        {"nvlink:8@1800GB/s~3us,ib@400GB/s~14us", "levels[0] (nvlink), bandwidth",
         "at most 900.0 GB/s, the peak of 1 x the fastest GPU known"},
        {"nvlink:8@370GB/s~0.1us,ib@100GB/s~14us", "levels[0] (nvlink), latency",
         "at least 300.0 ns"},
        {"nvlink:8@370GB/s~3us,ib@100GB/s~0.4us", "levels[1] (ib), latency", "at least 600.0 ns"},
        {"nvlink:8@370GB/s~3us,ib@100GB/s~2us", "levels[1] (ib), latency",
         "at least the 3.000 us of nvlink"},
        {"nvlink:8@370GB/s~3us,ib@100GB/s~14ms", "levels[1] (ib), latency", "at most 1.000 ms"},
        {"nvlink:8@370GB/s~3us,ib@1600GB/s~14us", "levels[1] (ib), bandwidth",
         "at most 800.0 GB/s, the line rate of 8 x the fastest NIC known"},
        {"nvlink:4@10GB/s~3us,ib@50GB/s~14us", "levels[1] (ib), bandwidth",
         "at most 40.00 GB/s, what the 4 children of a unit of nvlink send together (a taper of "
         "0.8)"},
        {"nvlink:8@370GB/s~3us,ib:4@50GB/s~14us,spine@300GB/s~14us", "levels[2] (spine), bandwidth",
         "at most 200.0 GB/s"},
    };
    struct hs_finding findings[HS_FINDINGS_MAX];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        assert_int_equal(check(findings, wrong[i].text), 1);
        assert_string_equal(findings[0].place, wrong[i].place);
        assert_has(findings[0].expected, wrong[i].expected);
    }
}

/* The catalogue's figures of the parts, or of the GPU that a title names. */
static void figures_are_held_against_the_parts_of_the_machine(void **state)
{
    struct hs_finding findings[HS_FINDINGS_MAX];
    struct hs_system system = {.level_count = 0};

    (void)state;
    assert_int_equal(hs_system_parse(&system, "8xA100, 8xHDR200", NULL), HS_OK);
    system.levels[0].bytes_per_second = 310e9;
    system.levels[1].bytes_per_second = 201e9;
    assert_int_equal(hs_system_check(findings, &system), 2);
    assert_has(findings[0].expected, "at most 300.0 GB/s, the peak of 1 x A100");
    assert_has(findings[1].expected, "at most 200.0 GB/s, the line rate of 8 x HDR200");
    system.levels[0].bytes_per_second = 9e9;
    system.levels[1].bytes_per_second = 60e9;
    assert_int_equal(hs_system_check(findings, &system), 1);
    assert_has(findings[0].expected, "about 240.0 GB/s, as A100 has");
    hs_system_release(&system);

    assert_int_equal(hs_system_parse(&system, "nvlink:4@160GB/s~3us", NULL), HS_OK);
    assert_int_equal(hs_system_check(findings, &system), 0);
    free(system.title);
    system.title = strdup("Some machine: 4 x V100, 2 x EDR");
    assert_int_equal(hs_system_check(findings, &system), 1);
    assert_has(findings[0].expected, "at most 150.0 GB/s, the peak of 1 x V100");
    free(system.title);
    system.title = strdup("GB200 is no B200, nor XV100");
    assert_int_equal(hs_system_check(findings, &system), 0);
    hs_system_release(&system);
}

static void more_ports_than_ranks_can_use_are_found(void **state)
{
    struct hs_finding findings[HS_FINDINGS_MAX];
    struct hs_system system = {.level_count = 0};

    (void)state;
    assert_int_equal(hs_system_parse(&system, "nvlink:8@370GB/s~3us,ib@400GB/s~14us", NULL), HS_OK);
    system.levels[1].ports = 32;
    assert_int_equal(hs_system_check(findings, &system), 0);
    system.levels[1].ports = 36;
    assert_int_equal(hs_system_check(findings, &system), 1);
    assert_string_equal(findings[0].place, "levels[1] (ib), ports");
    assert_string_equal(findings[0].found, "36");
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what can be true is not found fault with", what_can_be_true_is_not_found_fault_with),
    HS_TEST("what cannot is found with its place", what_cannot_is_found_with_its_place),
    HS_TEST("figures are held against the parts of the machine",
            figures_are_held_against_the_parts_of_the_machine),
    HS_TEST("more ports than ranks can use are found", more_ports_than_ranks_can_use_are_found),
};
HS_TEST_MAIN(tests)
