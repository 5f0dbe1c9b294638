#include "plot/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/figures.h"
#include "plot/csv.h"

#define KINDS_MAX  6
#define LINES_MAX  4     /* drawn beside each other */
#define LINE_GAP   0.034 /* between them */
#define OUTSIDE    1.36  /* radius of the first relays */
#define RELAY_STEP 0.34
#define RELAY_TURN 0.16 /* radians between relays in the same direction */
#define INSIDE     0.45 /* radius of relays that join all around */
#define ALL_AROUND 0.2  /* of a mean direction: of no direction */
#define THICK_LINE 4.0
#define THIN_LINE  1.4

/* ---- places ---- */

/* A vertex's place: children lie on a circle of radius 1 from the top on, against the clock; a
 * relay outside of it, the farther the more relays are before it, in the direction of what it
 * joins, or within where it joins all around. */
struct place {
    double x, y;
};

struct layout {
    const struct hs_links *links;
    struct place *places;
    int depth[HS_LINKS_VERTICES]; /* relays on the way to a child; -1: not placed yet */
};

/* Of so many digits that what lies straight above another has its x. */
static struct place at_angle(double radius, double angle)
{
    return (struct place){round(1e9 * radius * cos(angle)) / 1e9,
                          round(1e9 * radius * sin(angle)) / 1e9};
}

/* The mean place of what it is joined with that lies before it. */
static struct place mean_before(int *joined, const struct layout *layout, int relay, int depth)
{
    struct place mean = {0, 0};
    int count = 0;

    for (size_t i = 0; i < layout->links->count; i++) {
        const struct hs_link *link = &layout->links->items[i];
        int other = link->from == relay ? link->to : link->to == relay ? link->from : -1;

        if (other < 0 || layout->depth[other] != depth - 1)
            continue;
        mean.x += layout->places[other].x;
        mean.y += layout->places[other].y;
        count++;
    }
    mean.x /= count > 0 ? count : 1;
    mean.y /= count > 0 ? count : 1;
    *joined = count;
    return mean;
}

/* Relays of this depth that none is before; returns whether there are any. */
static bool find_depth(struct layout *layout, int depth)
{
    bool found = false;

    for (size_t i = 0; i < layout->links->count; i++) {
        const struct hs_link *link = &layout->links->items[i];
        const int ends[2] = {link->from, link->to};

        for (int e = 0; e < 2; e++)
            if (layout->depth[ends[e]] == depth - 1 && layout->depth[ends[1 - e]] < 0) {
                layout->depth[ends[1 - e]] = depth;
                found = true;
            }
    }
    return found;
}

/* In its direction, turned on while another relay lies there. */
static void place_relay(struct layout *layout, int relay, int depth)
{
    int joined;
    struct place mean = mean_before(&joined, layout, relay, depth), place;
    bool around = hypot(mean.x, mean.y) < ALL_AROUND;
    double angle = atan2(mean.y, mean.x), turn = RELAY_TURN;
    /* those of several children farther out, so that lines to them do not pass over others */
    double radius = OUTSIDE + RELAY_STEP * (depth - 1 + (depth == 1 && joined > 2));
    bool taken = true;

    if (around) {
        angle = M_PI / 2;
        radius = INSIDE;
        turn = 2 * M_PI / layout->links->relays;
    }
    for (int tries = 0; taken && tries < HS_LINKS_VERTICES; tries++) {
        place = at_angle(radius, angle + tries * turn);
        taken = false;
        for (int v = layout->links->units; v < relay; v++)
            taken = taken || (layout->depth[v] >= 0 && layout->depth[v] <= depth &&
                              hypot(layout->places[v].x - place.x, layout->places[v].y - place.y) <
                                  RELAY_TURN / 2);
        layout->places[relay] = place;
    }
}

static void find_places(struct place places[HS_LINKS_VERTICES], const struct hs_links *links)
{
    struct layout layout = {.links = links, .places = places};
    int vertices = hs_links_vertices(links);

    memset(places, 0, HS_LINKS_VERTICES * sizeof(*places));
    for (int v = 0; v < vertices; v++) {
        double angle = M_PI / 2 + (v + 0.5) * 2 * M_PI / links->units;

        layout.depth[v] = v < links->units ? 0 : -1;
        if (v < links->units)
            places[v] = at_angle(1, angle);
    }
    for (int depth = 1; find_depth(&layout, depth); depth++)
        for (int v = links->units; v < vertices; v++)
            if (layout.depth[v] == depth)
                place_relay(&layout, v, depth);
}

/* ---- kinds of links ---- */

static bool is_known(const double *rates, int count, double rate)
{
    for (int k = 0; k < count; k++)
        if (rates[k] == rate)
            return true;
    return false;
}

