/*
 * check.h - whether a description of a machine can be true: its figures against the catalogue of
 * parts (parts.h) and against each other.
 */
#ifndef HS_SYSTEM_CHECK_H
#define HS_SYSTEM_CHECK_H

#include "base/units.h"
#include "system/system.h"

#define HS_FINDING_TEXT 160
#define HS_FINDINGS_MAX (6 * HS_LEVELS_MAX)

/* What is not to be believed. */
struct hs_finding {
    char place[HS_SYSTEM_NAME + 32]; /* "levels[1] (ib), bandwidth" */
    char found[HS_UNIT_TEXT];
    char expected[HS_FINDING_TEXT];
};

/* Returns how many there are, from the inside out. Of each level:
 *   - bandwidth: at most the peak of its GPUs (those of the parts, or that the title names; else
 *     the fastest known) times the ranks that share it; of NICs their line rate times the ports
 *     (the fastest known where there are no parts; a port for each rank where it has but one); at
 *     most what the children of a unit send into it together (a taper of 1); inside a node at
 *     least a 20th of the GPU's rate
 *   - latency: at least that of a wire, but for systems with fits, which may have it in the launch;
 *     at most 1 ms; not below that of the level inside
 *   - ports: at most 4 for each rank that has them */
size_t hs_system_check(struct hs_finding findings[HS_FINDINGS_MAX], const struct hs_system *system);

#endif
