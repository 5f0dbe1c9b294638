#include "search/letters.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "library/price_plan.h"
#include "links/graph.h"

/* ---- fronts ---------------------------------------------------------------------------------- */

hs_ticks hs_largest_ticks(const hs_ticks *sum, size_t components)
{
    hs_ticks most = sum[0];

    for (size_t l = 1; l < components; l++)
        most = sum[l] > most ? sum[l] : most;
    return most;
}

hs_ticks hs_front_least(const struct hs_sums *sums, struct hs_front front)
{
    hs_ticks least = INT64_MAX;

    for (size_t s = front.first; s < front.first + front.count; s++) {
        hs_ticks most = hs_largest_ticks(&sums->ticks[s * sums->components], sums->components);

        least = most < least ? most : least;
    }
    return least;
}

static bool nowhere_more(const hs_ticks *a, const hs_ticks *b, size_t components)
{
    for (size_t l = 0; l < components; l++)
        if (a[l] > b[l])
            return false;
    return true;
}

/* Counts the sum that stands behind all others to the last front, in the place of those that are
 * nowhere less; or leaves it, if another is nowhere more. */
static void keep_last(struct hs_sums *sums, struct hs_front *front)
{
    size_t components = sums->components, size = components * sizeof(*sums->ticks);
    size_t kept = front->first;
    const hs_ticks *last = &sums->ticks[sums->count * components];

    for (size_t s = front->first; s < sums->count; s++)
        if (nowhere_more(&sums->ticks[s * components], last, components))
            return;
    for (size_t s = front->first; s <= sums->count; s++) {
        const hs_ticks *sum = &sums->ticks[s * components];

        if (s == sums->count || !nowhere_more(last, sum, components))
            memmove(&sums->ticks[kept++ * components], sum, size);
    }
    sums->count = kept;
    front->count = kept - front->first;
}

enum hs_status hs_front_begin(struct hs_front *out, struct hs_sums *sums, struct hs_error *err)
{
    *out = (struct hs_front){sums->count, 1};
    if (!hs_grow(&sums->ticks, &sums->capacity, sums->count, sums->components * sizeof(hs_ticks),
                 err))
        return HS_MEMORY;
    sums->count++;
    return HS_OK;
}

/* One sum and one row. */
static enum hs_status add_row(struct hs_front *out, struct hs_sums *sums, size_t from,
                              const struct hs_front_step *step, size_t row, struct hs_error *err)
{
    size_t components = sums->components;
    hs_ticks *sum =
        hs_grow(&sums->ticks, &sums->capacity, sums->count, components * sizeof(*sum), err);

    if (!sum)
        return HS_MEMORY;
    for (size_t l = 0; l < components; l++) {
        sum[l] = sums->ticks[from * components + l] + step->rows[row * components + l];
        if (sum[l] + step->rest[l] > step->bound)
            return HS_OK;
    }
    keep_last(sums, out);
    return HS_OK;
}

enum hs_status hs_front_extend(struct hs_front *out, struct hs_sums *sums, struct hs_front from,
                               const struct hs_front_step *step, struct hs_error *err)
{
    *out = (struct hs_front){sums->count, 0};
    for (size_t s = from.first; s < from.first + from.count; s++)
        for (size_t row = 0; row < step->row_count; row++)
            if (add_row(out, sums, s, step, row, err))
                return HS_MEMORY;
    return HS_OK;
}

/* ---- rows of a layer ------------------------------------------------------------------------- */

/* Times closer than this are the same, and differ by rounding. */
#define SAME (1 - 1e-9)

unsigned hs_search_algorithms(const struct hs_search_request *request)
{
    unsigned algorithms = request->algorithms | 1U << HS_RING;

    if (hs_system_is_nccl_native(request->system))
        return 1U << HS_RING;
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if (!hs_system_prices(request->system, (enum hs_algorithm)a))
            algorithms &= ~(1U << a);
    return algorithms;
}

bool hs_search_takes_pairs(const struct hs_search_request *request)
{
    return hs_algorithms_uneven(hs_search_algorithms(request));
}

