/*
 * Slurm's node lists and topology. The expanded lists are what `scontrol show hostnames` of Slurm
 * 22.05 prints, the topologies what `scontrol show topology` prints.
 */
#include "test.h"

#include "base/text.h"
#include "detect/slurm_topology.h"

static const char two_leaves[] =
    "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
    "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
    "SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]\n";

static struct hs_node_list parse(const char *node_list, const char *topology)
{
    struct hs_node_list list;
    struct hs_error err = {0};

    assert_status_is(hs_slurm_node_list(&list, node_list, topology, &err), HS_OK, &err);
    return list;
}

/* "n1 n2" with racks = false, else "n1=leaf1 n2=leaf1". */
static void check(const char *node_list, const char *topology, bool racks, const char *expected)
{
    struct hs_node_list list = parse(node_list, topology);
    struct hs_text text = {0};

    for (size_t i = 0; i < list.count; i++) {
        hs_text_append(&text, "%s%s", i > 0 ? " " : "", list.hosts[i]);
        if (racks)
            hs_text_append(&text, "=%s", list.racks[i]);
        else
            assert_string_equal(list.racks[i], "");
    }
    assert_string_equal(text.data, expected);
    hs_text_release(&text);
    hs_node_list_release(&list);
    assert_null(list.hosts);
}

static void node_lists_expand_as_scontrol_does(void **state)
{
    static const struct {
        const char *list, *hosts;
    } rows[] = {
        {"n1", "n1"},
        {"n[1-4,7],login", "n1 n2 n3 n4 n7 login"},
        {"r[1-2]n[08-11],x", "r1n08 r1n09 r1n10 r1n11 r2n08 r2n09 r2n10 r2n11 x"},
        {"n[098-101]", "n098 n099 n100 n101"},
        {"n[1-010]", "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10"},
        {"n[1-2][3-4]", "n13 n14 n23 n24"},
        {"n[1-2]5[3-4]", "n153 n154 n253 n254"},
        {"gpu-a[001-002]", "gpu-a001 gpu-a002"},
        {"n1,n1", "n1 n1"},
        {"n[1,1]", "n1 n1"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++)
        check(rows[i].list, NULL, false, rows[i].hosts);
}

static void text_may_follow_a_bracket(void **state)
{
    (void)state;
    check("n[1-2]-ib,a[1]b[2-3].example.org", "", false,
          "n1-ib n2-ib a1b2.example.org a1b3.example.org");
}

static void racks_are_the_leaf_switches(void **state)
{
    (void)state;
    check("n[1-4]", two_leaves, true, "n1=leaf1 n2=leaf1 n3=leaf2 n4=leaf2");
    check("n4,n2", two_leaves, true, "n4=leaf2 n2=leaf1");
    check("n[2-3],n2", two_leaves, true, "n2=leaf1 n3=leaf2 n2=leaf1");
}

static void nodes_below_no_leaf_are_unknown(void **state)
{
    (void)state;
    check("n[3-6]", two_leaves, true, "n3=leaf2 n4=leaf2 n5= n6=");
    /* n1 must not match n10, nor n10 match n1. */
    check("n1,n10", "SwitchName=s Level=0 LinkSpeed=1 Nodes=n10\n", true, "n1= n10=s");
}

static void the_first_leaf_of_a_node_counts(void **state)
{
    (void)state;
    check("n[1-2]",
          "SwitchName=rail0 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
          "SwitchName=rail1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n",
          true, "n1=rail0 n2=rail0");
}

static void other_lines_are_no_switches(void **state)
{
    static const char *const texts[] = {
        "No topology information available\n",
        "\n\n",
        "SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]\n",
        "SwitchName=empty Level=0 LinkSpeed=1\n",
        "Level=0 Nodes=n[1-2]\n",
        "slurm_load_topo error: Unable to contact slurm controller",
        "XSwitchName=s Level=0 Nodes=n[1-2]\n",
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(texts); i++)
        check("n[1-2]", texts[i], true, "n1= n2=");
}

static void a_last_line_needs_no_newline(void **state)
{
    (void)state;
    check("n1", "SwitchName=s Level=0 LinkSpeed=1 Nodes=n[0-9]", true, "n1=s");
}

static void many_nodes_keep_their_racks(void **state)
{
    struct hs_text topology = {0};
    struct hs_node_list list;

    (void)state;
    for (int leaf = 0; leaf < 100; leaf++)
        hs_text_append(&topology, "SwitchName=l%d Level=0 LinkSpeed=1 Nodes=n[%05d-%05d]\n", leaf,
                       leaf * 100, leaf * 100 + 99);
    list = parse("n[00000-09999]", topology.data);
    assert_int_equal(list.count, 10000);
    for (int i = 0; i < 10000; i++) {
        char rack[16];

        snprintf(rack, sizeof rack, "l%d", i / 100);
        assert_string_equal(list.racks[i], rack);
    }
    hs_node_list_release(&list);
    hs_text_release(&topology);
}

static void bad_lists_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *list, *says;
    } rows[] = {
        {"", "a name before and after every comma"},
        {"a,,b", "a name before and after every comma"},
        {"a,", "a name before and after every comma"},
        {"n[1-2", "a \"]\" for every \"[\""},
        {"n1]", "a \"[\" for every \"]\""},
        {"n[]", "such as [1-4,7]"},
        {"n[1-]", "such as [1-4,7]"},
        {"n[3-1]", "such as [1-4,7]"},
        {"n[a-b]", "such as [1-4,7]"},
        {"n[1,]", "such as [1-4,7]"},
        {"n[1 - 2]", "such as [1-4,7]"},
        {"n[1[2]]", "such as [1-4,7]"},
        {"n[0-99999999]", "such as [1-4,7]"},
        {"n[1111111111111111111]", "such as [1-4,7]"},
        {"n[0-9999][0-9999]", "at most 1048576 nodes"},
        {"a b", "no blanks"},
        {"a\nb", "no blanks"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_node_list list;
        struct hs_error err = {0};

        assert_int_equal(hs_slurm_node_list(&list, rows[i].list, NULL, &err), HS_INVALID);
        assert_has(err.message, rows[i].says);
        assert_null(list.hosts);
        assert_int_equal(list.count, 0);
    }
}

