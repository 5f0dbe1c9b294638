/*
 * Each vertex gets a color, made of what it is, of its links and of the colors at their other
 * ends, a few times over; subsets whose colors are the same are compared unit by unit (Read and
 * Corneil 1977).
 */
#include "links/subsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/random.h"

#define ROUNDS 4

struct subset_finder {
    int units, vertices;
    /* Of links from u to v one number for all that they are, 0: none; [vertices * vertices]. */
    uint64_t labels[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
};

/* The vertices that count, with colors. */
struct coloring {
    int count;
    int vertices[HS_LINKS_VERTICES];
    uint64_t colors[HS_LINKS_VERTICES], sum;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t state = a * 0x9e3779b97f4a7c15ULL ^ b;

    return hs_random_bits(&state) + hs_random_bits(&state) * 2;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void label_links(struct subset_finder *finder, const struct hs_links *links)
{
    int n = finder->vertices;

    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        uint64_t label = (uint64_t)link->count *
                         mix(bits_of(link->bytes_per_second), bits_of(link->latency_seconds));

        finder->labels[link->from * n + link->to] += label;
        if (!link->one_way)
            finder->labels[link->to * n + link->from] += label;
    }
}

static bool joined(const struct subset_finder *finder, int u, int v)
{
    return finder->labels[u * finder->vertices + v] != 0 ||
           finder->labels[v * finder->vertices + u] != 0;
}

/* Units of the set, and relays that join something: those with less than two neighbours do not. */
static void list_vertices(struct coloring *coloring, const struct subset_finder *finder,
                          uint64_t set)
{
    bool dropped = true;

    coloring->count = 0;
    for (int v = 0; v < finder->vertices; v++)
        if (v >= finder->units || set >> v & 1)
            coloring->vertices[coloring->count++] = v;
    while (dropped) {
        dropped = false;
        for (int i = coloring->count; i-- > 0 && coloring->vertices[i] >= finder->units;) {
            int neighbours = 0;

            for (int j = 0; j < coloring->count; j++)
                neighbours += joined(finder, coloring->vertices[i], coloring->vertices[j]);
            if (neighbours > 1)
                continue;
            memmove(&coloring->vertices[i], &coloring->vertices[i + 1],
                    (size_t)(--coloring->count - i) * sizeof(*coloring->vertices));
            dropped = true;
        }
    }
}

static void color(struct coloring *coloring, const struct subset_finder *finder)
{
    uint64_t next[HS_LINKS_VERTICES];
    int n = finder->vertices;

    for (int i = 0; i < coloring->count; i++)
        coloring->colors[i] = coloring->vertices[i] >= finder->units ? 2 : 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < coloring->count; i++) {
            int u = coloring->vertices[i];

            next[i] = mix(coloring->colors[i], 0);
            for (int j = 0; j < coloring->count; j++) {
                int v = coloring->vertices[j];

                if (joined(finder, u, v))
                    next[i] += mix(finder->labels[u * n + v],
                                   mix(finder->labels[v * n + u], coloring->colors[j]));
            }
        }
        memcpy(coloring->colors, next, sizeof(next));
    }
    coloring->sum = 0;
    for (int i = 0; i < coloring->count; i++)
        coloring->sum += mix(coloring->colors[i], 1);
}

/* ---- whether two are alike ------------------------------------------------------------------- */

struct match {
    const struct subset_finder *finder;
    const struct coloring *a, *b;
    int of[HS_LINKS_VERTICES]; /* a's i-th vertex is b's of[i]-th */
    bool taken[HS_LINKS_VERTICES];
};

/* Whether vertex j of b may be i of a, after those before i. */
static bool fits(const struct match *match, int i, int j)
{
    const struct subset_finder *finder = match->finder;
    const int *a = match->a->vertices, *b = match->b->vertices;
    int n = finder->vertices;

    if (match->taken[j] || match->a->colors[i] != match->b->colors[j])
        return false;
    for (int k = 0; k < i; k++)
        if (finder->labels[a[i] * n + a[k]] != finder->labels[b[j] * n + b[match->of[k]]] ||
            finder->labels[a[k] * n + a[i]] != finder->labels[b[match->of[k]] * n + b[j]])
            return false;
    return true;
}

static bool match_from(struct match *match, int i)
{
    if (i == match->a->count)
        return true;
    for (int j = 0; j < match->b->count; j++) {
        bool found;

        if (!fits(match, i, j))
            continue;
        match->of[i] = j;
        match->taken[j] = true;
        found = match_from(match, i + 1);
        match->taken[j] = false;
        if (found)
            return true;
    }
    return false;
}

static bool alike(const struct subset_finder *finder, const struct coloring *a,
                  const struct coloring *b)
{
    struct match match = {.finder = finder, .a = a, .b = b};

    return a->count == b->count && a->sum == b->sum && match_from(&match, 0);
}

/* ---- all of a size --------------------------------------------------------------------------- */

static double choices(int units, int size)
{
    double count = 1;

    for (int i = 0; i < size; i++)
        count = count * (units - i) / (i + 1);
    return count;
}

/* Counts a set among those it is like, or begins with it. */
static enum hs_status count_set(struct hs_subsets *subsets, size_t *capacity, uint64_t **sums,
                                const struct subset_finder *finder, uint64_t set,
                                struct hs_error *err)
{
    struct coloring own, other;
    struct hs_subset *added;
    void *room;

    list_vertices(&own, finder, set);
    color(&own, finder);
    for (size_t i = 0; *sums && i < subsets->count; i++) {
        if ((*sums)[i] != own.sum)
            continue;
        list_vertices(&other, finder, subsets->items[i].units);
        color(&other, finder);
        if (alike(finder, &other, &own)) {
            subsets->items[i].alike++;
            return HS_OK;
        }
    }
    added = hs_grow(&subsets->items, &capacity[0], subsets->count, sizeof(*added), err);
    room = hs_grow(sums, &capacity[1], subsets->count, sizeof(**sums), err);
    if (!added || !room)
        return HS_MEMORY;
    *added = (struct hs_subset){set, 1};
    (*sums)[subsets->count++] = own.sum;
    return HS_OK;
}

enum hs_status hs_subsets_find(struct hs_subsets *subsets, const struct hs_links *links, int size,
                               struct hs_error *err)
{
    struct subset_finder *finder;
    enum hs_status status = HS_OK;
    size_t capacity[2] = {0};
    uint64_t *sums = NULL, all = hs_links_all(links), set = size < 64 ? (1ULL << size) - 1 : ~0ULL;
    double count = choices(links->units, size);

    *subsets = (struct hs_subsets){0};
    if (count > HS_SUBSETS_MAX)
        return hs_fail(err, HS_INVALID, "%d of %d units: expected at most %d choices, found %.0f",
                       size, links->units, HS_SUBSETS_MAX, count);
    finder = calloc(1, sizeof(*finder));
    if (!finder)
        return hs_no_memory(err);
    finder->units = links->units;
    finder->vertices = hs_links_vertices(links);
    label_links(finder, links);
    for (bool more = true; more && !status;) {
        uint64_t low = set & -set, next;

        status = count_set(subsets, capacity, &sums, finder, set, err);
        /* The next larger number with as many bits (Gosper). */
        next = set + low;
        more = next > set && size < links->units;
        set = next | ((next ^ set) >> 2) / low;
        more = more && (set & ~all) == 0;
    }
    free(sums);
    free(finder);
    if (status)
        hs_subsets_release(subsets);
    return status;
}

void hs_subsets_release(struct hs_subsets *subsets)
{
    free(subsets->items);
    memset(subsets, 0, sizeof(*subsets));
}
