#include "rules.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define FORMAT         "hiersearch.result/2"
#define LIBRARY        "the library's own call" /* a candidate without layers */
#define FILE_BYTES_MAX ((long)256 << 20)

struct candidate {
    char plan[SCAN_TEXT];
    double measured, predicted; /* seconds, NaN: none */
    double latency, bandwidth;  /* seconds of the prediction, over its layers */
};

struct message {
    double bytes;
    char best[SCAN_TEXT]; /* empty: none */
    double library;       /* seconds of the fastest of the library's own calls; INFINITY: none */
    struct candidate *candidates;
    size_t count;
};

struct file {
    double np;
    char format[SCAN_TEXT];
    bool measured; /* it names a backend that took rings */
    bool chosen;   /* it names one in which NCCL chose for each layer */
    bool native;   /* its system names parts: predictions are of NCCL's own choice */
    bool other;    /* it is about another collective than AllReduce */
    bool mesh;     /* it is about groups of a mesh */
    struct message *messages;
    size_t count;
};

/* ---- reading ---- */

/* The array with room for one more, zeroed; NULL when out of memory, and the array is as it was. */
static void *grow(void *array, size_t count, size_t size)
{
    char *grown = realloc(array, (count + 1) * size);

    if (grown)
        memset(grown + count * size, 0, size);
    return grown;
}

static void read_layer(struct scan *scan, struct candidate *candidate)
{
    char key[SCAN_TEXT];
    double seconds;

    while (scan_member(scan, key)) {
        bool latency = strcmp(key, "latency_seconds") == 0 || strcmp(key, "launch_seconds") == 0;

        if (!latency && strcmp(key, "bandwidth_seconds") != 0) {
            scan_skip(scan);
        } else if (scan_number(scan, &seconds)) {
            candidate->latency += latency ? seconds : 0;
            candidate->bandwidth += latency ? 0 : seconds;
        }
    }
}

static void read_measured(struct scan *scan, struct candidate *candidate)
{
    char key[SCAN_TEXT], status[SCAN_TEXT] = "";
    double median = NAN;

    while (scan_member(scan, key)) {
        if (strcmp(key, "status") == 0)
            scan_text(scan, status);
        else if (strcmp(key, "median_seconds") == 0)
            scan_number(scan, &median);
        else
            scan_skip(scan);
    }
    if (strcmp(status, "ok") == 0)
        candidate->measured = median;
}

static void read_baseline(struct scan *scan, struct message *message)
{
    struct candidate baseline = {.measured = INFINITY};
    char key[SCAN_TEXT], name[SCAN_TEXT] = "";

    while (scan_member(scan, key)) {
        if (strcmp(key, "measured") == 0)
            read_measured(scan, &baseline);
        else if (strcmp(key, "name") == 0)
            scan_text(scan, name);
        else
            scan_skip(scan);
    }
    if (strcmp(name, "ncclAllReduce symmetric") == 0) /* no program makes it as it is */
        return;
    message->library = fmin(message->library, baseline.measured);
}

static void read_candidate(struct scan *scan, struct candidate *candidate)
{
    char key[SCAN_TEXT];

    candidate->measured = candidate->predicted = NAN;
    while (scan_member(scan, key)) {
        if (strcmp(key, "plan") == 0)
            scan_text(scan, candidate->plan);
        else if (strcmp(key, "predicted_seconds") == 0)
            scan_number(scan, &candidate->predicted);
        else if (strcmp(key, "measured") == 0)
            read_measured(scan, candidate);
        else if (strcmp(key, "layers") == 0)
            while (scan_element(scan))
                read_layer(scan, candidate);
        else
            scan_skip(scan);
    }
}

static struct candidate *add_candidate(struct scan *scan, struct message *message)
{
    void *grown = grow(message->candidates, message->count, sizeof(*message->candidates));

    if (!grown) {
        scan->failed = true;
        return NULL;
    }
    message->candidates = grown;
    return &message->candidates[message->count++];
}

static void read_candidates(struct scan *scan, struct message *message)
{
    while (scan_element(scan)) {
        struct candidate *candidate = add_candidate(scan, message);

        if (!candidate)
            return;
        read_candidate(scan, candidate);
    }
}

/* The library's own call is one more candidate, and the best one where it was measured faster. */
static void add_library(struct scan *scan, struct message *message)
{
    double best = NAN;
    struct candidate *candidate;

    if (!isfinite(message->library))
        return;
    for (size_t i = 0; i < message->count; i++)
        if (strcmp(message->candidates[i].plan, message->best) == 0)
            best = message->candidates[i].measured;
    candidate = add_candidate(scan, message);
    if (!candidate)
        return;
    *candidate =
        (struct candidate){.plan = LIBRARY, .measured = message->library, .predicted = NAN};
    if (message->library < best)
        memcpy(message->best, LIBRARY, sizeof(LIBRARY));
}

