/*
 * Systems as files, and what is read from them.
 */
#include "../links/links_equal.h"
#include "systems.h"

#include <glob.h>

#include "estimate/system_file.h"
#include "library/price_nccl.h"

/* The shipped file names its sources; the line of its parts says the same figures. */
static void a_line_of_parts_has_the_figures_of_the_shipped_machine(void **state)
{
    struct hs_system shipped, line = parse("8xH100, 8xNDR400, 32:1");

    (void)state;
    assert_int_equal(hs_system_load(&shipped, "configs/dgx-h100-superpod.json", NULL), HS_OK);
    shipped.levels[2].arity = 0; /* the line leaves it open */
    strcpy(shipped.levels[1].name, "ib");
    assert_int_equal(line.level_count, 3);
    for (size_t l = 0; l < 3; l++)
        assert_near(line.levels[l].bytes_per_second, shipped.levels[l].bytes_per_second, 1e-12);
    for (size_t l = 0; l < 3; l++)
        line.levels[l].bytes_per_second = shipped.levels[l].bytes_per_second;
    assert_same_figures(&line, &shipped);
    assert_true(hs_system_is_nccl_native(&line));
    assert_int_equal(line.nccl.gpus, 8);
    assert_null(line.notes);
    hs_system_release(&line);
    hs_system_release(&shipped);
}

static void every_shipped_file_reads_back_as_the_same_figures(void **state)
{
    glob_t files;

    (void)state;
    assert_int_equal(glob("configs/*.json", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 14);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct hs_system system, back;
        struct hs_text text = {0};
        struct hs_error err;

        assert_status_is(hs_system_load(&system, files.gl_pathv[i], &err), HS_OK, &err);
        assert_status_is(hs_system_print(&text, &system, &err), HS_OK, &err);
        assert_status_is(
            hs_fields_parse(&hs_system_fields, &back, "printed", text.data, text.length, &err),
            HS_OK, &err);
        assert_same_figures(&system, &back);
        hs_text_release(&text);
        hs_system_release(&system);
        hs_system_release(&back);
    }
    globfree(&files);
}

#define LEVEL "{\"name\":\"a\",\"arity\":4,\"latency_us\":1,\"bandwidth_GBps\":10}"

#define LINK(ends)                  "{\"between\":[" ends "],\"bandwidth_GBps\":10}"
#define GRAPH(arity, relays, links) HEAD GRAPH_LEVELS(arity, relays, links)
#define GRAPH_LEVELS(arity, relays, links)                                                         \
    "\"levels\":[{\"name\":\"a\",\"arity\":" arity                                                 \
    ",\"fabric\":\"links\",\"latency_us\":1,\"relays\":" relays ",\"links\":[" links "]}]}"
#define HEAD "{\"format\":\"hiersearch.system/1\",\"name\":\"x\","

