/* Rules of plans as text: written and read, found for a message, and what is refused. */
#include "../links/graphs.h"

#include <string.h>

#include "links/packing.h"
#include "model/rules.h"

static const char text[] = "# a comment\n"
                           "ranks 16\n"
                           "nodes 2x4 1x8 # and another\n"
                           "rule allreduce 16:1 0 library\n"
                           "rule allreduce 16:1 65536 4hx4/8\n"
                           "rule allreduce 16:1 1048576 16\n"
                           "rule allgather 4:2 1 2x2\n"
                           "rule all-to-all 4:1+2*4 0 2x2\n"
                           "rule reduce-scatter 16:1 0 4x4 packed\n"
                           "rule reduce-scatter 16:1 4096 2x8 natural\n"
                           "time allreduce 16:1 65536 0.00125 0.0025\n"
                           "time all-to-all 4:1+2*4 8 1e-06 1e-06\n";

static struct hs_rules rules_of(const char *from)
{
    struct hs_rules rules;
    struct hs_error err;

    assert_status_is(hs_rules_parse(&rules, from, &err), HS_OK, &err);
    return rules;
}

static void what_is_written_is_read(void **state)
{
    static const int64_t nodes[] = {4, 4, 8};
    struct hs_rules rules = rules_of(text), back;
    struct hs_text written = {0};

    (void)state;
    assert_int_equal(rules.count, 7);
    assert_int_equal(rules.rules[4].layout, HS_NATURAL);
    assert_int_equal(rules.rules[5].layout, HS_PACKED);
    assert_int_equal(rules.rules[6].layout, HS_NATURAL);
    assert_true(hs_rules_fit_nodes(&rules, nodes, 3));
    assert_false(hs_rules_fit_nodes(&rules, nodes, 2));
    assert_false(hs_rules_fit_nodes(&rules, nodes + 1, 2));
    hs_text_append(&written, "ranks 16\n");
    hs_rules_nodes_append(&written, nodes, 3);
    for (size_t i = 0; i < rules.count; i++)
        hs_rule_append(&written, &rules.rules[i]);
    for (size_t i = 0; i < rules.time_count; i++)
        hs_rule_time_append(&written, &rules.times[i]);
    assert_string_equal(strstr(written.data, "time"), strstr(text, "time"));
    back = rules_of(written.data);
    assert_int_equal(back.time_count, 2);
    assert_int_equal(back.node_count, 2);
    assert_memory_equal(back.nodes, rules.nodes, 2 * sizeof(*back.nodes));
    for (size_t i = 0; i < rules.count; i++) {
        assert_true(hs_group_equal(&back.rules[i].group, &rules.rules[i].group));
        assert_int_equal(hs_plan_compare(&back.rules[i].plan, &rules.rules[i].plan), 0);
        assert_int_equal(back.rules[i].from_bytes, rules.rules[i].from_bytes);
        assert_int_equal(back.rules[i].layout, rules.rules[i].layout);
    }
    hs_text_release(&written);
    hs_rules_release(&rules);
    hs_rules_release(&back);
}

static void a_message_finds_its_plan(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *plan;
    } asked[] = {{1, NULL},           {65535, NULL},   {65536, "4hx4/8"},
                 {1048575, "4hx4/8"}, {1048576, "16"}, {1 << 30, "16"}};
    struct hs_rules rules = rules_of(text);
    struct hs_group world = hs_group_world(16), other = {.ranks = 16, .stride = 4, .size = 4};

    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        const struct hs_rule *rule =
            hs_rules_find(&rules, HS_COLLECTIVE_ALLREDUCE, &world, asked[i].bytes);
        char plan[HS_SPLIT_TEXT];

        assert_int_equal(rule != NULL, asked[i].plan != NULL);
        if (rule)
            assert_string_equal(hs_plan_format(plan, &rule->plan), asked[i].plan);
    }
    assert_null(hs_rules_find(&rules, HS_COLLECTIVE_ALLGATHER, &world, 1 << 20));
    assert_null(hs_rules_find(&rules, HS_COLLECTIVE_ALLREDUCE, &other, 1 << 20));
    hs_rules_release(&rules);
}

