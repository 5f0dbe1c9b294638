/*
 * SimGrid: the result's system as a platform, link by link, and the host file that puts ranks on
 * it.
 *
 * The links are those of model/price.h. A child of level l has a duplex link with the level's
 * bandwidth, or one per port where rings are not striped; a mesh has a link per pair of children
 * besides; of a graph the vertices are joined by what its own links are, each way, and every two of
 * its units by the way that hs_links_path says, or else _by_units, as one edge: as long as the
 * longest of them, so that none is longer than two others. A hop whose outermost level is l passes
 * the links of its sender's children of levels 0 .. l, and back down to the receiver, and takes the
 * latency of level l alone.
 *
 * All in one zone, a graph: host - v0 - v1 - v2 ..., where the edge below "v<l>_<r>" is the link of
 * level l. With ports, ranks of one child leave it through different links, so there is a vertex
 * per range of ranks that share all links from here outwards; it is named by the range's first rank
 * r. At "c<l>_<r>", the switch of a unit of level l, the vertices of its children meet: the two
 * edges carry half the latency each. Routes are those with the fewest links; the vertical edges
 * have one more (`up`, which costs nothing), so that turning round at a switch is always shorter
 * than turning round further outside.
 */
#include <inttypes.h>

#include "export/export.h"

#define NP_MAX 131072
/* Bytes per second of what costs nothing; links of a graph have all that their level costs. */
#define UNLIMITED 1e18

static const char use[] =
    "smpicc -O2 program.c -o program\n"
    "smpirun -np NP -platform platform.xml -hostfile hostfile ./program\n"
    "The plan is not part of the platform: run it with any MPI program, such as one that splits "
    "its\n"
    "communicators by the colors export. The configuration below makes SMPI charge just latency\n"
    "and bandwidth; leave it out for SMPI's own factors (calibrated for Ethernet).\n"
    "A ring in a mesh uses one of a child's links; where the mesh is striped, the model counts "
    "all\n"
    "links that a layer reaches.";

/* A platform that is being written. */
struct platform {
    const struct hs_system *system;
    int64_t np;
    size_t levels; /* that these processes cross */
    struct hs_text *text;
};

static int64_t child_start(const struct platform *platform, size_t level, int64_t rank)
{
    int64_t ranks = hs_system_child_ranks(platform->system, level);

    return rank - rank % ranks;
}

/* The outermost level goes on, however many processes there are. */
static int64_t unit_start(const struct platform *platform, size_t level, int64_t rank)
{
    return level + 1 == platform->levels ? 0 : child_start(platform, level + 1, rank);
}

static bool has_ports(const struct hs_level *level)
{
    return !level->striped && level->ports > 1;
}

/* First rank of those that leave the rank's child of this level through the same link. Port q of c
 * ranks serves [q c / ports, (q + 1) c / ports), rounded down. */
static int64_t link_start(const struct platform *platform, size_t l, int64_t rank)
{
    const struct hs_level *level = &platform->system->levels[l];
    int64_t ranks = hs_system_child_ranks(platform->system, l);
    int64_t first = child_start(platform, l, rank), port;

    if (!has_ports(level))
        return first;
    port = ((rank - first + 1) * level->ports - 1) / ranks;
    return first + port * ranks / level->ports;
}

/* First rank of those that share all links from this level outwards. */
static int64_t vertex_start(const struct platform *platform, size_t level, int64_t rank)
{
    int64_t start = 0;

    for (size_t l = level; l < platform->levels; l++) {
        int64_t link = link_start(platform, l, rank);

        start = link > start ? link : start;
    }
    return start;
}

static bool is_vertex(const struct platform *platform, size_t level, int64_t rank)
{
    return vertex_start(platform, level, rank) == rank;
}

/* ---- declarations ---- */

static void write_netpoints(const struct platform *platform)
{
    for (int64_t rank = 0; rank < platform->np; rank++)
        hs_text_append(platform->text, "  <host id=\"r%" PRId64 "\" speed=\"1Tf\"/>\n", rank);
    for (size_t l = 0; l < platform->levels; l++)
        for (int64_t rank = 0; rank < platform->np; rank++) {
            if (is_vertex(platform, l, rank))
                hs_text_append(platform->text, "  <router id=\"v%zu_%" PRId64 "\"/>\n", l, rank);
            if (unit_start(platform, l, rank) == rank)
                hs_text_append(platform->text, "  <router id=\"c%zu_%" PRId64 "\"/>\n", l, rank);
        }
}