/* What is asked of every layer. */
struct asked {
    const struct hs_search_request *request;
    unsigned algorithms;
    int components, chunks;
    double tick_seconds;
};

static struct asked ask(const struct hs_search_request *request, int chunks, double tick_seconds)
{
    return (struct asked){.request = request,
                          .algorithms = hs_search_algorithms(request),
                          .components = hs_weight_components(request->system, chunks),
                          .chunks = chunks,
                          .tick_seconds = tick_seconds};
}

/* A layer, or one way of it: what its weights are of, and these. */
struct row {
    unsigned char ways[2]; /* enum hs_algorithm */
    double seconds[HS_PACES_MAX];
    hs_ticks ticks[HS_PACES_MAX];
};

struct rows {
    size_t count;
    struct row items[HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT];
};

/* `bytes`: of a chunk, entering the layer. */
static void weigh(struct row *row, const struct asked *asked, const struct hs_stage_price *price,
                  double bytes)
{
    const struct hs_problem *problem = &asked->request->problem;
    double seconds = hs_stage_seconds(price, bytes);
    int chunks = asked->chunks;

    row->ways[0] = row->ways[1] = (unsigned char)price->key.algorithm;
    for (int l = 0; l < asked->components; l++)
        row->seconds[l] = (1 + (chunks - 1) * price->occupancy[l]) * seconds;
    hs_stage_weight(row->ticks, asked->components, price, problem, chunks, asked->tick_seconds);
}

static struct hs_stage_price weigh_stage(struct row *row, const struct asked *asked,
                                         struct hs_stage_key key, double bytes)
{
    struct hs_stage_price price =
        hs_problem_price(asked->request->system, &asked->request->problem, key, bytes);

    weigh(row, asked, &price, bytes);
    return price;
}

/* Whether a is, times `part`, nowhere more than b. */
static bool covers(const struct row *a, const struct row *b, int components, double part)
{
    for (int l = 0; l < components; l++)
        if (b->seconds[l] < part * a->seconds[l])
            return false;
    return true;
}

/* Unless one that came before is as good; returns whether it is kept, behind the others. */
static bool keep_row(struct rows *rows, const struct row *row, int components)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (covers(&rows->items[i], row, components, SAME))
            return false;
    for (size_t i = 0; i < rows->count; i++)
        if (!covers(row, &rows->items[i], components, 1))
            rows->items[kept++] = rows->items[i];
    rows->items[kept++] = *row;
    rows->count = kept;
    return true;
}

/* A layer by each algorithm; and its ways alone, of those that `weighed` says. */
struct priced {
    const struct asked *asked;
    struct hs_layer layer;
    double bytes; /* of a chunk, entering it */
    struct row whole[HS_ALGORITHM_COUNT], ways[2][HS_ALGORITHM_COUNT];
    unsigned weighed;
};

/* The keys of its ways; false: the layer has one, or it is not asked for. */
static bool find_ways(struct hs_stage_key keys[2], const struct priced *priced, int a)
{
    /* Any two that differ have a key for each way. */
    const enum hs_algorithm names[2] = {(enum hs_algorithm)a, HS_ALGORITHM_COUNT};
    int count = hs_problem_ways(keys, &priced->asked->request->problem, priced->layer, names);

    keys[1].algorithm = keys[0].algorithm;
    return (priced->asked->algorithms >> a & 1) && count == 2;
}

static void weigh_ways(struct priced *priced, int a)
{
    struct hs_stage_key keys[2];

    for (int way = 0; way < 2 && find_ways(keys, priced, a); way++)
        if (hs_graph_possible(priced->asked->request->system, keys[way]))
            weigh_stage(&priced->ways[way][a], priced->asked, keys[way], priced->bytes);
    priced->weighed |= 1U << a;
}

static struct row add_ways(const struct priced *priced, int out, int back)
{
    struct row both = priced->ways[0][out];

