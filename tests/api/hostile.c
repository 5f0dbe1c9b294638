/*
 * The library under hostile files and odd callers, for sanitizers: files of every kind with a few
 * things changed, options with values of others, and NULL, wrong or used handles anywhere. Whatever
 * comes, a call ends with a status; one that failed leaves NULL and one line. The same seed does
 * the same.
 *
 * usage: hostile SEED RUNS FILE...     prints TAP
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "hiersearch.h"

#define FILE_BYTES_MAX (1 << 18)
#define CHANGES_MAX    4

static uint64_t state;
static struct hiersearch_error *error;
static size_t failures, answers;
static enum hiersearch_status ended; /* of the last call */

/* Below `count`: xorshift64* (Vigna, 2016). */
static size_t draw(size_t count)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)((state * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % count;
}

/* ---- what is always so ---- */

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    printf("not ok 1 - %s (\"%.200s\")\n1..1\n", what, hiersearch_error_text(error));
    exit(1);
}

/* Of the last call, which makes something: whether it did. */
static bool has_made(const void *what)
{
    const char *line = hiersearch_error_text(error);

    if (ended == HIERSEARCH_OK) {
        require(what != NULL, "a call that went well has an answer");
        answers++;
        return true;
    }
    failures++;
    require(what == NULL, "a call that failed leaves NULL");
    require(ended <= HIERSEARCH_FAILED && hiersearch_error_status(error) == ended,
            "the error has the status of the call");
    require(line[0] && !strchr(line, '\n'), "an error is one line");
    return false;
}
#define made(call, what) (ended = (call), has_made(what))

/* ---- hostile texts ---- */

static const char *const words[] = {"0",
                                    "-1",
                                    "1e308",
                                    "1e-320",
                                    "2147483648",
                                    "9223372036854775807",
                                    "18446744073709551616",
                                    "null",
                                    "true",
                                    "[]",
                                    "{}",
                                    "\"\"",
                                    "-0",
                                    "1e999",
                                    "\\u0",
                                    "\xff",
                                    "\"",
                                    "\x1b[m",
                                    "=1+1",
                                    "../../etc/passwd",
                                    "%s%n",
                                    "4x4",
                                    "1MiB:x",
                                    "a=4",
                                    "-",
                                    "inf",
                                    "nan",
                                    "4096"};
#define WORDS (sizeof(words) / sizeof(words[0]))

/* The text, with `removed` bytes at `at` replaced by a word; owned by the caller. */
static char *replace(const char *text, size_t at, size_t removed, const char *word)
{
    size_t length = strlen(text), added = strlen(word);
    char *out = malloc(length + added + 1);

    if (!out)
        abort();
    memcpy(out, text, at);
    memcpy(out + at, word, added);
    memcpy(out + at + added, text + at + removed, length - at - removed + 1);
    return out;
}

static char *change_once(char *text)
{
    size_t length = strlen(text), at, removed;
    char *out;

    if (length == 0)
        return text;
    at = draw(length);
    switch (draw(5)) {
    case 0: /* a number */
        at += strcspn(text + at, "0123456789");
        removed = strspn(text + at, "-+.eE0123456789");
        out = replace(text, at, removed, words[draw(WORDS)]);
        break;
    case 1: /* something is missing */
        removed = draw(64);
        out = replace(text, at, removed < length - at ? removed : length - at, "");
        break;
    case 2: /* it ends */
        out = replace(text, at, length - at, "");
        break;
    case 3: /* something comes again */
        out = replace(text, at, 0, text + draw(length));
        out[length + 200 < strlen(out) ? length + 200 : strlen(out)] = '\0';
        break;
    default:
        out = replace(text, at, draw(2), words[draw(WORDS)]);
    }
    free(text);
    return out;
}

/* Owned by the caller. */
static char *change(const char *text)
{
    char *out = replace(text, 0, 0, "");

    for (size_t i = draw(CHANGES_MAX + 1); i > 0; i--)
        out = change_once(out);
    return out;
}

