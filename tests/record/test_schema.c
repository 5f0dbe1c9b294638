/*
 * The JSON Schemas in docs are those of the tables. UPDATE=1 writes them. Runs from the top of the
 * source tree.
 */
#include "result_tools.h"

#include "estimate/system_file.h"
#include "record/profile.h"

static void check(const struct hs_fields *fields, const char *path)
{
    struct hs_text schema = {0};
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_fields_print_schema(&schema, fields, &err), HS_OK, &err);
    check_schema(&schema, path, "build/tests/record/test_schema");
    hs_text_release(&schema);
}

static void the_system_schema_is_that_of_its_table(void **state)
{
    (void)state;
    check(&hs_system_fields, "docs/system.schema.json");
}

static void the_result_schema_is_that_of_its_table(void **state)
{
    (void)state;
    check(&hs_result_fields, "docs/result.schema.json");
}

static void the_profile_schema_is_that_of_its_table(void **state)
{
    (void)state;
    check(&hs_profile_fields, "docs/profile.schema.json");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("docs/system.schema.json is that of its table", the_system_schema_is_that_of_its_table),
    HS_TEST("docs/result.schema.json is that of its table", the_result_schema_is_that_of_its_table),
    HS_TEST("docs/profile.schema.json is that of its table",
            the_profile_schema_is_that_of_its_table),
};
HS_TEST_MAIN(tests)