static bool is_mesh(const struct hs_level *level)
{
    return level->fabric == HS_FABRIC_MESH && level->arity > 1;
}

static const struct hs_links *graph_of(const struct platform *platform, size_t l)
{
    const struct hs_level *level = &platform->system->levels[l];

    return level->fabric == HS_FABRIC_LINKS ? &level->links : NULL;
}

/* The latency of the links from one vertex of a level's graph to another. */
static double latency_between(const struct hs_level *level, int from, int to)
{
    const int path[2] = {from, to};

    return hs_links_path_seconds(&level->links, path, 2, level->latency_seconds);
}

/* Of the unit that begins with this rank: what goes from each vertex to each other one. */
static void write_graph_links(const struct platform *platform, size_t l, int64_t unit)
{
    const struct hs_level *level = &platform->system->levels[l];
    double scale = level->bytes_per_second / hs_links_sends_least(&level->links);
    double rates[HS_LINKS_VERTICES];
    int vertices = hs_links_vertices(&level->links);

    for (int from = 0; from < vertices; from++) {
        hs_links_rates_of(rates, &level->links, from, false);
        for (int to = 0; to < vertices; to++)
            if (rates[to] > 0)
                hs_text_append(platform->text,
                               "  <link id=\"g%zu_%" PRId64 "_%d_%d\" bandwidth=\"%.17gBps\" "
                               "latency=\"%.17gs\"/>\n",
                               l, unit, from, to, scale * rates[to],
                               latency_between(level, from, to));
    }
}

/* From the child that begins with this rank to all later ones of its unit. */
static void write_mesh_links(const struct platform *platform, size_t l, int64_t child)
{
    const struct hs_level *level = &platform->system->levels[l];
    int64_t ranks = hs_system_child_ranks(platform->system, l);
    int64_t unit = unit_start(platform, l, child);

    for (int64_t other = child + ranks;
         other < platform->np && unit_start(platform, l, other) == unit; other += ranks)
        hs_text_append(platform->text,
                       "  <link id=\"m%zu_%" PRId64 "_%" PRId64 "\" bandwidth=\"%.17gBps\" "
                       "latency=\"%.17gs\" sharing_policy=\"SPLITDUPLEX\"/>\n",
                       l, child, other, level->bytes_per_second / (double)(level->arity - 1),
                       level->latency_seconds);
}

static void write_links(const struct platform *platform, size_t l)
{
    const struct hs_level *level = &platform->system->levels[l];
    double ports = has_ports(level) ? (double)level->ports : 1;

    hs_text_append(platform->text,
                   "  <link id=\"lat%zu\" bandwidth=\"1e18Bps\" latency=\"%.17gs\" "
                   "sharing_policy=\"FATPIPE\"/>\n",
                   l, level->latency_seconds / 2);
    for (int64_t rank = 0; rank < platform->np; rank++) {
        if (link_start(platform, l, rank) == rank)
            hs_text_append(platform->text,
                           "  <link id=\"l%zu_%" PRId64 "\" bandwidth=\"%.17gBps\" latency=\"0s\" "
                           "sharing_policy=\"SPLITDUPLEX\"/>\n",
                           l, rank,
                           graph_of(platform, l) ? UNLIMITED : level->bytes_per_second / ports);
        if (is_mesh(level) && child_start(platform, l, rank) == rank)
            write_mesh_links(platform, l, rank);
        if (graph_of(platform, l) && unit_start(platform, l, rank) == rank)
            write_graph_links(platform, l, rank);
    }
}

/* ---- routes ---- */

