/*
 * Tables of fields where memory runs out: at every step of reading and copying it is said, nothing
 * is lost and nothing is shared. The sources are compiled in, with allocators that can be made to
 * fail; a sanitizer or valgrind sees what is wrong.
 */
#include "test.h"

#include "base/file.h"
#include "base/text.h"

static size_t allocations_left = SIZE_MAX;

static bool may_allocate(void)
{
    return allocations_left == SIZE_MAX || (allocations_left > 0 && allocations_left--);
}

static void *scarce_malloc(size_t bytes)
{
    return may_allocate() ? malloc(bytes) : NULL;
}

static void *scarce_calloc(size_t count, size_t size)
{
    return may_allocate() ? calloc(count, size) : NULL;
}

static void *scarce_realloc(void *old, size_t bytes)
{
    return may_allocate() ? realloc(old, bytes) : NULL;
}

static char *scarce_strdup(const char *text)
{
    return may_allocate() ? hs_strdup(text) : NULL;
}

#define malloc    scarce_malloc
#define calloc    scarce_calloc
#define realloc   scarce_realloc
#define hs_strdup scarce_strdup
#include "base/fields.c"
#include "base/fields_read.c"
#include "base/list.c"
#undef malloc
#undef calloc
#undef realloc
#undef hs_strdup

struct leaf {
    char *name;
    double *times;
    size_t time_count;
};

struct tree {
    char *title;
    struct hs_fact *facts;
    size_t fact_count;
    struct leaf *leaves;
    size_t leaf_count;
    char **words;
    size_t word_count;
    struct leaf inner;
    struct leaf *far, *part;
};

#define LEAF(member) HS_OWNED(struct leaf, member)
#define TREE(member) HS_OWNED(struct tree, member)

static const struct hs_field leaf_rows[] = {
    {"name", HS_TEXT, LEAF(name)},
    {"times", HS_SECONDS, HS_LIST_AT(struct leaf, times, time_count), .max = 9},
};
static const struct hs_fields leaf = {HS_ROWS(leaf_rows, struct leaf)};
static const struct hs_field part_rows[] = {
    {"name", HS_TEXT, LEAF(name)},
    {"times", HS_SECONDS, HS_LIST_AT(struct leaf, times, time_count), .max = 9},
};
static const struct hs_fields part = {HS_ROWS(part_rows, struct leaf)};
static const struct hs_field word_row[] = {{NULL, HS_TEXT, .owned = true}};
static const struct hs_fields word = {HS_ROWS(word_row, char *)};
static const struct hs_field tree_rows[] = {
    {"title", HS_TEXT, TREE(title)},
    {"facts", HS_FACTS, HS_LIST_AT(struct tree, facts, fact_count), .max = 9},
    {"leaves", HS_LIST, HS_LIST_AT(struct tree, leaves, leaf_count), .max = 9, .fields = &leaf},
    {"words", HS_LIST, HS_LIST_AT(struct tree, words, word_count), .max = 9, .fields = &word},
    {"inner", HS_OBJECT, HS_AT(struct tree, inner), .fields = &leaf},
    {"far", HS_OBJECT, TREE(far), HS_OPTIONAL, .fields = &leaf},
    {"name", HS_PART, TREE(part), HS_OPTIONAL, .fields = &part},
};
static const struct hs_fields tree = {HS_ROWS(tree_rows, struct tree)};

#define ONE "{\"name\":\"x\",\"times\":[1,2]}"
static const char text[] =
    "{\"title\":\"t\",\"facts\":{\"a\":\"1\",\"b\":\"2\"},\"leaves\":[" ONE "," ONE
    "],\"words\":[\"v\",\"w\"],\"inner\":" ONE ",\"far\":" ONE ",\"name\":\"y\",\"times\":[3]}\n";

static void check_text(const struct tree *made)
{
    struct hs_text printed = {0};

    assert_int_equal(hs_fields_print(&printed, &tree, made, true, NULL), HS_OK);
    assert_string_equal(printed.data, text);
    hs_text_release(&printed);
}

/* Reads with one allocation more each time, until that is enough. */
static void reading_says_it_at_every_step(void **state)
{
    static const struct tree none;
    struct hs_json_document document;
    struct hs_json top;
    enum hs_status status = HS_MEMORY;
    size_t steps;

    (void)state;
    assert_int_equal(hs_json_parse(&document, "x", text, strlen(text), NULL), HS_OK);
    top = hs_json_top(&document);
    for (steps = 0; status == HS_MEMORY; steps++) {
        struct hs_error err = {HS_OK, ""};
        struct tree made;

        allocations_left = steps;
        status = hs_fields_read(&tree, &made, &top, &err);
        allocations_left = SIZE_MAX;
        assert_string_equal(err.message, status ? "out of memory" : "");
        if (status)
            assert_memory_equal(&made, &none, sizeof(none));
        else
            check_text(&made);
        hs_fields_release(&tree, &made);
    }
    assert_int_equal(status, HS_OK);
    assert_in_range(steps, 20, 100);
    hs_json_release(&document);
}

static void copying_says_it_at_every_step(void **state)
{
    static const struct tree none;
    struct tree made;
    enum hs_status status = HS_MEMORY;
    size_t steps;

    (void)state;
    assert_int_equal(hs_fields_parse(&tree, &made, "x", text, strlen(text), NULL), HS_OK);
    for (steps = 0; status == HS_MEMORY; steps++) {
        struct hs_error err = {HS_OK, ""};
        struct tree copy;

        allocations_left = steps;
        status = hs_fields_copy(&tree, &copy, &made, &err);
        allocations_left = SIZE_MAX;
        assert_string_equal(err.message, status ? "out of memory" : "");
        if (status)
            assert_memory_equal(&copy, &none, sizeof(none));
        else
            check_text(&copy);
        hs_fields_release(&tree, &copy);
        check_text(&made);
    }
    assert_int_equal(status, HS_OK);
    assert_in_range(steps, 20, 100);
    hs_fields_release(&tree, &made);
}

static void a_list_that_cannot_grow_stays(void **state)
{
    struct hs_error err = {HS_OK, ""};
    int *list = NULL, *added = hs_grow(&list, NULL, 0, sizeof(*list), &err);

    (void)state;
    assert_ptr_equal(added, list);
    *added = 7;
    allocations_left = 0;
    assert_null(hs_grow(&list, NULL, 1, sizeof(*list), &err));
    allocations_left = SIZE_MAX;
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(err.status, HS_MEMORY);
    assert_int_equal(list[0], 7);
    assert_null(hs_grow(&list, NULL, SIZE_MAX / 8, 1 << 10, &err));
    free(list);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("reading says at every step that memory ran out", reading_says_it_at_every_step),
    HS_TEST("copying says at every step that memory ran out", copying_says_it_at_every_step),
    HS_TEST("a list that cannot grow stays as it was", a_list_that_cannot_grow_stays),
};
HS_TEST_MAIN(tests)
