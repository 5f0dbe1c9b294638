/*
 * beyond.h - what a call reaches beyond the published times that its library's constants were
 * fitted to: more nodes, longer messages, another version. Its price is extrapolated then.
 */
#ifndef HS_LIBRARY_BEYOND_H
#define HS_LIBRARY_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/group.h"
#include "model/stage.h"
#include "system/system.h"

/* What was measured at most of what is beyond; 0: it is not. */
struct hs_beyond {
    int64_t nodes;
    double bytes;
    int version; /* of NCCL: the nearest one */
};

/* Of a call of the group, of so many bytes. Of a library without published times, and of a
 * calibrated system, nothing is. */
struct hs_beyond hs_beyond_of(const struct hs_system *system, const struct hs_group *group,
                              double bytes);
/* Of the calls of a layer, which all call at once, among so many ranks. */
struct hs_beyond hs_beyond_of_layer(const struct hs_system *system, int64_t ranks,
                                    struct hs_layer layer, double bytes);
bool hs_beyond_any(const struct hs_beyond *beyond);
/* Adds what another call is beyond. */
void hs_beyond_add(struct hs_beyond *beyond, const struct hs_beyond *other);
/* "more than 12 nodes, more than 16GiB": appended, as parts of a list. */
void hs_beyond_append(struct hs_text *out, const struct hs_beyond *beyond);

#endif
