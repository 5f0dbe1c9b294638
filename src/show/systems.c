#include "show/systems.h"
#include "estimate/system_file.h"
#include "library/price_nccl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "library/price_mpi.h"

#define TEXT_BYTES 256 /* eight arities, or two figures with their intervals */

/* ---- a row per system ---- */

const char *const hs_level_figures[HS_LEVEL_FIGURES] = {"arity", "fabric", "latency", "bandwidth"};

void hs_level_sources(const char *sources[HS_LEVEL_FIGURES], const struct hs_level *level)
{
    sources[0] = level->arity_source;
    sources[1] = level->fabric_source;
    sources[2] = level->latency_source;
    sources[3] = level->bandwidth_source;
}

static size_t unverified(const struct hs_system *system)
{
    const char *sources[HS_LEVEL_FIGURES];
    size_t count = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        hs_level_sources(sources, &system->levels[l]);
        for (size_t i = 0; i < HS_LEVEL_FIGURES; i++)
            count += !sources[i] || strncasecmp(sources[i], "unverified", 10) == 0;
    }
    return count;
}

/* "4 x 32 x n" */
static const char *arities(char text[TEXT_BYTES], const struct hs_system *system)
{
    int length = 0;

    for (size_t l = 0; l < system->level_count; l++)
        length += snprintf(text + length, TEXT_BYTES - (size_t)length,
                           system->levels[l].arity ? "%s%" PRId64 : "%sn", l ? " x " : "",
                           system->levels[l].arity);
    return text;
}

static const char *share_text(char text[TEXT_BYTES], size_t part, size_t whole)
{
    snprintf(text, TEXT_BYTES, "%zu of %zu", part, whole);
    return text;
}

/* A number that may be without end. */
static struct hs_value or_any(int64_t number, int64_t any)
{
    return (struct hs_value){.number = number == any ? NAN : (double)number,
                             .mark = number == any ? "any" : NULL};
}

/* clang-format off */
#define SYSTEMS(column)                                                                            \
    column(SYSTEM, "system", "system", NULL, TEXT, ALWAYS, name)                                   \
    column(RANKS, "np", "processes", NULL, COUNT, ALWAYS,                                          \
           or_any(hs_system_capacity(s), INT64_MAX))                                               \
    column(ARITIES, "levels", "levels", NULL, TEXT, ALWAYS, arities((char[TEXT_BYTES]){0}, s))     \
    column(UNVERIFIED, "unverified", NULL, NULL, COUNT, ALWAYS, unverified(s))                     \
    column(FIGURES, "figures", NULL, NULL, COUNT, ALWAYS, HS_LEVEL_FIGURES * s->level_count)       \
    column(OF_FIGURES, NULL, "unverified", NULL, FIGURE, ALWAYS,                                   \
           share_text((char[TEXT_BYTES]){0}, unverified(s), HS_LEVEL_FIGURES * s->level_count))    \
    column(MACHINE, "machine", "machine", NULL, TEXT, ALWAYS, s->title)
/* clang-format on */

enum { SYSTEMS(HS_COLUMN_ID) };
static const struct hs_column systems[] = {SYSTEMS(HS_COLUMN_ROW)};

void hs_systems_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "systems", systems);
    table->cut = true;
}

void hs_systems_add(struct hs_table *table, const struct hs_system *s, const char *name)
{
    hs_table_row(table);
    SYSTEMS(HS_COLUMN_PUT)
}

/* ---- what cannot be true ---- */

/* clang-format off */
#define FINDINGS(column)                                                                           \
    column(OF_SYSTEM, "system", "system", NULL, TEXT, ALWAYS, name)                                \
    column(PLACE, "place", "place", NULL, TEXT, ALWAYS, finding->place)                            \
    column(FOUND, "found", "found", NULL, TEXT, ALWAYS, finding->found)                            \
    column(EXPECTED, "expected", "expected", NULL, TEXT, ALWAYS, finding->expected)
