/*
 * Order of nodes and racks, and what is said about them. Expected values are worked out by hand.
 */
#include "test.h"

#include "detect/node_order.h"

#define NODES_MAX 8

static const char two_leaves[] = "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
                                 "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n";

/* From "host/slurm-name/ranks", one per blank; the launcher's order is that of the text. */
static size_t nodes_from(struct hs_node_report *nodes, const char *text)
{
    size_t count = 0;
    int64_t first = 0;

    for (const char *at = text; *at != '\0'; at += strspn(at, " ")) {
        struct hs_node_report *node = &nodes[count];
        size_t host = strcspn(at, "/");
        size_t name = strcspn(at + host + 1, "/");

        assert_true(count < NODES_MAX);
        memset(node, 0, sizeof *node);
        memcpy(node->place.host, at, host);
        memcpy(node->slurm_name, at + host + 1, name);
        node->place.ranks = strtoll(at + host + name + 2, NULL, 10);
        node->first_rank = first;
        node->index = count++;
        first += node->place.ranks;
        at += strcspn(at, " ");
    }
    return count;
}

/* Racks found and nodes sorted must read "host:rack host:rack", with this note. */
static void check(const char *nodes_text, const char *node_list, const char *topology,
                  const char *expected, const char *expected_note)
{
    struct hs_node_report nodes[NODES_MAX];
    size_t count = nodes_from(nodes, nodes_text);
    struct hs_text order = {0}, note = {0};

    hs_nodes_find_racks(nodes, count, node_list, topology, &note);
    hs_nodes_sort(nodes, count);
    for (size_t i = 0; i < count; i++)
        hs_text_append(&order, "%s%s:%s", i > 0 ? " " : "", nodes[i].place.host,
                       nodes[i].place.rack);
    assert_string_equal(order.data, expected);
    assert_string_equal(note.data == NULL ? "" : note.data, expected_note);
    hs_text_release(&order);
    hs_text_release(&note);
}

static void nodes_are_found_by_host_name(void **state)
{
    (void)state;
    check("n1//2 n3//2 n2//2 n4//2", "n[1-4]", two_leaves, "n1:leaf1 n2:leaf1 n3:leaf2 n4:leaf2",
          "");
    /* Racks in the order of the launcher's ranks, not of their names. */
    check("n4//1 n1//1 n3//1", "n[1-4]", two_leaves, "n4:leaf2 n3:leaf2 n1:leaf1", "");
}

static void a_domain_behind_the_name_does_not_matter(void **state)
{
    (void)state;
    check("n1.example.org//1 n3.example.org//1", "n[1-4]", two_leaves,
          "n1.example.org:leaf1 n3.example.org:leaf2", "");
    check("n10.example.org//1", "n[1-4]", two_leaves, "n10.example.org:",
          "racks unknown: host n10.example.org is not in Slurm's list of nodes");
}

static void host_names_come_before_inherited_slurm_names(void **state)
{
    (void)state;
    check("n1/n4/1 n3/n1/1", "n[1-4]", two_leaves, "n1:leaf1 n3:leaf2", "");
}

static void nodes_of_one_host_name_are_found_by_different_slurm_names(void **state)
{
    (void)state;
    check("vm/n3/2 vm/n1/2 vm/n4/2", "n[1-4]", two_leaves, "n3:leaf2 n4:leaf2 n1:leaf1", "");
}

static void inherited_slurm_names_are_not_believed(void **state)
{
    (void)state;
    check("vm/n1/2 vm/n1/2", "n[1-2]", two_leaves,
          "vm: vm:", "racks unknown: several nodes have the host name vm");
    check("vm//2 vm//2", "n[1-2]", two_leaves,
          "vm: vm:", "racks unknown: several nodes have the host name vm");
    check("n1/n1/2 n1/n1/2", "n[1-2]", two_leaves,
          "n1: n1:", "racks unknown: several nodes have the host name n1");
    check("a/n1/2 b/n1/2", "n[1-2]", two_leaves,
          "a: b:", "racks unknown: host a is not in Slurm's list of nodes");
}

static void racks_known_in_part_are_unknown(void **state)
{
    (void)state;
    check("n1//1 n5//1", "n[1-5]", two_leaves,
          "n1: n5:", "racks unknown: n5 is under no leaf switch of Slurm's topology");
}