    both.ways[1] = (unsigned char)back;
    for (int l = 0; l < priced->asked->components; l++) {
        both.seconds[l] += priced->ways[1][back].seconds[l];
        both.ticks[l] += priced->ways[1][back].ticks[l];
    }
    return both;
}

/* Both ways in one. An uneven algorithm's pair is its ways, one behind the other: priced once. */
static void weigh_whole(struct priced *priced, int a, struct hs_stage_key key)
{
    const struct asked *asked = priced->asked;
    struct hs_stage_price pair, back;
    struct hs_stage_key keys[2];
    struct hs_price_line lines[2];

    if (key.phase != HS_PAIR || !hs_algorithms[a]->uneven ||
        asked->request->system->fits.count > 0) {
        weigh_stage(&priced->whole[a], asked, key, priced->bytes);
        return;
    }
    find_ways(keys, priced, a);
    pair = weigh_stage(&priced->ways[0][a], asked, keys[0], priced->bytes);
    back = weigh_stage(&priced->ways[1][a], asked, keys[1], priced->bytes);
    priced->weighed |= 1U << a;
    lines[0] = hs_stage_line(&pair, priced->bytes);
    lines[1] = hs_stage_line(&back, priced->bytes);
    pair.lines[0].latency_seconds = lines[0].latency_seconds + lines[1].latency_seconds;
    pair.lines[0].seconds_per_byte = lines[0].seconds_per_byte + lines[1].seconds_per_byte;
    pair.line_count = 1;
    pair.launch_seconds += back.launch_seconds;
    weigh(&priced->whole[a], asked, &pair, priced->bytes);
}

/* Times of the ways; those of an even algorithm are half of both, and weighed when it is kept.
 * Returns which of them it can do, in bits. */
static unsigned time_ways(struct priced *priced, int a)
{
    const struct hs_system *system = priced->asked->request->system;
    struct hs_stage_key keys[2];
    unsigned possible;

    if (!find_ways(keys, priced, a))
        return 0;
    possible = hs_graph_possible(system, keys[0]) | (unsigned)hs_graph_possible(system, keys[1])
                                                        << 1;
    if (priced->weighed >> a & 1)
        return possible;
    if (hs_algorithms[a]->uneven || system->fits.count > 0 ||
        hs_problem_is_last(&priced->asked->request->problem, priced->layer)) {
        weigh_ways(priced, a);
        return possible;
    }
    for (int way = 0; way < 2; way++) {
        priced->ways[way][a] = priced->whole[a];
        for (int l = 0; l < priced->asked->components; l++)
            priced->ways[way][a].seconds[l] /= 2;
    }
    return possible;
}

/* Out by one, back by another. */
static void keep_pair(struct rows *rows, struct priced *priced, int out, int back)
{
    struct row both = add_ways(priced, out, back);

    if (!keep_row(rows, &both, priced->asked->components))
        return;
    if (!(priced->weighed >> out & 1))
        weigh_ways(priced, out);
    if (!(priced->weighed >> back & 1))
        weigh_ways(priced, back);
    rows->items[rows->count - 1] = add_ways(priced, out, back);
}

static void keep_pairs(struct rows *rows, struct priced *priced)
{
    unsigned possible[HS_ALGORITHM_COUNT];

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        possible[a] = time_ways(priced, a);
    for (int out = 0; out < HS_ALGORITHM_COUNT; out++)
        for (int back = 0; back < HS_ALGORITHM_COUNT; back++)
            if (out != back && (possible[out] & 1) && (possible[back] & 2))
                keep_pair(rows, priced, out, back);
}

/* `ring` is the layer's price by rings. Two even algorithms are no better than one of them that is
 * better on all levels. */