/* The rates there are, those between children first, of each the highest first; returns how many,
 * KINDS_MAX at most. */
static int find_kinds(double rates[KINDS_MAX], const struct hs_links *links)
{
    int count = 0;

    for (int of_relays = 0; of_relays < 2; of_relays++)
        for (double next = 1; next > 0 && count < KINDS_MAX;) {
            next = 0;
            for (size_t i = 0; i < links->count; i++) {
                const struct hs_link *link = &links->items[i];
                bool relayed = link->from >= links->units || link->to >= links->units;

                if (relayed == of_relays && !is_known(rates, count, link->bytes_per_second))
                    next = fmax(next, link->bytes_per_second);
            }
            if (next > 0)
                rates[count++] = next;
        }
    return count;
}

static int kind_of(const struct hs_links *links, const struct hs_link *link)
{
    double rates[KINDS_MAX];
    int count = find_kinds(rates, links), kind = 0;

    while (kind + 1 < count && rates[kind] != link->bytes_per_second)
        kind++;
    return kind;
}

/* ---- blocks ---- */

void hs_graph_write_facts(struct hs_text *out, const char *level, const struct hs_links *links)
{
    double rates[KINDS_MAX];
    int labels = 0, one_way = 0;

    for (size_t i = 0; i < links->count; i++) {
        labels += links->items[i].count > LINES_MAX;
        one_way += links->items[i].one_way;
    }
    hs_csv_fact(out, "graph", "%s", level);
    hs_csv_fact(out, "link_kinds", "%d", find_kinds(rates, links));
    hs_csv_fact(out, "link_labels", "%d", labels);
    hs_csv_fact(out, "one_way", "%d", one_way);
    hs_csv_fact(out, "relays", "%d", links->relays);
}

static void write_vertices(struct hs_text *out, const struct hs_links *links,
                           const struct place *places)
{
    hs_csv_block(out, "vertices", "vertex x y relay");
    for (int v = 0; v < hs_links_vertices(links); v++) {
        hs_csv_count(out, v);
        hs_csv_number(out, places[v].x);
        hs_csv_number(out, places[v].y);
        hs_csv_count(out, v >= links->units);
        hs_csv_row(out);
    }
}

/* Links between the same two that are drawn beside each other, and a line's place among them. */
static void write_lines(struct hs_text *out, const struct hs_link *link, int kind,
                        const struct place *places)
{
    struct place from = places[link->from], to = places[link->to];
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    int lines = link->count > LINES_MAX ? 1 : link->count;

    for (int i = 0; i < lines; i++) {
        double aside = length > 0 ? LINE_GAP * (i - 0.5 * (lines - 1)) / length : 0;

        hs_csv_number(out, from.x - aside * dy);
        hs_csv_number(out, from.y + aside * dx);
        hs_csv_number(out, dx);
        hs_csv_number(out, dy);
        hs_csv_count(out, kind + 1);
        hs_csv_number(out, link->count > LINES_MAX ? THICK_LINE : THIN_LINE);
        hs_csv_count(out, link->one_way);
        hs_csv_row(out);
    }
}

static void write_labels(struct hs_text *out, const struct hs_links *links,
                         const struct place *places)
{
    hs_csv_block(out, "link_labels", "x y label");
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        char label[16];

        if (link->count <= LINES_MAX)
            continue;
        snprintf(label, sizeof(label), "%d", link->count);
        hs_csv_number(out, (places[link->from].x + places[link->to].x) / 2);
        hs_csv_number(out, (places[link->from].y + places[link->to].y) / 2);
        hs_csv_text(out, "%s", label);
        hs_csv_row(out);
    }
}

static void write_kinds(struct hs_text *out, const struct hs_links *links)
{
    double rates[KINDS_MAX];
    int kinds = find_kinds(rates, links);

    hs_csv_block(out, "link_kinds", "kind label");
    for (int k = 0; k < kinds; k++) {
        char label[96];

        snprintf(label, sizeof(label), "%s a link%s", HS_AS_RATE(rates[k]),
                 k + 1 == KINDS_MAX ? ", or another" : "");
        hs_csv_count(out, k + 1);
        hs_csv_text(out, "%s", label);
        hs_csv_row(out);
    }
}

void hs_graph_write(struct hs_text *out, const struct hs_links *links)
{
    struct place places[HS_LINKS_VERTICES];

    find_places(places, links);
    hs_csv_block(out, "links", "x y dx dy kind width one_way");
    for (size_t i = 0; i < links->count; i++)
        write_lines(out, &links->items[i], kind_of(links, &links->items[i]), places);
    write_vertices(out, links, places);
    write_labels(out, links, places);
    write_kinds(out, links);
}