static void names_of_128_characters_are_too_long(void **state)
{
    char name[129];
    struct hs_node_list list;
    struct hs_error err = {0};

    (void)state;
    memset(name, 'n', 128);
    name[128] = '\0';
    assert_int_equal(hs_slurm_node_list(&list, name, NULL, &err), HS_INVALID);
    check(name + 1, NULL, false, name + 1);
}

static void a_bad_topology_is_refused_with_its_line(void **state)
{
    struct hs_node_list list;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_slurm_node_list(&list, "n1",
                                        "SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
                                        "SwitchName=b Level=0 LinkSpeed=1 Nodes=n[3-\n",
                                        &err),
                     HS_INVALID);
    assert_string_equal(
        err.message,
        "Slurm's topology, line 2: node list \"n[3-\": expected a \"]\" for every \"[\"");
    assert_int_equal(list.count, 0);
}

static void check_units(const char *topology, int64_t leaves, int64_t leaf_nodes, int64_t blocks,
                        int64_t block_nodes)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};

    assert_status_is(hs_slurm_network_read(&network, "t", topology, &err), HS_OK, &err);
    assert_int_equal(network.leaves.count, leaves);
    assert_int_equal(network.leaves.nodes_max, leaf_nodes);
    assert_int_equal(network.blocks.count, blocks);
    assert_int_equal(network.blocks.nodes_max, block_nodes);
}

static void leaves_and_blocks_are_counted_with_their_nodes(void **state)
{
    (void)state;
    check_units(two_leaves, 2, 2, 0, 0);
    check_units("switchname=a NODES=n[01-16],m7 # Nodes=x\n#SwitchName=c Nodes=n1\n"
                "SwitchName=b\tNodes=k[1-3]\r\nSwitchName=s Switches=a,b\n",
                2, 17, 0, 0);
    check_units("BlockName=b1 Nodes=t[1-18]\nBlockName=b2 Nodes=t[19-36]\nBlockSizes=18\n", 0, 0, 2,
                18);
    check_units("nothing of the kind", 0, 0, 0, 0);
}

static void a_bad_list_of_a_leaf_is_refused_with_its_line(void **state)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(
        hs_slurm_network_read(&network, "t.conf", "# leaves\nSwitchName=a Nodes=n[1-\n", &err),
        HS_INVALID);
    assert_string_equal(err.message,
                        "t.conf:2: node list \"n[1-\": expected a \"]\" for every \"[\"");
}

/* By trees, and the children of the largest switch of each tier above the leaves; 0: no tier. */
static void check_tree(const char *topology, int64_t trees, int64_t first, int64_t second)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};
    enum hs_status status = hs_slurm_is_yaml(topology)
                                ? hs_slurm_yaml_read(&network, "t", topology, &err)
                                : hs_slurm_network_read(&network, "t", topology, &err);

    assert_status_is(status, HS_OK, &err);
    assert_int_equal(network.tree.trees, trees);
    assert_int_equal(network.tree.tiers, (first > 0) + (second > 0));
    assert_int_equal(network.tree.children_max[0], first);
    assert_int_equal(network.tree.children_max[1], second);
}