static void list_rows(struct rows *rows, const struct asked *asked,
                      const struct hs_stage_price *ring)
{
    struct priced priced;

    priced.asked = asked;
    priced.layer = ring->key.layer;
    priced.bytes = hs_problem_entering(&asked->request->problem, priced.layer) / asked->chunks;
    priced.weighed = 0;
    weigh(&priced.whole[HS_RING], asked, ring, priced.bytes);
    rows->items[0] = priced.whole[HS_RING];
    rows->count = 1;
    for (int a = 1; a < HS_ALGORITHM_COUNT && asked->algorithms > 1; a++) {
        struct hs_stage_key key =
            hs_problem_key(&asked->request->problem, priced.layer, (enum hs_algorithm)a);

        if (!(asked->algorithms >> a & 1) || !hs_graph_possible(asked->request->system, key))
            continue;
        weigh_whole(&priced, a, key);
        keep_row(rows, &priced.whole[a], asked->components);
    }
    if (rows->count > 1 || hs_search_takes_pairs(asked->request))
        keep_pairs(rows, &priced);
}

/* ---- weights --------------------------------------------------------------------------------- */

void hs_weights_release(struct hs_weights *weights)
{
    free(weights->first);
    free(weights->ticks);
    free(weights->ways);
    memset(weights, 0, sizeof(*weights));
}

/* Room for more rows, behind the last. */
struct room {
    size_t count, ticks, ways;
};

static enum hs_status append_row(struct hs_weights *weights, struct room *room,
                                 const struct row *row, struct hs_error *err)
{
    size_t size = weights->components * sizeof(*weights->ticks);
    void *ticks = hs_grow(&weights->ticks, &room->ticks, room->count, size, err);
    void *ways = hs_grow(&weights->ways, &room->ways, room->count, sizeof(row->ways), err);

    if (!ticks || !ways)
        return HS_MEMORY;
    memcpy(ticks, row->ticks, size);
    memcpy(ways, row->ways, sizeof(row->ways));
    room->count++;
    return HS_OK;
}

/* Of `count` layers, whose prices by rings these are. */
static enum hs_status fill_weights(struct hs_weights *weights, const struct asked *asked,
                                   const struct hs_stage_price *rings, size_t count,
                                   struct hs_error *err)
{
    struct room room = {0};
    struct rows *rows = malloc(sizeof(*rows));
    enum hs_status status = HS_OK;

    *weights = (struct hs_weights){.components = (size_t)asked->components};
    weights->first = calloc(count + 1, sizeof(*weights->first));
    if (!weights->first || !rows)
        status = hs_no_memory(err);
    for (size_t e = 0; e < count && !status; e++) {
        list_rows(rows, asked, &rings[e]);
        for (size_t i = 0; i < rows->count && !status; i++)
            status = append_row(weights, &room, &rows->items[i], err);
        weights->first[e + 1] = room.count;
    }
    free(rows);
    if (status)
        hs_weights_release(weights);
    return status;
}

enum hs_status hs_weights_init(struct hs_weights *weights, const struct hs_strategy_run *run,
                               int chunks, struct hs_error *err)
{
    struct asked asked = ask(run->request, chunks, run->tick_seconds);

    return fill_weights(weights, &asked, run->prices, run->lattice.edge_count, err);
}

void hs_weights_least(hs_ticks *least, const struct hs_weights *weights, size_t e)
{
    size_t components = weights->components;

    memcpy(least, &weights->ticks[weights->first[e] * components], components * sizeof(*least));
    for (size_t r = weights->first[e] + 1; r < weights->first[e + 1]; r++)
        for (size_t l = 0; l < components; l++)
            if (weights->ticks[r * components + l] < least[l])
                least[l] = weights->ticks[r * components + l];
}

void hs_weights_add_usual(hs_ticks *sum, const struct hs_weights *weights, size_t e)
{
    size_t components = weights->components;
    const hs_ticks *usual = &weights->ticks[weights->first[e] * components];

    for (size_t r = weights->first[e] + 1; r < weights->first[e + 1]; r++) {
        const hs_ticks *row = &weights->ticks[r * components];

        if (hs_largest_ticks(row, components) < hs_largest_ticks(usual, components))
            usual = row;
    }
    for (size_t l = 0; l < components; l++)
        sum[l] += usual[l];
}

/* ---- a plan ---------------------------------------------------------------------------------- */

