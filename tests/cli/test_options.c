/* The option parser, and the texts made from the same rows. */
#include "test.h"

#include "base/options.h"
#include "cli/help.h"

struct settings {
    struct hs_range np, bytes;
    int64_t top;
    const char *search, *output, *system;
    struct hs_count_list chunks;
    bool json, quiet;
    struct hs_argument_list files;
};

static const char *const *colors(void)
{
    static const char *const words[] = {"red", "green", NULL};

    return words;
}

#define FIELD(name) offsetof(struct settings, name)

static const struct hs_option options[] = {
    {.name = "np",
     .letter = 'n',
     .argument = "P",
     .required = true,
     .group = "Problem",
     .type = &hs_option_np_range,
     .offset = FIELD(np),
     .help = "processes"},
    {.name = "size",
     .argument = "SIZE",
     .fallback = "2KiB",
     .group = "Problem",
     .type = &hs_option_bytes_range,
     .offset = FIELD(bytes),
     .help = "message"},
    {.name = "top",
     .letter = 'k',
     .argument = "K",
     .fallback = "5",
     .min = 1,
     .max = 10,
     .noun = "number of plans",
     .type = &hs_option_count,
     .offset = FIELD(top),
     .help = "plans"},
    {.name = "search",
     .argument = "NAME",
     .words = colors,
     .type = &hs_option_word,
     .offset = FIELD(search),
     .help = "color"},
    {.name = "chunks",
     .argument = "LIST",
     .min = 1,
     .max = 100,
     .noun = "number of chunks",
     .type = &hs_option_count_list,
     .offset = FIELD(chunks),
     .help = "chunks"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = &hs_option_file,
     .offset = FIELD(output),
     .help = "file"},
    {.name = "json", .letter = 'j', .type = &hs_option_flag, .offset = FIELD(json), .help = "json"},
    {.name = "quiet",
     .letter = 'q',
     .type = &hs_option_flag,
     .offset = FIELD(quiet),
     .help = "silence"},
    {.name = NULL},
};

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM", .required = true, .offset = FIELD(system), .help = "machine"},
    {.name = "FILE", .many = true, .offset = FIELD(files), .help = "more"},
    {.name = NULL},
};

static const struct hs_option_table table = {options, arguments};

#define WORDS_MAX 16

/* Parses the words of a line, separated by one blank each; "_" stands for an empty word. */
struct attempt {
    struct settings settings;
    enum hs_option_request request;
    struct hs_error error;
    char line[256];
    char *words[WORDS_MAX];
};

static enum hs_status parse(struct attempt *attempt, const char *line)
{
    int count = 0;
    char *rest = attempt->line;

    memset(attempt, 0, sizeof(*attempt));
    snprintf(attempt->line, sizeof(attempt->line), "%s", line);
    while (count < WORDS_MAX && rest && *rest) {
        attempt->words[count] = strsep(&rest, " ");
        if (strcmp(attempt->words[count], "_") == 0)
            attempt->words[count][0] = '\0';
        count++;
    }
    return hs_options_parse(&attempt->request, &attempt->settings, &table, count, attempt->words,
                            &attempt->error);
}

static void expect_error(const char *line, const char *message)
{
    struct attempt attempt;

    assert_int_equal(parse(&attempt, line), HS_INVALID);
    assert_string_equal(attempt.error.message, message);
}

static void all_spellings_mean_the_same(void **state)
{
    static const char *const lines[] = {
        "m --np 8 --output f", "m --np=8 --output=f", "m -n 8 -o f",
        "m -n8 -of",           "--np 8 -of m",        "--np=8 -o f -- m",
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(lines); i++) {
        struct attempt attempt;

        assert_status_is(parse(&attempt, lines[i]), HS_OK, &attempt.error);
        assert_int_equal(attempt.settings.np.first, 8);
        assert_int_equal(attempt.settings.np.last, 8);
        assert_string_equal(attempt.settings.output, "f");
        assert_string_equal(attempt.settings.system, "m");
    }
}

static void fallbacks_are_there_unless_given(void **state)
{
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "m -n 4:16"), HS_OK, &attempt.error);
    assert_int_equal(attempt.settings.top, 5);
    assert_int_equal(attempt.settings.bytes.first, 2048);
    assert_int_equal(attempt.settings.np.last, 16);
    assert_null(attempt.settings.search);
    assert_status_is(parse(&attempt, "m -n 4 -k 7 --size 1MiB:4MiB"), HS_OK, &attempt.error);
    assert_int_equal(attempt.settings.top, 7);
    assert_int_equal(attempt.settings.bytes.first, 1 << 20);
    assert_int_equal(attempt.settings.bytes.last, 4 << 20);
}

