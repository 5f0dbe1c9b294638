/* Machines in parts, and what a call sees of them. */
#include "system/parts.h"
#include "test.h"

static void a_line_says_gpus_and_nics(void **state)
{
    struct hs_parts parts;

    (void)state;
    assert_int_equal(hs_parts_parse(&parts, "8xH100, 4xNDR200", NULL), HS_OK);
    assert_string_equal(parts.gpu.name, "H100");
    assert_string_equal(parts.nic.name, "NDR200");
    assert_int_equal(parts.gpu_count, 8);
    assert_int_equal(parts.nic_count, 4);
    assert_true(parts.gpu.nvls && !parts.mesh);
    assert_int_equal(hs_parts_parse(&parts, "4xGB200", NULL), HS_OK);
    assert_int_equal(parts.nic_count, 0);
    assert_int_equal(hs_parts_parse(&parts, "4xH100-mesh,4xSS11", NULL), HS_OK);
    assert_true(parts.mesh && !parts.gpu.nvls);
}

static void names_of_parts_are_read_in_small_letters_too(void **state)
{
    struct hs_parts parts;

    (void)state;
    assert_int_equal(hs_parts_parse(&parts, "8xh100, 8xroce400", NULL), HS_OK);
    assert_string_equal(parts.gpu.name, "H100");
    assert_string_equal(parts.nic.name, "RoCE400");
}

static void a_kind_of_one_rate_is_known_without_it(void **state)
{
    struct hs_parts parts;
    struct hs_error err = {HS_OK, ""};

    (void)state;
    assert_int_equal(hs_parts_parse(&parts, "4xV100,2xedr", NULL), HS_OK);
    assert_string_equal(parts.nic.name, "EDR100");
    assert_int_equal(hs_parts_parse(&parts, "8xH100,8xNDR", &err), HS_INVALID);
    assert_int_equal(hs_parts_parse(&parts, "8xH10,8xNDR400", &err), HS_INVALID);
}

static void nodes_under_a_switch_and_its_taper_may_follow(void **state)
{
    static const struct {
        const char *text;
        int64_t nodes;
        double taper;
    } lines[] = {{"8xH100", 0, 1},
                 {"8xH100, 8xNDR400", 0, 1},
                 {"8xH100, 8xNDR400, 32", 32, 1},
                 {"8xH100,8xNDR400,32:2", 32, 2},
                 {"8xH100, 8xNDR400, 20:1.5", 20, 1.5}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(lines); i++) {
        struct hs_parts parts;

        assert_int_equal(hs_parts_parse(&parts, lines[i].text, NULL), HS_OK);
        assert_int_equal(parts.switch_nodes, lines[i].nodes);
        assert_near(parts.taper, lines[i].taper, 0);
    }
}

/* In any order; without a word nothing is known. */
static void a_word_says_what_joins_boards(void **state)
{
    static const struct {
        const char *text;
        enum hs_slot_paths paths;
        double GBps;
    } boards[] = {{"8xL40S", HS_PATHS_UNSAID, 24},
                  {"8xRTX PRO 6000-switch", HS_PATHS_SWITCH, 48},
                  {"8xRTX4090-P2P=no", HS_PATHS_HOST, 24},
                  {"8xA100-pcie4-switch", HS_PATHS_SWITCH, 24},
                  {"4xH100-pcie5-p2p=no, 1xNDR400", HS_PATHS_HOST, 48}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(boards); i++) {
        struct hs_parts parts;

        assert_int_equal(hs_parts_parse(&parts, boards[i].text, NULL), HS_OK);
        assert_int_equal(parts.paths, boards[i].paths);
        assert_near(parts.gpu.slot_GBps, boards[i].GBps, 0);
    }
}

static void a_board_has_the_rate_of_its_slot(void **state)
{
    static const struct {
        const char *text;
        double GBps;
    } boards[] = {{"8xL40S", 24}, {"8xL40S-pcie4", 24}, {"8xL40S-pcie5", 48}, {"8xH100-pcie5", 48}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(boards); i++) {
        struct hs_parts parts;

        assert_int_equal(hs_parts_parse(&parts, boards[i].text, NULL), HS_OK);
        assert_int_equal(parts.gpu.generation, HS_GPU_BOARD);
        assert_near(parts.gpu.nvlink_GBps, boards[i].GBps, 0);
        assert_false(parts.gpu.nvls);
    }
}