/* A plan's layers, and sums over the first of them. */
struct chain {
    struct hs_weights weights; /* of layer i */
    struct hs_sums sums;
    struct hs_front fronts[HS_LAYERS_MAX + 1];      /* of the layers before i */
    hs_ticks rest[HS_LAYERS_MAX + 1][HS_PACES_MAX]; /* the least of layers from i on */
};

static enum hs_status extend_fronts(struct chain *chain, int layers, struct hs_error *err)
{
    const struct hs_weights *weights = &chain->weights;
    struct hs_front_step step;
    hs_ticks usual[HS_PACES_MAX] = {0};
    enum hs_status status;

    for (int i = layers; i-- > 0;) {
        hs_weights_least(chain->rest[i], weights, (size_t)i);
        hs_weights_add_usual(usual, weights, (size_t)i);
        for (size_t l = 0; l < weights->components; l++)
            chain->rest[i][l] += chain->rest[i + 1][l];
    }
    step.bound = hs_largest_ticks(usual, weights->components);
    status = hs_front_begin(&chain->fronts[0], &chain->sums, err);
    for (int i = 0; i < layers && !status; i++) {
        step.rows = &weights->ticks[weights->first[i] * weights->components];
        step.row_count = weights->first[i + 1] - weights->first[i];
        step.rest = chain->rest[i + 1];
        status = hs_front_extend(&chain->fronts[i + 1], &chain->sums, chain->fronts[i], &step, err);
    }
    return status;
}

/* Whether layer i by row r makes the sum `to` of the sum `from` before it. */
static bool leads(const struct chain *chain, size_t from, size_t r, size_t to)
{
    size_t components = chain->weights.components;

    for (size_t l = 0; l < components; l++)
        if (chain->sums.ticks[from * components + l] + chain->weights.ticks[r * components + l] !=
            chain->sums.ticks[to * components + l])
            return false;
    return true;
}

/* The sum before layer i, and its row, of which `to` was made; returns the sum. */
static size_t step_back(size_t *row, const struct chain *chain, int i, size_t to)
{
    struct hs_front before = chain->fronts[i];
    size_t from = before.first;

    for (*row = chain->weights.first[i]; !leads(chain, from, *row, to);)
        if (++*row == chain->weights.first[i + 1]) {
            *row = chain->weights.first[i];
            from++;
        }
    return from;
}

/* The first of the front whose largest component is the least. */
static size_t find_least(const struct hs_sums *sums, struct hs_front front, hs_ticks least)
{
    size_t s = front.first;

    while (hs_largest_ticks(&sums->ticks[s * sums->components], sums->components) != least)
        s++;
    return s;
}

enum hs_status hs_plan_choose(struct hs_plan *plan, hs_ticks *ticks,
                              const struct hs_search_request *request, double tick_seconds,
                              struct hs_error *err)
{
    struct asked asked = ask(request, plan->chunks, tick_seconds);
    struct chain chain = {.sums = {.components = (size_t)asked.components}};
    int layers = plan->split.count;
    struct hs_stage_price *rings = malloc(((size_t)layers + 1) * sizeof(*rings));
    enum hs_status status;

    if (!rings)
        return hs_no_memory(err);
    for (int i = 0; i < layers; i++)
        rings[i] = hs_problem_price(
            request->system, &request->problem,
            hs_problem_key(&request->problem, hs_problem_layer(&request->problem, &plan->split, i),
                           HS_RING),
            0);
    status = fill_weights(&chain.weights, &asked, rings, (size_t)layers, err);
    free(rings);
    if (!status)
        status = extend_fronts(&chain, layers, err);
    if (!status) {
        size_t at, row;

        *ticks = hs_front_least(&chain.sums, chain.fronts[layers]);
        at = find_least(&chain.sums, chain.fronts[layers], *ticks);
        for (int i = layers; i-- > 0;) {
            at = step_back(&row, &chain, i, at);
            memcpy(plan->algorithms[i], chain.weights.ways[row], sizeof(*plan->algorithms));
        }
    }
    free(chain.sums.ticks);
    hs_weights_release(&chain.weights);
    return status;
}
