/* Which rank is named, from times made up here. */
#include "runner/straggler.h"
#include "test.h"

#define NP 16

/* Groups as the layer's definition has them: b + k * stride. */
static bool same_group(struct hs_layer layer, int64_t a, int64_t b)
{
    int64_t block = layer.stride * layer.size;

    return a / block == b / block && a % layer.stride == b % layer.stride;
}

/* All members of a group take as long as its slowest one: slow[r] times 1 ms. */
static void add(struct hs_rank_times *times, struct hs_layer layer, const double *slow)
{
    double seconds[NP];

    for (int64_t r = 0; r < NP; r++) {
        seconds[r] = 0;
        for (int64_t other = 0; other < NP; other++)
            if (same_group(layer, r, other))
                seconds[r] = fmax(seconds[r], 1e-3 * slow[other]);
    }
    assert_int_equal(hs_rank_times_add(times, NP, layer, seconds, NULL), HS_OK);
}

static void all_layers(struct hs_rank_times *times, const double *slow)
{
    for (int64_t stride = 1; stride < NP; stride *= 2)
        for (int64_t size = 2; stride * size <= NP; size *= 2)
            add(times, (struct hs_layer){stride, size}, slow);
}

static void names_the_slow_rank(void **state)
{
    (void)state;
    for (int64_t slow_rank = 0; slow_rank < NP; slow_rank++) {
        struct hs_rank_times times = {0};
        struct hs_straggler straggler;
        double slow[NP];

        for (int64_t r = 0; r < NP; r++)
            slow[r] = r == slow_rank ? 10 : 1 + 0.01 * (double)(r % 3);
        all_layers(&times, slow);
        assert_true(hs_straggler_find(&straggler, &times, 1.5));
        assert_int_equal(straggler.rank, slow_rank);
        assert_true(straggler.ratio > 9 && straggler.ratio < 11);
        assert_int_equal(straggler.layers, 9); /* of 10, without the flat one */
        hs_rank_times_release(&times);
    }
}

static void nobody_is_slow(void **state)
{
    struct hs_rank_times times = {0};
    struct hs_straggler straggler;
    double slow[NP];

    (void)state;
    for (int64_t r = 0; r < NP; r++)
        slow[r] = 1 + 0.1 * (double)(r % 4);
    all_layers(&times, slow);
    assert_false(hs_straggler_find(&straggler, &times, 1.5));
    hs_rank_times_release(&times);
}

/* Eight ranks of a slow rack: their group is slow in some layers, but no rank's in all. */
static void slow_rack_is_no_straggler(void **state)
{
    struct hs_rank_times times = {0};
    struct hs_straggler straggler;
    double slow[NP];

    (void)state;
    for (int64_t r = 0; r < NP; r++)
        slow[r] = r < 8 ? 10 : 1;
    all_layers(&times, slow);
    assert_false(hs_straggler_find(&straggler, &times, 1.5));
    hs_rank_times_release(&times);
}

static void one_group_says_nothing(void **state)
{
    struct hs_rank_times times = {0};
    struct hs_straggler straggler;
    double slow[NP] = {10};

    (void)state;
    add(&times, (struct hs_layer){1, NP}, slow);
    assert_false(hs_straggler_find(&straggler, &times, 1.5));
    hs_rank_times_release(&times);
    assert_false(hs_straggler_find(&straggler, &times, 1.5));
}

/* A layer of pairs alone cannot tell the two of a pair apart. */
static void a_pair_is_not_one_rank(void **state)
{
    struct hs_rank_times times = {0};
    struct hs_straggler straggler;
    double slow[NP];

    (void)state;
    for (int64_t r = 0; r < NP; r++)
        slow[r] = r == 5 ? 10 : 1;
    add(&times, (struct hs_layer){1, 2}, slow);
    assert_false(hs_straggler_find(&straggler, &times, 1.5));
    add(&times, (struct hs_layer){2, 2}, slow);
    assert_true(hs_straggler_find(&straggler, &times, 1.5));
    assert_int_equal(straggler.rank, 5);
    hs_rank_times_release(&times);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a rank that is ten times slower is named, whichever it is", names_the_slow_rank),
    HS_TEST("nobody is named where all are about as fast", nobody_is_slow),
    HS_TEST("half the ranks being slow names none of them", slow_rack_is_no_straggler),
    HS_TEST("a layer with one group says nothing", one_group_says_nothing),
    HS_TEST("a slow pair is told apart by a second layer only", a_pair_is_not_one_rank),
};

HS_TEST_MAIN(tests)
