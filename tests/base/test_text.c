#include "base/text.h"
#include "base/utf8.h"
#include "test.h"

static void starts_empty(void **state)
{
    struct hs_text text = {0};

    (void)state;
    hs_text_release(&text);
    hs_text_release(NULL);
    hs_text_append(&text, "%s", "");
    assert_string_equal(text.data, "");
    hs_text_release(&text);
    assert_null(text.data);
}

static void grows_by_formatting(void **state)
{
    struct hs_text text = {0};
    char expected[8];

    (void)state;
    for (int i = 0; i < 5000; i++)
        hs_text_append(&text, "%04d,", i);
    assert_int_equal(text.length, 5000 * 5);
    assert_int_equal(strlen(text.data), text.length);
    for (int i = 0; i < 5000; i++) {
        snprintf(expected, sizeof(expected), "%04d,", i);
        assert_memory_equal(text.data + i * 5, expected, 5);
    }
    hs_text_release(&text);
}

static void ends_in_nul_at_every_length(void **state)
{
    struct hs_text text = {0};

    (void)state;
    for (size_t length = 1; length <= 300; length++) {
        hs_text_append_bytes(&text, "x", 1);
        assert_int_equal(text.length, length);
        assert_int_equal(strlen(text.data), length);
        assert_true(text.capacity > length);
    }
    hs_text_append_bytes(&text, "a\0b", 3);
    assert_memory_equal(text.data + 300, "a\0b", 4);
    hs_text_release(&text);
}

static void remembers_that_memory_ran_out(void **state)
{
    struct hs_text text = {0};

    (void)state;
    hs_text_append(&text, "kept");
    hs_text_append_bytes(&text, "x", SIZE_MAX - 2);
    assert_true(text.failed);
    hs_text_append(&text, "lost");
    hs_text_append_bytes(&text, "lost", 4);
    assert_string_equal(text.data, "kept");
    hs_text_release(&text);
}

static void suggests_slips(void **state)
{
    static const char *const names[] = {"bandwidth_GBps", "latency_us", "arity", "name", "ports"};
    static const struct {
        const char *wrong, *right;
    } cases[] = {
        {"bandwith_GBps", "bandwidth_GBps"},  /* a letter missing */
        {"Bandwidth_gbps", "bandwidth_GBps"}, /* case */
        {"latencyy_us", "latency_us"},        /* a letter too many */
        {"airty", "arity"},                   /* two letters swapped: one step, not two */
        {"nane", "name"},                     /* a wrong letter */
        {"latency", "latency_us"},            /* how a name begins */
        {"atency", NULL},                     /* four letters short of six: too far */
        {"volume", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        const char *nearest = hs_nearest_name(cases[i].wrong, names, HS_COUNT(names));

        if (cases[i].right == NULL)
            assert_null(nearest);
        else
            assert_string_equal(nearest, cases[i].right);
    }
}

/* A machine without the end of its name is not another machine. */
static void the_start_of_a_name_comes_first(void **state)
{
    static const char *const names[] = {"dgx1-p100", "dgx-h100-superpod", "dgx-h100-pod"};

    (void)state;
    assert_string_equal(hs_nearest_name("DGX-h100", names, 1), "dgx1-p100");
    assert_string_equal(hs_nearest_name("DGX-h100", names, 2), "dgx-h100-superpod");
    assert_string_equal(hs_nearest_name("DGX-h100", names, 3), "dgx-h100-pod");
}

static void prefers_the_likelier(void **state)
{
    static const char *const names[] = {"B", "KiB", "MiB", "kB", "MB", "GB/s", "Gb/s"};

    (void)state;
    assert_string_equal(hs_nearest_name("M", names, HS_COUNT(names)), "MB");
    assert_string_equal(hs_nearest_name("KB", names, HS_COUNT(names)), "kB");
    assert_string_equal(hs_nearest_name("mib", names, HS_COUNT(names)), "MiB");
    assert_string_equal(hs_nearest_name("gbps", names, HS_COUNT(names)), "Gb/s");
    assert_string_equal(hs_nearest_name("GBps", names, HS_COUNT(names)), "GB/s");
    assert_null(hs_nearest_name("x", names, HS_COUNT(names)));
}

static void takes_long_names(void **state)
{
    char wrong[1000], name[1000];
    const char *names[] = {name, "arity"};

    (void)state;
    memset(wrong, 'a', sizeof(wrong) - 1);
    wrong[sizeof(wrong) - 1] = '\0';
    memcpy(name, wrong, sizeof(name));
    assert_null(hs_nearest_name(wrong, names, 2));
    assert_string_equal(hs_nearest_name("arit", names, 2), "arity");
    wrong[64] = name[64] = '\0'; /* the longest that is compared */
    wrong[10] = 'b';
    assert_string_equal(hs_nearest_name(wrong, names, 2), name);
}

/* The textbook recursion for optimal string alignment, slow and obvious. */
static size_t slow_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t best, other;

    if (m == 0 || n == 0)
        return m + n;
    best = slow_distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    other = slow_distance(a, m - 1, b, n) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, m, b, n - 1) + 1;
    best = other < best ? other : best;
    if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
        other = slow_distance(a, m - 2, b, n - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

/* Over all pairs of words of a and b of 1 to 5 letters: near means at most one step. */
static void agrees_with_the_textbook(void **state)
{
    (void)state;
    for (unsigned i = 2; i < 64; i++) {
        for (unsigned j = 2; j < 64; j++) {
            char a[8] = "", b[8] = "";
            const char *names[] = {b};
            size_t m, n, distance;

            for (unsigned bits = i; bits > 1; bits >>= 1)
                strcat(a, bits & 1 ? "a" : "b");
            for (unsigned bits = j; bits > 1; bits >>= 1)
                strcat(b, bits & 1 ? "a" : "b");
            m = strlen(a);
            n = strlen(b);
            distance = slow_distance(a, m, b, n);
            assert_int_equal(hs_nearest_name(a, names, 1) != NULL,
                             distance <= 1 && (distance < m || distance < n));
        }
    }
}

static void copies(void **state)
{
    char *copy = hs_strdup("text");

    (void)state;
    assert_string_equal(copy, "text");
    free(copy);
    assert_null(hs_strdup(NULL));
}

/* ESC; C1 as UTF-8 and as a byte; DEL; right-to-left override, mark, isolate; a line separator. */
static void foreign_text_is_made_safe(void **state)
{
    struct hs_text text = {0};

    (void)state;
    hs_text_append_foreign(&text, "a\033[31mb\xc2\x9b c\x9b d\x7f\n", "?");
    assert_string_equal(text.data, "a?[31mb? c? d??");
    hs_text_release(&text);
    hs_text_append_foreign(&text, "\u202ex\u200fy\u2066z\u061cv\u2028", " ");
    assert_string_equal(text.data, " x y z v ");
    hs_text_release(&text);
    hs_text_append_foreign(&text, "\u00e9 \u2588 \u2027\u202f\u2065 \U0001F600", "?");
    assert_string_equal(text.data, "\u00e9 \u2588 \u2027\u202f\u2065 \U0001F600");
    hs_text_release(&text);
}

static void lines_come_one_by_one(void **state)
{
    static const char *const wanted[] = {"a", "", "bc", "d"};
    struct hs_lines lines = {.next = "a\n\nbc\nd"}, ended = {.next = "a\n"}, none = {.next = ""};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_true(hs_lines_next(&lines));
        assert_int_equal(lines.length, strlen(wanted[i]));
        assert_memory_equal(lines.line, wanted[i], lines.length);
    }
    assert_false(hs_lines_next(&lines));
    assert_true(hs_lines_next(&ended));
    assert_false(hs_lines_next(&ended));
    assert_false(hs_lines_next(&none));
    none.next = NULL;
    assert_false(hs_lines_next(&none));
}

