/*
 * system.h - the machine: levels from the inside out, each with its arity, latency and bandwidth.
 *
 * Ranks are numbered from the inside out: with arities a_0, a_1, ... ranks 0 .. a_0 - 1 make the
 * first unit of level 0, a_1 such units the first unit of level 1, and so on. A *child* of level l
 * has c_l = a_0 ... a_(l-1) ranks (c_0 = 1: one GPU), a *unit* of level l has c_(l+1) ranks.
 *
 * A system can be a file (docs/system.schema.json), a shipped name, or one line of text: the parts
 * of a node as they are ordered (parts.h), with the nodes under a switch and how much narrower than
 * their NICs together what leads out of it is, where that is known,
 *
 *     8xH100, 8xNDR400                  8xH100, 8xNDR400, 32:2
 *
 *     PARTS-LINE := PARTS [", " NODES [":" TAPER]]
 *
 * or levels with their figures:
 *
 *     nvlink:4@111.6GB/s,ib:32@18.6GB/s,spine@198GB/s
 *     memory:64@6GB/s|60GB/s~1us,ib@12.5GB/s~2us;library=openmpi
 *     nvlink:mesh:4@150GB/s~0.5us,ib:8@50GB/s~2.3us/2p,spine@133GB/s~4.6us;s=1;launch=10us
 *
 *     LEVEL  := NAME [":mesh" | ":switch"] [":" ARITY] "@" BANDWIDTH ["|" SHARED]
 *                 ["~" LATENCY] ["/" PORTS "p" ["!"]]
 *     SYSTEM := LEVEL {"," LEVEL} {";" ("s=" NUMBER | "launch=" TIME | "gap=" TIME |
 *                                       "copy=" BANDWIDTH | "executor=" NAME | "library=" NAME)}
 *
 * where SHARED is a bandwidth that all children of a unit have together (a node's memory), "!"
 * means not striped ("/1p!" on a mesh: a ring takes one of a child's links), a missing
 * arity is allowed for the last level only ("as many as needed"), and s is 1. A missing latency is
 * that of the level before, if that was given; else the one usual for a level of that name
 * ("nvlink" or "ib1", see system_text.c), else 0. The system's notes say which were not given.
 */
#ifndef HS_SYSTEM_SYSTEM_H
#define HS_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "system/figure.h"
#include "system/fit.h"
#include "system/library.h"
#include "system/links.h"
#include "system/parts.h"

#define HS_LEVELS_MAX  8
#define HS_PORTS_MAX   1024
#define HS_SYSTEM_NAME 64 /* bytes of a name with its NUL */
/* Letters of a level's name; a system's may have dots, too. */
#define HS_LEVEL_LETTERS  "abcdefghijklmnopqrstuvwxyz0123456789_-"
#define HS_SYSTEM_LETTERS HS_LEVEL_LETTERS "."

/* How the children of a level are joined. name, text of the file, meaning */
/* clang-format off */
#define HS_FABRICS(row)                                                                    \
    row(SWITCH, "switch", "any child reaches any other with all its bandwidth")            \
    row(MESH, "mesh", "each pair has a link of its own: bandwidth / (arity - 1) per pair") \
    row(LINKS, "links", "single links between them, and through what only passes on")
/* clang-format on */

enum hs_fabric {
#define HS_ROW(name, text, meaning) HS_FABRIC_##name,
    HS_FABRICS(HS_ROW)
#undef HS_ROW
        HS_FABRIC_COUNT
};

/* Which latency the figures mean: published ones differ tenfold. */
/* clang-format off */
#define HS_LATENCY_KINDS(row)                                                                \
    row(UNVERIFIED, "unverified", "no published figure: a prior")                            \
    row(PROTOCOL_STEP, "protocol-step", "one step of the library's ring, software included") \
    row(WIRE, "wire", "one small message from memory to memory")
/* clang-format on */

enum hs_latency_kind {
#define HS_ROW(name, text, meaning) HS_LATENCY_##name,
    HS_LATENCY_KINDS(HS_ROW)
#undef HS_ROW
        HS_LATENCY_KIND_COUNT
};

