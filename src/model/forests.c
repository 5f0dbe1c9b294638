/* forests.c - see forests.h. */
#include "model/forests.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/units.h"

#define WHOLE    1000000000000.0  /* shares of 1 */
#define RATE_MAX 1000000000000000 /* bytes per second: what is read is written alike */

void hs_packing_release(struct hs_packing *packing)
{
    free(packing->trees);
    free(packing->routes);
    memset(packing, 0, sizeof(*packing));
}

const struct hs_packing *hs_forests_find(const struct hs_forests *forests, struct hs_stage_key key)
{
    const struct hs_packing *packing;

    if (!forests || (int)key.phase >= HS_FORESTS || key.layer.stride != 1 ||
        key.layer.size != forests->units)
        return NULL;
    packing = &forests->of[key.algorithm][key.phase];
    return packing->count > 0 ? packing : NULL;
}

void hs_forests_release(struct hs_forests *forests)
{
    for (int i = 0; i < HS_ALGORITHM_COUNT * HS_FORESTS; i++)
        hs_packing_release(&forests->of[i / HS_FORESTS][i % HS_FORESTS]);
    forests->units = 0;
}

/* ---- writing ---- */

static void append_way(struct hs_text *text, bool has, const int *next, int units)
{
    hs_text_append(text, ":");
    if (!has)
        hs_text_append(text, "-");
    for (int u = 0; has && u < units; u++)
        if (next[u] < 0)
            hs_text_append(text, "%s.", u ? "," : "");
        else
            hs_text_append(text, "%s%d", u ? "," : "", next[u]);
}

static void append_packing(struct hs_text *text, const char *algorithm,
                           const struct hs_packing *packing)
{
    hs_text_append(text, "trees %s %s %d %.0f", algorithm, hs_phase_names[packing->phase],
                   packing->units, fmin(fmax(1, round(1 / packing->seconds_per_byte)), RATE_MAX));
    for (size_t i = 0; i < packing->count; i++) {
        const struct hs_tree *tree = &packing->trees[i];

        hs_text_append(text, " %d:%.0f", tree->root, fmax(1, round(WHOLE * tree->share)));
        append_way(text, packing->phase != HS_ALLGATHER, tree->up, packing->units);
        append_way(text, packing->phase != HS_REDUCE_SCATTER, tree->down, packing->units);
    }
    hs_text_append(text, "\n");
}

void hs_forests_append(struct hs_text *text, const struct hs_forests *forests)
{
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        for (int p = 0; p < HS_FORESTS; p++)
            if (forests->of[a][p].count > 0)
                append_packing(text, hs_algorithm_names[a], &forests->of[a][p]);
}

/* ---- reading ---- */

/* Whether each unit's way ends at the root. */
static bool is_tree(const int *next, int units, int root)
{
    if (next[root] >= 0)
        return false;
    for (int u = 0; u < units; u++) {
        int at = u, steps = 0;

        for (; at != root && next[at] >= 0 && steps < units; steps++)
            at = next[at];
        if (at != root)
            return false;
    }
    return true;
}

/* "-" or ".,0,0,1" */
static enum hs_status read_way(int next[HS_LINKS_UNITS], char *word, bool has,
                               const struct hs_packing *packing, struct hs_error *err)
{
    char *unit;
    int count = 0;

    for (int u = 0; u < HS_LINKS_UNITS; u++)
        next[u] = -1;
    if (!has)
        return word && strcmp(word, "-") == 0
                   ? HS_OK
                   : hs_fail(err, HS_INVALID, "expected \"-\" where %s has no way",
                             hs_phase_names[packing->phase]);
    while ((unit = strsep(&word, ","))) {
        int64_t other = -1;
        enum hs_status status = HS_OK;

        if (count == packing->units)
            return hs_fail(err, HS_INVALID, "more than %d units in a tree", packing->units);
        if (strcmp(unit, ".") != 0)
            status = hs_count_parse(&other, unit, "unit", 0, packing->units - 1, err);
        if (status != HS_OK)
            return status;
        next[count++] = (int)other;
    }
    return count == packing->units
               ? HS_OK
               : hs_fail(err, HS_INVALID, "%d of %d units in a tree", count, packing->units);
}

/* "0:250000000000:-:.,0,0,1" */
static enum hs_status read_tree(struct hs_packing *packing, char *word, struct hs_error *err)
{
    bool goes_up = packing->phase != HS_ALLGATHER, comes_down = packing->phase != HS_REDUCE_SCATTER;
    char *root = strsep(&word, ":"), *share = strsep(&word, ":"), *up = strsep(&word, ":");
    struct hs_tree tree = {0}, *added;
    int64_t value, parts;
    enum hs_status status = hs_count_parse(&value, root, "root", 0, packing->units - 1, err);

