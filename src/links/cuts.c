#include "links/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_MAX (HS_LINKS_VERTICES + 1)
#define ROUNDING 1e-9 /* of what a flow comes to */

/* ---- maximum flows (Dinitz 1970), on matrices ------------------------------------------------ */

struct flow {
    int vertices;
    double least; /* what is less than that is nothing */
    int level[FLOW_MAX], next[FLOW_MAX];
    double left[]; /* [vertices][vertices] that each arc still carries */
};

static double *arc(struct flow *flow, int u, int v)
{
    return &flow->left[u * flow->vertices + v];
}

/* Levels of what can be reached from a vertex; -1: it cannot. */
static void level_out(struct flow *flow, int from)
{
    int queue[FLOW_MAX], count = 1;

    for (int v = 0; v < flow->vertices; v++)
        flow->level[v] = -1;
    flow->level[from] = 0;
    queue[0] = from;
    for (int i = 0; i < count; i++) {
        const double *row = arc(flow, queue[i], 0);

        for (int v = 0; v < flow->vertices; v++)
            if (flow->level[v] < 0 && row[v] > flow->least) {
                flow->level[v] = flow->level[queue[i]] + 1;
                queue[count++] = v;
            }
    }
}

/* Sends up to so much from u on, level by level. */
static double push(struct flow *flow, int u, int to, double most)
{
    double sent = 0;

    if (u == to)
        return most;
    for (; flow->next[u] < flow->vertices; flow->next[u]++) {
        int v = flow->next[u];
        double left = *arc(flow, u, v), part;

        if (left <= flow->least || flow->level[v] != flow->level[u] + 1)
            continue;
        part = push(flow, v, to, fmin(most - sent, left));
        *arc(flow, u, v) -= part;
        *arc(flow, v, u) += part;
        sent += part;
        if (most - sent <= flow->least)
            break;
    }
    return sent;
}

/* Leaves in flow->level what is on the source's side of the narrowest cut: >= 0. */
static double find_flow(struct flow *flow, int from, int to)
{
    double sum = 0, most = 0;

    for (int v = 0; v < flow->vertices; v++)
        most += *arc(flow, from, v);
    flow->least = most * ROUNDING * ROUNDING;
    for (level_out(flow, from); flow->level[to] >= 0; level_out(flow, from)) {
        memset(flow->next, 0, sizeof(flow->next));
        sum += push(flow, from, to, 2 * most);
    }
    return sum;
}

/* ---- graphs as matrices ---------------------------------------------------------------------- */

struct net {
    int units, vertices;
    double *rates;     /* [vertices][vertices] */
    struct flow *flow; /* for one flow at a time: it has one vertex more */
};

/* Released in any case; false: out of memory. */
static bool make_net(struct net *net, const struct hs_links *links, bool back)
{
    size_t vertices = (size_t)hs_links_vertices(links), arcs = (vertices + 1) * (vertices + 1);

    *net = (struct net){.units = links->units,
                        .vertices = hs_links_vertices(links),
                        .rates = malloc(vertices * vertices * sizeof(*net->rates)),
                        .flow = malloc(sizeof(*net->flow) + arcs * sizeof(double))};
    if (!net->rates || !net->flow)
        return false;
    hs_links_rates(net->rates, links);
    for (size_t u = 0; back && u < vertices; u++)
        for (size_t v = 0; v < u; v++) {
            double rate = net->rates[u * vertices + v];

            net->rates[u * vertices + v] = net->rates[v * vertices + u];
            net->rates[v * vertices + u] = rate;
        }
    return true;
}

static void release_net(struct net *net)
{
    free(net->rates);
    free(net->flow);
}

/* The net with one vertex more, its last, which nothing leads to or from. */
static struct flow *begin_flow(const struct net *net)
{
    size_t width = (size_t)net->vertices;
    struct flow *flow = net->flow;

    flow->vertices = net->vertices + 1;
    memset(flow->left, 0, (width + 1) * (width + 1) * sizeof(double));
    for (int u = 0; u < net->vertices; u++)
        memcpy(arc(flow, u, 0), &net->rates[(size_t)u * width], width * sizeof(double));
    return flow;
}

/* Units on the source's side. */
static uint64_t source_side(const struct flow *flow, int units)
{
    uint64_t set = 0;

    for (int u = 0; u < units; u++)
        if (flow->level[u] >= 0)
            set |= 1ULL << u;
    return set;
}

static double leaving(const struct net *net, uint64_t units)
{
    struct flow *flow = begin_flow(net);
    double all = 1;

    for (int i = 0; i < net->vertices * net->vertices; i++)
        all += net->rates[i];
    /* All of the set are one source, all others one sink. */
    int from = __builtin_ctzll(units), to = net->vertices;

    for (int u = 0; u < net->units; u++)
        if (units >> u & 1)
            *arc(flow, from, u) = u == from ? 0 : all;
        else
            *arc(flow, u, to) = all;
    return find_flow(flow, from, to);
}

