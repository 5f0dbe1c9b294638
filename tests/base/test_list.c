#include "base/list.h"

#include "test.h"

static void grows_with_and_without_a_capacity(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        int64_t *list = NULL;
        size_t capacity = 0;

        for (size_t i = 0; i < 1000; i++) {
            int64_t *added = hs_grow(&list, keeps ? &capacity : NULL, i, sizeof(*list), NULL);

            assert_ptr_equal(added, list + i);
            assert_int_equal(*added, 0);
            *added = (int64_t)i;
        }
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(list[i], i);
        assert_true(!keeps || (capacity >= 1000 && capacity < 4000));
        free(list);
    }
}

static void a_list_of_any_length_grows(void **state)
{
    (void)state;
    for (size_t length = 1; length < 40; length++) {
        char *list = malloc(length), *added;

        assert_non_null(list);
        memset(list, 'x', length);
        added = hs_grow(&list, NULL, length, 1, NULL);
        assert_ptr_equal(added, list + length);
        assert_true(list[length - 1] == 'x' && *added == 0);
        free(list);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a list grows with a capacity and without one", grows_with_and_without_a_capacity),
    HS_TEST("a list that is exactly as long as needed grows", a_list_of_any_length_grows),
};
HS_TEST_MAIN(tests)
