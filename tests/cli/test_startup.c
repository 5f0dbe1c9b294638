/* What every main does first, the line that says how far it is, and what lies beside the program.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/places.h"
#include "cli/progress_line.h"
#include "cli/startup.h"

/* What a shell makes of the line is what it was made from. */
static void a_command_line_reads_as_it_was_typed(void **state)
{
    char *words[] = {"plain", "",      "two words", "it's",  "~",     "~/x",
                     "a~b",   "$HOME", "*.json",    "a;b|c", "\"q\"", "--size=1MiB",
                     "x\ny",  "\\",    "4x8x4/8",   "!",     "#",     "100%"};
    int count = (int)(sizeof(words) / sizeof(words[0]));
    struct hs_text line = {0}, command = {0};
    char got[512] = "", wanted[512] = "";
    FILE *shell;
    size_t length;

    (void)state;
    hs_command_line_append(&line, "printf '<%s>'", count, words);
    hs_text_append(&command, "%s", line.data);
    shell = popen(command.data, "r");
    assert_non_null(shell);
    length = fread(got, 1, sizeof(got) - 1, shell);
    got[length] = '\0';
    assert_int_equal(pclose(shell), 0);
    for (int i = 0; i < count; i++)
        snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted), "<%s>", words[i]);
    assert_string_equal(got, wanted);
    assert_non_null(strstr(line.data, " plain '' "));
    hs_text_release(&command);
    hs_text_release(&line);
}

/* Draws with the standard error in a file, as if it were a terminal of that width. */
static void draw(char *got, size_t bytes, struct hs_progress_line *line, double done, double left)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    size_t length;

    assert_non_null(file);
    fflush(stderr);
    assert_int_not_equal(dup2(fileno(file), STDERR_FILENO), -1);
    hs_progress_line_draw(line, done, left, "%d of %d plans priced", 3, 12);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    length = fread(got, 1, bytes - 1, file);
    got[length] = '\0';
    fclose(file);
}

static void progress_fits_the_terminal(void **state)
{
    static const int widths[] = {40, 60, 80, 132};
    char got[512];

    (void)state;
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct hs_progress_line line = {
            .is_terminal = true, .width = widths[i], .left_is = "about"};

        draw(got, sizeof(got), &line, 0.25, 41.2);
        assert_int_equal(strlen(got), widths[i]); /* a carriage return, then all but one column */
        assert_non_null(strstr(got, ", about 42 s left"));
        assert_true((strstr(got, "[#####---------------] ") != NULL) == (widths[i] >= 80));
        assert_true((strstr(got, "3 of 12 plans priced") != NULL));
        assert_true(line.shown);
    }
}

static void progress_beside_a_terminal_is_a_line(void **state)
{
    struct hs_progress_line line = {.width = 40};
    char got[512];

    (void)state;
    draw(got, sizeof(got), &line, 0.5, 0);
    assert_string_equal(got, "[##########----------] 3 of 12 plans priced\n");
    line.left_is = "at most";
    draw(got, sizeof(got), &line, -1, 7);
    assert_string_equal(got, "3 of 12 plans priced, at most 7 s left\n");
    assert_false(line.shown);
}

static void progress_waits_and_keeps_quiet(void **state)
{
    struct hs_progress_line line;

    (void)state;
    hs_progress_line_init(&line, false);
    assert_false(hs_progress_line_is_due(&line));
    line.drawn_at -= 3600;
    assert_true(hs_progress_line_is_due(&line));
    hs_progress_line_init(&line, true);
    line.drawn_at -= 3600;
    assert_false(hs_progress_line_is_due(&line));
}

static void shared_files_are_found_two_folders_up(void **state)
{
    char path[4096], small[8];

    (void)state;
    assert_true(hs_share_path(path, sizeof(path), "configs"));
    assert_int_equal(access(path, R_OK), 0);
    assert_false(hs_share_path(path, sizeof(path), "no such folder"));
    assert_false(hs_program_path(small, sizeof(small), "x"));
    assert_true(hs_program_in_path(path, sizeof(path), "sh"));
    assert_false(hs_program_in_path(path, sizeof(path), "no-such-program"));
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a shell reads a command line as it was typed", a_command_line_reads_as_it_was_typed),
    HS_TEST("the progress line fits the terminal; the time left stays, the bar goes first",
            progress_fits_the_terminal),
    HS_TEST("without a terminal progress is a line of its own",
            progress_beside_a_terminal_is_a_line),
    HS_TEST("progress waits for its time, and says nothing where quiet",
            progress_waits_and_keeps_quiet),
    HS_TEST("shared files are found from the program's place",
            shared_files_are_found_two_folders_up),
};

HS_TEST_MAIN(tests)
