/* gnuplot as a process: its picture, its complaints, and the limits it has. */
#include "test.h"

#include <sys/stat.h>

#include "plot/gnuplot.h"

static char folder[64];

/* Puts a shell script named gnuplot first in PATH. */
static void install(const char *script)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/gnuplot", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int setup(void **state)
{
    char path[4096];

    (void)state;
    strcpy(folder, "/tmp/test_gnuplot.XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    snprintf(path, sizeof(path), "%s/layers.gp", folder);
    fclose(fopen(path, "w"));
    return setenv("HIERSEARCH_PLOTS", folder, 1);
}

static int teardown(void **state)
{
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/gnuplot", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/layers.gp", folder);
    unlink(path);
    return rmdir(folder);
}

static enum hs_status draw(struct hs_text *picture, struct hs_text *complaints, double limit,
                           struct hs_error *error)
{
    struct hs_text csv = {.data = (char *)"a,\"b, c\"\n", .length = 9};
    struct hs_gnuplot_request request = {
        .kind = "layers", .type = "svg", .csv = &csv, .limit_seconds = limit};

    return hs_gnuplot_draw(picture, complaints, &request, error);
}

static void it_gets_the_numbers_and_gives_the_picture(void **state)
{
    struct hs_text picture = {0}, complaints = {0};
    struct hs_error error;

    (void)state;
    /* $4 has the numbers, with tabs between cells, $5 the output, $6 the type. */
    install("cat \"$4\" > \"$5\"; echo \"$1 $2 $6\" >> \"$5\"; cat; echo hm >&2");
    assert_status_is(draw(&picture, &complaints, 20, &error), HS_OK, &error);
    assert_string_equal(picture.data, "a\tb, c\n-d -c svg\n");
    assert_string_equal(complaints.data, "hm\n");
    hs_text_release(&picture);
    hs_text_release(&complaints);
}

static void it_is_ended_when_the_time_is_up(void **state)
{
    struct hs_text picture = {0}, complaints = {0};
    struct hs_error error;

    (void)state;
    install("exec sleep 30");
    assert_int_equal(draw(&picture, &complaints, 0.2, &error), HS_FAILED);
    assert_string_equal(error.message, "gnuplot: not finished after 0.2 s");
}

static void its_last_words_are_the_error(void **state)
{
    struct hs_text picture = {0}, complaints = {0};
    struct hs_error error;

    (void)state;
    install("printf '\\n  ^\\n line 4: undefined variable: x\\n\\n' >&2; exit 1");
    assert_int_equal(draw(&picture, &complaints, 20, &error), HS_FAILED);
    assert_string_equal(error.message, "gnuplot:  line 4: undefined variable: x");
    hs_text_release(&complaints);
    install("kill -9 $$");
    assert_int_equal(draw(&picture, &complaints, 20, &error), HS_FAILED);
    assert_string_equal(error.message, "gnuplot: ended by signal 9");
    hs_text_release(&complaints);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("gnuplot gets the numbers and gives the picture",
            it_gets_the_numbers_and_gives_the_picture),
    HS_TEST("gnuplot is ended when the time is up", it_is_ended_when_the_time_is_up),
    HS_TEST("gnuplot's last words are the error", its_last_words_are_the_error),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests(tests, setup, teardown) == 0 ? 0 : 1;
}
