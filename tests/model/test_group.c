/* Groups of a mesh, against the ranks' coordinates. */
#include "../test.h"

#include <string.h>

#include "base/units.h"
#include "model/mesh.h"
#include "model/problem.h"

#define RANKS_MAX 512

static struct hs_mesh mesh_of(const char *text, const char *over)
{
    struct hs_mesh mesh;

    assert_int_equal(hs_mesh_parse(&mesh, text, NULL), HS_OK);
    assert_int_equal(hs_mesh_parse_over(&mesh, over, NULL), HS_OK);
    return mesh;
}

static void meshes_are_read_and_written(void **state)
{
    char text[HS_MESH_TEXT];
    struct hs_mesh mesh = mesh_of("tp=8,pp=2,dp=16", "dp,tp");

    (void)state;
    assert_string_equal(hs_mesh_format(text, &mesh), "tp=8,pp=2,dp=16");
    assert_string_equal(hs_mesh_format_over(text, &mesh), "tp,dp");
    assert_int_equal(hs_mesh_ranks(&mesh), 256);
    mesh = mesh_of("abcdefghijklmno=2147483648,b23456789012345=1", "b23456789012345");
    assert_int_equal(hs_mesh_ranks(&mesh), HS_NP_MAX);
}

static void the_longest_mesh_has_room(void **state)
{
    char text[HS_MESH_TEXT] = "", found[HS_MESH_TEXT], over[HS_MESH_TEXT];
    struct hs_mesh mesh;

    (void)state;
    for (int i = 0; i < HS_AXES_MAX; i++) /* 13^7 10 is 7 sizes of two digits and one of two */
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sabcdefghijklmn%c=%d",
                 i > 0 ? "," : "", 'a' + i, i > 0 ? 13 : 10);
    assert_int_equal(hs_mesh_parse(&mesh, text, NULL), HS_OK);
    assert_string_equal(hs_mesh_format(found, &mesh), text);
    mesh.over = (1U << HS_AXES_MAX) - 1;
    assert_int_equal(strlen(hs_mesh_format_over(over, &mesh)), 8 * 15 + 7);
}

