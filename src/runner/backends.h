/*
 * backends.h - the table of backends, and the choice from it.
 */
#ifndef HS_RUNNER_BACKENDS_H
#define HS_RUNNER_BACKENDS_H

#include "base/error.h"
#include "engine/engine.h"
#include "model/backends.h"
#include "runner/ranks.h"

/* In the order of HS_BACKENDS. NULL-terminated. */
extern const struct hs_backend *const hs_backends[];

#define HS_BACKEND_NOTE 640 /* bytes enough for a note */

/* The backend of that name, or the first for "auto" that works on all ranks (null is never chosen).
 * `note`, of HS_BACKEND_NOTE bytes: for people, why `auto` passed over one that would work if the
 * ranks were placed otherwise; "" else. Collective. HS_INVALID with the reason why it cannot work
 * here. */
enum hs_status hs_backend_choose(const struct hs_backend **backend, char *note, const char *name,
                                 struct hs_ranks *ranks, struct hs_error *err);

#endif
