/* faults.c - see faults.h. */
#include "cli/faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "base/units.h"

#define SIGMA_MAX   10.0
#define FACTOR_MAX  1e6
#define SECONDS_MAX 1e6

static const struct {
    const char *name, *value;
} rows[HS_FAULT_COUNT] = {
#define HS_ROW(kind, name, value, help) [HS_FAULT_##kind] = {name, value},
    HS_FAULTS(HS_ROW)
#undef HS_ROW
};

/* "1.5" or "2e-3" alone: no blanks, no hexadecimal digits, no names such as inf. */
static bool read_number(double *number, const char *text)
{
    char *end;
    if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    *number = strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

static enum hs_status read_within(double *number, const char *text, const char *what, double least,
                                  double most, struct hs_error *err)
{
    if (!read_number(number, text) || *number < least || *number > most)
        return hs_fail(err, HS_INVALID, "%s: expected a number from %g to %g, found \"%s\"", what,
                       least, most, text);
    return HS_OK;
}

static enum hs_status read_factor(double *factor, const char *text, struct hs_error *err)
{
    if (!read_number(factor, text) || *factor <= 0 || *factor > FACTOR_MAX)
        return hs_fail(err, HS_INVALID,
                       "factor: expected a number above 0, at most %g, found \"%s\"", FACTOR_MAX,
                       text);
    return HS_OK;
}

static enum hs_status read_delay(double *seconds, const char *text, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    if (!read_number(seconds, text))
        status = hs_seconds_parse(seconds, text, err);
    if (status == HS_OK && (*seconds < 0 || *seconds > SECONDS_MAX))
        status = hs_fail(err, HS_INVALID, "expected from 0 to %g seconds, found \"%s\"",
                         SECONDS_MAX, text);
    return status;
}

/* Cuts "first:factor" at its colon and reads the factor. */
static enum hs_status cut_factor(double *factor, char *value, const char *form,
                                 struct hs_error *err)
{
    char *colon = strchr(value, ':');
    if (colon == NULL)
        return hs_fail(err, HS_INVALID, "expected %s, found \"%s\"", form, value);
    *colon = '\0';
    return read_factor(factor, colon + 1, err);
}

/* Processes of a job, and of a group of its mesh. */
struct extent {
    int64_t np, callers;
};

/* Reads the rank behind a plan, where there is one, and cuts it off. */
static enum hs_status cut_rank(int64_t *rank, char *value, int64_t np, struct hs_error *err)
{
    char *colon = strchr(value, ':');

    if (!colon)
        return HS_OK;
    *colon = '\0';
    return hs_count_parse(rank, colon + 1, "rank", 0, np - 1, err);
}

static enum hs_status read_value(struct hs_fault *fault, char *value, struct extent of,
                                 struct hs_error *err)
{
    const char *form = rows[fault->kind].value;
    enum hs_status status = HS_OK;
    if (strstr(form, ":FACTOR") != NULL)
        status = cut_factor(&fault->factor, value, form, err);
    if (status != HS_OK)
        return status;
    switch (fault->kind) {
    case HS_FAULT_NOISE:
        return read_within(&fault->number, value, "standard deviation", 0, SIGMA_MAX, err);
    case HS_FAULT_OUTLIER:
        return read_within(&fault->number, value, "probability", 0, 1, err);
    case HS_FAULT_DELAY:
        return read_delay(&fault->number, value, err);
    case HS_FAULT_SLOW:
        return hs_count_parse(&fault->rank, value, "rank", 0, of.np - 1, err);
    case HS_FAULT_BIAS:
    case HS_FAULT_FAIL:
    case HS_FAULT_HANG:
    case HS_FAULT_CRASH:
        return hs_plan_parse(&fault->plan, value, of.callers, err);
    case HS_FAULT_WRONG:
        status = cut_rank(&fault->rank, value, of.np, err);
        return status ? status : hs_plan_parse(&fault->plan, value, of.callers, err);
    case HS_FAULT_COUNT:
        break;
    }
    abort();
}

static enum hs_status unknown_name(const char *name, struct hs_error *err)
{
    const char *names[HS_FAULT_COUNT];
    struct hs_text list = {0};
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++) {
        names[kind] = rows[kind].name;
        hs_text_append(&list, "%s%s", kind > 0 ? ", " : "", names[kind]);
    }
    const char *nearest = hs_nearest_name(name, names, HS_FAULT_COUNT);
    if (nearest != NULL)
        hs_error_set(err, HS_INVALID, "unknown \"%s\", did you mean %s?", name, nearest);
    else
        hs_error_set(err, HS_INVALID, "expected one of %s, found \"%s\"",
                     list.data != NULL ? list.data : "", name);
    hs_text_release(&list);
    return HS_INVALID;
}

