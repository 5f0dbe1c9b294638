/*
 * Systems as text, and the nodes of their processes.
 */
#include "systems.h"

#include "system/system.h"

static void a_line_of_text_says_what_its_grammar_says(void **state)
{
    struct hs_system system =
        parse("nvlink:mesh:4@150GB/s~0.5us,ib:8@50GB/s~2.3us/2p!,spine@133GB/s;s=2;launch=10us");

    (void)state;
    assert_int_equal(system.level_count, 3);
    assert_string_equal(system.levels[0].name, "nvlink");
    assert_int_equal(system.levels[0].fabric, HS_FABRIC_MESH);
    assert_int_equal(system.levels[0].arity, 4);
    assert_near(system.levels[0].bytes_per_second, 150e9, 1e-15);
    assert_near(system.levels[0].latency_seconds, 0.5e-6, 1e-15);
    assert_int_equal(system.levels[1].ports, 2);
    assert_false(system.levels[1].striped);
    assert_int_equal(system.levels[2].arity, 0);
    assert_near(system.levels[2].latency_seconds, 2.3e-6, 1e-15); /* that of the level before */
    assert_true(system.levels[2].striped);
    assert_near(system.pipeline_granularity, 2, 0);
    assert_near(system.launch_seconds, 10e-6, 1e-15);
    assert_int_equal(hs_system_child_ranks(&system, 0), 1);
    assert_int_equal(hs_system_child_ranks(&system, 2), 32);
    assert_true(hs_system_capacity(&system) == INT64_MAX);
    hs_system_release(&system);
}

static void a_line_of_parts_has_their_levels(void **state)
{
    struct hs_system open = parse("4xA100-mesh, 4xSS11"), node = parse("8xL40S-pcie4");
    struct hs_system tapered = parse("4xA100-mesh, 4xSS11, 16:3");

    (void)state;
    assert_int_equal(open.level_count, 2);
    assert_int_equal(open.levels[0].fabric, HS_FABRIC_MESH);
    assert_string_equal(open.levels[1].name, "ss");
    assert_int_equal(open.levels[1].arity, 0);
    assert_int_equal(open.levels[1].ports, 4);
    assert_null(open.notes);
    assert_int_equal(node.level_count, 1);
    assert_string_equal(node.levels[0].name, "pcie");
    assert_null(node.notes);
    assert_near(tapered.levels[2].bytes_per_second, 4 * 25e9 * 0.96 * 16 / 3, 1e-12);
    hs_system_release(&open);
    hs_system_release(&node);
    hs_system_release(&tapered);
}

static void every_line_reads_back_as_the_same_figures(void **state)
{
    unsigned seed = 12345;

    (void)state;
    for (int i = 0; i < 500; i++) {
        char line[512];
        struct hs_system system, back;
        struct hs_text text = {0};

        snprintf(
            line, sizeof(line),
            "a:%s%d@%.17gGB/s|%.17gGB/s~%.17gus/%dp%s,b@%.17gMB/s~%.9gns;s=%.3g;launch=%.17gus",
            rand_r(&seed) % 2 ? "mesh:" : "", 2 + rand_r(&seed) % 100, (rand_r(&seed) + 1.0) / 1e6,
            (rand_r(&seed) + 1.0) / 1e5, rand_r(&seed) / 1e7, 1 + rand_r(&seed) % 8,
            rand_r(&seed) % 2 ? "!" : "", (rand_r(&seed) + 1.0) / 7e3, rand_r(&seed) / 3e3,
            1 + rand_r(&seed) % 100 / 10.0, rand_r(&seed) / 1e8);
        system = parse(line);
        hs_system_format(&text, &system);
        back = parse(text.data);
        assert_same_figures(&system, &back);
        hs_text_release(&text);
        hs_system_release(&system);
        hs_system_release(&back);
    }
}

