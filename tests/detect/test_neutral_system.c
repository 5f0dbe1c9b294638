/*
 * A description made from where the ranks are.
 */
#include "test.h"

#include "detect/neutral_system.h"

#define NODES_MAX 8

/* "4a 4a 4b": ranks of each node and its rack, "" for unknown. Returns the system's levels as text.
 * */
static const char *levels_of(const char *text)
{
    static char levels[256];
    struct hs_node_place nodes[NODES_MAX] = {{.ranks = 0}};
    struct hs_system system;
    struct hs_error err = {0};
    int64_t count = 0;
    size_t length = 0;
    int used;

    for (; *text && count < NODES_MAX; text += used + (text[used] == ' '), count++) {
        char rack[8] = "";
        int ranks = 0;

        used = 0;
        assert_true(sscanf(text, "%d%n%7[a-z]%n", &ranks, &used, rack, &used) >= 1);
        nodes[count].ranks = ranks;
        snprintf(nodes[count].rack, sizeof(nodes[count].rack), "%s", rack);
    }
    assert_status_is(hs_neutral_system(&system, nodes, count, &err), HS_OK, &err);
    for (size_t l = 0; l < system.level_count; l++)
        length +=
            (size_t)snprintf(levels + length, sizeof(levels) - length, "%s%s:%d", l ? " " : "",
                             system.levels[l].name, (int)system.levels[l].arity);
    assert_string_equal(system.name, HS_NEUTRAL_NAME);
    assert_non_null(strstr(system.source, "unverified"));
    hs_system_release(&system);
    return levels;
}

static void levels_follow_the_nodes(void **state)
{
    (void)state;
    assert_string_equal(levels_of("4"), "node:0");
    assert_string_equal(levels_of("4 4"), "node:4 network:0");
    assert_string_equal(levels_of("1 1 1 1"), "network:0");
}

static void levels_follow_the_racks(void **state)
{
    (void)state;
    assert_string_equal(levels_of("2a 2a 2b 2b"), "node:2 rack:2 spine:0");
    assert_string_equal(levels_of("1a 1a 1b 1b"), "rack:2 spine:0");
    assert_string_equal(levels_of("2a 2a"), "node:2 network:0");
    assert_string_equal(levels_of("2a 2b"), "node:2 network:0");
    assert_string_equal(levels_of("2a 2a 2 2"), "node:2 network:0");
}

static void what_is_uneven_is_left_out_unless_it_comes_last(void **state)
{
    (void)state;
    assert_string_equal(levels_of("4 4 2"), "node:4 network:0");
    assert_string_equal(levels_of("4 2 4"), "network:0");
    assert_string_equal(levels_of("2 4"), "network:0");
    assert_string_equal(levels_of("2a 2a 2a 2b"), "node:2 rack:3 spine:0");
    assert_string_equal(levels_of("2a 2b 2b"), "node:2 network:0");
    assert_string_equal(levels_of("4a 2a 4b 4b"), "network:0");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("levels follow the nodes", levels_follow_the_nodes),
    HS_TEST("levels follow the racks", levels_follow_the_racks),
    HS_TEST("what is uneven is left out unless it comes last",
            what_is_uneven_is_left_out_unless_it_comes_last),
};
HS_TEST_MAIN(tests)
