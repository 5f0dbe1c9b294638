/*
 * pairs.h - what plans save, as calls say that go in pairs: one by plan, and one by the library
 * before or behind it. Of MPI's calls and of NCCL's.
 *
 * Which calls are pairs depends on their number alone, so that all ranks go one way.
 */
#ifndef HS_APPLY_PAIRS_H
#define HS_APPLY_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Whether call `number`, from 0, belongs to a pair: four pairs at the begin, then fewer and fewer.
 * Calls 2 k and 2 k + 1 are one. Whether it is the pair's call by the library, which comes first in
 * every other one. */
bool hs_pairs_have(uint64_t number);
bool hs_pairs_leave_out(uint64_t number);

/* Pairs from which on a plan is judged: about 64 calls. */
#define HS_PAIRS_TO_JUDGE 6
/* Whether a plan loses, by so many pairs, those that it lost, and the seconds of all together:
 * chance does not turn a good plan off. */
bool hs_pairs_lose(double pairs, double lost, double with, double without);

/* Pairs of calls of one kind that were timed; {0}: none. Seconds by plan, by the library. */
struct hs_pairs {
    uint64_t count;
    double with, without;
    double squares[3]; /* sums of with^2, with * without, without^2 */
};
void hs_pairs_add(struct hs_pairs *pairs, double with, double without);

/* What calls by plan of several kinds saved; {0}: nothing is known. */
struct hs_saving {
    uint64_t pairs;
    double with, without; /* seconds that they took; that they would have taken by the library */
    double variance;      /* of the difference */
    double spread;        /* sum of variance^2 / (pairs - 1) of each kind */
};
/* Adds calls of a kind that took so many seconds by plan, worth what their own pairs say: the ratio
 * of without to with. Without pairs nothing is added. */
void hs_saving_add(struct hs_saving *sum, const struct hs_pairs *pairs, double seconds);
/* Likewise so many calls of which the pairs alone were timed. */
void hs_saving_add_calls(struct hs_saving *sum, const struct hs_pairs *pairs, uint64_t calls);

/* The same in figures of which ranks can take the mean. */
struct hs_saved {
    double pairs, with, without;
    double error, freedom; /* one standard deviation of the difference; by so many free values */
};
struct hs_saved hs_saving_figures(const struct hs_saving *saving);
/* Appends ", estimated saving 2.814 s (90 % interval 2.1 s to 3.5 s) (ratio 4.24 from 17 paired
 * calls)", none of it more than `most` seconds, and no word of either where the pairs cannot tell
 * saving and loss apart. */
void hs_saved_append(struct hs_text *text, const struct hs_saved *saved, double most);

#endif