static void write_vertical(const struct platform *platform, size_t l, int64_t rank)
{
    struct hs_text *text = platform->text;

    if (l == 0)
        hs_text_append(text, "  <route src=\"r%" PRId64 "\"", rank);
    else
        hs_text_append(text, "  <route src=\"v%zu_%" PRId64 "\"", l - 1, rank);
    hs_text_append(text,
                   " dst=\"v%zu_%" PRId64 "\"><link_ctn id=\"l%zu_%" PRId64
                   "\" direction=\"UP\"/>%s</route>\n",
                   l, vertex_start(platform, l, rank), l, link_start(platform, l, rank),
                   l == 0 ? "" : "<link_ctn id=\"up\"/>");
}

static void write_switch(const struct platform *platform, size_t l, int64_t rank)
{
    hs_text_append(platform->text,
                   "  <route src=\"v%zu_%" PRId64 "\" dst=\"c%zu_%" PRId64
                   "\"><link_ctn id=\"lat%zu\"/></route>\n",
                   l, rank, l, unit_start(platform, l, rank), l);
}

/* From the vertex that begins with this rank to those of all later children of its unit. */
static void write_mesh_routes(const struct platform *platform, size_t l, int64_t rank)
{
    int64_t unit = unit_start(platform, l, rank), child = child_start(platform, l, rank);
    int64_t first = child + hs_system_child_ranks(platform->system, l);

    for (int64_t other = first; other < platform->np; other++) {
        if (unit_start(platform, l, other) != unit)
            return;
        if (is_vertex(platform, l, other))
            hs_text_append(platform->text,
                           "  <route src=\"v%zu_%" PRId64 "\" dst=\"v%zu_%" PRId64
                           "\"><link_ctn id=\"m%zu_%" PRId64 "_%" PRId64
                           "\" direction=\"UP\"/></route>\n",
                           l, rank, l, other, l, child, child_start(platform, l, other));
    }
}

/* Over links and relays, or where there is no such way through other units. */
static int path_of(int path[HS_LINKS_VERTICES], const struct hs_links *links, int from, int to)
{
    int count = hs_links_path(path, links, from, to);

    return count > 0 ? count : hs_links_path_by_units(path, links, from, to);
}

/* The most links that the way between two units of a graph has. */
static int longest_path(const struct hs_links *links)
{
    int path[HS_LINKS_VERTICES], longest = 0;

    for (int i = 0; i < links->units * links->units; i++) {
        int count = i / links->units == i % links->units
                        ? 0
                        : path_of(path, links, i / links->units, i % links->units);

        longest = count - 1 > longest ? count - 1 : longest;
    }
    return longest;
}

/* From one vertex of a level to another, whose children are these units of its graph. */
static void write_graph_route(const struct platform *platform, size_t l, const int64_t ranks[2],
                              const int units[2], int longest)
{
    struct hs_text *text = platform->text;
    int path[HS_LINKS_VERTICES];
    int count = path_of(path, graph_of(platform, l), units[0], units[1]);

    hs_text_append(text,
                   "  <route src=\"v%zu_%" PRId64 "\" dst=\"v%zu_%" PRId64 "\" symmetrical=\"NO\">",
                   l, ranks[0], l, ranks[1]);
    for (int i = 0; i + 1 < count; i++)
        hs_text_append(text, "<link_ctn id=\"g%zu_%" PRId64 "_%d_%d\"/>", l,
                       unit_start(platform, l, ranks[0]), path[i], path[i + 1]);
    for (int i = count - 1; i < longest; i++)
        hs_text_append(text, "<link_ctn id=\"up\"/>");
    hs_text_append(text, "</route>\n");
}

/* From the vertex that begins with this rank to those of all other children of its unit. */
static void write_graph_routes(const struct platform *platform, size_t l, int64_t rank)
{
    int64_t unit = unit_start(platform, l, rank),
            child = hs_system_child_ranks(platform->system, l);
    int longest = longest_path(graph_of(platform, l));

    for (int64_t other = unit; other < platform->np && unit_start(platform, l, other) == unit;
         other++) {
        const int64_t ranks[2] = {rank, other};
        const int units[2] = {(int)((rank - unit) / child), (int)((other - unit) / child)};

        if (units[0] != units[1] && is_vertex(platform, l, other))
            write_graph_route(platform, l, ranks, units, longest);
    }
}