static void every_part_of_the_catalogue_can_be_written(void **state)
{
    (void)state;
    assert_int_equal(hs_gpu_count, 47);
    for (size_t g = 0; g < hs_gpu_count; g++)
        for (size_t n = 0; n < hs_nic_count; n++) {
            struct hs_parts parts;
            char line[80];

            snprintf(line, sizeof(line), "8x%s, 4x%s", hs_gpus[g].name, hs_nics[n].name);
            assert_int_equal(hs_parts_parse(&parts, line, NULL), HS_OK);
            assert_ptr_equal(parts.gpu.name, hs_gpus[g].name);
            assert_ptr_equal(parts.nic.name, hs_nics[n].name);
            assert_true(parts.gpu.nvlink_GBps <= parts.gpu.peak_GBps);
            assert_int_equal(parts.gpu.memory_GB > 0, parts.gpu.link != HS_LINK_MEMORY);
        }
}

static void a_gpu_is_sold_with_more_or_less_memory(void **state)
{
    struct hs_parts parts;

    (void)state;
    assert_int_equal(hs_parts_parse(&parts, "8xA100, 8xHDR200", NULL), HS_OK);
    assert_near(parts.gpu.memory_GB, 80, 0);
    assert_int_equal(hs_parts_parse(&parts, "8xA100-40, 8xHDR200", NULL), HS_OK);
    assert_near(parts.gpu.memory_GB, 40, 0);
    assert_int_equal(hs_parts_parse(&parts, "8xv100-16", NULL), HS_OK);
    assert_near(parts.gpu.memory_GB, 16, 0);
    assert_near(parts.gpu.nvlink_GBps, 120, 0);
}

/* Lines that people wrote of published machines. */
static void every_way_to_write_a_part_is_read(void **state)
{
    static const struct {
        const char *text, *gpu, *nic;
        enum hs_library library;
        bool mesh;
    } lines[] = {{"1xCPU, 1xHDR200", "CPU", "HDR200", HS_LIBRARY_UNSAID, false},
                 {"16xMI250X, 8xHDR200", "MI250X", "HDR200", HS_LIBRARY_RCCL, false},
                 {"8xMI300X", "MI300X", NULL, HS_LIBRARY_RCCL, true},
                 {"4xGH200-mesh, 4xSS11-tcp", "GH200", "SS11", HS_LIBRARY_NCCL, true},
                 {"4xA100, 4xslingshot-11", "A100", "SS11", HS_LIBRARY_NCCL, false},
                 {"8xA100-80, 8xHDR200", "A100", "HDR200", HS_LIBRARY_NCCL, false},
                 {"8xH100-SXM", "H100", NULL, HS_LIBRARY_NCCL, false},
                 {"8xRTX PRO 6000, 2xEth25", "RTXPRO6000", "ETH25", HS_LIBRARY_NCCL, false},
                 {"16xV100-pcie3", "V100", NULL, HS_LIBRARY_NCCL, false}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(lines); i++) {
        struct hs_parts parts;

        assert_int_equal(hs_parts_parse(&parts, lines[i].text, NULL), HS_OK);
        assert_string_equal(parts.gpu.name, lines[i].gpu);
        if (lines[i].nic)
            assert_string_equal(parts.nic.name, lines[i].nic);
        assert_int_equal(hs_parts_library(&parts), lines[i].library);
        assert_int_equal(parts.mesh, lines[i].mesh);
    }
}

static void nics_behind_the_kernel_are_of_its_class(void **state)
{
    struct hs_parts parts;

    (void)state;
    assert_int_equal(hs_parts_parse(&parts, "4xGH200-mesh, 4xSS11-tcp", NULL), HS_OK);
    assert_int_equal(parts.nic.class, HS_NIC_TCP);
    assert_near(parts.nic.line_GBps, 25, 0);
    assert_int_equal(hs_parts_parse(&parts, "4xGH200-mesh, 4xSS11", NULL), HS_OK);
    assert_int_equal(parts.nic.class, HS_NIC_SLINGSHOT);
}