/* `item` is "name=value" and is cut up. */
static enum hs_status read_item(struct hs_fault *fault, char *item, struct extent of,
                                struct hs_error *err)
{
    char *value = strchr(item, '=');
    int kind = 0;
    if (value != NULL)
        *value++ = '\0';
    while (kind < HS_FAULT_COUNT && strcmp(item, rows[kind].name) != 0)
        kind++;
    if (kind == HS_FAULT_COUNT)
        return unknown_name(item, err);
    if (value == NULL)
        return hs_fail(err, HS_INVALID, "%s: expected %s=%s", item, item, rows[kind].value);
    *fault = (struct hs_fault){.kind = (enum hs_fault_kind)kind};
    enum hs_status status = read_value(fault, value, of, err);
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, rows[kind].name);
}

static enum hs_status add(struct hs_faults *faults, const struct hs_fault *fault,
                          struct hs_error *err)
{
    const char *name = rows[fault->kind].name;
    for (int i = 0; i < faults->count; i++) {
        const struct hs_fault *other = &faults->items[i];
        if (other->kind == fault->kind && other->rank == fault->rank &&
            hs_plan_compare(&other->plan, &fault->plan) == 0)
            return hs_fail(err, HS_INVALID, "%s: given twice", name);
    }
    if (faults->count == HS_FAULTS_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d of them", HS_FAULTS_MAX);
    faults->items[faults->count++] = *fault;
    return HS_OK;
}

enum hs_status hs_faults_parse(struct hs_faults *faults, const char *text, int64_t np,
                               int64_t callers, struct hs_error *err)
{
    const struct extent of = {np, callers};

    *faults = (struct hs_faults){0};
    if (text == NULL || text[0] == '\0')
        return HS_OK;
    char *copy = hs_strdup(text), *rest = copy, *item;
    if (copy == NULL)
        return hs_fail(err, HS_MEMORY, "faults: out of memory");
    enum hs_status status = HS_OK;
    while (status == HS_OK && (item = strsep(&rest, ",")) != NULL) {
        struct hs_fault fault;
        status = read_item(&fault, item, of, err);
        if (status == HS_OK)
            status = add(faults, &fault, err);
    }
    free(copy);
    if (status != HS_OK) {
        *faults = (struct hs_faults){0};
        return hs_error_prefix(err, status, "faults");
    }
    return HS_OK;
}

static const struct hs_fault *find(const struct hs_faults *faults, enum hs_fault_kind kind,
                                   const struct hs_plan *plan)
{
    for (int i = 0; i < faults->count; i++)
        if (faults->items[i].kind == kind &&
            (plan == NULL || hs_plan_compare(&faults->items[i].plan, plan) == 0))
            return &faults->items[i];
    return NULL;
}

bool hs_faults_hit(const struct hs_faults *faults, enum hs_fault_kind kind,
                   const struct hs_plan *plan)
{
    return find(faults, kind, plan) != NULL;
}

int64_t hs_faults_wrong_rank(const struct hs_faults *faults, const struct hs_plan *plan)
{
    const struct hs_fault *wrong = find(faults, HS_FAULT_WRONG, plan);
    return wrong != NULL ? wrong->rank : -1;
}

double hs_faults_bias(const struct hs_faults *faults, const struct hs_plan *plan)
{
    const struct hs_fault *bias = find(faults, HS_FAULT_BIAS, plan);
    return bias != NULL ? bias->factor : 1;
}

double hs_faults_delay_seconds(const struct hs_faults *faults)
{
    const struct hs_fault *delay = find(faults, HS_FAULT_DELAY, NULL);
    return delay != NULL ? delay->number : 0;
}

static uint64_t stir(uint64_t state, uint64_t value)
{
    state ^= value;
    return hs_random_bits(&state);
}

uint64_t hs_faults_draw(uint64_t seed, const char *what, uint64_t message_bytes, uint64_t run)
{
    uint64_t draw = stir(0, seed);
    for (const char *at = what; *at != '\0'; at++)
        draw = stir(draw, (unsigned char)*at);
    return stir(stir(draw, message_bytes), run);
}

double hs_faults_factor(const struct hs_faults *faults, uint64_t draw, int64_t rank)
{
    /* Drawn whether needed or not, so that one fault does not change what another one draws. */
    double z = hs_random_normal(&draw), chance = hs_random_uniform(&draw), factor = 1;
    for (int i = 0; i < faults->count; i++) {
        const struct hs_fault *fault = &faults->items[i];
        bool outlier = fault->kind == HS_FAULT_OUTLIER && chance <= fault->number;
        bool slow = fault->kind == HS_FAULT_SLOW && fault->rank == rank;
        if (fault->kind == HS_FAULT_NOISE)
            factor *= exp(fault->number * z);
        else if (outlier || slow)
            factor *= fault->factor;
    }
    return factor;
}