static void write_routes(const struct platform *platform, size_t l)
{
    bool mesh = is_mesh(&platform->system->levels[l]);

    for (int64_t rank = 0; rank < platform->np; rank++) {
        if (l == 0 || is_vertex(platform, l - 1, rank))
            write_vertical(platform, l, rank);
        if (is_vertex(platform, l, rank) && mesh)
            write_mesh_routes(platform, l, rank);
        else if (is_vertex(platform, l, rank) && graph_of(platform, l))
            write_graph_routes(platform, l, rank);
        else if (is_vertex(platform, l, rank))
            write_switch(platform, l, rank);
    }
}

static const char configuration[] =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n"
    " <config>\n"
    "  <prop id=\"smpi/simulate-computation\" value=\"no\"/>\n"
    "  <prop id=\"smpi/lat-factor\" value=\"0:1.0\"/>\n"
    "  <prop id=\"smpi/bw-factor\" value=\"0:1.0\"/>\n"
    "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
    "  <prop id=\"network/weight-S\" value=\"0\"/>\n"
    "  <prop id=\"network/TCP-gamma\" value=\"0\"/>\n"
    "  <prop id=\"smpi/shared-malloc-blocksize\" value=\"67108864\"/>\n"
    " </config>\n"
    " <zone id=\"world\" routing=\"DijkstraCache\">\n"
    "  <link id=\"up\" bandwidth=\"1e18Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n";

static void write_platform(const struct platform *platform)
{
    hs_text_append(platform->text, "%s", configuration);
    write_netpoints(platform);
    for (size_t l = 0; l < platform->levels; l++)
        write_links(platform, l);
    for (size_t l = 0; l < platform->levels; l++)
        write_routes(platform, l);
    hs_text_append(platform->text, " </zone>\n</platform>\n");
}

static void add_notes(struct hs_export_output *out, const struct hs_export_job *job)
{
    const struct hs_system *system = &job->result->system;

    if (system->launch_seconds > 0)
        hs_export_note(out,
                       "simgrid: the launch of a call (%g us) is not in the platform: add it in "
                       "the program",
                       system->launch_seconds * 1e6);
    if (system->pipeline_granularity > 1)
        hs_export_note(out,
                       "simgrid: a ring step of the model pays %g latencies, a message in the "
                       "platform one",
                       system->pipeline_granularity);
    if (job->result->np > hs_system_capacity(system))
        hs_export_note(out,
                       "simgrid: %s describes %" PRId64 " processes, its outermost level is taken "
                       "to go on",
                       system->name, hs_system_capacity(system));
}

static enum hs_status write_simgrid(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    struct platform platform = {.system = &job->result->system, .np = job->result->np};
    enum hs_status status = hs_export_need_system(job, &hs_exporter_simgrid, err);
    struct hs_text *hosts;

    if (status != HS_OK)
        return status;
    if (platform.np > NP_MAX)
        return hs_fail(err, HS_INVALID,
                       "simgrid: %" PRId64
                       " processes are too many to simulate one by one, expected "
                       "at most %d: predict fewer, the rule is the same",
                       platform.np, NP_MAX);
    while (platform.levels < platform.system->level_count &&
           hs_system_child_ranks(platform.system, platform.levels) < platform.np)
        platform.levels++;
    hosts = hs_export_add_file(out, "hostfile"); /* has no comments: a host is a line */
    for (int64_t rank = 0; rank < platform.np; rank++)
        hs_text_append(hosts, "r%" PRId64 "\n", rank);
    platform.text = hs_export_add_file(out, "platform.xml");
    hs_export_header(platform.text, job, &hs_exporter_simgrid, &hs_export_comment_xml, use);
    write_platform(&platform);
    add_notes(out, job);
    return HS_OK;
}

const struct hs_exporter hs_exporter_simgrid = {
    .name = "simgrid",
    .library = "SimGrid",
    .versions = "3.32, SMPI",
    .summary = "the result's system as a platform and a host file",
    .layers = 0,
    .exact = true,
    .letters = HS_EXPORT_LETTERS | HS_EXPORT_TREES,
    .chunks = true,
    .also = HS_EXPORT_MACHINE,
    .write = write_simgrid,
};