/* U+00E9, U+1F600 as a pair, half a pair, U+2588, and a byte too many; and a text in UTF-8. */
static void utf_16_becomes_utf_8(void **state)
{
    static const char wide[] = "\xff\xfe\xe9\x00\x3d\xd8\x00\xde\x3d\xd8\x88\x25\x41";
    size_t length = sizeof(wide) - 1;
    char *text = malloc(length);

    (void)state;
    assert_non_null(text);
    memcpy(text, wide, length);
    assert_true(hs_utf8_from_utf16(&text, &length));
    assert_string_equal(text, "\u00e9\U0001F600\uFFFD\u2588");
    assert_int_equal(length, strlen(text));
    assert_true(hs_utf8_from_utf16(&text, &length));
    assert_string_equal(text, "\u00e9\U0001F600\uFFFD\u2588");
    free(text);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("an empty text can be released and appended to", starts_empty),
    HS_TEST("text grows as it is formatted", grows_by_formatting),
    HS_TEST("text ends in NUL at every length", ends_in_nul_at_every_length),
    HS_TEST("running out of memory is remembered and loses nothing", remembers_that_memory_ran_out),
    HS_TEST("a slip finds its name, another word finds none", suggests_slips),
    HS_TEST("among equally near names the likelier one wins", prefers_the_likelier),
    HS_TEST("the start of a name is taken for that name", the_start_of_a_name_comes_first),
    HS_TEST("names of any length are safe", takes_long_names),
    HS_TEST("nearness agrees with the textbook distance", agrees_with_the_textbook),
    HS_TEST("what a terminal obeys, or what turns or ends a line, is replaced, all else is kept",
            foreign_text_is_made_safe),
    HS_TEST("UTF-16 becomes UTF-8", utf_16_becomes_utf_8),
    HS_TEST("lines come one by one, whether the last is ended or not", lines_come_one_by_one),
    HS_TEST("a string is copied, and no string gives none", copies),
};
HS_TEST_MAIN(tests)
