/*
 * group.h - which ranks of a machine call a collective: all of them, or groups along some axes of a
 * mesh, all of which call at once.
 */
#ifndef HS_MODEL_GROUP_H
#define HS_MODEL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/split.h"

/* Axes that a group passes over: from rank `inside` of a group on, ranks lie `factor` times as far
 * apart as they would without the gap. */
struct hs_skip {
    int64_t inside, factor; /* inside 0: there is none */
};
#define HS_SKIPS_MAX 3

/* Ranks {b + k stride : k < size} of `ranks`, b any: all ranks / size such groups call at once. The
 * whole machine is {ranks, 1, ranks}. In the lattice of the divisors of `ranks` it is the paths
 * from `stride` to stride * size. With skips rank k lies k hs_group_stride's steps on, digit by
 * digit: groups over tp and dp of tp=4,pp=2,dp=8 are {64, 1, 32, {{4, 2}}}, ranks 0 1 2 3 8 9 ...,
 * and their paths lead from 1 to 4, and from 8 to 64. No stage spans a gap. */
struct hs_group {
    int64_t ranks, stride, size;        /* hs_group_span divides ranks */
    struct hs_skip skips[HS_SKIPS_MAX]; /* `inside` ascending, each a multiple of the one before */
};

/* All ranks of a machine. */
struct hs_group hs_group_world(int64_t ranks);
/* Whether one group has all ranks: then there are no gaps either. */
bool hs_group_is_world(const struct hs_group *group);
/* Whether they have the same ranks of as many; gaps are compared as they are written. */
bool hs_group_equal(const struct hs_group *a, const struct hs_group *b);
/* HS_INVALID: not 1 .. HS_NP_MAX ranks, or groups do not divide them. */
enum hs_status hs_group_check(const struct hs_group *group, struct hs_error *err);

/* How many ranks of the machine lie from one member to the next in a layer that joins blocks of
 * `inside` ranks of a group. */
int64_t hs_group_stride(const struct hs_group *group, int64_t inside);
/* The other way round: the ranks of a group in the blocks that a layer of such a stride joins. */
int64_t hs_group_inside(const struct hs_group *group, int64_t stride);
/* Ranks of the machine that the first `inside` ranks of a group, gaps included, lie among. */
int64_t hs_group_span(const struct hs_group *group, int64_t inside);
/* Whether blocks of so many ranks end at no place within a gap, so that a layer can end there: each
 * skip's `inside` divides it, or is a multiple. */
bool hs_group_has_node(const struct hs_group *group, int64_t inside);
/* Whether no gap lies strictly between blocks of so many ranks and larger ones. */
bool hs_group_has_layer(const struct hs_group *group, int64_t inside, int64_t larger);
/* HS_INVALID where a layer of the split would span a gap. */
enum hs_status hs_group_check_split(const struct hs_group *group, const struct hs_split *split,
                                    struct hs_error *err);
/* The largest layers that there can be, strides in ranks of the machine, the innermost first: one,
 * and one more behind each gap. Returns how many. */
#define HS_GROUP_PARTS_MAX (HS_SKIPS_MAX + 1)
int hs_group_parts(struct hs_layer parts[HS_GROUP_PARTS_MAX], const struct hs_group *group);
/* The split into these. */
struct hs_split hs_group_flat(const struct hs_group *group);
/* Whether that is the only one: no layer but of a prime number of ranks, or of one. */
bool hs_group_is_flat(const struct hs_group *group);

/* Ranks of each unit of `unit` ranks that a group has any in: the same of all units, or 0 where
 * some have more than others. */
int64_t hs_group_ranks_of_unit(const struct hs_group *group, int64_t unit);
/* How the group with the fewest ranks in a unit lies, of those in several units, if any is: the
 * others call at once, and all end with it. Of groups that have the same of all units any; else of
 * the first 65536, or as many as have a million ranks. */
struct hs_spread {
    int64_t units, least, most; /* that it has ranks of; ranks in one of them */
};
struct hs_spread hs_group_spread(const struct hs_group *group, int64_t unit);
/* Of groups that have the same of all units (above), and go around theirs in the order of their
 * ranks: of how many units in one block of `block` the next one lies in another block; of the block
 * that has most of them among the first 4096. */
int64_t hs_group_crossings(const struct hs_group *group, int64_t unit, int64_t block);

/* The place of rank `rank` of the machine in its group, 0 .. size - 1; the rank at that place of
 * the same group; and the number of its group, 0 .. ranks / size - 1, by their lowest ranks. */
int64_t hs_group_place(const struct hs_group *group, int64_t rank);
int64_t hs_group_rank(const struct hs_group *group, int64_t rank, int64_t place);
int64_t hs_group_number(const struct hs_group *group, int64_t rank);
/* "1 of 4, ranks 1, 5, 9, ...": the group that `rank` is in, of as many. Returns `text`. */
#define HS_GROUP_TEXT 96
char *hs_group_format(char text[HS_GROUP_TEXT], const struct hs_group *group, int64_t rank);

#endif
