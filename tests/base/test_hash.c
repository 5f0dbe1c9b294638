/* A hash, by the numbers that its authors publish. */
#include "test.h"

#include <string.h>

#include "base/hash.h"

static void hashes_are_those_of_fnv1a(void **state)
{
    /* draft-eastlake-fnv, appendix C */
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_true(hs_hash(cases[i].text, strlen(cases[i].text)) == cases[i].hash);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("hashes are those of FNV-1a", hashes_are_those_of_fnv1a),
};
HS_TEST_MAIN(tests)