static void a_wrong_mesh_is_told_with_its_place(void **state)
{
    static const char *const wrong[][3] = {
        {"", NULL, "axis 1: expected NAME=SIZE with a name of at most 15 letters, found \"\""},
        {"tp", NULL, "axis 1: expected NAME=SIZE"},
        {"tp=8,=4", NULL, "axis 2: expected NAME=SIZE"},
        {"tp=8,8=4", NULL, "axis 2: expected NAME=SIZE"},
        {"tp=8,", NULL, "axis 2: expected NAME=SIZE"},
        {"tp=0", NULL, "axis 1: expected a size of 1 or more, found \"tp=0\""},
        {"tp=8x,dp=4", NULL, "axis 1: expected a size"},
        {"tp=-1", NULL, "axis 1: expected a size"},
        {"abcdefghijklmnop=2", NULL, "axis 1: expected NAME=SIZE"},
        {"tp=8,tp=4", NULL, "axis 2: tp is there twice"},
        {"a=65536,b=65536", NULL, "axis 2: expected at most 2147483648 processes in all"},
        {"a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", NULL, "expected at most 8 axes"},
        {"tp=8,dp=4", "", "the mesh has no axis \"\""},
        {"tp=8,dp=4", "tq", "the mesh has no axis \"tq\", did you mean \"tp\"?"},
        {"tp=8,dp=4", "expert", "the mesh has no axis \"expert\", expected some of tp,dp"},
        {"tp=8,dp=4", "dp,dp", "dp is there twice"},
        {"tp=8,dp=4", "dp,", "the mesh has no axis \"\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct hs_mesh mesh;
        struct hs_error err = {0};
        enum hs_status status = hs_mesh_parse(&mesh, wrong[i][0], &err);

        if (wrong[i][1]) {
            assert_int_equal(status, HS_OK);
            status = hs_mesh_parse_over(&mesh, wrong[i][1], &err);
        }
        assert_int_equal(status, HS_INVALID);
        assert_has(err.message, wrong[i][2]);
    }
}

static void groups_divide_their_ranks(void **state)
{
    static const struct hs_group wrong[] = {
        {.ranks = 0, .stride = 1, .size = 1},
        {.ranks = 8, .stride = 2, .size = 8},
        {.ranks = 12, .stride = 1, .size = 8},
        {.ranks = 64, .stride = 1, .size = 32, .skips = {{4, 3}}},
        {.ranks = 64, .stride = 1, .size = 32, .skips = {{3, 2}}},
        {.ranks = 64, .stride = 1, .size = 32, .skips = {{4, 1}}},
        {.ranks = 64, .stride = 1, .size = 32, .skips = {{32, 2}}},
        {.ranks = 128, .stride = 1, .size = 32, .skips = {{4, 2}, {2, 2}}},
    };
    struct hs_group right = {.ranks = 64, .stride = 1, .size = 32, .skips = {{4, 2}}};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(hs_group_check(&wrong[i], NULL), HS_INVALID);
    assert_int_equal(hs_group_check(&right, NULL), HS_OK);
}

/* ---- every mesh of a few axes ---- */

struct ranks {
    struct hs_mesh mesh;
    struct hs_group group;
    int64_t count;
    int64_t members[RANKS_MAX][RANKS_MAX]; /* of the group that a rank is in, ascending */
};

/* The coordinates that are not the group's: the same for all its members. */
static int64_t others_of(const struct hs_mesh *mesh, int64_t rank)
{
    int64_t others = 0;

    for (int i = 0; i < mesh->count; i++) {
        if (!(mesh->over >> i & 1))
            others = others * mesh->axes[i].size + rank % mesh->axes[i].size;
        rank /= mesh->axes[i].size;
    }
    return others;
}

static void list_members(struct ranks *ranks)
{
    ranks->count = hs_mesh_ranks(&ranks->mesh);
    for (int64_t r = 0; r < ranks->count; r++) {
        int64_t size = 0;

        for (int64_t other = 0; other < ranks->count; other++)
            if (others_of(&ranks->mesh, other) == others_of(&ranks->mesh, r))
                ranks->members[r][size++] = other;
        assert_int_equal(size, ranks->group.size);
    }
}

/* Layer {stride, size} of the whole machine that joins blocks of `inside` ranks of all groups: who
 * is its rank's partner, each said by the coordinates. */
static void check_layer(const struct ranks *ranks, int64_t inside, int64_t size)
{
    struct hs_layer layer = {hs_group_stride(&ranks->group, inside), size};
    bool spans = false;

    for (int64_t r = 0; r < ranks->count; r++) {
        const int64_t *members = ranks->members[r];
        int64_t index = 0, next;

        while (members[index] != r)
            index++;
        next = index + ((index / inside + 1) % size - index / inside % size) * inside;
        spans = spans ||
                members[next] !=
                    r + ((r / layer.stride + 1) % size - r / layer.stride % size) * layer.stride;
    }
    assert_int_equal(spans, !hs_group_has_node(&ranks->group, inside) ||
                                !hs_group_has_node(&ranks->group, inside * size) ||
                                !hs_group_has_layer(&ranks->group, inside, inside * size));
    if (!spans)
        assert_int_equal(hs_group_inside(&ranks->group, layer.stride), inside);
}

/* Place, rank at a place, and the group's number: groups are counted by their first members. */
static void check_places(const struct ranks *ranks)
{
    int64_t groups = 0;

    for (int64_t r = 0; r < ranks->count; r++) {
        const int64_t *members = ranks->members[r];

        for (int64_t place = 0; place < ranks->group.size; place++) {
            assert_int_equal(hs_group_rank(&ranks->group, r, place), members[place]);
            assert_int_equal(hs_group_place(&ranks->group, members[place]), place);
        }
        if (members[0] == r)
            assert_int_equal(hs_group_number(&ranks->group, r), groups++);
        else
            assert_int_equal(hs_group_number(&ranks->group, r),
                             hs_group_number(&ranks->group, members[0]));
    }
    assert_int_equal(groups, ranks->count / ranks->group.size);
}

static void check_mesh(struct ranks *ranks)
{
    const struct hs_group *group = &ranks->group;

    ranks->group = hs_mesh_group(&ranks->mesh, hs_mesh_ranks(&ranks->mesh));
    assert_int_equal(hs_group_check(group, NULL), HS_OK);
    list_members(ranks);
    check_places(ranks);
    if (group->size > 1)
        assert_true(ranks->members[0][group->size - 1] < hs_group_span(group, group->size));
    for (int64_t inside = 1; inside < group->size; inside++)
        for (int64_t size = 2; group->size % inside == 0 && size <= group->size / inside; size++)
            if (group->size / inside % size == 0)
                check_layer(ranks, inside, size);
}

/* The rings of all groups at once are those of a layer of all ranks, whose links are counted by
 * traffic.h: but for layers over a gap, which there are none of. */
static void all_groups_at_once_are_the_layers_of_the_machine(void **state)
{
    static const char *const texts[] = {
        "a=6,b=4",         "a=2,b=3,c=4",         "a=4,b=2,c=6",
        "a=2,b=2,c=2,d=6", "a=3,b=2,c=2,d=4,e=2", "a=4,b=1,c=5,d=4"};
    static struct ranks ranks;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(hs_mesh_parse(&ranks.mesh, texts[i], NULL), HS_OK);
        for (unsigned over = 1; over < 1U << ranks.mesh.count; over++) {
            ranks.mesh.over = over;
            check_mesh(&ranks);
        }
    }
}