/* Who carries stages out, and so by which algorithms. */
/* clang-format off */
#define HS_EXECUTORS(row)                                                                \
    row(LIBRARY, "library", "a library that has rings: what published figures are of")   \
    row(HOST, "host", "the backend host, over MPI: by any algorithm")
/* clang-format on */

enum hs_executed_by {
#define HS_ROW(name, text, meaning) HS_BY_##name,
    HS_EXECUTORS(HS_ROW)
#undef HS_ROW
        HS_EXECUTED_BY_COUNT
};

extern const char *const hs_executed_by_names[HS_EXECUTED_BY_COUNT];
extern const char *const hs_fabric_names[HS_FABRIC_COUNT];
extern const char *const hs_latency_kind_names[HS_LATENCY_KIND_COUNT];

struct hs_level {
    char name[HS_SYSTEM_NAME]; /* [a-z0-9_-]+, unique in the system */
    int64_t arity;             /* children in one unit, >= 2 (1 is allowed: a level that is not
                                  populated); 0 = as many as needed (last level only) */
    enum hs_fabric fabric;
    double latency_seconds;  /* of one ring step whose farthest hop is on this level, >= 0 */
    double bytes_per_second; /* what one child can inject, per direction, over all ports, > 0; of
                                links: what the child that can inject least can */
    /* What all children of a unit inject together, at most, as ranks do that copy in the memory of
     * one node; 0: no limit. */
    double shared_bytes_per_second;
    /* Protocols of MPI: a message of more bytes than the limit waits for its partner first. */
    double eager_bytes, rendezvous_seconds;
    int64_t ports;         /* NICs of a child, >= 1; ranks are assigned to them in blocks */
    bool striped;          /* one ring may draw on all of a child's links at once: all ports, and
                                all links to other children of a mesh */
    struct hs_links links; /* of the fabric LINKS: its units are the children; else {0}. Where
                              bytes_per_second is another than hs_links_sends_least, as on
                              machines drawn, the links' rates go with it. */
    /* Where each figure comes from; owned, NULL where the file says nothing. */
    char *arity_source, *fabric_source, *latency_source, *bandwidth_source;
    /* 1 + enum hs_figure_kind (figure.h): as the file says; 0: as the source's words do. */
    int latency_kind, bandwidth_kind;
};

/* A time that somebody published for an AllReduce on this machine. */
struct hs_published {
    int64_t np;
    uint64_t bytes; /* per process */
    char *call;     /* owned: a plan, or a library's call */
    double seconds;
    char *source; /* owned */
};
struct hs_published_times {
    struct hs_published *items; /* [count] owned */
    size_t count;
};

/* Constants that a library's price may have. */
#define HS_CONSTANTS_MAX 128

/* A constant of the library's price, by its name there, that was fitted to this machine's own
 * times. */
struct hs_own_constant {
    char name[HS_SYSTEM_NAME];
    double value;     /* in the unit of its table, > 0 */
    double low, high; /* 95 % interval; NaN: not known */
};
struct hs_own_constants {
    struct hs_own_constant *items; /* [count] owned */
    size_t count;
    /* Root mean square of log(price / time) that they leave of the times they were fitted to, which
     * ranges allow for; 0: not known. */
    double residual;
};

/* A machine as prices of NCCL's calls see it. */
struct hs_nccl_machine {
    struct hs_parts parts;
    int64_t gpus;   /* in use of each NVLink domain */
    int version;    /* 0: HS_NCCL_VERSION_USUAL */
    unsigned among; /* algorithms that NCCL_ALGO leaves, as bits; 0: all */
    struct hs_nccl_use use;
    double
        own[HS_CONSTANTS_MAX]; /* its own constants, in the order of the price's; 0: what ships */
    double doubt;              /* widths that constants may be off; 0: by its parts */
    double residual;           /* of its own times: hs_own_constants's */
};

struct hs_system;
struct hs_graph;
struct hs_kept;
/* What whoever prices a system can do with what was found of it. */
struct hs_keeper {
    void (*empty)(const struct hs_system *system); /* the machine is another now: forgets all */
    void (*release)(struct hs_system *system);
};

