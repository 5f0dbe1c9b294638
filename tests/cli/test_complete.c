/* What can be typed next, place by place. */
#include "test.h"

#include "cli/complete.h"

#define WORDS_MAX 8

static const char *const *colors(void)
{
    static const char *const words[] = {"red",    "two words", "$(touch x)",
                                        "bell\a", "new\nline", NULL};

    return words;
}

static const char *const *tools(void)
{
    static const char *const words[] = {"brush", NULL};

    return words;
}

static const struct hs_option options[] = {
    {.name = "color",
     .letter = 'c',
     .argument = "NAME",
     .type = &hs_option_word,
     .words = colors,
     .help = "which one; or the first"},
    {.name = "from",
     .letter = 'f',
     .argument = "FILE",
     .type = &hs_option_file,
     .words = colors,
     .help = "a file. Or not"},
    {.name = "quiet", .letter = 'q', .type = &hs_option_flag, .help = "silence\nat last"},
    {.name = "count", .argument = "N", .type = &hs_option_count, .help = "number"},
    {.name = NULL},
};
static const struct hs_argument arguments[] = {
    {.name = "TOOL", .words = tools},
    {.name = "WALL", .files = true, .many = true},
    {.name = NULL},
};
static const struct hs_command paint = {
    .name = "paint", .summary = "colors", .options = options, .arguments = arguments};
static const struct hs_command wash = {.name = "wash", .summary = "water"};
static const struct hs_command *const commands[] = {&paint, &wash, NULL};

/* The words of `line` have a blank between them; "_" stands for an empty one. */
static void expect(const char *line, const char *expected)
{
    char copy[128], *rest = copy;
    const char *words[WORDS_MAX];
    struct hs_text out = {0};
    size_t count = 0;

    snprintf(copy, sizeof(copy), "%s", line);
    while (count < WORDS_MAX && rest && *rest) {
        words[count] = strsep(&rest, " ");
        if (strcmp(words[count], "_") == 0)
            words[count] = "";
        count++;
    }
    hs_complete(&out, commands, words, count);
    if (strcmp(out.data, expected) != 0)
        fail_msg("%s: expected\n%sgot\n%s", line, expected, out.data);
    hs_text_release(&out);
}

#define COMMANDS "words\npaint\tcolors\nwash\twater\n"
#define OPTIONS                                                                                    \
    "words\n--color\twhich one\n--from\ta file\n--quiet\tsilence\n--count\tnumber\n"               \
    "--help\twhat there is\n--version\tthe version of the program\n"
#define COLORS "red\ntwo words\n$(touch x)\n"
#define TOOLS  "words\nbrush\n"

static void commands_come_first(void **state)
{
    (void)state;
    expect("", COMMANDS);
    expect("_", COMMANDS);
    expect("pa", COMMANDS);
    expect("--h", "words\n--help\twhat there is\n--version\tthe version of the program\n");
    expect("nothing _", "words\n");
}

static void options_come_where_a_dash_is(void **state)
{
    (void)state;
    expect("paint -", OPTIONS);
    expect("paint brush --co", OPTIONS);
    expect("paint --qu", OPTIONS);
    expect("paint --unknown=x", OPTIONS);
}

static void values_come_behind_their_option(void **state)
{
    (void)state;
    expect("paint --color _", "words\n" COLORS);
    expect("paint -c r", "words\n" COLORS);
    expect("paint -qc r", "words\n" COLORS);
    expect("paint --color = r", "words\n" COLORS);
    expect("paint --color =", "words\n" COLORS);
    expect("paint --color=r", "words\n--color=red\n--color=two words\n--color=$(touch x)\n");
    expect("paint --from x", "files\n" COLORS);
    expect("paint --count 1", "words\n");
    expect("paint --quiet b", TOOLS);
}

static void arguments_come_in_their_order(void **state)
{
    (void)state;
    expect("paint _", TOOLS);
    expect("paint --count 3 _", TOOLS);
    expect("paint --count=3 _", TOOLS);
    expect("paint --count = 3 _", TOOLS);
    expect("paint -cred b", TOOLS);
    expect("paint brush _", "files\n");
    expect("paint -q brush one two", "files\n");
    expect("paint -- --brush _", "files\n");
    expect("wash _", "words\n");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the first word is a command", commands_come_first),
    HS_TEST("options are offered where a word begins with a dash", options_come_where_a_dash_is),
    HS_TEST("the value of an option is offered behind it, without control characters",
            values_come_behind_their_option),
    HS_TEST("arguments are offered in their order, options not counted",
            arguments_come_in_their_order),
};

HS_TEST_MAIN(tests)