static void bad_files_are_refused_with_the_place(void **state)
{
    static const char *const rows[][2] = {
        {"{}", "x.json: format: missing"},
        {"[]", "x.json: expected an object"},
        {"{\"format\":\"hiersearch.system/2\",\"name\":\"x\",\"levels\":[" LEVEL "]}",
         "x.json: format: expected \"hiersearch.system/1\", found \"hiersearch.system/2\""},
        {HEAD "\"levels\":[]}", "x.json: levels: expected"},
        {HEAD "\"levles\":[" LEVEL "]}", "x.json: levles: unknown"},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":4,\"latency_us\":1,\"bandwidth_GBps\":-1}]}",
         "x.json: levels[0].bandwidth_GBps: expected a number of at least 1e-09, found -1"},
        {HEAD
         "\"levels\":[{\"name\":\"a\",\"arity\":4,\"latency_us\":1,\"bandwidth_GBps\":5e-324}]}",
         "x.json: levels[0].bandwidth_GBps: expected a number of at least 1e-09, found "},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":4,\"latency_us\":1}]}",
         "x.json: levels[0].bandwidth_GBps: missing"},
        {HEAD "\"levels\":[{\"name\":\"a\",\"latency_us\":1,\"bandwidth_GBps\":1}," LEVEL "]}",
         "x.json: levels[0]: arity: missing; only the last level may lack it"},
        {HEAD "\"levels\":[" LEVEL "," LEVEL "]}",
         "x.json: levels[1]: name: \"a\" is already the name of levels[0]"},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":4,\"fabric\":\"mash\",\"latency_us\":1,"
              "\"bandwidth_GBps\":1}]}",
         "x.json: levels[0].fabric"},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":4,\"latency_us\":1,\"bandwidth_GBps\":1,"
              "\"relays\":1}]}",
         "x.json: levels[0].relays: expected none, the fabric being \"switch\""},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":4,\"fabric\":\"mesh\",\"latency_us\":1,"
              "\"bandwidth_GBps\":1,\"links\":[" LINK("0,1") "]}]}",
         "x.json: levels[0].links: expected none, the fabric being \"mesh\""},
        {GRAPH("3", "0", LINK("0,1")),
         "x.json: levels[0]: links: not joined: no way from unit 0 to"},
        {GRAPH("3", "0", LINK("0,1") "," LINK("1,2,0")),
         "x.json: levels[0].links[1].between: expected"},
        {GRAPH("2", "0", LINK("0,1") "," LINK("1,1")),
         "x.json: levels[0]: links[1].between: expected two different ends, found 1 and 1"},
        {GRAPH("2", "1", LINK("0,1") "," LINK("1,3")),
         "x.json: levels[0]: links[1].between: expected"},
        {GRAPH("2", "1", LINK("0,1")),
         "x.json: levels[0]: links: no link leads to relay 0 (vertex 2)"},
        {GRAPH("2", "0", LINK("0,1") "," LINK("-1,1")), "x.json: levels[0].links[1].between[0]"},
        {GRAPH("2", "0", "{\"between\":[0,1],\"one_way\":true,\"bandwidth_GBps\":1}"),
         "x.json: levels[0]: links: one way alone: expected a way from unit 1 to unit 0, too"},
        {GRAPH("2", "0", "{\"between\":[0,1],\"count\":0,\"bandwidth_GBps\":1}"),
         "x.json: levels[0].links[0].count: expected"},
        {GRAPH("2", "0", "{\"between\":[0,1],\"bandwidth_GBps\":0}"),
         "x.json: levels[0].links[0].bandwidth_GBps: expected"},
        {GRAPH("2", "0", "{\"between\":[0,1]}"),
         "x.json: levels[0].links[0].bandwidth_GBps: missing"},
        {GRAPH("65", "0", LINK("0,1")), "x.json: levels[0].arity: expected 2 to 64"},
        {GRAPH("null", "0", LINK("0,1")), "x.json: levels[0].arity: expected 2 to 64"},
        {GRAPH("64", "33", LINK("0,1")), "x.json: levels[0]: relays: expected at most 96"},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":2,\"fabric\":\"links\",\"latency_us\":1}]}",
         "x.json: levels[0].links: missing, the fabric being \"links\""},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":2,\"fabric\":\"links\",\"latency_us\":1,"
              "\"bandwidth_GBps\":5,\"links\":[" LINK("0,1") "]}]}",
         "x.json: levels[0].bandwidth_GBps: expected none: of the fabric \"links\""},
        {HEAD "\"levels\":[{\"name\":\"a\",\"arity\":2,\"fabric\":\"links\",\"latency_us\":1,"
              "\"ports\":2,\"links\":[" LINK("0,1") "]}]}",
         "x.json: levels[0].ports: expected none, the fabric being \"links\""},
        {HEAD "\"pipeline_granularity\":0.5,\"levels\":[" LEVEL "]}",
         "x.json: pipeline_granularity"},
        {HEAD "\"launch_us\":\"8\",\"levels\":[" LEVEL "]}", "x.json: launch_us"},
        {HEAD "\"library_version\":\"2.28.9\",\"levels\":[" LEVEL "]}",
         "x.json: library_version: expected parts"},
        {HEAD "\"library_version\":\"2.28\",\"levels\":[" LEVEL "]}",
         "x.json: library_version: expected a version such as 2.27.7"},
        {HEAD "\"library_algorithm\":\"ring\",\"levels\":[" LEVEL "]}",
         "x.json: library_algorithm: expected a library whose algorithms have prices"},
        {HEAD "\"library\":\"mpich\",\"library_algorithm\":\"star\",\"levels\":[" LEVEL "]}",
         "x.json: library_algorithm: unknown algorithm \"star\""},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_system system;
        struct hs_error err = {0};

        assert_int_equal(hs_fields_parse(&hs_system_fields, &system, "x.json", rows[i][0],
                                         strlen(rows[i][0]), &err),
                         HS_INVALID);
        assert_has(err.message, rows[i][1]);
    }
}

