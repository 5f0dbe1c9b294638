/* What terminals can show, how wide text is on them, and where it is broken. */
#include "test.h"

#include "cli/help.h"

static void characters_are_counted_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(hs_text_columns(""), 0);
    assert_int_equal(hs_text_columns("4x8"), 3);
    assert_int_equal(hs_text_columns("\u2588\u2592"), 2);
    assert_int_equal(hs_text_columns("\033[34m\u2588\033[0m"), 1);
}

static void a_pipe_is_no_terminal(void **state)
{
    int ends[2];
    struct hs_terminal terminal;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    unsetenv("COLUMNS");
    terminal = hs_terminal_look(ends[1]);
    assert_false(terminal.is_terminal);
    assert_false(terminal.color);
    assert_int_equal(terminal.width, HS_TERMINAL_WIDTH);
    setenv("COLUMNS", "123", 1);
    assert_int_equal(hs_terminal_look(ends[1]).width, 123);
    setenv("COLUMNS", "1", 1);
    assert_int_equal(hs_terminal_look(ends[1]).width, 40);
    close(ends[0]);
    close(ends[1]);
}

static void text_is_wrapped_at_blanks(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_text_wrap(&out, "one two  three four\nfive", 2, 2, 11);
    assert_string_equal(out.data, "one two\n  three\n  four\n  five");
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("width counts characters, not bytes or escapes", characters_are_counted_not_bytes),
    HS_TEST("a pipe is no terminal, and COLUMNS sets the width", a_pipe_is_no_terminal),
    HS_TEST("text is wrapped at blanks", text_is_wrapped_at_blanks),
};

HS_TEST_MAIN(tests)
