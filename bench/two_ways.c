/*
 * two_ways.c - packed trees (links/packing.h) in SimGrid, each arc by its own way: what MPI's
 * ranks, between which a platform has one route, cannot play.
 *
 *     two_ways NAME...      of configs/NAME.json, whose first level is single links
 *
 * A way from unit to unit is a pair of hosts, joined by the links that it passes. It sends one
 * message after the other, in the order of engine/executor_forest.c, each when what it is made of
 * is there. Messages are so long that latencies are next to nothing: what is compared with the
 * model is its rate. Of each system: one message between its first two units, by the one way that
 * hs_links_path says and by all; and an allgather and an allreduce of all units likewise.
 */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "estimate/system_file.h"
#include "links/packing.h"
#include "system/system.h"

#define SEGMENTS 256
#define BYTES    1e12 /* of all */

/* A tree's message from unit to unit, of each segment. */
struct arc {
    int tree, from, to;
    const struct hs_route *route; /* NULL: directly */
    int way, turn;
    int before_count, before[HS_LINKS_UNITS]; /* arcs that bring what it is made of */
    sg_sem_t brought[HS_LINKS_UNITS];         /* by each of them, segments that are there */
};

struct play {
    const struct hs_level *level;
    const struct hs_packing *packing;
    struct arc *arcs;
    int arc_count, way_count;
};
static struct play play; /* of the simulation: SimGrid has one for a process */

static void check(enum hs_status status, const struct hs_error *err)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "two_ways: %s\n", err->message);
    exit(1);
}

/* ---- arcs ------------------------------------------------------------------------------------ */

static bool same_way(const struct arc *a, const struct arc *b)
{
    return a->from == b->from && a->to == b->to && a->route == b->route;
}

static int add_arc(struct arc arc)
{
    arc.way = -1;
    for (int i = 0; i < play.arc_count && arc.way < 0; i++)
        if (same_way(&play.arcs[i], &arc))
            arc.way = play.arcs[i].way;
    if (arc.way < 0)
        arc.way = play.way_count++;
    play.arcs[play.arc_count] = arc;
    return play.arc_count++;
}

static void bring(int arc, int before)
{
    if (before >= 0)
        play.arcs[arc].before[play.arcs[arc].before_count++] = before;
}

static void add_tree(int number)
{
    const struct hs_packing *packing = play.packing;
    const struct hs_tree *tree = &packing->trees[number];
    int up[HS_LINKS_UNITS], down[HS_LINKS_UNITS], n = packing->units;

    for (int u = 0; u < n; u++) {
        up[u] = down[u] = -1;
        if (tree->up[u] >= 0)
            up[u] = add_arc((struct arc){
                .tree = number,
                .from = u,
                .to = tree->up[u],
                .route = tree->up_route[u] < 0 ? NULL : &packing->routes[tree->up_route[u]]});
        if (tree->down[u] >= 0)
            down[u] = add_arc((struct arc){
                .tree = number,
                .from = tree->down[u],
                .to = u,
                .route = tree->down_route[u] < 0 ? NULL : &packing->routes[tree->down_route[u]]});
    }
    for (int u = 0; u < n; u++) {
        int next = tree->up[u] < 0 ? -1 : up[tree->up[u]];

        if (up[u] >= 0 && next >= 0)
            bring(next, up[u]);
        if (down[u] >= 0)
            bring(down[u], down[tree->down[u]]);
        for (int v = 0; v < n && down[u] >= 0 && tree->down[u] == tree->root; v++)
            if (tree->up[v] == tree->root)
                bring(down[u], up[v]);
    }
}

static int turn_of(int arc)
{
    int turn = 0;

    for (int k = 0; k < play.arcs[arc].before_count; k++) {
        int before = turn_of(play.arcs[arc].before[k]);

        turn = before + 1 > turn ? before + 1 : turn;
    }
    return turn;
}

/* ---- the simulation -------------------------------------------------------------------------- */

