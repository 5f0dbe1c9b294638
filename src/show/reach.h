/*
 * reach.h - how near a time is to what the links allow (library/limit.h), in a line.
 */
#ifndef HS_VIEW_REACH_H
#define HS_VIEW_REACH_H

#include "show/sheet.h"

/* "reaches 91 % of what these links allow (the limit: 14.42 ms, by the bandwidth of ib)" behind
 * `lead`; of less than the limit what hs_reach_warn says. Nothing where there is no limit. */
void hs_reach_say(struct hs_sheet *sheet, const char *lead, const struct hs_system *system,
                  const struct hs_problem *problem, double seconds);
/* Of less than the limit alone, which no price is (limit.h) but a measured time may be: that the
 * description cannot be right, and where it is wrong. Returns whether it was less. */
bool hs_reach_warn(struct hs_sheet *sheet, const char *lead, const struct hs_system *system,
                   const struct hs_problem *problem, double seconds);

#endif