double hs_cuts_leaving(const struct hs_links *links, uint64_t units)
{
    struct net net;
    double rate = make_net(&net, links, false) ? leaving(&net, units) : NAN;

    release_net(&net);
    return rate;
}

/* ---- allgather ------------------------------------------------------------------------------- */

/* The least B(S) / |S| over sets without unit `without`, below `rate`; `rate`: there is none. */
static double narrow(uint64_t *set, const struct net *net, int without, double rate)
{
    for (;;) {
        struct flow *flow = begin_flow(net);
        int source = net->vertices;
        uint64_t side;
        double lower;

        for (int u = 0; u < net->units; u++)
            *arc(flow, source, u) = u == without ? 0 : rate;
        if (find_flow(flow, source, without) >= (net->units - 1) * rate * (1 - ROUNDING))
            return rate;
        side = source_side(flow, net->units);
        lower = leaving(net, side) / __builtin_popcountll(side);
        if (lower >= rate * (1 - ROUNDING))
            return rate;
        *set = side;
        rate = lower;
        if (rate == 0)
            return rate;
    }
}

static struct hs_cuts bound_allgather(const struct net *net)
{
    struct hs_cuts cuts = {.part_count = 1, .parts = {1}};
    double rate = leaving(net, 1);

    for (int u = 0; u < net->units && rate > 0; u++)
        rate = narrow(&cuts.parts[0], net, u, rate);
    cuts.seconds_per_byte = 1 / (rate * net->units);
    return cuts;
}

/* ---- allreduce ------------------------------------------------------------------------------- */

/* A partition of the first units, and what each of them has of the sum over its parts. */
struct parting {
    const struct net *net;
    double toll; /* of a part */
    double part[HS_LINKS_UNITS];
    int count;
    uint64_t sets[HS_LINKS_UNITS];
};

/* The set with unit i of those up to it that takes least: B(S) - toll - the others' parts. */
static uint64_t find_set(struct parting *parting, int i)
{
    const struct net *net = parting->net;
    struct flow *flow = begin_flow(net);
    double all = 1, given = 0;
    int to = net->vertices;

    for (int v = 0; v < net->vertices * net->vertices; v++)
        all += net->rates[v];
    for (int j = 0; j < i; j++) {
        double part = parting->part[j];

        all += fabs(part);
        if (part > 0)
            *arc(flow, i, j) += part;
        else
            *arc(flow, j, to) += -part;
        given += fmax(0, part);
    }
    for (int j = i + 1; j < net->units; j++)
        *arc(flow, j, to) = all;
    parting->part[i] = find_flow(flow, i, to) - given - parting->toll;
    return source_side(flow, net->units);
}

/* The partition with the least sum of B(P) - toll. */
static void part_units(struct parting *parting)
{
    parting->count = 0;
    for (int i = 0; i < parting->net->units; i++) {
        uint64_t set = find_set(parting, i);
        int kept = 0;

        for (int p = 0; p < parting->count; p++)
            if (parting->sets[p] & set)
                set |= parting->sets[p];
            else
                parting->sets[kept++] = parting->sets[p];
        parting->sets[kept++] = set;
        parting->count = kept;
    }
}

/* The least of sum of B(P) / (|p| - 1). */
static double partition_rate(struct parting *parting)
{
    const struct net *net = parting->net;
    struct parting next = {.net = net};
    double rate = 0;

    parting->count = net->units;
    for (int u = 0; u < net->units; u++)
        parting->sets[u] = 1ULL << u;
    for (int round = 0; round < net->units; round++) {
        rate = 0;
        for (int p = 0; p < parting->count; p++)
            rate += leaving(net, parting->sets[p]);
        rate /= parting->count - 1;
        next.toll = rate;
        part_units(&next);
        if (next.count < 2)
            break;
        next.toll = 0;
        for (int p = 0; p < next.count; p++)
            next.toll += leaving(net, next.sets[p]) / (next.count - 1);
        if (next.toll >= rate * (1 - ROUNDING))
            break;
        memcpy(parting->sets, next.sets, sizeof(next.sets));
        parting->count = next.count;
    }
    return rate;
}

/* Of all sets the one with the least B(S). */
static double narrowest(uint64_t *set, const struct net *net)
{
    double least = INFINITY;

    for (int v = 1; v < net->units; v++)
        for (int way = 0; way < 2; way++) {
            struct flow *flow = begin_flow(net);
            /* Relays pass on, so a flow may end at any unit beyond. */
            double rate = way == 0 ? find_flow(flow, 0, v) : find_flow(flow, v, 0);

            if (rate < least) {
                least = rate;
                *set = source_side(flow, net->units);
            }
        }
    return least;
}