typedef enum hs_status pack(struct hs_packing *packing, const struct hs_links *links,
                            enum hs_phase phase, struct hs_error *err);

/* With shares as they are written. */
static void trees_of_layers_are_handed_on(void **state)
{
    static pack *const packs[] = {hs_packing_make_rings, hs_packing_make, hs_packing_make_groups};
    static const enum hs_algorithm algorithms[] = {HS_RING, HS_FOREST, HS_GROUPS};
    struct hs_links links = dgx1(true);
    struct hs_text written = {0};
    struct hs_forests packed = {.units = 8};
    struct hs_rules rules;

    (void)state;
    hs_text_append(&written, "ranks 16\n");
    for (int i = 0; i < 9; i++)
        assert_int_equal(packs[i / 3](&packed.of[algorithms[i / 3]][i % 3], &links,
                                      (enum hs_phase)(i % 3), NULL),
                         HS_OK);
    for (int twice = 0; twice < 2; twice++)
        hs_forests_append(&written, &packed);
    hs_text_append(&written, "rule allreduce 16:1 0 8fx2\nrule allgather 16:1 0 8gx2\n");
    rules = rules_of(written.data);
    assert_int_equal(rules.forests.units, 8);
    for (int i = 0; i < 9; i++) {
        struct hs_stage_key key = {(enum hs_phase)(i % 3), algorithms[i / 3], {1, 8}};
        const struct hs_packing *read = hs_forests_find(&rules.forests, key);
        const struct hs_packing *made = hs_forests_find(&packed, key);

        assert_non_null(read);
        assert_int_equal(read->count, made->count);
        assert_near(read->seconds_per_byte, made->seconds_per_byte, 1e-9);
        for (double bytes = 1 << 14; bytes < 1 << 26; bytes *= 2)
            assert_int_equal(hs_packing_segments(read, bytes), hs_packing_segments(made, bytes));
        for (size_t t = 0; t < read->count; t++) {
            assert_int_equal(read->trees[t].root, made->trees[t].root);
            assert_near(read->trees[t].share, made->trees[t].share, 1e-9);
            for (int u = 0; u < 8; u++) {
                assert_int_equal(read->trees[t].up[u], made->trees[t].up[u]);
                assert_int_equal(read->trees[t].down[u], made->trees[t].down[u]);
            }
        }
    }
    hs_rules_release(&rules);
    hs_forests_release(&packed);
    hs_text_release(&written);
    hs_links_release(&links);
}

static void ranks_find_their_group(void **state)
{
    static const struct {
        int ranks[4], size, stride; /* stride 0: none is found */
    } asked[] = {{{0, 2, 4, 6}, 4, 2},  {{9, 11, 13, 15}, 4, 2}, {{6, 4, 2, 0}, 4, 0},
                 {{2, 4, 6, 8}, 4, 0},  {{0, 2}, 2, 0},          {{1, 2, 9, 10}, 4, 0},
                 {{2, 3, 10, 11}, 4, 1}};
    struct hs_rules rules = rules_of(text);

    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        const struct hs_group *group = hs_rules_group(&rules, asked[i].ranks, asked[i].size);

        assert_int_equal(group ? group->stride : 0, asked[i].stride);
    }
    hs_rules_release(&rules);
}

#define ONE       "1000000000000"
#define PAIRS     "trees forest allgather 2 9 0:" ONE ":-:.,0 1:" ONE ":-:1,.\n"
#define ALLREDUCE "trees forest allreduce 2 9 1:" ONE ":1,.:1,.\n"

