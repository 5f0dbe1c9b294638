#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#define OPTIONS_MAX 64

/* Where a parse stands. Arguments that are no options are moved to the front of argv. */
struct parse {
    const struct hs_option_table *table;
    void *settings;
    char **argv;
    int argc, at;
    int kept;   /* arguments at the front of argv */
    int before; /* of them before "--"; -1: it has not come */
    bool seen[OPTIONS_MAX];
    enum hs_option_request request;
};

size_t hs_option_count_rows(const struct hs_option *options)
{
    size_t count = 0;

    while (options && options[count].name)
        count++;
    return count;
}

static const struct hs_option *option_named(const struct hs_option *options, const char *name,
                                            size_t length)
{
    for (; options && options->name; options++)
        if (strlen(options->name) == length && memcmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const struct hs_option *option_of_letter(const struct hs_option *options, char letter)
{
    for (; options && options->name; options++)
        if (options->letter && options->letter == letter)
            return options;
    return NULL;
}

/* `also` are names that have no row. */
static enum hs_status fail_unknown(const struct hs_option *options, const char *const also[2],
                                   const char *name, size_t length, struct hs_error *err)
{
    const char *names[OPTIONS_MAX + 2], *nearest;
    char wrong[64];
    size_t count = 0;

    for (; also && count < 2; count++)
        names[count] = also[count];
    for (const struct hs_option *o = options; o && o->name; o++)
        names[count++] = o->name;
    if (length >= sizeof(wrong))
        length = sizeof(wrong) - 1;
    memcpy(wrong, name, length);
    wrong[length] = '\0';
    nearest = hs_nearest_name(wrong, names, count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown option \"--%s\", did you mean \"--%s\"?", wrong,
                       nearest);
    return hs_fail(err, HS_INVALID, "unknown option \"--%s\"%s", wrong,
                   also ? "; --help lists those there are" : "");
}

enum hs_status hs_option_find(const struct hs_option **row, const struct hs_option *options,
                              const char *name, struct hs_error *err)
{
    *row = option_named(options, name, strlen(name));
    return *row ? HS_OK : fail_unknown(options, NULL, name, strlen(name), err);
}

enum hs_status hs_option_read(void *settings, const struct hs_option *option, const char *text,
                              struct hs_error *err)
{
    void *field = (char *)settings + option->offset;
    enum hs_status status = option->type->parse(field, option, text, err);
    char prefix[80] = "--";

    if (status == HS_OK || !err)
        return status;
    strncat(prefix, option->name, sizeof(prefix) - 3);
    return hs_error_prefix(err, status, prefix);
}

/* `value` is the text behind '=' or behind the letter, NULL where the next word may be the value.
 */
static enum hs_status take_option(struct parse *parse, const struct hs_option *option,
                                  const char *value, struct hs_error *err)
{
    size_t row = (size_t)(option - parse->table->options);

    if (parse->seen[row])
        return hs_fail(err, HS_INVALID, "--%s: given twice", option->name);
    parse->seen[row] = true;
    if (option->type->is_flag && value)
        return hs_fail(err, HS_INVALID, "--%s: takes no value, found \"%.60s\"", option->name,
                       value);
    if (!option->type->is_flag && !value) {
        if (parse->at + 1 >= parse->argc)
            return hs_fail(err, HS_INVALID, "--%s: expected %s, found nothing", option->name,
                           option->argument);
        value = parse->argv[++parse->at];
        if (strncmp(value, "--", 2) == 0 && !strchr(value, ' ')) /* no command line */
            return hs_fail(err, HS_INVALID, "--%s: expected %s, found the option \"%.60s\"",
                           option->name, option->argument, value);
    }
    return hs_option_read(parse->settings, option, value, err);
}

static const char *const without_rows[2] = {"help", "version"};

/* What other commands have for the number of processes. */
static bool is_count(const char *name, size_t length)
{
    return length == strlen("np") && strncmp(name, "np", length) == 0;
}

static enum hs_status fail_count(const char *launcher, struct hs_error *err)
{
    launcher += strspn(launcher, "["); /* not needed everywhere */
    return hs_fail(
        err, HS_INVALID,
        "unknown option \"--np\": the launcher says how many processes there are, as %.*s",
        (int)strcspn(launcher, "]"), launcher);
}

/* Help that was asked for at parse->at: "--help", or "--help all". */
static enum hs_option_request help_of(const struct parse *parse)
{
    bool all = parse->at + 1 < parse->argc && strcmp(parse->argv[parse->at + 1], "all") == 0;

    return all ? HS_REQUEST_HELP_ALL : HS_REQUEST_HELP;
}

static enum hs_status take_long(struct parse *parse, const char *name, struct hs_error *err)
{
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct hs_option *option = option_named(parse->table->options, name, length);

    if (option)
        return take_option(parse, option, equals ? equals + 1 : NULL, err);
    if (strcmp(name, "help") == 0)
        parse->request = help_of(parse);
    else if (strcmp(name, "version") == 0)
        parse->request = HS_REQUEST_VERSION;
    else if (parse->table->launcher && is_count(name, length))
        return fail_count(parse->table->launcher, err);
    else
        return fail_unknown(parse->table->options, without_rows, name, length, err);
    return HS_OK;
}

static enum hs_status take_letters(struct parse *parse, const char *letters, struct hs_error *err)
{
    enum hs_status status;

    /* "-np 4", as mpiexec has it, is not option -n with the value "p". */
    if (strlen(letters) > 1 && option_named(parse->table->options, letters, strcspn(letters, "=")))
        return hs_fail(err, HS_INVALID, "unknown option \"-%.60s\", did you mean \"--%.60s\"?",
                       letters, letters);
    if (parse->table->launcher && is_count(letters, strcspn(letters, "=")))
        return fail_count(parse->table->launcher, err);
    for (; *letters; letters++) {
        const struct hs_option *option = option_of_letter(parse->table->options, *letters);

        if (!option && *letters == 'h') {
            parse->request = help_of(parse);
            return HS_OK;
        }
        if (!option)
            return hs_fail(err, HS_INVALID, "unknown option \"-%c\"; --help lists those there are",
                           *letters);
        if (!option->type->is_flag)
            return take_option(parse, option, letters[1] ? letters + 1 : NULL, err);
        status = take_option(parse, option, NULL, err);
        if (status != HS_OK)
            return status;
    }
    return HS_OK;
}

static enum hs_status take_words(struct parse *parse, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    parse->before = -1;
    for (; parse->at < parse->argc && status == HS_OK; parse->at++) {
        char *word = parse->argv[parse->at];

        if (parse->before >= 0 || word[0] != '-' || word[1] == '\0')
            parse->argv[parse->kept++] = word;
        else if (strcmp(word, "--") == 0)
            parse->before = parse->kept;
        else if (word[1] == '-')
            status = take_long(parse, word + 2, err);
        else
            status = take_letters(parse, word + 1, err);
        if (parse->request != HS_REQUEST_RUN)
            break;
    }
    if (parse->before < 0)
        parse->before = parse->kept;
    return status;
}

static bool has_behind(const struct hs_argument *row)
{
    while (row && row->name && !row->behind)
        row++;
    return row && row->name;
}

static enum hs_status give_arguments(const struct parse *parse, struct hs_error *err)
{
    const struct hs_argument *row = parse->table->arguments;
    int given = 0, last = has_behind(row) ? parse->before : parse->kept;

    for (; row && row->name; row++) {
        char *field = (char *)parse->settings + row->offset;

        if (row->behind) {
            *(struct hs_argument_list *)(void *)field = (struct hs_argument_list){
                parse->argv + parse->before, (size_t)(parse->kept - parse->before)};
            continue;
        }
        if (given >= last && row->required)
            return hs_fail(err, HS_INVALID, "%s is missing; --help says what it can be", row->name);
        if (row->many) {
            *(struct hs_argument_list *)(void *)field =
                (struct hs_argument_list){parse->argv + given, (size_t)(last - given)};
            given = last;
        } else if (given < last) {
            *(const char **)(void *)field = parse->argv[given++];
        }
    }
    if (given < last)
        return hs_fail(err, HS_INVALID, "unexpected argument \"%.100s\"", parse->argv[given]);
    return HS_OK;
}

enum hs_status hs_options_fall_back(void *settings, const struct hs_option *options,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (const struct hs_option *o = options; o && o->name && status == HS_OK; o++)
        if (o->fallback)
            status = hs_option_read(settings, o, o->fallback, err);
    return status;
}

static enum hs_status check_required(const struct parse *parse, struct hs_error *err)
{
    const struct hs_option *options = parse->table->options;

    for (size_t row = 0; options && options[row].name; row++)
        if (options[row].required && !parse->seen[row])
            return hs_fail(err, HS_INVALID, "--%s %s is missing", options[row].name,
                           options[row].argument);
    return HS_OK;
}

enum hs_status hs_options_parse(enum hs_option_request *request, void *settings,
                                const struct hs_option_table *table, int argc, char **argv,
                                struct hs_error *err)
{
    struct parse parse = {.table = table, .settings = settings, .argv = argv, .argc = argc};
    enum hs_status status = HS_OK;

    if (hs_option_count_rows(table->options) > OPTIONS_MAX)
        return hs_fail(err, HS_FAILED, "more than %d option rows", OPTIONS_MAX);
    status = hs_options_fall_back(settings, table->options, err);
    if (status == HS_OK)
        status = take_words(&parse, err);
    *request = parse.request;
    if (status != HS_OK || parse.request != HS_REQUEST_RUN)
        return status;
    status = give_arguments(&parse, err);
    return status == HS_OK ? check_required(&parse, err) : status;
}

/* ---- command lines ---- */

/* A '~' means something to a shell only at the beginning of a word. */
void hs_command_word_append(struct hs_text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./:,@%^~";

    if (word[0] && word[0] != '~' && strspn(word, plain) == strlen(word)) {
        hs_text_append(out, "%s", word);
        return;
    }
    hs_text_append(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            hs_text_append(out, "'\\''");
        else
            hs_text_append_bytes(out, word, 1);
    }
    hs_text_append(out, "'");
}

void hs_command_line_append(struct hs_text *out, const char *program, int count, char **words)
{
    hs_text_append(out, "%s", program);
    for (int i = 0; i < count; i++) {
        hs_text_append(out, " ");
        hs_command_word_append(out, words[i]);
    }
}