/* clang-format on */

enum { FINDINGS(HS_COLUMN_ID) };
static const struct hs_column findings[] = {FINDINGS(HS_COLUMN_ROW)};

void hs_findings_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "findings", findings);
    table->cut = true;
}

void hs_findings_add(struct hs_table *table, const struct hs_finding *finding, const char *name)
{
    hs_table_row(table);
    FINDINGS(HS_COLUMN_PUT)
}

/* ---- levels ---- */

/* clang-format off */
#define LEVELS(column)                                                                             \
    column(NAME, "level", "level", NULL, TEXT, ALWAYS, (const char *)level->name)                  \
    column(ARITY, "arity", "arity", NULL, COUNT, ALWAYS, or_any(level->arity, 0))                  \
    column(FABRIC, "fabric", "fabric", NULL, TEXT, ALWAYS, hs_fabric_names[level->fabric])         \
    column(LATENCY, "latency_seconds", "latency", NULL, TIME, ALWAYS, level->latency_seconds)      \
    column(RATE, "bytes_per_second", "bandwidth", NULL, RATE, ALWAYS, level->bytes_per_second)     \
    column(SHARED, "shared_bytes_per_second", "of a unit", NULL, RATE, IF_ANY,                     \
           level->shared_bytes_per_second > 0 ? level->shared_bytes_per_second : (double)NAN)      \
    column(EAGER, "eager_bytes", "eager", NULL, SIZE, IF_ANY,                                      \
           level->rendezvous_seconds > 0 ? level->eager_bytes : (double)NAN)                       \
    column(RENDEZVOUS, "rendezvous_seconds", "rendezvous", NULL, TIME, IF_ANY,                     \
           level->rendezvous_seconds > 0 ? level->rendezvous_seconds : (double)NAN)                \
    column(PORTS, "ports", "ports", NULL, COUNT, ALWAYS, level->ports)                             \
    column(STRIPED, "striped", "striped", NULL, TEXT, ALWAYS,                                      \
           !level->striped ? "no" : level->ports > 1 ? "yes" : "-")                                \
    column(CHILD, "ranks_per_child", "ranks per child", NULL, COUNT, ALWAYS,                       \
           hs_system_child_ranks(system, l))
/* clang-format on */

enum { LEVELS(HS_COLUMN_ID) };
static const struct hs_column levels[] = {LEVELS(HS_COLUMN_ROW)};

void hs_levels_table(struct hs_table *table, const struct hs_system *system)
{
    HS_TABLE_INIT(table, "levels", levels);
    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];

        hs_table_row(table);
        LEVELS(HS_COLUMN_PUT)
    }
}

/* ---- single links ---- */

#define BETWEEN(link) between((char[TEXT_BYTES]){0}, link)
static const char *between(char text[TEXT_BYTES], const struct hs_link *link)
{
    snprintf(text, TEXT_BYTES, link->one_way ? "%d > %d" : "%d - %d", link->from, link->to);
    return text;
}

/* clang-format off */
#define LINKS(column)                                                                              \
    column(LINK_LEVEL, "level", "level", NULL, TEXT, ALWAYS, (const char *)level->name)            \
    column(FROM, "from", NULL, NULL, COUNT, ALWAYS, link->from)                                    \
    column(TO, "to", NULL, NULL, COUNT, ALWAYS, link->to)                                          \
    column(BOTH, NULL, "between", NULL, FIGURE, ALWAYS, BETWEEN(link))                             \
    column(ONE_WAY, "one_way", NULL, NULL, COUNT, ALWAYS, link->one_way)                           \
    column(LINK_COUNT, "links", "links", NULL, COUNT, ALWAYS, link->count)                         \
    column(EACH, "bytes_per_second", "each", NULL, RATE, ALWAYS, link->bytes_per_second)           \
    column(LINK_LATENCY, "latency_seconds", "latency", NULL, TIME, ALWAYS,                         \
           link->latency_seconds > 0 ? link->latency_seconds : level->latency_seconds)