static void tiers_above_the_leaf_are_counted(void **state)
{
    (void)state;
    check_tree("SwitchName=core Switches=s[1-2]\nSwitchName=s1 Switches=l[1-3]\n"
               "SwitchName=s2 Switches=l4\nSwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n"
               "SwitchName=l3 Nodes=c\nSwitchName=l4 Nodes=d\n",
               1, 3, 2);
    check_tree("SwitchName=a Level=0 Nodes=n[1-2]\nSwitchName=b Level=0 Nodes=n[3-4]\n"
               "SwitchName=s Level=1 Nodes=n[1-4] Switches=a,b\n",
               1, 2, 0);
    check_tree("- topology: t\n  tree:\n    switches:\n"
               "    - switch: core\n      children: s[1-2]\n"
               "    - switch: s1\n      children: l[1-2]\n    - switch: s2\n      children: l3\n"
               "    - switch: l1\n      nodes: a\n    - switch: l2\n      nodes: b\n"
               "    - switch: l3\n      nodes: c\n",
               1, 2, 2);
}

static void trees_that_no_switch_joins_are_counted(void **state)
{
    (void)state;
    check_tree("SwitchName=x Switches=a,b\nSwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
               "SwitchName=login Nodes=m\n",
               2, 2, 0);
    check_tree("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n", 2, 0, 0);
}

/* Planes have the same switches below them, and are one tier and one tree. */
static void planes_of_a_fabric_are_one(void **state)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};
    const char *planes = "SwitchName=p1 Switches=a,b\nSwitchName=p2 Switches=a,b\n"
                         "SwitchName=q[3-4] Switches=a,b\nSwitchName=a Nodes=n1\n"
                         "SwitchName=b Nodes=n2\n";

    (void)state;
    check_tree(planes, 1, 2, 0);
    assert_status_is(hs_slurm_network_read(&network, "t", planes, &err), HS_OK, &err);
    assert_int_equal(network.tree.count[0], 1);
}

/* Files may say anything: a circle ends, and has no tier beyond the last there can be. */
static void switches_above_themselves_end(void **state)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};

    (void)state;
    assert_status_is(hs_slurm_network_read(&network, "t",
                                           "SwitchName=a Switches=b\nSwitchName=b Switches=a\n"
                                           "SwitchName=c Switches=c\n",
                                           &err),
                     HS_OK, &err);
    assert_in_range(network.tree.tiers, 0, HS_SLURM_TIERS_MAX);
}

static void check_yaml(const char *yaml, int64_t leaves, int64_t leaf_nodes, int64_t blocks,
                       int64_t block_nodes)
{
    struct hs_slurm_network network;
    struct hs_error err = {0};

    assert_true(hs_slurm_is_yaml(yaml));
    assert_status_is(hs_slurm_yaml_read(&network, "t", yaml, &err), HS_OK, &err);
    assert_int_equal(network.leaves.count, leaves);
    assert_int_equal(network.leaves.nodes_max, leaf_nodes);
    assert_int_equal(network.blocks.count, blocks);
    assert_int_equal(network.blocks.nodes_max, block_nodes);
}

/* The shapes of the example of topology.yaml(5). */
static void a_topology_yaml_has_leaves_or_blocks(void **state)
{
    (void)state;
    check_yaml("- topology: topo1\n  cluster_default: True\n  tree:\n    switches:\n"
               "    - switch: sw_root\n      nodes: node[01-04]\n",
               1, 4, 0, 0);
    check_yaml("# racks\n---\n-   topology: t\n    block:\n        block_sizes: [4, 16]\n"
               "        blocks:\n          - block: b1\n            nodes: 'n[1-4]' # four\n"
               "          - nodes: \"n[5-8],m1\"\n            block: b2\n",
               0, 0, 2, 5);
    check_yaml("- topology: t\n  tree:\n    switches:\n      - switch: s\n        children: a,b\n"
               "      - switch: a\n        nodes: n1\n      - switch: b\n        nodes: n[2-4]\n",
               2, 3, 0, 0);
    assert_false(hs_slurm_is_yaml("SwitchName=a Nodes=n1\n- topology: t\n"));
    assert_false(hs_slurm_is_yaml("  GPU0 GPU1\n"));
}

#define TREE(name, more, nodes)                                                                    \
    "- topology: " name "\n" more "  tree:\n    switches:\n    - switch: s\n      nodes: " nodes   \
    "\n"

