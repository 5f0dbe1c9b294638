/*
 * rules.h - which plan for which messages: what `libhiersearch-mpi.so` carries out. As text, so
 * that an environment can hold it:
 *
 *     # a comment
 *     ranks 16                            of the job
 *     nodes 2x8                           where its ranks were, in their order; none: not known
 *     trees forest allreduce 4 ...        those of layers that go by some, forests.h; before rules
 *     rule allreduce 16:1 0 library       collective, group, from how many bytes, plan
 *     rule allreduce 16:1 65536 4x4
 *     rule allgather 4:2+2*8 0 2x2        4 ranks, 2 apart; from its 2nd on 8 times as far
 *     rule reduce-scatter 16:1 0 4x4 packed    an order that leaves blocks in place, too
 *     time allreduce 16:1 65536 0.0011 0.0019  of the library's default: least and most seconds
 *
 * Bytes are those of struct hs_problem. A rule holds up to where the next of its collective and
 * group begins.
 */
#ifndef HS_MODEL_RULES_H
#define HS_MODEL_RULES_H

#include <stddef.h>

#include "base/text.h"
#include "model/forests.h"
#include "model/problem.h"

struct hs_rule {
    enum hs_collective collective;
    enum hs_layout layout; /* not reversed: rank r has block r */
    struct hs_group group;
    uint64_t from_bytes; /* per process, of the larger side */
    struct hs_plan plan; /* split.count 0: the library's default call */
};

/* So many ranks on each of so many nodes. */
struct hs_rules_nodes {
    int64_t count, ranks;
};

/* What the library's default call is expected to take. */
struct hs_rule_time {
    enum hs_collective collective;
    struct hs_group group;
    uint64_t bytes;
    double low_seconds, high_seconds;
};

struct hs_rules {
    int64_t ranks;
    struct hs_rules_nodes *nodes; /* [node_count] owned; neighbours differ */
    size_t node_count;
    struct hs_forests forests;
    struct hs_rule *rules; /* [count] owned; of a collective and group together, ascending */
    size_t count;
    struct hs_rule_time *times; /* [time_count] owned */
    size_t time_count;
};

#define HS_RULE_LIBRARY "library"

/* Reads a text, or several behind each other, which must agree on ranks and nodes. HS_INVALID with
 * the line: not such a text, a plan that its group cannot carry out, the same collective of a group
 * in two places, sizes that do not ascend. HS_MEMORY. *rules is {0} then. */
enum hs_status hs_rules_parse(struct hs_rules *rules, const char *text, struct hs_error *err);
void hs_rules_release(struct hs_rules *rules);

/* Appends a rule's line; of nodes [count] in the order of their ranks, how many each has, theirs:
 * nothing where there are none. */
void hs_rule_append(struct hs_text *text, const struct hs_rule *rule);
void hs_rule_time_append(struct hs_text *text, const struct hs_rule_time *time);
void hs_rules_nodes_append(struct hs_text *text, const int64_t *ranks, size_t count);
/* Whether nodes [count] with so many ranks each are those of the rules, or these know none. */
bool hs_rules_fit_nodes(const struct hs_rules *rules, const int64_t *ranks, size_t count);

/* The group of the rules whose ranks, in their order, are these [size] of the job; NULL: none. */
const struct hs_group *hs_rules_group(const struct hs_rules *rules, const int *ranks, int64_t size);
/* Whether there is any for the collective of that group. */
bool hs_rules_know(const struct hs_rules *rules, enum hs_collective collective,
                   const struct hs_group *group);
/* The time of exactly such a message; NULL: none. */
const struct hs_rule_time *hs_rules_time(const struct hs_rules *rules,
                                         enum hs_collective collective,
                                         const struct hs_group *group, uint64_t bytes);
/* The rule for a message of a group; NULL: none, or it names the library. */
const struct hs_rule *hs_rules_find(const struct hs_rules *rules, enum hs_collective collective,
                                    const struct hs_group *group, uint64_t bytes);

#endif
