/*
 * profiles.h - the table of what a job called (result/profile.h).
 */
#ifndef HS_VIEW_PROFILES_H
#define HS_VIEW_PROFILES_H

#include "result/profile.h"
#include "view/sheet.h"

/* The whole of it: what ran, what of its time was in collectives, and the calls, at most `most`. */
void hs_profile_show(struct hs_sheet *sheet, const struct hs_profile *profile, size_t most);

#endif