static char *read_file(const char *path)
{
    char *text = calloc(1, FILE_BYTES_MAX + 1);
    FILE *file = fopen(path, "r");

    if (!text || !file) {
        fprintf(stderr, "hostile: %s: cannot be read\n", path);
        exit(2);
    }
    text[fread(text, 1, FILE_BYTES_MAX, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- callers ---- */

struct handles {
    struct hiersearch_system *system, *other;
    struct hiersearch_question *question;
    struct hiersearch_result *result;
    struct hiersearch_inputs *inputs;
    struct hiersearch_stages *stages;
    struct hiersearch_exports *exports;
};

/* What there is, or NULL now and then. */
#define ODD(handle) (draw(6) == 0 ? NULL : (handle))

static void drop(char *text)
{
    if (text)
        require(strlen(text) < SIZE_MAX, "a text ends");
    hiersearch_text_free(text);
}

#define take_text(call, text)                                                                      \
    do {                                                                                           \
        (void)made(call, text);                                                                    \
        drop(text);                                                                                \
        (text) = NULL;                                                                             \
    } while (0)

/* A question of some kind, some of its options set. */
static void ask(struct handles *h)
{
    static const char *const kinds[] = {"predict", "check", "fit",    "simulate",
                                        "export",  "plot",  "report", "systems",
                                        "profile", "place", "shard"};
    static const char *const options[] = {
        "np",         "size",    "mesh",   "group",   "collective",   "layout",   "top",
        "chunks",     "explain", "format", "search",  "kind",         "to",       "algorithms",
        "gpus",       "plan",    "name",   "beam",    "model",        "messages", "details",
        "parameters", "hosts",   "width",  "profile", "compare-with", "text"};
    static const char *const values[] = {"4",    "16",        "1MiB",   "1KiB:1MiB", "csv",
                                         "json", "best",      "layers", "pytorch",   "rules",
                                         "all",  "tp=2,dp=2", "dp",     "true"};
    const char *kind = kinds[draw(sizeof(kinds) / sizeof(kinds[0]))];

    hiersearch_question_free(h->question);
    if (!made(hiersearch_question_new(&h->question, kind, error), h->question))
        return;
    (void)hiersearch_question_set(h->question, "np", "16", error);
    (void)hiersearch_question_set(h->question, "samples", "5", error);
    (void)hiersearch_question_set(h->question, "tsv", "true", error);
    if (draw(2) == 0)
        (void)hiersearch_question_set(h->question, "kind", "layers", error);
    (void)hiersearch_question_set(h->question, "to", "rules", error);
    for (size_t i = draw(4); i > 0; i--) {
        const char *option = options[draw(sizeof(options) / sizeof(options[0]))];
        const char *value =
            draw(3) == 0 ? words[draw(WORDS)] : values[draw(sizeof(values) / sizeof(values[0]))];

        (void)hiersearch_question_set(h->question, ODD(option), ODD(value), error);
    }
}

static void use_result(struct handles *h)
{
    char *text = NULL;
    int64_t ranks[4096];
    struct hiersearch_stage stage;
    uint64_t bytes;
    double seconds;

    take_text(hiersearch_result_json(&text, ODD(h->result), error), text);
    text = NULL;
    if (hiersearch_result_best(&text, &bytes, &seconds, ODD(h->result), draw(3), error))
        require(!text, "a call that failed leaves NULL");
    drop(text);
    hiersearch_stages_free(h->stages);
    (void)made(hiersearch_stages_new(&h->stages, ODD(h->result), draw(2),
                                     draw(2) == 0 ? NULL : words[draw(WORDS)], error),
               h->stages);
    for (size_t i = 0; i <= hiersearch_stages_count(h->stages); i++) {
        if (hiersearch_stages_get(&stage, ODD(h->stages), i, error) == HIERSEARCH_OK &&
            stage.size <= 4096)
            (void)hiersearch_stages_group(ranks, h->stages, i, (int64_t)draw(20) - 2, error);
    }
    require(hiersearch_result_notes(h->result) != NULL, "there are notes, perhaps none");
}

static void use_inputs(struct handles *h)
{
    char *text = NULL, *notes = NULL;
    size_t length;

    take_text(answered(&text, &notes,
                       &(struct asked){.question = draw(2) == 0 ? NULL : h->question,
                                       .system = draw(2) == 0 ? NULL : h->system,
                                       .inputs = ODD(h->inputs),
                                       .kind = "profile",
                                       .format = "json"},
                       error),
              text);
    drop(notes);
    notes = NULL;
    take_text(answered(&text, &notes,
                       &(struct asked){.question = draw(2) == 0 ? NULL : h->question,
                                       .system = draw(2) == 0 ? NULL : h->system,
                                       .inputs = ODD(h->inputs),
                                       .kind = "check",
                                       .format = "json"},
                       error),
              text);
    drop(notes);
    hiersearch_system_free(h->other);
    (void)made(hiersearch_fit(&h->other, ODD(h->system), ODD(h->inputs),
                              draw(2) == 0 ? NULL : h->question, error),
               h->other);
    notes = NULL;
    take_text(answered(&text, ODD(&notes),
                       &(struct asked){.question = ODD(h->question),
                                       .inputs = ODD(h->inputs),
                                       .length = &length},
                       error),
              text);
    drop(notes);
    take_text(answered(&text, NULL,
                       &(struct asked){.question = draw(2) == 0 ? NULL : h->question,
                                       .inputs = ODD(h->inputs),
                                       .kind = "report"},
                       error),
              text);
    take_text(answered(&text, NULL,
                       &(struct asked){.question = ODD(h->question),
                                       .inputs = ODD(h->inputs),
                                       .format = "json"},
                       error),
              text);
    hiersearch_exports_free(h->exports);
    (void)made(hiersearch_export(&h->exports, ODD(h->inputs), ODD(h->question), error), h->exports);
    for (size_t i = 0; i <= hiersearch_exports_count(h->exports); i++) {
        (void)hiersearch_exports_name(ODD(h->exports), i);
        (void)hiersearch_exports_text(ODD(h->exports), i, ODD(&length));
    }
    require(hiersearch_exports_notes(h->exports) != NULL, "there are notes, perhaps none");
}

static void use_system(struct handles *h)
{
    char *text = NULL, *notes = NULL;

    take_text(hiersearch_system_json(&text, ODD(h->system), error), text);
    take_text(hiersearch_system_line(&text, ODD(h->system), error), text);
    take_text(answered(&text, NULL,
                       &(struct asked){.kind = "systems",
                                       .flag = "check",
                                       .system = ODD(h->system),
                                       .format = "json"},
                       error),
              text);
    if (draw(2) == 0)
        take_text(answered(&text, NULL,
                           &(struct asked){.question = ODD(h->question),
                                           .system = ODD(h->system),
                                           .format = "json"},
                           error),
                  text);
    take_text(answered(&text, ODD(&notes),
                       &(struct asked){.question = ODD(h->question),
                                       .system = ODD(h->system),
                                       .inputs = draw(2) == 0 ? NULL : h->inputs},
                       error),
              text);
    drop(notes);
    hiersearch_result_free(h->result);
    (void)made(hiersearch_predict(&h->result, ODD(h->system), ODD(h->question), error), h->result);
    hiersearch_exports_free(h->exports);
    (void)made(hiersearch_simulation(&h->exports, ODD(h->system), ODD(h->question), error),
               h->exports);
    hiersearch_system_free(h->other);
    (void)made(hiersearch_system_copy(&h->other, ODD(h->system), error), h->other);
    require(hiersearch_system_name(h->system) && hiersearch_system_notes(h->system),
            "there is a name, and notes, perhaps none");
}

static void run(struct handles *h, const char *file, const char *name)
{
    char *text = change(file);
    struct hiersearch_system *system = NULL;
    struct hiersearch_result *result = NULL;

    ask(h);
    if (made(draw(4) == 0 ? hiersearch_system_find(&system, ODD(text), error)
                          : hiersearch_system_parse(&system, ODD(text), ODD(name), error),
             system)) {
        hiersearch_system_free(h->system);
        h->system = system;
    }
    if (made(hiersearch_result_parse(&result, ODD(text), ODD(name), error), result)) {
        hiersearch_result_free(h->result);
        h->result = result;
    }
    if (draw(4) == 0) {
        hiersearch_inputs_free(h->inputs);
        (void)made(hiersearch_inputs_new(&h->inputs, error), h->inputs);
    }
    (void)hiersearch_inputs_add_text(ODD(h->inputs), ODD(name), ODD(text), error);
    (void)hiersearch_inputs_notes(ODD(h->inputs));
    use_result(h);
    use_inputs(h);
    use_system(h);
    free(text);
}

int main(int argc, char **argv)
{
    struct handles h = {.system = NULL};
    size_t runs = argc > 3 ? strtoull(argv[2], NULL, 10) : 0;

    if (runs == 0) {
        fprintf(stderr, "usage: hostile SEED RUNS FILE...\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    setenv("PATH", "", 1); /* no gnuplot: its pictures take longer than all else */
    error = hiersearch_error_new();
    if (!made(hiersearch_system_find(&h.system, "a:4@100GB/s~1us,b:4@10GB/s~5us", error), h.system))
        return 1;
    for (size_t i = 0; i < runs; i++) {
        const char *path = argv[3 + draw((size_t)argc - 3)];
        char *file = read_file(path);

        run(&h, file, path);
        free(file);
    }
    hiersearch_system_free(h.system);
    hiersearch_system_free(h.other);
    hiersearch_question_free(h.question);
    hiersearch_result_free(h.result);
    hiersearch_inputs_free(h.inputs);
    hiersearch_stages_free(h.stages);
    hiersearch_exports_free(h.exports);
    require(answers > failures / 4, "many calls go well");
    printf("ok 1 - %zu hostile files and their odd callers: %zu answers, %zu refusals, nothing "
           "worse\n1..1\n",
           runs, answers, failures);
    hiersearch_error_free(error);
    return 0;
}
