/*
 * known_faults.h - faults of libraries that their users reported in public: wrong results, hangs
 * and versions that are slower, by library, version, algorithm, protocol, GPU and network. What is
 * found of a call is a warning, and changes no price.
 */
#ifndef HS_LIBRARY_KNOWN_FAULTS_H
#define HS_LIBRARY_KNOWN_FAULTS_H

#include "library/price_library.h"

struct hs_known_fault {
    const char *text;   /* what happens, and what avoids it: a sentence without its end */
    const char *source; /* where it was reported, below github.com/ */
};

/* All, in no order. */
#define HS_KNOWN_FAULTS 13
const struct hs_known_fault *hs_known_fault(size_t index);

/* Those that the library's default of the problem runs into, the worst first; returns how many.
 * `price` is the call's (price_library.h). A version that nobody says is HS_NCCL_VERSION_USUAL;
 * versions of other libraries are not known, so theirs are told whatever runs. */
size_t hs_known_faults_of(const struct hs_known_fault *found[HS_KNOWN_FAULTS],
                          const struct hs_system *system, const struct hs_problem *problem,
                          const struct hs_library_price *price, size_t element_bytes);

#endif