static void without_a_leaf_switch_nothing_is_said(void **state)
{
    (void)state;
    check("n1//1 n2//1", "n[1-2]", "No topology information available\n", "n1: n2:", "");
    check("other//1", "n[1-2]", "", "other:", "");
}

static void a_text_that_makes_no_sense_is_said(void **state)
{
    (void)state;
    check("n1//1", "n[1-", two_leaves,
          "n1:", "racks unknown: node list \"n[1-\": expected a \"]\" for every \"[\"");
}

static void number_of_racks_is_returned(void **state)
{
    struct hs_node_report nodes[NODES_MAX];
    size_t count = nodes_from(nodes, "n1//1 n2//1 n3//1");

    (void)state;
    assert_int_equal(hs_nodes_sort(nodes, count), 0);
    strcpy(nodes[0].place.rack, "b");
    strcpy(nodes[1].place.rack, "a");
    strcpy(nodes[2].place.rack, "b");
    assert_int_equal(hs_nodes_sort(nodes, count), 2);
    assert_int_equal(nodes[0].index, 0);
    assert_int_equal(nodes[1].index, 2);
    assert_int_equal(nodes[2].index, 1);
}

static void check_uneven(const char *nodes_text, const char *racks, const char *expected)
{
    struct hs_node_report nodes[NODES_MAX];
    size_t count = nodes_from(nodes, nodes_text);
    struct hs_text note = {0};

    for (size_t i = 0; racks[0] != '\0' && i < count; i++)
        nodes[i].place.rack[0] = racks[i];
    hs_nodes_note_uneven(nodes, count, &note);
    assert_string_equal(note.data == NULL ? "" : note.data, expected);
    hs_text_release(&note);
}

static void uneven_nodes_are_listed(void **state)
{
    struct hs_node_report nodes[NODES_MAX];

    (void)state;
    check_uneven(
        "n1//3 n2//1", "",
        "uneven: n1 3 ranks, n2 1 rank; layers that should stay in a node may cross nodes");
    check_uneven("a//4 b//4 c//2 d//4 e//3 f//4", "",
                 "uneven: a 4 ranks, c 2 ranks, the other 4 nodes between; "
                 "layers that should stay in a node may cross nodes");
    check_uneven("a//4 b//2 c//4 d//2 e//4", "",
                 "uneven: a 4 ranks, b 2 ranks, the other 3 nodes between; "
                 "layers of 2 ranks stay in a node, larger ones may cross nodes");
    check_uneven("a//4 b//4", "", "");
    check_uneven("a//5", "", "");
    assert_false(hs_nodes_even(nodes, nodes_from(nodes, "n1//3 n2//1")));
    assert_true(hs_nodes_even(nodes, nodes_from(nodes, "n1//3 n2//3")));
}

static void uneven_racks_are_listed(void **state)
{
    (void)state;
    check_uneven("a//1 b//1 c//1", "xxy",
                 "uneven: x 2 nodes, y 1 node; layers that should stay in a rack may cross racks");
    check_uneven("a//1 b//1 c//1 d//1", "xxyy", "");
    check_uneven("a//2 b//1 c//1", "xxy",
                 "uneven: a 2 ranks, b 1 rank, c 1 rank; "
                 "layers that should stay in a node may cross nodes; "
                 "uneven: x 2 nodes, y 1 node; layers that should stay in a rack may cross racks");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("nodes are found by host name", nodes_are_found_by_host_name),
    HS_TEST("a domain behind the name does not matter", a_domain_behind_the_name_does_not_matter),
    HS_TEST("host names come before inherited slurm names",
            host_names_come_before_inherited_slurm_names),
    HS_TEST("nodes of one host name are found by different slurm names",
            nodes_of_one_host_name_are_found_by_different_slurm_names),
    HS_TEST("inherited slurm names are not believed", inherited_slurm_names_are_not_believed),
    HS_TEST("racks known in part are unknown", racks_known_in_part_are_unknown),
    HS_TEST("without a leaf switch nothing is said", without_a_leaf_switch_nothing_is_said),
    HS_TEST("a text that makes no sense is said", a_text_that_makes_no_sense_is_said),
    HS_TEST("number of racks is returned", number_of_racks_is_returned),
    HS_TEST("uneven nodes are listed", uneven_nodes_are_listed),
    HS_TEST("uneven racks are listed", uneven_racks_are_listed),
};

HS_TEST_MAIN(tests)