static struct hs_cuts cuts_of_parting(const struct parting *parting, double rate, bool entering)
{
    struct hs_cuts cuts = {
        .seconds_per_byte = 2 / rate, .part_count = parting->count, .entering = entering};

    memcpy(cuts.parts, parting->sets, sizeof(cuts.parts));
    return cuts;
}

/* `back`: against the direction of the links; NULL: they are alike. */
static struct hs_cuts bound_allreduce(const struct net *net, const struct net *back)
{
    struct parting parting = {.net = net};
    double rate = partition_rate(&parting);
    struct hs_cuts cuts = cuts_of_parting(&parting, rate, false);
    uint64_t set = 1;

    if (!back)
        return cuts;
    parting.net = back;
    rate = partition_rate(&parting);
    if (2 / rate > cuts.seconds_per_byte)
        cuts = cuts_of_parting(&parting, rate, true);
    rate = narrowest(&set, net);
    if (1 / rate > cuts.seconds_per_byte)
        cuts = (struct hs_cuts){.seconds_per_byte = 1 / rate, .part_count = 1, .parts = {set}};
    return cuts;
}

/* ---- exchange -------------------------------------------------------------------------------- */

/* Takes a set whose links carry so much where it says more. */
static void try_set(struct hs_cuts *cuts, const struct net *net, uint64_t set, double rate)
{
    double inside = __builtin_popcountll(set), seconds;

    seconds = inside * (1 - inside / net->units) / rate;
    if (inside > 0 && inside < net->units && seconds > cuts->seconds_per_byte * (1 + ROUNDING)) {
        cuts->seconds_per_byte = seconds;
        cuts->parts[0] = set;
    }
}

/* Every set of vertices, each with one vertex more or less than the one before (Gray's code). */
static void try_all(struct hs_cuts *cuts, const struct net *net)
{
    uint64_t set = 0, units = (1ULL << net->units) - 1;
    double rate = 0;
    int n = net->vertices;

    for (uint64_t i = 1; i < 1ULL << n; i++) {
        int v = __builtin_ctzll(i);
        double gained = 0, lost = 0;

        for (int u = 0; u < n; u++)
            if (set >> u & 1)
                lost += u == v ? 0 : net->rates[u * n + v];
            else
                gained += net->rates[v * n + u];
        if (set >> v & 1) {
            gained = lost;
            lost = 0;
            for (int u = 0; u < n; u++)
                if (!(set >> u & 1))
                    lost += net->rates[v * n + u];
        }
        rate += gained - lost;
        set ^= 1ULL << v;
        if ((set & units) != 0 && (set & units) != units)
            try_set(cuts, net, set & units, rate);
    }
}

static struct hs_cuts bound_exchange(const struct net *net, const struct hs_links *links)
{
    struct hs_cuts cuts = {.part_count = 1}, other;
    static const enum hs_phase others[] = {HS_ALLGATHER, HS_REDUCE_SCATTER, HS_ALLREDUCE};
    uint64_t all = hs_links_all(links);

    if (net->vertices <= HS_CUTS_ALL) {
        try_all(&cuts, net);
        return cuts;
    }
    for (int u = 0; u < net->units; u++) {
        try_set(&cuts, net, 1ULL << u, leaving(net, 1ULL << u));
        try_set(&cuts, net, all ^ 1ULL << u, leaving(net, all ^ 1ULL << u));
    }
    for (int i = 0; i < 3; i++) {
        other = hs_cuts_of(links, others[i]);
        for (int p = 0; p < other.part_count; p++) {
            try_set(&cuts, net, other.parts[p], leaving(net, other.parts[p]));
            try_set(&cuts, net, all ^ other.parts[p], leaving(net, all ^ other.parts[p]));
        }
        if (isnan(other.seconds_per_byte))
            return other;
    }
    return cuts;
}

struct hs_cuts hs_cuts_of(const struct hs_links *links, enum hs_phase phase)
{
    struct hs_cuts cuts = {0};
    struct net net, back = {0};
    bool one_way = phase == HS_ALLREDUCE && !hs_links_alike(links);

    if (links->units < 2)
        return cuts;
    if (!make_net(&net, links, phase == HS_REDUCE_SCATTER) ||
        (one_way && !make_net(&back, links, true)))
        cuts.seconds_per_byte = NAN;
    else if (phase == HS_ALLREDUCE)
        cuts = bound_allreduce(&net, one_way ? &back : NULL);
    else if (phase == HS_EXCHANGE)
        cuts = bound_exchange(&net, links);
    else if (phase == HS_ALLGATHER || phase == HS_REDUCE_SCATTER) {
        cuts = bound_allgather(&net);
        cuts.entering = phase == HS_REDUCE_SCATTER;
    }
    release_net(&net);
    release_net(&back);
    return cuts;
}