static void the_host_has_one_way_between_two(void **state)
{
    static const char *const files[] = {
        GRAPH("2", "0", LINK("0,1")),
        HEAD "\"executor\":\"host\"," GRAPH_LEVELS("2", "0", LINK("0,1"))};

    (void)state;
    for (int host = 0; host < 2; host++) {
        struct hs_system system, copy;
        struct hs_error err = {0};

        assert_status_is(hs_fields_parse(&hs_system_fields, &system, "x.json", files[host],
                                         strlen(files[host]), &err),
                         HS_OK, &err);
        assert_int_equal(system.levels[0].links.fixed_ways, host);
        assert_int_equal(hs_system_copy(&copy, &system, &err), HS_OK);
        hs_system_fix_ways(&system);
        assert_true(system.levels[0].links.fixed_ways);
        assert_int_equal(copy.levels[0].links.fixed_ways, host);
        hs_system_release(&copy);
        hs_system_release(&system);
    }
}

/* A ring of four one way, a fifth behind a relay: what each can send is added up by hand. */
static void a_level_may_be_single_links(void **state)
{
    static const char file[] =
        GRAPH("5", "1",
              "{\"between\":[0,1],\"one_way\":true,\"bandwidth_GBps\":10},"
              "{\"between\":[1,2],\"one_way\":true,\"count\":3,\"bandwidth_GBps\":4},"
              "{\"between\":[2,3],\"one_way\":true,\"bandwidth_GBps\":10},"
              "{\"between\":[3,0],\"one_way\":true,\"bandwidth_GBps\":10},"
              "{\"between\":[5,4],\"bandwidth_GBps\":9,\"latency_us\":2.5},"
              "{\"between\":[1,5],\"bandwidth_GBps\":100}");
    struct hs_system system, copy, other;
    struct hs_text text = {0}, again = {0}, line = {0};
    struct hs_error err = {0};
    struct hs_links *links = &system.levels[0].links;

    (void)state;
    assert_status_is(
        hs_fields_parse(&hs_system_fields, &system, "x.json", file, strlen(file), &err), HS_OK,
        &err);
    assert_int_equal(links->units, 5);
    assert_int_equal(links->relays, 1);
    assert_int_equal(links->count, 6);
    assert_int_equal(links->items[1].count, 3);
    assert_true(links->items[1].one_way);
    assert_int_equal(links->items[4].from, 5);
    assert_int_equal(links->items[4].to, 4);
    assert_int_equal(links->items[4].count, 1);
    assert_true(links->items[4].latency_seconds == 2.5e-6);
    assert_true(system.levels[0].bytes_per_second == 9e9); /* of unit 4 */
    assert_int_equal(hs_system_capacity(&system), 5);
    assert_int_equal(hs_system_copy(&copy, &system, &err), HS_OK);
    assert_true(copy.levels[0].links.items != links->items);
    assert_true(links_equal(&copy.levels[0].links, links));
    assert_true(hs_system_equal(&copy, &system));
    copy.levels[0].links.items[1].count = 2;
    assert_false(hs_system_equal(&copy, &system));
    assert_int_equal(hs_system_print(&text, &system, &err), HS_OK);
    assert_status_is(
        hs_fields_parse(&hs_system_fields, &other, "printed", text.data, text.length, &err), HS_OK,
        &err);
    assert_true(links_equal(&other.levels[0].links, links));
    assert_int_equal(hs_system_print(&again, &other, &err), HS_OK);
    assert_string_equal(again.data, text.data);
    hs_system_format(&line, &system);
    assert_string_equal(line.data, "a:5@9GB/s~1us;s=1");
    hs_system_release(&system);
    hs_system_release(&copy);
    hs_system_release(&other);
    hs_text_release(&text);
    hs_text_release(&again);
    hs_text_release(&line);
}