static void of_several_topologies_the_default_one_counts(void **state)
{
    (void)state;
    check_yaml(TREE("a", "", "n[1-2]") TREE("b", "  cluster_default: true\n", "n[1-3]")
                   TREE("c", "  cluster_default: true\n", "n[1-5]"),
               1, 3, 0, 0);
    check_yaml(TREE("a", "", "n[1-2]") "- topology: f\n  cluster_default: true\n  flat: true\n", 1,
               2, 0, 0);
}

static void what_topology_yaml_does_not_have_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"- topology: a\n  ring:\n",
         "t:2: expected topology, cluster_default, tree, block or flat, found \"ring\""},
        {"- topology: a\n  tree:\n    switch: s\n", "t:3: expected switches, found \"switch\""},
        {"- topology: a\n  flat: perhaps\n", "t:2: expected true or false, found \"perhaps\""},
        {"- topology: a\n  flat: true\n",
         "t: expected a topology with switches or blocks of nodes"},
        {TREE("a", "", "n[1-") "", "t:5: node list \"n[1-\": expected a \"]\" for every \"[\""},
        {"- topology: a\n tree:\n", "t:2: expected \"tree\" in column 3, found it in 2"},
        {"- topology: a\n\ttree:\n", "t:2: expected blanks before a key, found a tab"},
        {"- topology: a\n  tree: {switches: []}\n",
         "t:2: expected a plain value, found \"{switches: []}\""},
        {"- topology: a\n  tree: oak\n", "t:2: expected a line's end, found \"oak\""},
        {"- topology: a\n  tree:\n    switches:\n      switch: s\n",
         "t:4: switch: expected a dash before it"},
        {"- topology: a\n  - tree:\n", "t:2: expected \"tree\" in column 3, found it in 5"},
        {"- topology: a\n- tree:\n", "t:2: tree: expected no dash before it"},
        {"- topology:\n", "t:1: topology: expected a value behind it"},
        {"- topology: 'a\n", "t:1: expected a value in one pair of quotes, found \"'a\""},
        {"- topology: a\n  words\n", "t:2: expected a key, found \"words\""},
        {"- topology: a\n  block:\n    block_sizes:\n    - many\n",
         "t:4: expected the next block size behind a dash, found \"many\""},
        {TREE("a", "", "n[1-2]") TREE("b", "", "n[1-2]"),
         "t: expected one topology with switches or blocks, or cluster_default: true in one of "
         "them, found 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hs_slurm_network network;
        struct hs_error err = {0};

        assert_int_equal(hs_slurm_yaml_read(&network, "t", cases[i].yaml, &err), HS_INVALID);
        assert_string_equal(err.message, cases[i].message);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("tiers above the leaf are counted", tiers_above_the_leaf_are_counted),
    HS_TEST("trees that no switch joins are counted", trees_that_no_switch_joins_are_counted),
    HS_TEST("planes of a fabric are one", planes_of_a_fabric_are_one),
    HS_TEST("switches above themselves end", switches_above_themselves_end),
    HS_TEST("node lists expand as scontrol does", node_lists_expand_as_scontrol_does),
    HS_TEST("text may follow a bracket", text_may_follow_a_bracket),
    HS_TEST("racks are the leaf switches", racks_are_the_leaf_switches),
    HS_TEST("nodes below no leaf are unknown", nodes_below_no_leaf_are_unknown),
    HS_TEST("the first leaf of a node counts", the_first_leaf_of_a_node_counts),
    HS_TEST("other lines are no switches", other_lines_are_no_switches),
    HS_TEST("a last line needs no newline", a_last_line_needs_no_newline),
    HS_TEST("many nodes keep their racks", many_nodes_keep_their_racks),
    HS_TEST("bad lists are refused with the reason", bad_lists_are_refused_with_the_reason),
    HS_TEST("names of 128 characters are too long", names_of_128_characters_are_too_long),
    HS_TEST("a bad topology is refused with its line", a_bad_topology_is_refused_with_its_line),
    HS_TEST("leaves and blocks are counted with their nodes",
            leaves_and_blocks_are_counted_with_their_nodes),
    HS_TEST("a bad list of a leaf is refused with its line",
            a_bad_list_of_a_leaf_is_refused_with_its_line),
    HS_TEST("a topology.yaml has leaves or blocks", a_topology_yaml_has_leaves_or_blocks),
    HS_TEST("of several topologies the default one counts",
            of_several_topologies_the_default_one_counts),
    HS_TEST("what topology.yaml does not have is refused with its line",
            what_topology_yaml_does_not_have_is_refused_with_its_line),
};

HS_TEST_MAIN(tests)