/* clang-format on */

enum { LINKS(HS_COLUMN_ID) };
static const struct hs_column links[] = {LINKS(HS_COLUMN_ROW)};

void hs_links_table(struct hs_table *table, const struct hs_level *level)
{
    HS_TABLE_INIT(table, "links", links);
    for (size_t i = 0; i < level->links.count; i++) {
        const struct hs_link *link = &level->links.items[i];

        hs_table_row(table);
        LINKS(HS_COLUMN_PUT)
    }
}

/* ---- constants of its library ---- */

static const struct hs_constant *constant_of(const struct hs_system *system, const char *name)
{
    const struct hs_price_model *model = system->parts ? &hs_nccl_price_model : &hs_mpi_price_model;

    for (size_t i = 0; i < model->count; i++)
        if (strcmp(model->constants[i].name, name) == 0)
            return &model->constants[i];
    return NULL;
}

/* clang-format off */
#define CONSTANTS(column)                                                                          \
    column(CONSTANT, "constant", "constant", NULL, TEXT, ALWAYS, (const char *)c->name)            \
    column(VALUE, "value", "value", NULL, FIGURE, ALWAYS, DIGITS(4, c->value))                     \
    column(LOW_END, "low", "95 % from", NULL, FIGURE, IF_ANY,                                      \
           isfinite(c->low) ? DIGITS(4, c->low) : NULL)                                            \
    column(HIGH_END, "high", "to", NULL, FIGURE, IF_ANY,                                           \
           isfinite(c->high) ? DIGITS(4, c->high) : NULL)                                          \
    column(SHIPPED, "shipped", "all machines", NULL, FIGURE, ALWAYS,                               \
           row ? DIGITS(4, row->fitted) : NULL)                                                    \
    column(CONSTANT_UNIT, "unit", "unit", NULL, TEXT, ALWAYS, row ? row->unit : NULL)              \
    column(MEANING, "meaning", "meaning", NULL, TEXT, ALWAYS, row ? row->meaning : NULL)
/* clang-format on */

#define DIGITS(significant, number) digits((char[HS_FIGURE_TEXT]){0}, significant, number)
static const char *digits(char text[HS_FIGURE_TEXT], int significant, double number)
{
    snprintf(text, HS_FIGURE_TEXT, "%.*g", significant, number);
    return text;
}

enum { CONSTANTS(HS_COLUMN_ID) };
static const struct hs_column constants[] = {CONSTANTS(HS_COLUMN_ROW)};

void hs_own_constants_table(struct hs_table *table, const struct hs_system *system)
{
    HS_TABLE_INIT(table, "constants", constants);
    table->cut = true;
    for (size_t i = 0; i < system->constants.count; i++) {
        const struct hs_own_constant *c = &system->constants.items[i];
        const struct hs_constant *row = constant_of(system, c->name);

        hs_table_row(table);
        CONSTANTS(HS_COLUMN_PUT)
    }
}

/* ---- fits ---- */

/* "4.800 us +- 1.200 us"; returns text. */
static const char *with_interval(char text[TEXT_BYTES], const char *value, const char *half_width,
                                 double interval)
{
    snprintf(text, TEXT_BYTES, isfinite(interval) ? "%s +- %s" : "%s", value, half_width);
    return text;
}

static const char *range_text(char text[TEXT_BYTES], const char *from, const char *to, bool one)
{
    snprintf(text, TEXT_BYTES, one ? "%s" : "%s to %s", from, to);
    return text;
}

/* The level, and what sets a fit's layers apart from others of it. */
static const char *fit_level(char text[TEXT_BYTES], const struct hs_system *system,
                             const struct hs_fit *fit)
{
    bool ring = fit->algorithm == HS_RING;

    snprintf(text, TEXT_BYTES, "%s%s%s%s%s", system->levels[fit->level].name,
             fit->misaligned ? ", misaligned" : "", ring ? "" : ", ",
             ring ? "" : hs_algorithm_names[fit->algorithm], fit->exchanges ? ", exchange" : "");
    return text;
}