/* GPUs 0, 1, 4 and 6 of a DGX-1 with V100: NVLinks 0-1, 0-4 (2), 4-6, and 12 GB/s to a switch. */
static void a_job_may_have_some_of_the_children(void **state)
{
    static const int some[] = {0, 1, 4, 6}, beyond[] = {0, 8}, apart[] = {0, 2};
    static const char pairs[] = GRAPH("4", "0", LINK("0,1") "," LINK("1,2") "," LINK("2,3"));
    struct hs_system system, whole, text;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_system_load(&system, "configs/dgx1-v100.json", &err), HS_OK);
    assert_int_equal(hs_system_copy(&whole, &system, &err), HS_OK);
    assert_int_equal(hs_system_choose(&system, beyond, 2, &err), HS_INVALID);
    assert_string_equal(err.message, "expected numbers below 8, found 8");
    assert_int_equal(hs_system_choose(&system, some, 1, &err), HS_INVALID);
    assert_true(hs_system_equal(&system, &whole));
    assert_status_is(hs_system_choose(&system, some, 4, &err), HS_OK, &err);
    assert_string_equal(system.name, "dgx1-v100-0.1.4.6");
    assert_has(system.title, ": children 0, 1, 4, 6 of the 8 of nvlink");
    assert_int_equal(system.levels[0].arity, 4);
    assert_int_equal(system.levels[0].links.units, 4);
    assert_int_equal(system.levels[0].links.relays, 6);
    assert_near(hs_links_sends(&system.levels[0].links, 0), 72e9, 0); /* 1 + 2 NVLinks, PCIe */
    assert_near(hs_links_sends(&system.levels[0].links, 2), 72e9, 0);
    assert_near(system.levels[0].bytes_per_second, 32e9, 0); /* GPUs 1 and 6: one NVLink, PCIe */
    hs_system_release(&system);
    hs_system_release(&whole);
    assert_int_equal(
        hs_fields_parse(&hs_system_fields, &system, "x.json", pairs, strlen(pairs), &err), HS_OK);
    assert_int_equal(hs_system_choose(&system, apart, 2, &err), HS_INVALID);
    assert_string_equal(err.message, "no way between 0 and 2 but through others");
    hs_system_release(&system);
    assert_int_equal(hs_system_parse(&text, "nvlink:mesh:4@100GB/s,ib@10GB/s", &err), HS_OK);
    assert_int_equal(hs_system_choose(&text, some, 2, &err), HS_INVALID);
    assert_string_equal(err.message, "expected a machine whose first level is single links, found "
                                     "the mesh nvlink");
    hs_system_release(&text);
}

/* NCCL 2.23 brought PAT (its release notes): with one GPU a node a reduce-scatter of few bytes runs
 * it from there on. */
static void a_system_says_which_version_runs(void **state)
{
    static const char file[] =
        "{\"format\": \"hiersearch.system/1\", \"name\": \"mine\", \"parts\": \"1xH100, "
        "1xNDR400\", "
        "\"library_version\": \"%s\", \"levels\": [{\"name\": \"one\", \"arity\": 1, "
        "\"latency_us\": 1, \"bandwidth_GBps\": 300}, {\"name\": \"ib\", \"latency_us\": 9, "
        "\"bandwidth_GBps\": 48}]}";
    const struct {
        const char *version;
        enum hs_nccl_algorithm runs;
    } cases[] = {{"2.18.3", HS_NCCL_RING}, {"2.27.7", HS_NCCL_PAT}};
    struct hs_nccl_ask ask = {
        .kind = HS_CALL_REDUCE_SCATTER, .domains = 16, .gpus = 1, .bytes = 65536};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[600];
        struct hs_system system;
        struct hs_nccl_price price;
        struct hs_error err = {0};

        snprintf(text, sizeof(text), file, cases[i].version);
        assert_status_is(
            hs_fields_parse(&hs_system_fields, &system, "x.json", text, strlen(text), &err), HS_OK,
            &err);
        assert_int_equal(hs_nccl_price(&price, &system.nccl, &ask, &err), HS_OK);
        assert_int_equal(price.choice.algorithm, cases[i].runs);
        hs_system_release(&system);
    }
    assert_int_equal(hs_nccl_version_parse("2.28.9"), 22809);
    assert_int_equal(hs_nccl_version_parse("2.28"), 0);
    assert_int_equal(hs_nccl_version_parse("1.2.3"), 0);
    assert_int_equal(hs_nccl_version_parse("2.28.09"), 0);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a line of parts has the figures of the shipped machine",
            a_line_of_parts_has_the_figures_of_the_shipped_machine),
    HS_TEST("every shipped file reads back as the same figures",
            every_shipped_file_reads_back_as_the_same_figures),
    HS_TEST("bad files are refused with the place", bad_files_are_refused_with_the_place),
    HS_TEST("of the backend host there is one way between two units",
            the_host_has_one_way_between_two),
    HS_TEST("a level may be single links", a_level_may_be_single_links),
    HS_TEST("a job may have some of the children", a_job_may_have_some_of_the_children),
    HS_TEST("a system says which version runs", a_system_says_which_version_runs),
};

HS_TEST_MAIN(tests)