static void letters_stand_together(void **state)
{
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "m -jqn4"), HS_OK, &attempt.error);
    assert_true(attempt.settings.json);
    assert_true(attempt.settings.quiet);
    assert_int_equal(attempt.settings.np.first, 4);
}

static void lists_are_sorted(void **state)
{
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "m -n 4 --chunks 8,1,4"), HS_OK, &attempt.error);
    assert_int_equal(attempt.settings.chunks.count, 3);
    assert_int_equal(attempt.settings.chunks.values[0], 1);
    assert_int_equal(attempt.settings.chunks.values[1], 4);
    assert_int_equal(attempt.settings.chunks.values[2], 8);
}

/* As of CPUs and GPUs everywhere: both ends belong to a range. */
static void ranges_stand_in_lists(void **state)
{
    static const int wanted[] = {1, 2, 3, 6, 9};
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "m -n 4 --chunks 9,1-3,6-6"), HS_OK, &attempt.error);
    assert_int_equal(attempt.settings.chunks.count, HS_COUNT(wanted));
    assert_memory_equal(attempt.settings.chunks.values, wanted, sizeof(wanted));
    expect_error("m -n 4 --chunks 3-1",
                 "--chunks: expected a range from the lower number to the higher one, found "
                 "\"3-1\"");
    expect_error("m -n 4 --chunks 1-101",
                 "--chunks: number of chunks: expected a whole number from 1 to 100, found "
                 "\"101\"");
    expect_error("m -n 4 --chunks 3-",
                 "--chunks: number of chunks: expected a whole number from 1 to 100, found "
                 "\"3-\"");
    expect_error("m -n 4 --chunks 1-2-3",
                 "--chunks: number of chunks: expected a whole number from 1 to 100, found "
                 "\"2-3\"");
    expect_error("m -n 4 --chunks -3",
                 "--chunks: number of chunks: expected a whole number from 1 to 100, found "
                 "\"-3\"");
    expect_error("m -n 4 --chunks 1-4,4", "--chunks: 4 is in the list twice");
    expect_error("m -n 4 --chunks 1-100", "--chunks: more than 64 numbers");
}

static void arguments_fill_from_the_left(void **state)
{
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "m a -n 4 b -- --c"), HS_OK, &attempt.error);
    assert_string_equal(attempt.settings.system, "m");
    assert_int_equal(attempt.settings.files.count, 3);
    assert_string_equal(attempt.settings.files.items[0], "a");
    assert_string_equal(attempt.settings.files.items[1], "b");
    assert_string_equal(attempt.settings.files.items[2], "--c");
}

static void help_needs_nothing_else(void **state)
{
    struct attempt attempt;

    (void)state;
    assert_status_is(parse(&attempt, "--help"), HS_OK, &attempt.error);
    assert_int_equal(attempt.request, HS_REQUEST_HELP);
    assert_status_is(parse(&attempt, "-qh --nonsense"), HS_OK, &attempt.error);
    assert_int_equal(attempt.request, HS_REQUEST_HELP);
    assert_status_is(parse(&attempt, "m --help all"), HS_OK, &attempt.error);
    assert_int_equal(attempt.request, HS_REQUEST_HELP_ALL);
    assert_status_is(parse(&attempt, "m --version"), HS_OK, &attempt.error);
    assert_int_equal(attempt.request, HS_REQUEST_VERSION);
}

static void errors_name_the_option(void **state)
{
    (void)state;
    expect_error("m --topp 3", "unknown option \"--topp\", did you mean \"--top\"?");
    expect_error("m --versoin", "unknown option \"--versoin\", did you mean \"--version\"?");
    expect_error("m --zzzzzzzz=1", "unknown option \"--zzzzzzzz\"; --help lists those there are");
    expect_error("m -x", "unknown option \"-x\"; --help lists those there are");
    expect_error("m -np 4", "unknown option \"-np\", did you mean \"--np\"?");
    expect_error("m -n", "--np: expected P, found nothing");
    expect_error("m -n 4 -o --json", "--output: expected FILE, found the option \"--json\"");
    expect_error("m -n 4 -o _", "--output: expected FILE, found nothing");
    expect_error("m -n 4 --np 8", "--np: given twice");
    expect_error("m -n 4 -jj", "--json: given twice");
    expect_error("m -n 4 --json=yes", "--json: takes no value, found \"yes\"");
    expect_error("m", "--np P is missing");
    expect_error("-n 4", "SYSTEM is missing; --help says what it can be");
}