static void what_was_measured_together_is_known_as_such(void **state)
{
    static const struct {
        const char *text;
        enum hs_figure_kind network, gpu;
    } lines[] = {{"4xA100-mesh, 4xSS11", HS_FIGURE_FITTED, HS_FIGURE_FITTED},
                 {"8xA100, 4xSS11", HS_FIGURE_VENDOR, HS_FIGURE_FITTED},
                 {"4xA100-mesh, 4xSS11-tcp", HS_FIGURE_GUESS, HS_FIGURE_FITTED},
                 {"8xV100, 4xEDR100", HS_FIGURE_GUESS, HS_FIGURE_GUESS},
                 {"8xH100, 8xXDR800", HS_FIGURE_GUESS, HS_FIGURE_FITTED},
                 {"8xH100-pcie5, 8xNDR400", HS_FIGURE_GUESS, HS_FIGURE_GUESS},
                 {"8xL40S, 1xNDR400", HS_FIGURE_GUESS, HS_FIGURE_GUESS}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(lines); i++) {
        struct hs_parts parts;

        assert_int_equal(hs_parts_parse(&parts, lines[i].text, NULL), HS_OK);
        assert_int_equal(parts.network, lines[i].network);
        assert_int_equal(parts.gpu.times, lines[i].gpu);
    }
    for (size_t i = 0; i < hs_fitted_node_count; i++) {
        const struct hs_fitted_node *node = &hs_fitted_nodes[i];
        struct hs_parts parts;
        char line[80];

        snprintf(line, sizeof(line), "4x%s%s, 4x%s", node->gpu, node->mesh ? "-mesh" : "",
                 node->nic);
        assert_int_equal(hs_parts_parse(&parts, line, NULL), HS_OK);
        assert_int_equal(parts.network, HS_FIGURE_FITTED);
        assert_int_equal(parts.fitted_domains, node->domains);
    }
}

static void blanks_around_an_x_say_nothing(void **state)
{
    struct hs_parts plain, spaced;

    (void)state;
    assert_int_equal(hs_parts_parse(&plain, "8xH100, 8xNDR400, 32:2", NULL), HS_OK);
    assert_int_equal(hs_parts_parse(&spaced, "8 x H100 , 8 xNDR400, 32:2", NULL), HS_OK);
    assert_memory_equal(&plain, &spaced, sizeof(plain));
}

static void wrong_lines_are_refused_with_what_was_meant(void **state)
{
    static const char *const wrong[][2] = {
        {"", "expected a part such as 8xH100"},
        {"H100", "expected a part such as 8xH100"},
        {"8x", "expected a part such as 8xH100"},
        {"xH100", "number of parts"},
        {"0xH100", "number of parts"},
        {"1025xH100", "number of parts"},
        {"8xH10O", "did you mean \"H100\""},
        {"8xMI30OX", "did you mean \"MI300X\""},
        {"8xMI300X-pcie5", "MI300X: expected no slot"},
        {"2xCPU-mesh", "no NVLinks for a mesh"},
        {"8xH100-mash", "did you mean \"mesh\""},
        {"8xH100-PCIe", "expected the slot as pcie3, pcie4 or pcie5"},
        {"8xGTX1080", "a node of others is levels, such as pcie:8@20GB/s~5us"},
        {"8xH100-switch", "expected a board in a slot before \"switch\""},
        {"8xL40S-p2p", "p2p=no"},
        {"8xH100-", "unknown variant of a GPU"},
        {"8xL40S-mesh", "no NVLinks for a mesh"},
        {"8xH100, 8xNDR4000", "did you mean \"NDR400\""},
        {"4xGH200-mesh, 4xSS12-tcp", "did you mean \"SS10\""},
        {"8xH100,", "expected a part such as 8xH100"},
        {"8xH100, 8xNDR400, 8xNDR400", "nodes under a switch"},
        {"8xH100, 8xNDR400, 0:2", "nodes under a switch"},
        {"8xH100, 8xNDR400, 32:", "expected a taper of 1 to 1024"},
        {"8xH100, 8xNDR400, 32:0.5", "expected a taper of 1 to 1024"},
        {"8xH100, 8xNDR400, 32:2000", "expected a taper of 1 to 1024"},
        {"8xH100, 8xNDR400, 32:2, 4", "found \"2, 4\""},
        {"8xH100, 8xNDR400, ", "nodes under a switch"},
        {"8xH100, 32:2", "expected a part such as 8xH100"},
        {"8xH100 8xNDR400", "expected a comma between parts, found \"8xH100 8xNDR400\""},
        {"8 x H100, 8NDR400", "expected a part such as 8xH100 or 8xNDR400, found \"8NDR400\""},
        {"8 x ", "expected a part such as 8xH100"},
        {"8xH1000000000000000000000000000000000000000000000000000000000000000", "expected a part"},
    };
    struct hs_parts parts;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_error err = {0};

        assert_int_equal(hs_parts_parse(&parts, wrong[i][0], &err), HS_INVALID);
        assert_has(err.message, wrong[i][1]);
    }
}

