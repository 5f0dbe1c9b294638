/*
 * lazy_parts.h - what the files of the lazy search share. Internal to search.
 */
#ifndef HS_SEARCH_LAZY_PARTS_H
#define HS_SEARCH_LAZY_PARTS_H

#include "search/lazy.h"
#include "search/paths.h"

/* Brings draws, expected times and variances up to date with the points. HS_MEMORY, HS_FAILED. */
enum hs_status hs_lazy_refresh(struct hs_lazy *lazy, struct hs_error *err);

/* Seconds of the shortest path, by the times of one draw, over layers of which at least `least` is
 * known; infinity: there is none. `seconds`, [node_count], is working space; into[i] (may be NULL)
 * is the edge by which it gets to node i. */
double hs_lazy_shortest(double *seconds, size_t *into, const struct hs_lazy *lazy,
                        const double *times, enum hs_lazy_status least);

/* Relative standard deviation of sizes of one level, and of layers of one size, from what the model
 * says of a machine that is known as well as this one. */
double hs_lazy_deviation(const struct hs_lazy *lazy);

/* What a part `rate` of the values exceeds at most; sorts them. */
double hs_lazy_upper(double *values, size_t count, double rate);

/* Edge weights in ticks, [edge_count], owned by the caller; layers of which less than `least` is
 * known weigh more than any path without them. NULL when out of memory. */
hs_ticks *hs_lazy_weights(double *tick_seconds, const struct hs_lazy *lazy,
                          enum hs_lazy_status least);
/* Whether a path of that many ticks has a layer that weighs as failed. */
bool hs_lazy_unusable(hs_ticks ticks);

/* The winner, and the splits that the noise of measured layers does not tell from it. */
struct hs_rivals {
    struct hs_split winner;   /* count 0: none is measured throughout */
    double seconds, variance; /* of the winner */
    double z;                 /* quantile in use: grows with the number of ties */
    struct hs_rival {
        struct hs_split split;
        double seconds, variance; /* sum of its layers; variance of that sum */
        double lead_seconds;      /* behind the winner, less z times the noise: <= 0 is a tie */
    } * items; /* [count] owned; all that tie, and at least one more where there is one */
    size_t count;
    bool cut; /* there are more ties than were looked at */
};

/* After hs_lazy_refresh. HS_MEMORY. */
enum hs_status hs_rivals_init(struct hs_rivals *rivals, const struct hs_lazy *lazy,
                              struct hs_error *err);
void hs_rivals_release(struct hs_rivals *rivals);

#endif