static void errors_name_the_value(void **state)
{
    (void)state;
    expect_error("m -n 4 -k 11",
                 "--top: number of plans: expected a whole number from 1 to 10, found \"11\"");
    expect_error("m -n 4 --search gren", "--search: unknown \"gren\", did you mean \"green\"?");
    expect_error("m -n 4 --search violet",
                 "--search: unknown \"violet\", expected one of red, green");
    expect_error("m -n 4 --chunks 1,2,1", "--chunks: 1 is in the list twice");
    expect_error("m -n 4 --chunks 1,,2",
                 "--chunks: number of chunks: expected a whole number from 1 to 100, found \"\"");
}

static void surplus_arguments_are_refused(void **state)
{
    static const struct hs_argument one[] = {
        {.name = "SYSTEM", .required = true, .offset = FIELD(system), .help = "machine"},
        {.name = NULL},
    };
    const struct hs_option_table narrow = {NULL, one};
    char first[] = "a", second[] = "b";
    char *words[] = {first, second};
    struct settings settings = {.json = false};
    enum hs_option_request request;
    struct hs_error error;

    (void)state;
    assert_int_equal(hs_options_parse(&request, &settings, &narrow, 2, words, &error), HS_INVALID);
    assert_string_equal(error.message, "unexpected argument \"b\"");
}

static void help_and_usage_know_every_row(void **state)
{
    struct hs_command command = {
        .name = "paint", .summary = "colors", .arguments = arguments, .options = options};
    static const struct hs_argument usual[] = {{.name = "SYSTEM", .usual = true}, {.name = NULL}};
    static const struct hs_option either[] = {
        {.name = "np", .argument = "P", .usual = true}, {.name = "mesh", .argument = "AXES"}, {0}};
    struct hs_command job = {
        .name = "paint", .launcher = "mpiexec -n P", .arguments = usual, .options = either};
    struct hs_terminal terminal = {.width = 60};
    struct hs_text help = {0}, usage = {0};

    (void)state;
    hs_help_usage(&usage, &command);
    assert_string_equal(usage.data, "hiersearch paint SYSTEM [FILE...] --np P [options]");
    hs_text_release(&usage);
    hs_help_usage(&usage, &job); /* what is mostly needed, though nothing is without the other */
    assert_string_equal(usage.data, "mpiexec -n P hiersearch paint SYSTEM --np P [options]");
    hs_help_command(&help, &command, &terminal, false); /* without usual options it has all */
    for (const struct hs_option *o = options; o->name; o++) {
        char name[32];

        snprintf(name, sizeof(name), "--%s", o->name);
        assert_has(help.data, name);
        assert_has(help.data, o->help);
    }
    assert_has(help.data, "red, green");
    assert_has(help.data, "(default 2KiB)");
    assert_has(help.data, "\nProblem\n");
    for (char *line = strtok(help.data, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 60 || !strchr(line + 26, ' '));
    hs_text_release(&help);
    hs_text_release(&usage);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every spelling of an option gives the same value", all_spellings_mean_the_same),
    HS_TEST("a fallback holds until the option is given", fallbacks_are_there_unless_given),
    HS_TEST("flags share one dash, the last letter may take a value", letters_stand_together),
    HS_TEST("a list of counts is sorted", lists_are_sorted),
    HS_TEST("a range in a list is its numbers", ranges_stand_in_lists),
    HS_TEST("arguments fill their rows from the left, options between them",
            arguments_fill_from_the_left),
    HS_TEST("--help and --version win over what is missing or wrong behind them",
            help_needs_nothing_else),
    HS_TEST("an error names the option and what it expects", errors_name_the_option),
    HS_TEST("an error names the value that was found", errors_name_the_value),
    HS_TEST("an argument too many is refused", surplus_arguments_are_refused),
    HS_TEST("help has every option, and keeps to the width", help_and_usage_know_every_row),
};

HS_TEST_MAIN(tests)
