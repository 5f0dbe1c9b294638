/* The backends that there are, and the names of them that programs without MPI know. */
#include "test.h"

#include "runner/backends.h"
#include "runner/null.h"

static void names_are_those_of_the_backends(void **state)
{
    size_t count = 0;

    (void)state;
    assert_string_equal(hs_backend_names[0], HS_BACKEND_AUTO);
    for (; hs_backends[count]; count++)
        assert_string_equal(hs_backend_names[count + 1], hs_backends[count]->name);
    assert_null(hs_backend_names[count + 1]);
    assert_string_equal(hs_backend_null.name, HS_BACKEND_NULL);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("--backend offers auto and every backend, in their order",
            names_are_those_of_the_backends),
};

HS_TEST_MAIN(tests)