static void a_group_is_named_by_its_number_and_ranks(void **state)
{
    struct hs_mesh mesh = mesh_of("tp=2,pp=2,dp=2", "tp,dp");
    struct hs_group gap = hs_mesh_group(&mesh, 8), world = hs_group_world(6);
    struct hs_group longest = {HS_NP_MAX, HS_NP_MAX / 8, 8, {{0, 0}}};
    char text[HS_GROUP_TEXT];

    (void)state;
    assert_string_equal(hs_group_format(text, &gap, 7), "2 of 2, ranks 2, 3, 6, 7");
    assert_string_equal(hs_group_format(text, &gap, 4), "1 of 2, ranks 0, 1, 4, 5");
    assert_string_equal(hs_group_format(text, &world, 3), "1 of 1, ranks 0, 1, 2, 3, ...");
    hs_group_format(text, &longest, HS_NP_MAX - 1);
    assert_has(text, ", ...");
}

static void a_group_of_primes_has_one_split(void **state)
{
    struct hs_mesh mesh = mesh_of("tp=2,pp=2,dp=3", "tp,dp");
    struct hs_group gap = hs_mesh_group(&mesh, 12), six = hs_group_world(6);
    struct hs_group five = hs_group_world(5), one = hs_group_world(1);

    (void)state;
    assert_true(hs_group_is_flat(&gap));
    assert_true(hs_group_is_flat(&five));
    assert_true(hs_group_is_flat(&one));
    assert_false(hs_group_is_flat(&six));
}

/* Ranks 0 1 2 3, 8 9 10 11, ... of 64: layers begin at strides 1 to 4 and 8 to 64. */
static void a_plan_of_a_group_with_a_gap_has_the_strides_of_both_sides(void **state)
{
    struct hs_mesh mesh = mesh_of("tp=4,pp=2,dp=8", "tp,dp");
    struct hs_problem problem = {.group = hs_mesh_group(&mesh, 64), .bytes = 3200};
    struct hs_plan flat = hs_problem_flat(&problem), plan;
    struct hs_stage stages[HS_STAGES_MAX];
    char text[HS_SPLIT_TEXT];
    struct hs_error err = {0};

    (void)state;
    assert_string_equal(hs_plan_format(text, &flat), "4x8");
    assert_int_equal(hs_plan_parse(&plan, "2x2x8", 32, NULL), HS_OK);
    assert_int_equal(hs_problem_stages(stages, &problem, &plan), 5);
    assert_true(hs_layer_equal(stages[0].key.layer, (struct hs_layer){1, 2}));
    assert_true(hs_layer_equal(stages[1].key.layer, (struct hs_layer){2, 2}));
    assert_true(hs_layer_equal(stages[2].key.layer, (struct hs_layer){8, 8}));
    assert_int_equal(stages[2].key.phase, HS_ALLREDUCE);
    assert_near(stages[2].bytes, 800, 0);
    assert_int_equal(hs_plan_parse(&plan, "8x4", 32, NULL), HS_OK);
    assert_int_equal(hs_problem_check(&problem, &plan, &err), HS_INVALID);
    assert_has(err.message, "layer 1: expected none over the gap between ranks 3 and 4 of a group");
}

/* The unit of the group's rank behind the last that `rank`'s unit has, which may be the first. */
static int64_t next_unit(const struct hs_group *group, int64_t rank, int64_t unit, int64_t *ranks)
{
    int64_t own = rank / unit, last = -1;

    *ranks = 0;
    for (int64_t k = 0; k < group->size; k++)
        if (hs_group_rank(group, rank, k) / unit == own) {
            (*ranks)++;
            last = k;
        }
    return hs_group_rank(group, rank, (last + 1) % group->size) / unit;
}