static void write_platform(FILE *file)
{
    static double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    const struct hs_links *links = &play.level->links;
    int n = hs_links_vertices(links);

    hs_links_rates(rates, links);
    fprintf(file, "<?xml version='1.0'?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version=\"4.1\">\n<config>\n"
                  "<prop id=\"network/model\" value=\"CM02\"/>\n"
                  "<prop id=\"network/crosstraffic\" value=\"0\"/>\n"
                  "<prop id=\"network/weight-S\" value=\"0\"/>\n"
                  "<prop id=\"network/TCP-gamma\" value=\"0\"/>\n"
                  "</config>\n<zone id=\"world\" routing=\"Full\">\n");
    for (int w = 0; w < play.way_count; w++)
        fprintf(file, "<host id=\"from%d\" speed=\"1Gf\"/><host id=\"to%d\" speed=\"1Gf\"/>\n", w,
                w);
    for (int i = 0; i < n * n; i++)
        if (rates[i] > 0)
            fprintf(file, "<link id=\"l%d_%d\" bandwidth=\"%.17gBps\" latency=\"%.17gs\"/>\n",
                    i / n, i % n, rates[i],
                    hs_links_path_seconds(links, (int[]){i / n, i % n}, 2,
                                          play.level->latency_seconds));
    for (int i = 0, w = 0; i < play.arc_count; i++) {
        const struct arc *arc = &play.arcs[i];

        if (arc->way != w)
            continue;
        fprintf(file, "<route src=\"from%d\" dst=\"to%d\" symmetrical=\"NO\">", w, w);
        w++;
        if (!arc->route)
            fprintf(file, "<link_ctn id=\"l%d_%d\"/>", arc->from, arc->to);
        for (int j = 0; arc->route && j + 1 < arc->route->count; j++)
            fprintf(file, "<link_ctn id=\"l%d_%d\"/>", arc->route->vertices[j],
                    arc->route->vertices[j + 1]);
        fprintf(file, "</route>\n");
    }
    fprintf(file, "</zone>\n</platform>\n");
}

/* A message is there. */
static void bring_on(int number)
{
    for (int i = 0; i < play.arc_count; i++)
        for (int k = 0; k < play.arcs[i].before_count; k++)
            if (play.arcs[i].before[k] == number)
                sg_sem_release(play.arcs[i].brought[k]);
}

static void send_segment(int number, sg_host_t from, sg_host_t to)
{
    struct arc *arc = &play.arcs[number];
    double parts = play.packing->phase == HS_ALLREDUCE ? 1 : play.packing->units;

    for (int k = 0; k < arc->before_count; k++)
        sg_sem_acquire(arc->brought[k]);
    sg_host_sendto(from, to, BYTES / parts * play.packing->trees[arc->tree].share / SEGMENTS);
    bring_on(number);
}

/* A way: its messages by turn and tree. */
static void send_all(int argc, char **argv)
{
    int way = argc > 1 ? atoi(argv[1]) : 0, last = 0;
    char name[16];
    sg_host_t from, to;

    snprintf(name, sizeof(name), "from%d", way);
    from = sg_host_by_name(name);
    snprintf(name, sizeof(name), "to%d", way);
    to = sg_host_by_name(name);
    for (int i = 0; i < play.arc_count; i++)
        last = play.arcs[i].turn > last ? play.arcs[i].turn : last;
    for (int turn = 0; turn < SEGMENTS + last; turn++)
        for (int i = 0; i < play.arc_count; i++)
            if (play.arcs[i].way == way && turn >= play.arcs[i].turn &&
                turn < play.arcs[i].turn + SEGMENTS)
                send_segment(i, from, to);
}