    if (status == HS_OK)
        status = hs_count_parse(&parts, share ? share : "", "share", 1, (int64_t)WHOLE, err);
    if (status == HS_OK)
        status = read_way(tree.up, up, goes_up, packing, err);
    if (status == HS_OK)
        status = read_way(tree.down, word, comes_down, packing, err);
    if (status != HS_OK)
        return status;
    tree.root = (int)value;
    tree.share = (double)parts / WHOLE;
    memset(tree.up_route, -1, sizeof(tree.up_route));
    memset(tree.down_route, -1, sizeof(tree.down_route));
    if ((goes_up && !is_tree(tree.up, packing->units, tree.root)) ||
        (comes_down && !is_tree(tree.down, packing->units, tree.root)))
        return hs_fail(err, HS_INVALID, "tree %zu does not join all units with its root %d",
                       packing->count + 1, tree.root);
    added = hs_grow(&packing->trees, NULL, packing->count, sizeof(tree), err);
    if (!added)
        return HS_MEMORY;
    *added = tree;
    packing->count++;
    return HS_OK;
}

/* An allreduce's shares sum to 1, else those of each root, which come one behind the other. */
static enum hs_status check_shares(const struct hs_packing *packing, struct hs_error *err)
{
    bool rooted = packing->phase != HS_ALLREDUCE;
    int root = 0;
    double sum = 0;

    for (size_t i = 0; i <= packing->count; i++) {
        bool ends = i == packing->count || (rooted && packing->trees[i].root != root);

        if (ends && fabs(sum - 1) > 1e-9)
            return hs_fail(err, HS_INVALID, "shares of trees up to the %zuth sum to %.9g, not 1", i,
                           sum);
        if (ends && i < packing->count && packing->trees[i].root != ++root)
            return hs_fail(err, HS_INVALID, "expected trees of root %d behind those of %d", root,
                           root - 1);
        if (i < packing->count)
            sum = (ends ? 0 : sum) + packing->trees[i].share;
    }
    return !rooted || root == packing->units - 1
               ? HS_OK
               : hs_fail(err, HS_INVALID, "no tree of root %d", root + 1);
}

static bool is_same(const struct hs_packing *a, const struct hs_packing *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; i < a->count && same; i++)
        same = a->trees[i].root == b->trees[i].root && a->trees[i].share == b->trees[i].share &&
               memcmp(a->trees[i].up, b->trees[i].up, sizeof(a->trees[i].up)) == 0 &&
               memcmp(a->trees[i].down, b->trees[i].down, sizeof(a->trees[i].down)) == 0;
    return same;
}

static enum hs_status keep(struct hs_forests *forests, enum hs_algorithm algorithm,
                           struct hs_packing *packing, struct hs_error *err)
{
    struct hs_packing *kept = &forests->of[algorithm][packing->phase];

    if (forests->units > 0 && forests->units != packing->units)
        return hs_fail(err, HS_INVALID, "trees of %d and of %d units", forests->units,
                       packing->units);
    if (kept->count > 0 && !is_same(kept, packing))
        return hs_fail(err, HS_INVALID, "%s: %s by other trees: results of different machines",
                       hs_algorithm_names[algorithm], hs_phase_names[packing->phase]);
    hs_packing_release(kept);
    *kept = *packing;
    *packing = (struct hs_packing){0};
    forests->units = kept->units;
    return HS_OK;
}

/* What stands in front of the trees. */
static enum hs_status read_head(enum hs_algorithm *algorithm, struct hs_packing *packing,
                                char **line, struct hs_error *err)
{
    char *word = hs_word_next(line);
    size_t which, phase;
    int64_t units, rate;
    enum hs_status status = hs_name_find(&which, word ? word : "", "algorithm", hs_algorithm_names,
                                         HS_ALGORITHM_COUNT, err);

    if (status == HS_OK && which != HS_RING && !hs_algorithms[which]->on_links)
        return hs_fail(err, HS_INVALID, "%s goes by no trees", word);
    word = hs_word_next(line);
    if (status == HS_OK)
        status = hs_name_find(&phase, word ? word : "", "phase", hs_phase_names, HS_FORESTS, err);
    word = hs_word_next(line);
    if (status == HS_OK)
        status = hs_count_parse(&units, word ? word : "", "units", 2, HS_LINKS_UNITS, err);
    word = hs_word_next(line);
    if (status == HS_OK)
        status = hs_count_parse(&rate, word ? word : "", "bytes per second", 1, RATE_MAX, err);
    if (status != HS_OK)
        return status;
    *algorithm = (enum hs_algorithm)which;
    packing->phase = (enum hs_phase)phase;
    packing->units = (int)units;
    packing->seconds_per_byte = 1 / (double)rate;
    return HS_OK;
}

enum hs_status hs_forests_read(struct hs_forests *forests, char *line, struct hs_error *err)
{
    struct hs_packing packing = {0};
    enum hs_algorithm algorithm;
    enum hs_status status = read_head(&algorithm, &packing, &line, err);
    char *word;

    while (status == HS_OK && (word = hs_word_next(&line)))
        status = read_tree(&packing, word, err);
    if (status == HS_OK)
        status = check_shares(&packing, err);
    if (status == HS_OK)
        status = keep(forests, algorithm, &packing, err);
    hs_packing_release(&packing);
    return status;
}