/* Numbers of a scope wider than this do not exist. */
static double of_scope(const struct hs_fit *fit, enum hs_fit_scope scope, double number)
{
    return fit->scope >= scope ? number : NAN;
}

#define NUMBER_TEXT(number) share_number((char[HS_FIGURE_TEXT]){0}, number)
static const char *share_number(char text[HS_FIGURE_TEXT], int64_t number)
{
    snprintf(text, HS_FIGURE_TEXT, "%" PRId64, number);
    return text;
}

/* clang-format off */
#define FITS(column)                                                                               \
    column(FIT_LEVEL, "level", "level", NULL, TEXT, ALWAYS,                                        \
           hs_value_marked(system->levels[fit->level].name, fit->misaligned ? " ~" : NULL))        \
    column(MISALIGNED, "misaligned", NULL, NULL, COUNT, ALWAYS, fit->misaligned)                  \
    column(SCOPE, "scope", "fit of", NULL, TEXT, ALWAYS, hs_fit_scope_names[fit->scope])           \
    column(MIN_SIZE, "min_size", NULL, NULL, COUNT, ALWAYS, fit->min_size)                         \
    column(MAX_SIZE, "max_size", NULL, NULL, COUNT, ALWAYS, fit->max_size)                         \
    column(SIZES, NULL, "size", NULL, FIGURE, ALWAYS,                                              \
           range_text((char[TEXT_BYTES]){0}, NUMBER_TEXT(fit->min_size),                           \
                      NUMBER_TEXT(fit->max_size), fit->min_size == fit->max_size))                 \
    column(STRIDE, "stride", "stride", NULL, COUNT, ALWAYS,                                        \
           of_scope(fit, HS_FIT_LAYER, (double)fit->stride))                                       \
    column(STEP, "latency_seconds", NULL, NULL, TIME, ALWAYS, fit->latency_seconds)                \
    column(STEP_CI95, "latency_ci95_seconds", NULL, NULL, TIME, ALWAYS, fit->latency_ci95_seconds) \
    column(STEP_TEXT, NULL, "latency", NULL, TEXT, ALWAYS,                                         \
           with_interval((char[TEXT_BYTES]){0}, HS_AS_TIME(fit->latency_seconds),                  \
                         HS_AS_TIME(fit->latency_ci95_seconds), fit->latency_ci95_seconds))        \
    column(FITTED, "bytes_per_second", NULL, NULL, RATE, ALWAYS, fit->bytes_per_second)            \
    column(FITTED_CI95, "bandwidth_ci95_bytes_per_second", NULL, NULL, RATE, ALWAYS,               \
           fit->bandwidth_ci95_bytes_per_second)                                                   \
    column(FITTED_TEXT, NULL, "bandwidth", NULL, TEXT, ALWAYS,                                     \
           with_interval((char[TEXT_BYTES]){0}, HS_AS_RATE(fit->bytes_per_second),                 \
                         HS_AS_RATE(fit->bandwidth_ci95_bytes_per_second),                         \
                         fit->bandwidth_ci95_bytes_per_second))                                    \
    column(HALF, "half_bandwidth_bytes", "half at", NULL, SIZE, ALWAYS,                            \
           of_scope(fit, HS_FIT_SIZE, hs_fit_half_bandwidth_bytes(fit, system)))                   \
    column(SPREAD, "relative_ci95", "+-%", NULL, PERCENT, ALWAYS,                                  \
           isfinite(fit->relative_ci95) ? fit->relative_ci95 : NAN)                                \
    column(POINTS, "points", "points", NULL, COUNT, ALWAYS, fit->points)                           \
    column(RESIDUAL, "residual", "residual", "%", PERCENT, ALWAYS, fit->residual)                  \
    column(MIN_BYTES, "min_bytes", NULL, NULL, SIZE, ALWAYS, fit->min_bytes)                       \
    column(MAX_BYTES, "max_bytes", NULL, NULL, SIZE, ALWAYS, fit->max_bytes)                       \
    column(ENTERING, NULL, "bytes entering", NULL, TEXT, ALWAYS,                                   \
           range_text((char[TEXT_BYTES]){0}, HS_AS_SIZE(fit->min_bytes),                           \
                      HS_AS_SIZE(fit->max_bytes), false))                                          \
    column(LONG_LEVEL, NULL, "level", NULL, TEXT, ALWAYS,                                          \
           fit_level((char[TEXT_BYTES]){0}, system, fit))                                          \
    column(SIZE, NULL, "size", NULL, COUNT, ALWAYS,                                                \
           or_any(fit->scope == HS_FIT_LEVEL ? 0 : fit->size, 0))                                  \
    column(MICROSECONDS, NULL, "latency us", NULL, FIGURE, ALWAYS,                                 \
           DIGITS(4, 1e6 * fit->latency_seconds))                                                  \
    column(MICROSECONDS_CI95, NULL, "+-", NULL, FIGURE, ALWAYS,                                    \
           DIGITS(2, 1e6 * fit->latency_ci95_seconds))                                             \
    column(GIGABYTES, NULL, "GB/s", NULL, FIGURE, ALWAYS, DIGITS(4, 1e-9 * fit->bytes_per_second)) \
    column(GIGABYTES_CI95, NULL, "+-", NULL, FIGURE, ALWAYS,                                       \
           DIGITS(2, 1e-9 * fit->bandwidth_ci95_bytes_per_second))                                 \
    column(HALF_OR_DASH, NULL, "n1/2", NULL, SIZE, ALWAYS,                                         \
           hs_or_dash(of_scope(fit, HS_FIT_SIZE, hs_fit_half_bandwidth_bytes(fit, system))))