/* Seconds of it. */
static double simulate(void)
{
    char program[] = "two_ways", quiet[] = "--log=root.thres:warning",
         file[] = "/tmp/two_ways-XXXXXX";
    char *argv[] = {program, quiet, NULL};
    int argc = 2, fd = mkstemp(file);
    FILE *platform = fd < 0 ? NULL : fdopen(fd, "w");

    if (!platform) {
        perror(file);
        exit(1);
    }
    write_platform(platform);
    fclose(platform);
    simgrid_init(&argc, argv);
    simgrid_load_platform(file);
    unlink(file);
    for (int i = 0; i < play.arc_count; i++)
        for (int k = 0; k < play.arcs[i].before_count; k++)
            play.arcs[i].brought[k] = sg_sem_init(0);
    for (int w = 0; w < play.way_count; w++) {
        char name[16], number[16];
        char *words[] = {name, number, NULL};

        snprintf(number, sizeof(number), "%d", w);
        snprintf(name, sizeof(name), "from%d", w);
        sg_actor_create(name, sg_host_by_name(name), send_all, 2, words);
    }
    simgrid_run();
    return simgrid_get_clock();
}

/* In a process of its own. */
static double play_packing(const struct hs_level *level, const struct hs_packing *packing)
{
    double *seconds =
        mmap(NULL, sizeof(*seconds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child;
    int status = 0;

    play = (struct play){.level = level, .packing = packing};
    play.arcs = calloc(packing->count * 2 * HS_LINKS_UNITS, sizeof(*play.arcs));
    if (seconds == MAP_FAILED || !play.arcs) {
        perror("two_ways");
        exit(1);
    }
    for (size_t t = 0; t < packing->count; t++)
        add_tree((int)t);
    for (int i = 0; i < play.arc_count; i++)
        play.arcs[i].turn = turn_of(i);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        *seconds = simulate();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "two_ways: the simulation failed\n");
        exit(1);
    }
    free(play.arcs);
    return *seconds;
}

/* ---- what is compared ------------------------------------------------------------------------ */

/* Bytes per second of all, by the one way between two units and by any; of one root's trees, `one`,
 * of its block. */
static void compare(const struct hs_level *level, enum hs_phase phase, bool one)
{
    double model[2], simulated[2];
    struct hs_error err = {0};

    for (int any = 0; any < 2; any++) {
        struct hs_links links = level->links;
        struct hs_packing packing;
        double blocks;
        size_t all;

        links.fixed_ways = !any;
        check(hs_packing_make(&packing, &links, phase, &err), &err);
        all = packing.count;
        while (one && packing.trees[packing.count - 1].root > 0)
            packing.count--;
        blocks = one ? packing.units : 1;
        model[any] = 1e-9 / packing.seconds_per_byte / blocks;
        simulated[any] = 1e-9 * BYTES / play_packing(level, &packing) / blocks;
        packing.count = all;
        hs_packing_release(&packing);
    }
    printf("by one way %6.1f GB/s, model %6.1f; by all ways %6.1f, model %6.1f: %.2f times, model "
           "%.2f\n",
           simulated[0], model[0], simulated[1], model[1], simulated[1] / simulated[0],
           model[1] / model[0]);
}

int main(int argc, char **argv)
{
    static const int pair[] = {0, 1};

    for (int i = 1; i < argc; i++) {
        struct hs_system system;
        struct hs_error err = {0};
        char path[256];

        snprintf(path, sizeof(path), "configs/%s.json", argv[i]);
        check(hs_system_load(&system, path, &err), &err);
        printf("%-12s allgather of %d       ", argv[i], system.levels[0].links.units);
        compare(&system.levels[0], HS_ALLGATHER, false);
        printf("%-12s allreduce of %d       ", argv[i], system.levels[0].links.units);
        compare(&system.levels[0], HS_ALLREDUCE, false);
        check(hs_system_choose(&system, pair, 2, &err), &err);
        printf("%-12s a message from 0 to 1 ", argv[i]);
        compare(&system.levels[0], HS_ALLGATHER, true);
        hs_system_release(&system);
    }
    return 0;
}
