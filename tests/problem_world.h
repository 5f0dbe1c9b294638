/* problem_world.h - an AllReduce of all ranks, which most tests ask about. */
#ifndef HS_TESTS_PROBLEM_WORLD_H
#define HS_TESTS_PROBLEM_WORLD_H

#include "model/problem.h"

static inline struct hs_problem problem_world(int64_t ranks, double bytes)
{
    return hs_problem_of(HS_COLLECTIVE_ALLREDUCE, HS_NATURAL, ranks, bytes);
}

#endif