static void read_message(struct scan *scan, struct message *message)
{
    char key[SCAN_TEXT];

    message->library = INFINITY;
    while (scan_member(scan, key)) {
        if (strcmp(key, "message_bytes") == 0)
            scan_number(scan, &message->bytes);
        else if (strcmp(key, "best") == 0)
            scan_text(scan, message->best);
        else if (strcmp(key, "baselines") == 0)
            while (scan_element(scan))
                read_baseline(scan, message);
        else if (strcmp(key, "candidates") == 0)
            read_candidates(scan, message);
        else
            scan_skip(scan);
    }
    add_library(scan, message);
}

static void read_messages(struct scan *scan, struct file *file)
{
    while (scan_element(scan)) {
        void *grown = grow(file->messages, file->count, sizeof(*file->messages));

        if (!grown) {
            scan->failed = true;
            return;
        }
        file->messages = grown;
        read_message(scan, &file->messages[file->count++]);
    }
}

static void read_system(struct scan *scan, struct file *file)
{
    char key[SCAN_TEXT];

    while (scan_member(scan, key)) {
        if (strcmp(key, "parts") == 0)
            file->native = true;
        scan_skip(scan);
    }
}

static void read_backend(struct scan *scan, struct file *file)
{
    char name[SCAN_TEXT];

    scan_text(scan, name);
    file->chosen = strncmp(name, "nccl", strlen("nccl")) == 0;
    file->measured = !file->chosen;
}

static void read_collective(struct scan *scan, struct file *file)
{
    char name[SCAN_TEXT] = "";

    scan_text(scan, name);
    file->other = strcmp(name, "allreduce") != 0;
}

static void read_mesh(struct scan *scan, struct file *file)
{
    file->mesh = true;
    scan_skip(scan);
}

static void read_file(struct scan *scan, struct file *file)
{
    char key[SCAN_TEXT];

    while (scan_member(scan, key)) {
        if (strcmp(key, "format") == 0)
            scan_text(scan, file->format);
        else if (strcmp(key, "np") == 0)
            scan_number(scan, &file->np);
        else if (strcmp(key, "results") == 0)
            read_messages(scan, file);
        else if (strcmp(key, "system") == 0)
            read_system(scan, file);
        else if (strcmp(key, "backend") == 0)
            read_backend(scan, file);
        else if (strcmp(key, "collective") == 0)
            read_collective(scan, file);
        else if (strcmp(key, "mesh") == 0)
            read_mesh(scan, file);
        else
            scan_skip(scan);
    }
}

/* The whole file, NUL-terminated and owned by the caller; NULL with errno. */
static char *load(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    long length = -1;

    if (!stream)
        return NULL;
    if (fseek(stream, 0, SEEK_END) == 0)
        length = ftell(stream);
    errno = length > FILE_BYTES_MAX ? EFBIG : errno;
    if (length >= 0 && length <= FILE_BYTES_MAX && fseek(stream, 0, SEEK_SET) == 0)
        text = calloc((size_t)length + 1, 1);
    if (text && fread(text, 1, (size_t)length, stream) != (size_t)length) {
        free(text);
        text = NULL;
        errno = EIO;
    }
    fclose(stream);
    return text;
}

/* ---- rules ---- */

static const struct candidate *find(const struct message *message, const char *plan)
{
    for (size_t i = 0; i < message->count; i++)
        if (strcmp(message->candidates[i].plan, plan) == 0)
            return &message->candidates[i];
    return NULL;
}

/* Time by which `below` is slower than `above`; NaN where one of them has no time of this kind. */
static double difference(const struct message *message, const char *below, const char *above,
                         bool measured)
{
    const struct candidate *a = find(message, below), *b = find(message, above);

    if (!a || !b)
        return NAN;
    return measured ? a->measured - b->measured : a->predicted - b->predicted;
}

/* Where the best plan of `low` hands over to that of `high`. */
static double crossing(const struct message *low, const struct message *high)
{
    for (int measured = 1; measured >= 0; measured--) {
        double a = difference(low, low->best, high->best, measured);
        double b = difference(high, low->best, high->best, measured);

        if (a <= 0 && b >= 0 && b > a)
            return low->bytes + (high->bytes - low->bytes) * (-a / (b - a));
    }
    return sqrt(low->bytes) * sqrt(high->bytes);
}

static double first_bytes(const struct message *message)
{
    const struct candidate *best = find(message, message->best);
    double balance = INFINITY;

    if (best && best->bandwidth > 0)
        balance = message->bytes * best->latency / best->bandwidth;
    return balance < message->bytes ? balance : message->bytes;
}