struct hs_system {
    char name[HS_SYSTEM_NAME];
    char *title, *source, *notes; /* owned, may be NULL */
    enum hs_latency_kind latency_kind;
    /* s: latencies a ring step pays (CCGRID 2019, section III), >= 1 */
    double pipeline_granularity;
    double launch_seconds; /* per collective call, >= 0 */
    /* Between a call of a plan and the next one, on top of what the calls take alone, >= 0 (0: not
     * known), and half of its 95 % interval (0: not known). */
    double gap_seconds, gap_ci95_seconds;
    double copy_bytes_per_second; /* of memory, by one rank; 0: hs_system_copy_rate */
    enum hs_executed_by executor;
    /* Not in a file: each step of a ring pays its largest latency and its slowest link, one after
     * the other, as with one step under way. What fits are made of, and what calibrated systems are
     * priced by: times of layers are lines then (belief.h). */
    bool additive;
    size_t level_count; /* 1 .. HS_LEVELS_MAX */
    struct hs_level levels[HS_LEVELS_MAX];
    struct hs_fits fits;     /* of a calibrated system; {0} where the figures are as described */
    enum hs_library library; /* as the file says; hs_system_library */
    char *library_version;   /* NCCL's, "2.27.7"; owned, NULL: HS_NCCL_VERSION_USUAL */
    /* Forced there: what NCCL_ALGO names, or one of MPI's by its name (library_mpi.h). Owned; NULL:
     * the library's own rule. */
    char *library_algorithm;
    /* What a node is made of (parts.h), where NCCL runs on it: then stages are NCCL's calls, by
     * its rule and priced as such, unless there are fits. Owned; NULL: not said. */
    char *parts;
    struct hs_gpu_blocks blocks;         /* of its GPUs, measured; {0}: not known */
    char *blocks_source;                 /* owned; may be NULL */
    struct hs_nccl_machine nccl;         /* the same, read; of no meaning without parts */
    struct hs_own_constants constants;   /* the others are those that ship */
    struct hs_published_times published; /* results do not repeat them */
    /* Not in a file: what was found of it while its stages were priced, by `keeper`: prices, and
     * what its links carry. Of no meaning in a copy, which may differ: kept_of is then another
     * system. Machines drawn of it share the graph. NULL: nothing is kept. */
    const struct hs_keeper *keeper;
    struct hs_kept *kept;
    const struct hs_system *kept_of;
    struct hs_graph *graph;
};

/* Whether a text is meant as one of the one-line forms: it has an '@', or begins with a count of
 * parts. */
bool hs_system_is_text(const char *text);
/* The name of a system that was given as one. */
#define HS_SYSTEM_OF_TEXT "text"
/* The one-line forms above. Name: HS_SYSTEM_OF_TEXT. What a line of parts leaves open stands in the
 * notes. */
enum hs_status hs_system_parse(struct hs_system *system, const char *text, struct hs_error *err);
/* Where its prices are kept; NULL: nowhere. */
struct hs_kept *hs_system_kept(const struct hs_system *system);
/* Releases what the system owns and zeroes it. A {0} system may be released. */
void hs_system_release(struct hs_system *system);

/* Leaves of the children of its first level, which single links join, these alone, `count` of them
 * in ascending order, as the children of what is then the first level: a job that got some of a
 * node's GPUs. Its name and title say which. HS_INVALID where there is another fabric, a number is
 * beyond it, or no way is left between two of them; HS_MEMORY; it stays as it is then. */
enum hs_status hs_system_choose(struct hs_system *system, const int *children, int count,
                                struct hs_error *err);

/* Appends the one-line form; what it cannot say (sources, title, single links, for which a switch
 * of their bandwidth stands) is left out, every figure is exact. */
void hs_system_format(struct hs_text *out, const struct hs_system *system);
/* What to call it: its name, or the line of parts that it was made of and has no name beside. */
const char *hs_system_called(const struct hs_system *system);

/* The names of its levels, for tables of what lies on them; returns how many. */
size_t hs_system_list_levels(const char *names[HS_LEVELS_MAX], const struct hs_system *system);

/* Ranks in one child of level l, for l = 0 .. level_count (l = level_count: the whole machine;
 * there and beyond an open level it is INT64_MAX). Saturates at INT64_MAX. */