static void a_time_is_of_one_message(void **state)
{
    struct hs_rules rules = rules_of(text);
    struct hs_group world = hs_group_world(16), rows = rules.times[1].group;
    const struct hs_rule_time *found =
        hs_rules_time(&rules, HS_COLLECTIVE_ALLREDUCE, &world, 65536);

    (void)state;
    assert_non_null(found);
    assert_true(found->low_seconds == 0.00125);
    assert_true(found->high_seconds == 0.0025);
    assert_null(hs_rules_time(&rules, HS_COLLECTIVE_ALLREDUCE, &world, 65537));
    assert_null(hs_rules_time(&rules, HS_COLLECTIVE_ALLGATHER, &world, 65536));
    assert_null(hs_rules_time(&rules, HS_COLLECTIVE_ALLTOALL, &world, 8));
    assert_ptr_equal(hs_rules_time(&rules, HS_COLLECTIVE_ALLTOALL, &rows, 8), &rules.times[1]);
    hs_rules_release(&rules);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", "there is no rule"},
        {"ranks 4\n", "there is no rule"},
        {"rule allreduce 4:1 0 4\n", "line 1: expected how many ranks"},
        {"ranks 0\n", "line 1: ranks: expected"},
        {"ranks 4\nranks 8\n", "line 2: results of 4 and of 8 processes"},
        {"ranks 4\nnodes 2\n", "line 2: ranks of a node"},
        {"ranks 4\nnodes\n", "line 2: expected nodes as"},
        {"ranks 4\nnodes 2x2\nnodes 4x1\n", "line 3: results of jobs whose ranks"},
        {"ranks 4\nnodes 2x2 1x1\nnodes 2x2\n", "line 3: "},
        {"ranks 4\nrule allreduce 4:1 0\n", "line 2: expected rule COLLECTIVE"},
        {"ranks 4\nrule allreduce 4:1\n", "line 2: expected COLLECTIVE GROUP BYTES"},
        {"time allreduce 4:1 0 1 1\n", "line 1: expected how many ranks"},
        {"ranks 4\ntime allreduce 4:1 0 1\n", "line 2: expected time COLLECTIVE"},
        {"ranks 4\ntime allreduce 4:1 0 2 1\n", "line 2: expected the least and the most"},
        {"ranks 4\ntime allreduce 4:1 0 0 1\n", "line 2: expected the least and the most"},
        {"ranks 4\ntime allreduce 4:1 0 1s 2\n", "line 2: expected the least and the most"},
        {"ranks 4\ntime allreduce 4:1 0 nan nan\n", "line 2: expected the least and the most"},
        {"ranks 4\nrule allreduce 4:1 0 4 4\n", "line 2: unknown layout"},
        {"ranks 4\nrule allgather 4:1 0 2x2 packed 1\n", "line 2: expected rule COLLECTIVE"},
        {"ranks 4\nrule allgather 4:1 0 2x2 reversed\n", "no program's call leaves blocks"},
        {"ranks 4\nrule allreduce 4:1 0 2x2 packed\n", "no program's call leaves blocks"},
        {"ranks 4\nrule alreduce 4:1 0 4\n", "did you mean"},
        {"ranks 4\nrule allreduce 3:1 0 3\n", "line 2: "},
        {"ranks 4\nrule allreduce 4 0 4\n", "line 2: their distance"},
        {"ranks 4\nrule allreduce 4:1 0 2x3\n", "line 2: "},
        {"ranks 4\nrule allgather 4:1 0 2x2t\n", "line 2: "},
        {"ranks 4\nrule allreduce 4:1 5 4\nrule allreduce 4:1 5 2x2\n", "found 5 bytes behind 5"},
        {"ranks 4\nrule allreduce 4:1 0 4\nrule allgather 4:1 0 4\nrule allreduce 4:1 9 4\n",
         "line 4: allreduce of groups of 4: expected it once"},
        {"ranks 16\nrule allreduce 4:1+2*4+4*2+4*2+4*2 0 4\n", "line 2: more than 3 gaps"},
        {"plans 4\n", "line 1: expected ranks, nodes, trees, rule or time, found \"plans\""},
        {"ranks 4\nrule allreduce 4:1 0 4f\n",
         "line 2: plan 4f: expected the trees of its layer 1"},
        {"ranks 4\n" PAIRS "rule allreduce 4:1 0 2fx2\n", "expected the trees of its layer 1"},
        {"ranks 4\n" PAIRS "rule allgather 2:2 0 2f\n", "expected the trees of its layer 1"},
        {"ranks 4\n" PAIRS "rule allgather 4:1 0 2x2f\n", "expected the trees of its layer 2"},
        {PAIRS "trees forest allgather 3 9\n", "line 2: shares of trees up to the 0th sum to 0"},
        {PAIRS "trees forest allgather 2 9 1:" ONE ":-:1,. 0:" ONE ":-:.,0\n", "sum to 0, not 1"},
        {PAIRS "trees forest allgather 2 9 0:" ONE ":-:.,0\n", "line 2: no tree of root 1"},
        {PAIRS "trees ring allgather 2 9 0:5:-:.,0 1:" ONE ":-:1,.\n", "1th sum to 5e-12, not 1"},
        {PAIRS ALLREDUCE "trees forest allreduce 2 9 0:" ONE ":.,0:.,0\n", "different machines"},
        {PAIRS "trees groups allreduce 3 9 0:" ONE ":.,0,0:.,0,0\n", "of 2 and of 3 units"},
        {"trees forest allreduce 2 0:1:.,0:.,0\n", "line 1: bytes per second: expected"},
        {"trees halving allreduce 2 9 0:1:.,0:.,0\n", "line 1: halving goes by no trees"},
        {"trees allreduce 2 0:1:.,0:.,0\n", "line 1: unknown algorithm"},
        {"trees forest exchange 2 9 0:1:.,0:.,0\n", "line 1: unknown phase"},
        {"trees forest allreduce 65 9 0:1:.,0:.,0\n", "line 1: units: expected"},
        {"trees forest allreduce 2 9 2:1:.,0:.,0\n", "line 1: root: expected"},
        {"trees forest allreduce 2 9 0:0:.,0:.,0\n", "line 1: share: expected"},
        {"trees forest allreduce 2 9 0:1\n", "line 1: 0 of 2 units"},
        {"trees forest allreduce 2 9 0:1:.,0:.,0,0\n", "line 1: more than 2 units"},
        {"trees forest allreduce 2 9 0:1:.,0:.,2\n", "line 1: unit: expected"},
        {"trees forest allreduce 2 9 0:1:.,0:.,.\n", "line 1: tree 1 does not join"},
        {"trees forest allreduce 2 9 0:1:1,0:.,0\n", "line 1: tree 1 does not join"},
        {"trees forest allreduce 4 9 0:1:.,2,3,1:.,0,0,0\n", "line 1: tree 1 does not join"},
        {"trees forest reduce-scatter 2 9 0:1:.,0:.,0\n", "line 1: expected \"-\" where"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct hs_rules rules;
        struct hs_error err;

        assert_int_equal(hs_rules_parse(&rules, wrong[i].text, &err), HS_INVALID);
        if (!strstr(err.message, wrong[i].error))
            fail_msg("%s: %s", wrong[i].text, err.message);
        assert_null(rules.rules);
        assert_null(rules.nodes);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what is written is read", what_is_written_is_read),
    HS_TEST("a message finds its plan", a_message_finds_its_plan),
    HS_TEST("trees of layers are handed on", trees_of_layers_are_handed_on),
    HS_TEST("ranks find their group", ranks_find_their_group),
    HS_TEST("a time is of one message", a_time_is_of_one_message),
    HS_TEST("what is wrong is told with its line", what_is_wrong_is_told_with_its_line),
};

HS_TEST_MAIN(tests)