/* Rank by rank: how many of each unit a group has, and how many units of a block lead out of it. */
static void groups_are_counted_in_units(void **state)
{
    static const char *const meshes[][2] = {{"tp=8,dp=16", "dp"},
                                            {"tp=8,dp=16", "tp"},
                                            {"tp=4,pp=2,dp=16", "tp,dp"},
                                            {"a=2,b=2,c=2,d=8", "a,c,d"},
                                            {"a=8,b=2,c=2,d=4", "b,d"},
                                            {"a=8,b=4,c=4,d=2", "b,d"},
                                            {"a=8,b=2,c=3,d=4", "b,d"},
                                            {"a=2,b=4,c=8,d=4", "a,d"},
                                            {"a=16,b=2,c=4", "a,c"},
                                            {"a=3,b=2,c=8", "a,c"},
                                            {"a=12,b=2,c=4", "a,c"},
                                            {"a=2,b=2,c=2,d=2,e=2,f=2", "a,c,e"},
                                            {"a=2,b=2,c=2,d=2,e=2,f=2", "b,d,f"}};
    int uneven = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
        struct hs_mesh mesh = mesh_of(meshes[i][0], meshes[i][1]);
        int64_t all = hs_mesh_ranks(&mesh);
        struct hs_group group = hs_mesh_group(&mesh, all);

        for (int64_t unit = 2; unit <= 8; unit *= 2) {
            int64_t found = hs_group_ranks_of_unit(&group, unit), ranks, least = all, most = 0;

            for (int64_t r = 0; r < all; r++) {
                next_unit(&group, r, unit, &ranks);
                least = ranks < least ? ranks : least;
                most = ranks > most ? ranks : most;
            }
            uneven += least != most;
            assert_true(least == most ? found == most || found == 0 : found == 0);
            /* What divides nothing may be even by chance. */
            assert_true(least != most || found == most || strchr(meshes[i][0], '3'));
            for (int64_t block = 2; found > 0 && block <= 16; block += 2) {
                int64_t crossing = 0, largest = 0;

                for (int64_t u = 0; u < all / unit; u++) {
                    int64_t next = next_unit(&group, u * unit, unit, &ranks);

                    for (int64_t r = 1; r < unit; r++)
                        assert_int_equal(next_unit(&group, u * unit + r, unit, &ranks), next);
                    crossing = (u % block == 0 ? 0 : crossing) + (next / block != u / block);
                    largest = crossing > largest ? crossing : largest;
                }
                assert_int_equal(hs_group_crossings(&group, unit, block), largest);
            }
        }
    }
    assert_true(uneven > 0);
}

/* Of each group, by each of its ranks. */
static struct hs_spread spread_by_hand(const struct hs_group *group, int64_t unit)
{
    struct hs_spread worst = {0, 0, 0};
    int64_t *here = calloc((size_t)(group->ranks / unit + 1), sizeof(*here));

    for (int64_t first = 0; first < group->ranks; first++) {
        struct hs_spread one = {0, group->size, 0};

        if (hs_group_place(group, first) > 0)
            continue;
        memset(here, 0, (size_t)(group->ranks / unit + 1) * sizeof(*here));
        for (int64_t place = 0; place < group->size; place++)
            here[hs_group_rank(group, first, place) / unit]++;
        for (int64_t u = 0; u <= group->ranks / unit; u++)
            if (here[u] > 0) {
                one.units++;
                one.least = here[u] < one.least ? here[u] : one.least;
                one.most = here[u] > one.most ? here[u] : one.most;
            }
        if (worst.units == 0 ||
            (one.units > 1 && (worst.units == 1 || one.least < worst.least ||
                               (one.least == worst.least && one.units > worst.units))))
            worst = one;
    }
    free(here);
    return worst;
}

static void the_group_that_lies_worst_is_found(void **state)
{
    size_t uneven = 0;

    (void)state;
    for (int64_t unit = 1; unit <= 12; unit++)
        for (int64_t stride = 1; stride <= 9; stride++)
            for (int64_t size = 2; size <= 24; size++)
                for (int64_t blocks = 1; blocks <= 9; blocks += 2) {
                    bool gap = size % 3 == 0 && size > 3 && blocks % 3 == 0;
                    struct hs_group group = {
                        .ranks = stride * size * blocks, .stride = stride, .size = size};
                    struct hs_spread found, hand;

                    if (gap) {
                        group.skips[0] = (struct hs_skip){3, 3};
                        assert_int_equal(hs_group_check(&group, NULL), HS_OK);
                    }
                    found = hs_group_spread(&group, unit);
                    hand = spread_by_hand(&group, unit);
                    assert_int_equal(found.units, hand.units);
                    assert_int_equal(found.least, hand.least);
                    assert_int_equal(found.most, hand.most);
                    uneven += hand.least < hand.most;
                }
    assert_true(uneven > 1000);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the group that lies worst is found", the_group_that_lies_worst_is_found),
    HS_TEST("meshes are read and written", meshes_are_read_and_written),
    HS_TEST("the longest mesh has room", the_longest_mesh_has_room),
    HS_TEST("a wrong mesh is told with its place", a_wrong_mesh_is_told_with_its_place),
    HS_TEST("groups divide their ranks", groups_divide_their_ranks),
    HS_TEST("all groups at once are the layers of the machine",
            all_groups_at_once_are_the_layers_of_the_machine),
    HS_TEST("groups are counted in units of ranks", groups_are_counted_in_units),
    HS_TEST("a group is named by its number and ranks", a_group_is_named_by_its_number_and_ranks),
    HS_TEST("a group of primes has one split", a_group_of_primes_has_one_split),
    HS_TEST("a plan of a group with a gap has the strides of both sides",
            a_plan_of_a_group_with_a_gap_has_the_strides_of_both_sides),
};

HS_TEST_MAIN(tests)