static struct hs_shape shape(const char *text, int64_t domains, int64_t gpus)
{
    struct hs_parts parts;
    struct hs_shape shape;

    assert_int_equal(hs_parts_parse(&parts, text, NULL), HS_OK);
    assert_int_equal(hs_parts_shape(&shape, &parts, domains, gpus, NULL), HS_OK);
    return shape;
}

static void a_mesh_gives_the_links_between_gpus_in_use(void **state)
{
    (void)state;
    assert_near(shape("4xA100-mesh, 4xSS11", 1, 4).nvlink_GBps, 240, 0);
    assert_near(shape("4xA100-mesh, 4xSS11", 1, 4).link_GBps, 80, 0);
    assert_near(shape("4xA100-mesh, 4xSS11", 1, 2).nvlink_GBps, 80, 0);
    assert_near(shape("4xA100-mesh, 4xSS11", 1, 2).link_GBps, 80, 0);
    assert_near(shape("8xA100, 4xSS11", 1, 2).nvlink_GBps, 240, 0);
    assert_true(shape("4xA100-mesh, 4xSS11", 2, 4).behind);
    assert_false(shape("4xA100-mesh, 4xSS11", 1, 4).behind);
    assert_false(shape("4xGH200-mesh, 4xSS11", 2, 4).behind);
}

static void nics_come_with_the_gpus_in_use(void **state)
{
    (void)state;
    assert_near(shape("8xA100, 16xRoCE100", 2, 8).nics, 16, 0);
    assert_near(shape("8xA100, 16xRoCE100", 2, 1).nics, 2, 0);
    assert_near(shape("8xA100, 4xEFA100", 2, 1).nics, 0.5, 0);
    assert_near(shape("72xGB200, 72xNDR400", 2, 64).nics, 64, 0);
}

static void a_call_needs_two_gpus_that_reach_each_other(void **state)
{
    static const struct {
        const char *text;
        int64_t domains, gpus;
        const char *message;
    } wrong[] = {
        {"8xH100", 1, 1, "expected 2 to"},         {"8xH100", 0, 8, "expected 2 to"},
        {"8xH100", 1, 9, "expected 1 to 8 GPUs"},  {"8xH100", 2, 8, "need NICs"},
        {"8xH100, 8xNDR400", 2, 0, "1 to 8 GPUs"}, {"8xH100, 8xNDR400", INT64_MAX, 8, "2 to"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_error err = {0};
        struct hs_parts parts;
        struct hs_shape out;

        assert_int_equal(hs_parts_parse(&parts, wrong[i].text, NULL), HS_OK);
        assert_int_equal(hs_parts_shape(&out, &parts, wrong[i].domains, wrong[i].gpus, &err),
                         HS_INVALID);
        assert_has(err.message, wrong[i].message);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a line says GPUs and NICs", a_line_says_gpus_and_nics),
    HS_TEST("names of parts are read in small letters, too",
            names_of_parts_are_read_in_small_letters_too),
    HS_TEST("a kind of one rate is known without it", a_kind_of_one_rate_is_known_without_it),
    HS_TEST("nodes under a switch and its taper may follow",
            nodes_under_a_switch_and_its_taper_may_follow),
    HS_TEST("a word says what joins boards", a_word_says_what_joins_boards),
    HS_TEST("a board has the rate of its slot", a_board_has_the_rate_of_its_slot),
    HS_TEST("every part of the catalogue can be written",
            every_part_of_the_catalogue_can_be_written),
    HS_TEST("every way to write a part is read", every_way_to_write_a_part_is_read),
    HS_TEST("a GPU is sold with more or less memory", a_gpu_is_sold_with_more_or_less_memory),
    HS_TEST("NICs behind the kernel are of its class", nics_behind_the_kernel_are_of_its_class),
    HS_TEST("what was measured together is known as such",
            what_was_measured_together_is_known_as_such),
    HS_TEST("blanks around an x say nothing", blanks_around_an_x_say_nothing),
    HS_TEST("wrong lines are refused with what was meant",
            wrong_lines_are_refused_with_what_was_meant),
    HS_TEST("a mesh gives the links between GPUs in use",
            a_mesh_gives_the_links_between_gpus_in_use),
    HS_TEST("NICs come with the GPUs in use", nics_come_with_the_gpus_in_use),
    HS_TEST("a call needs two GPUs that reach each other",
            a_call_needs_two_gpus_that_reach_each_other),
};
HS_TEST_MAIN(tests)
