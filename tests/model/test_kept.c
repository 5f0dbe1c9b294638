/* What is kept is found again by all that it depends on, and never too much is. */
#include "model/kept.h"
#include "test.h"

static struct hs_kept_name name_of(int64_t stride)
{
    return (struct hs_kept_name){
        .kind = HS_KEPT_PRICE, .group = hs_group_world(64), .key = {HS_PAIR, HS_RING, {stride, 4}}};
}

static void names_are_told_apart_by_every_member(void **state)
{
    struct hs_kept *kept = hs_kept_new();
    struct hs_kept_name names[12];
    int *items[12];

    (void)state;
    for (size_t i = 0; i < 12; i++)
        names[i] = name_of(1);
    names[1].kind = HS_KEPT_DRAWN;
    names[2].group.ranks = 128;
    names[3].group.stride = 2;
    names[4].group.size = 32;
    names[5].group.skips[0] = (struct hs_skip){4, 2};
    names[6].group.skips[0] = (struct hs_skip){4, 4};
    names[7].key.phase = HS_ALLREDUCE;
    names[8].key.algorithm = HS_TREE;
    names[9].key.layer.stride = 4;
    names[10].key.layer.size = 8;
    names[11].detail = 1;
    for (int i = 0; i < 12; i++) {
        assert_null(hs_kept_find(kept, &names[i]));
        items[i] = hs_kept_add(kept, &names[i], sizeof(int));
        assert_non_null(items[i]);
        assert_int_equal(*items[i], 0);
        *items[i] = i + 1;
    }
    for (int i = 0; i < 12; i++) {
        assert_ptr_equal(hs_kept_find(kept, &names[i]), items[i]);
        assert_int_equal(*items[i], i + 1);
    }
    hs_kept_empty(kept);
    assert_null(hs_kept_find(kept, &names[3]));
    hs_kept_free(kept);
}

static size_t count_found(const struct hs_kept *kept, int64_t names)
{
    size_t found = 0;

    for (int64_t i = 1; i <= names; i++) {
        struct hs_kept_name name = name_of(i);

        found += hs_kept_find(kept, &name) != NULL;
    }
    return found;
}

static void what_is_full_is_emptied(void **state)
{
    struct hs_kept *kept = hs_kept_new();

    (void)state;
    for (int64_t i = 1; i <= 3 * HS_KEPT_ITEMS; i++) {
        struct hs_kept_name name = name_of(i);

        assert_non_null(hs_kept_add(kept, &name, 1));
        assert_non_null(hs_kept_find(kept, &name));
    }
    assert_int_equal(count_found(kept, 3 * HS_KEPT_ITEMS), HS_KEPT_ITEMS);
    for (int64_t i = 1; i <= 5; i++) {
        struct hs_kept_name name = name_of(3 * HS_KEPT_ITEMS + i);

        assert_non_null(hs_kept_add(kept, &name, HS_KEPT_BYTES / 2));
    }
    assert_int_equal(count_found(kept, 3 * HS_KEPT_ITEMS + 5), 1);
    hs_kept_free(kept);
}

static void nothing_keeps_nothing(void **state)
{
    struct hs_kept *kept = hs_kept_new();
    struct hs_kept_name name = name_of(1);

    (void)state;
    assert_null(hs_kept_add(kept, &name, HS_KEPT_BYTES + 1));
    assert_null(hs_kept_find(kept, &name));
    hs_kept_free(kept);
    assert_null(hs_kept_find(NULL, &name));
    assert_null(hs_kept_add(NULL, &name, 8));
    hs_kept_empty(NULL);
    hs_kept_free(NULL);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("names are told apart by every member", names_are_told_apart_by_every_member),
    HS_TEST("what is full is emptied", what_is_full_is_emptied),
    HS_TEST("nothing keeps nothing, nor more than there may be", nothing_keeps_nothing),
};
HS_TEST_MAIN(tests)