/* "4x8x2" or "4x8x2/4": chunks are the program's affair. */
static bool parse_plan(struct rule *rule, const char *text, double np)
{
    double product = 1;
    char *end;

    rule->count = 0;
    if (strcmp(text, LIBRARY) == 0)
        return true;
    for (; rule->count < RULES_LAYERS; text = end + 1) {
        uint64_t size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;

        if (size < 2)
            return false;
        rule->sizes[rule->count++] = size;
        product *= (double)size;
        if (*end != 'x')
            return (*end == '\0' || *end == '/') && product == np;
    }
    return false;
}

static int compare_messages(const void *left, const void *right)
{
    const struct message *a = left, *b = right;

    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Joins neighbours of the same plan. Sizes without a best plan are passed over. */
static const char *make_rules(struct rules *rules, const struct file *file)
{
    const struct message *before = NULL;

    for (size_t i = 0; i < file->count; i++) {
        const struct message *message = &file->messages[i];
        struct rule *rule = &rules->rules[rules->count];
        struct rule *last = rules->count > 0 ? rule - 1 : NULL;

        if (!message->best[0])
            continue;
        if (!parse_plan(rule, message->best, file->np))
            return file->mesh ? "about groups of a mesh: export it (hiersearch export RESULT --to "
                                "nccl-tuner)"
                              : "a best plan that is not of np processes";
        snprintf(rule->plan, sizeof(rule->plan), "%.*s", RULES_PLAN - 1, message->best);
        rule->first_bytes = before ? crossing(before, message) : first_bytes(message);
        rule->end_bytes = INFINITY;
        before = message;
        if (last && strcmp(last->plan, rule->plan) == 0)
            continue;
        if (last)
            last->end_bytes = rule->first_bytes;
        rules->count++;
    }
    return rules->count > 0 ? NULL : "no best plan in it";
}

static const char *convert(struct rules *rules, struct file *file)
{
    if (strcmp(file->format, FORMAT) != 0)
        return "not a file of format " FORMAT;
    if (file->chosen || (file->native && !file->measured))
        return "its times are those of NCCL's own choice: there is nothing to tune";
    if (file->other)
        return "not about AllReduces: export it (hiersearch export RESULT --to nccl-tuner)";
    if (file->count > 0)
        qsort(file->messages, file->count, sizeof(*file->messages), compare_messages);
    rules->np = file->np;
    rules->rules = calloc(file->count + 1, sizeof(*rules->rules));
    return rules->rules ? make_rules(rules, file) : "out of memory";
}

const char *rules_load(struct rules *rules, const char *path)
{
    char *text = load(path);
    struct file file = {.np = 0};
    struct scan scan = {text, false};
    locale_t numbers, before;
    const char *wrong;

    memset(rules, 0, sizeof(*rules));
    if (!text)
        return strerror(errno);
    /* The program's locale may want a comma in numbers. */
    numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    before = uselocale(numbers);
    read_file(&scan, &file);
    uselocale(before);
    if (numbers)
        freelocale(numbers);
    wrong = scan.failed ? "not JSON, or not a result file" : convert(rules, &file);
    if (wrong)
        rules_release(rules);
    for (size_t i = 0; i < file.count; i++)
        free(file.messages[i].candidates);
    free(file.messages);
    free(text);
    return wrong;
}

void rules_release(struct rules *rules)
{
    free(rules->rules);
    memset(rules, 0, sizeof(*rules));
}

/* ---- looking up ---- */

static bool runs(const struct rule *rule, int layer, enum tuner_collective collective)
{
    if (layer == rule->count - 1)
        return collective == TUNER_ALL_REDUCE;
    return collective == TUNER_REDUCE_SCATTER || collective == TUNER_ALL_GATHER;
}

struct rules_match rules_find(const struct rules *rules, enum tuner_collective collective,
                              size_t ranks, size_t nodes, size_t bytes)
{
    struct rules_match match = {NULL, 0, 0};

    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->rules[i];
        uint64_t stride = 1;

        for (int layer = 0; layer < rule->count; stride *= rule->sizes[layer++]) {
            double message = (double)bytes * (double)stride;

            if (rule->sizes[layer] != ranks || !runs(rule, layer, collective) ||
                message < rule->first_bytes || message >= rule->end_bytes)
                continue;
            if (!match.rule || (nodes > 1 && stride > match.stride) ||
                (nodes <= 1 && stride < match.stride))
                match = (struct rules_match){rule, layer, stride};
        }
    }
    return match;
}

bool rules_know(const struct rules *rules, size_t ranks)
{
    for (size_t i = 0; i < rules->count; i++)
        for (int layer = 0; layer < rules->rules[i].count; layer++)
            if (rules->rules[i].sizes[layer] == ranks)
                return true;
    return false;
}