int64_t hs_system_child_ranks(const struct hs_system *system, size_t level);
/* Ranks of all of a level whose children have so many each; INT64_MAX: any number. */
static inline int64_t hs_level_ranks(const struct hs_level *level, int64_t child_ranks)
{
    int64_t arity = level->arity;
    bool small = child_ranks <= INT32_MAX && arity <= INT32_MAX; /* asked often: no division */

    if (arity == 0 || (!small && child_ranks > INT64_MAX / arity))
        return INT64_MAX;
    return child_ranks * arity;
}
/* What a child injects while so many of its unit do. */
static inline double hs_level_rate(const struct hs_level *level, int64_t children)
{
    double shared = level->shared_bytes_per_second / (double)(children > 1 ? children : 1);

    return shared > 0 && shared < level->bytes_per_second ? shared : level->bytes_per_second;
}
/* Whether ranks share the memory of a node, which bounds what they copy and reduce together. */
static inline bool hs_system_shares_memory(const struct hs_system *system)
{
    return system->levels[0].shared_bytes_per_second > 0;
}
/* Children of a unit of level l among so many ranks of the machine, of those that are a multiple of
 * `every` (1: all). */
int64_t hs_system_busy_children(const struct hs_system *system, size_t level, int64_t ranks,
                                int64_t every);
/* Rows of hs_figure_kinds: how far a level's figures may be off. */
const struct hs_figure_kind_row *hs_level_latency_kind(const struct hs_level *level);
const struct hs_figure_kind_row *hs_level_bandwidth_kind(const struct hs_level *level);
/* Whether it joins what lies in one node, by its name; others are networks. */
bool hs_level_is_inside(const struct hs_level *level);
/* Ranks of a node: of the levels inside of it, the innermost ones; by names that say nothing of the
 * unit of the first level, where there are more levels. 1: each rank is one; INT64_MAX: all ranks
 * share one. */
int64_t hs_system_node_ranks(const struct hs_system *system);
/* The most ranks of a first layer that stays inside of every node, where np ranks fill nodes one
 * after the other: what the ranks of full nodes and of the last have as a common divisor. As
 * hs_system_node_ranks where there are no nodes, or np is within one. */
int64_t hs_system_unit_ranks(const struct hs_system *system, int64_t np);
#define HS_NODES_TEXT 96
/* What so many processes take of the machine: " on 2 full nodes"; "" where a rank is a node, or all
 * share one. Returns `text`. */
char *hs_system_nodes_text(char text[HS_NODES_TEXT], const struct hs_system *system, int64_t np);
/* Whether stages are NCCL's calls, priced as such: it names its parts and has no fits. The flat
 * split is then NCCL's AllReduce, and times are no lines over the message size. */
bool hs_system_is_nccl_native(const struct hs_system *system);
/* Takes its parts away: for stages that are rings whatever the machine's NCCL would do. */
void hs_system_drop_parts(struct hs_system *system);
/* Where the backend host carries stages out, whatever the system says: between two children that
 * single links join all goes by one way (links.h), as it does where the system's executor is it. */
void hs_system_fix_ways(struct hs_system *system);
/* Algorithms that who carries stages out has, as bits 1 << enum hs_algorithm. */
unsigned hs_system_algorithms(const struct hs_system *system);
/* Whether the library's own collectives are priced by its rule: an MPI library is named, and no
 * fits to measured times take the figures' place. */
bool hs_system_has_rule(const struct hs_system *system);
/* Latency of a message of so many bytes on a level: with the rendezvous beyond its eager limit. */
double hs_level_latency(const struct hs_level *level, double message_bytes);
/* Whether long messages of our own algorithms wait for a rendezvous: where some level says so, and
 * no fit to measured times has it already. */
bool hs_system_waits(const struct hs_system *system);
/* What programs on it call by themselves: what it says, else NCCL where it names its parts. */
enum hs_library hs_system_library(const struct hs_system *system);
/* Bytes per second that a rank copies in its memory while all do: what it says, else half of the
 * memory's rate of a GPU (A100 80 GB: 2039 GB/s, NVIDIA's data sheet) or a core's share of its
 * node's; a guess. */
double hs_system_copy_rate(const struct hs_system *system);
/* Ranks the description covers; INT64_MAX where the last level is open. A larger np is allowed, the
 * last level is then taken to go on (more of its children), and outputs say `extrapolated`. */
int64_t hs_system_capacity(const struct hs_system *system);

#endif