static void bad_lines_are_refused_with_the_reason(void **state)
{
    static const char *const rows[][2] = {
        {"", "expected a level's name"},
        {"@5GB/s", "expected a level's name"},
        {"a", "expected '@' and a bandwidth such as @18.6GB/s, found nothing"},
        {"A:4@5GB/s", "expected a level's name"},
        {"a:4", "expected '@'"},
        {"a:4@", "expected"},
        {"a:4@-5GB/s", "expected"},
        {"a:4@0GB/s", "expected"},
        {"a:4@5GB", "expected"},
        {"a:0@5GB/s", "arity"},
        {"a:x@5GB/s", "arity"},
        {"a:4:5@5GB/s", "arity is given twice"},
        {"a@5GB/s,b@5GB/s", "only the last level may lack an arity"},
        {"a:2@5GB/s,a@5GB/s", "two levels are called \"a\""},
        {"a:2@5GB/s,", "expected a level's name"},
        {"a:2@5GB/s~", "expected"},
        {"a:2@5GB/s|", "expected"},
        {"8xH100, 8xNDR400; library=openmpi", "expected nothing but \"; library=nccl-VERSION\""},
        {"8xH100, 8xNDR400; library=nccl-2.27.7; s=2", "expected nothing but"},
        {"8xH100, 8xNDR400; library=nccl-2.27", "such as nccl-2.27.7, found \"library=nccl-2.27\""},
        {"8xMI300X; library=nccl", "expected nothing but"},
        {"8xMilan, 1xHDR100; library=nccl", "expected a line of GPUs"},
        {"8xMilan, 1xHDR100; library=mpihc", "did you mean \"mpich\"?"},
        {"a:2@5GB/s/2", "expected ports"},
        {"a:2@5GB/s/0p", "number of ports"},
        {"a:2@5GB/s;s=0", "expected s=NUMBER"},
        {"a:2@5GB/s;s=2x", "expected s=NUMBER"},
        {"a:2@5GB/s;t=2",
         "expected s=NUMBER, launch=TIME, gap=TIME, copy=BANDWIDTH, executor=NAME or library=NAME"},
        {"a:2@5GB/s;executor=hots", "host"},
        {"a:2@5GB/s;library=mpihc", "unknown library \"mpihc\", did you mean \"mpich\"?"},
        {"a:2@5GB/s;library=nccl", "expected a line of GPUs"},
        {"a:2@5GB/s x", "x"},
        {"a:2@1e-300B/s", "bandwidth of level a: expected 1 to 1e+27 B/s, found 1e-300 B/s"},
        {"a:2@1GB/s,b@1e28B/s", "bandwidth of level b: "},
        {"a:2@1GB/s,b@1GB/s~1e300s", "latency of level b: expected at most 1e+06 s"},
        {"a:2@1GB/s;launch=1e7s", "launch: expected at most 1e+06 s, found 1e+07 s"},
        {"a:2000000000@1GB/s,b:2000000000@1GB/s,c:2000000000@1GB/s", "more than 2^62 ranks"},
        {"a:2@1GB/s,b:2@1GB/s,c:2@1GB/s,d:2@1GB/s,e:2@1GB/s,f:2@1GB/s,g:2@1GB/s,h:2@1GB/s,i@1GB/s",
         "more than 8 levels"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_system system;
        struct hs_error err = {0};

        if (hs_system_parse(&system, rows[i][0], &err) != HS_INVALID)
            fail_msg("\"%s\" was accepted", rows[i][0]);
        assert_has(err.message, rows[i][1]);
        assert_has(err.message, "system \"");
    }
}

/* Behind a line of GPUs as in a file. */
static void a_line_names_nccls_version(void **state)
{
    struct hs_system system;

    (void)state;
    assert_int_equal(hs_system_parse(&system, "8xH100, 8xNDR400; library=nccl-2.19.4", NULL),
                     HS_OK);
    assert_string_equal(system.parts, "8xH100, 8xNDR400");
    assert_string_equal(system.library_version, "2.19.4");
    assert_int_equal(system.nccl.version, HS_NCCL_VERSION(2, 19, 4));
    assert_int_equal(hs_system_library(&system), HS_LIBRARY_NCCL);
    hs_system_release(&system);
    assert_int_equal(hs_system_parse(&system, "8xH100, 8xNDR400; library=NCCL", NULL), HS_OK);
    assert_int_equal(system.nccl.version, 0);
    hs_system_release(&system);
}

/* Levels inside of a node are told by their names; else the first of several is one. */
static void processes_take_nodes(void **state)
{
    static const struct {
        const char *system;
        int64_t np;
        const char *text;
    } rows[] = {
        {"nvlink:4@100GB/s~1us,ib@10GB/s~3us", 16, " on 4 full nodes"},
        {"nvlink:4@100GB/s~1us,ib@10GB/s~3us", 4, " on 1 full node"},
        {"nvlink:4@100GB/s~1us,ib@10GB/s~3us", 22, " on 6 nodes, 2 of 4 in the last"},
        {"nvlink:4@100GB/s~1us,ib@10GB/s~3us", 3, " on a part of a node of 4"},
        {"nvlink:3@100GB/s~1us,xbus:2@50GB/s~1us,ib@10GB/s~3us", 12, " on 2 full nodes"},
        {"near:8@100GB/s~1us,far@10GB/s~3us", 16, " on 2 full nodes"},
        {"ib@10GB/s~3us", 16, ""},
        {"nvlink@100GB/s~1us", 8, ""},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_system system = parse(rows[i].system);
        char text[HS_NODES_TEXT];

        assert_string_equal(hs_system_nodes_text(text, &system, rows[i].np), rows[i].text);
        hs_system_release(&system);
    }
}

/* Whether ranks in blocks of `unit` each lie within one node, counted one by one. */
static bool stays_in_nodes(int64_t unit, int64_t node, int64_t np)
{
    for (int64_t rank = 0; rank < np; rank++)
        if (rank / unit * unit / node != rank / node)
            return false;
    return np % unit == 0;
}

static void units_stay_in_nodes(void **state)
{
    struct hs_system system = parse("nvlink:12@100GB/s~1us,ib@10GB/s~3us");

    (void)state;
    for (int64_t np = 12; np <= 60; np++) {
        int64_t most = 1;

        for (int64_t unit = 1; unit <= 12; unit++)
            most = stays_in_nodes(unit, 12, np) ? unit : most;
        assert_int_equal(hs_system_unit_ranks(&system, np), most);
    }
    assert_int_equal(hs_system_unit_ranks(&system, 5), 12);
    hs_system_release(&system);
}

/* Ranks share a fifth of two sockets' 8 x DDR4-3200; who sends through the kernel takes 30 us. */
static void a_line_of_processors_has_ranks_that_share_memory(void **state)
{
    struct hs_system system = parse("96xMilan, 1xHDR100; library=openmpi");

    (void)state;
    assert_int_equal(hs_system_library(&system), HS_LIBRARY_OPENMPI);
    assert_true(hs_system_shares_memory(&system) && hs_system_has_rule(&system));
    assert_int_equal(system.levels[0].arity, 96);
    assert_near(system.levels[0].shared_bytes_per_second, 0.2 * 409.6e9, 1e-9);
    assert_near(hs_level_rate(&system.levels[0], 96), 0.2 * 409.6e9 / 96, 1e-9);
    assert_near(hs_level_rate(&system.levels[0], 1), system.levels[0].bytes_per_second, 0);
    assert_near(system.levels[1].latency_seconds, 2.5e-6, 1e-9);
    assert_int_equal(hs_system_busy_children(&system, 0, 192, 1), 96);
    assert_int_equal(hs_system_busy_children(&system, 0, 4, 1), 4);
    assert_int_equal(hs_system_busy_children(&system, 0, 192, 96), 1);
    assert_int_equal(hs_system_busy_children(&system, 1, 192, 1), 2);
    hs_system_release(&system);
    system = parse("96xMilan, 1xHDR100-tcp; library=openmpi");
    assert_near(system.levels[1].latency_seconds, 30e-6, 1e-9);
    hs_system_release(&system);
    system = parse("8xH100, 8xNDR400");
    assert_false(hs_system_shares_memory(&system));
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a line of processors has ranks that share memory",
            a_line_of_processors_has_ranks_that_share_memory),
    HS_TEST("units of uneven nodes are the largest blocks that stay in nodes", units_stay_in_nodes),
    HS_TEST("a line of text says what its grammar says", a_line_of_text_says_what_its_grammar_says),
    HS_TEST("a line of parts has their levels", a_line_of_parts_has_their_levels),
    HS_TEST("every line reads back as the same figures", every_line_reads_back_as_the_same_figures),
    HS_TEST("bad lines are refused with the reason", bad_lines_are_refused_with_the_reason),
    HS_TEST("a line names NCCL's version", a_line_names_nccls_version),
    HS_TEST("processes take nodes", processes_take_nodes),
};

HS_TEST_MAIN(tests)