/* clang-format on */

enum { FITS(HS_COLUMN_ID) };
static const struct hs_column fits[] = {FITS(HS_COLUMN_ROW)};

#define P HS_PICK
static const struct hs_pick
    all_fits[] = {P(FIT_LEVEL), P(SCOPE),  P(SIZES),  P(STRIDE),   P(STEP_TEXT), P(FITTED_TEXT),
                  P(HALF),      P(SPREAD), P(POINTS), P(RESIDUAL), P(ENTERING)},
    level_fits[] = {P(LONG_LEVEL), P(SIZE),           P(MICROSECONDS),     P(MICROSECONDS_CI95),
                    P(GIGABYTES),  P(GIGABYTES_CI95), P(HALF_OR_DASH),     {SPREAD, "time +- %"},
                    P(RESIDUAL),   P(POINTS),         {MIN_BYTES, "from"}, {MAX_BYTES, "to"}},
    levels_alone[] = {P(LONG_LEVEL), P(MICROSECONDS),   P(MICROSECONDS_CI95),
                      P(GIGABYTES),  P(GIGABYTES_CI95), P(RESIDUAL),
                      P(POINTS)};
#undef P

void hs_fits_table(struct hs_table *table, const struct hs_system *system, enum hs_fits_of view)
{
    HS_TABLE_INIT(table, "fits", fits);
    table->picks = view == HS_FITS_OF_LAYERS  ? HS_PICKS(all_fits)
                   : view == HS_FITS_OF_SIZES ? HS_PICKS(level_fits)
                                              : HS_PICKS(levels_alone);
    for (size_t i = 0; i < system->fits.count; i++) {
        const struct hs_fit *fit = &system->fits.items[i];

        if (fit->scope > (view == HS_FITS_OF_LEVELS  ? HS_FIT_LEVEL
                          : view == HS_FITS_OF_SIZES ? HS_FIT_SIZE
                                                     : HS_FIT_LAYER))
            continue;
        hs_table_row(table);
        FITS(HS_COLUMN_PUT)
    }
}
