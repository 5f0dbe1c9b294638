/*
 * systems_here.h - `hiersearch systems --here`: this node, and the system that is proposed from it.
 */
#ifndef HS_CLI_SYSTEMS_HERE_H
#define HS_CLI_SYSTEMS_HERE_H

#include <stdbool.h>

#include "console/command.h"
#include "model/system.h"

/* Reads this node; prints it, unless `quiet`, with what could not be found out. *proposed says
 * whether *system holds a system then (to be released). Quiet and nothing to propose is HS_FAILED.
 */
enum hs_status hs_systems_here(struct hs_context *context, struct hs_system *system, bool *proposed,
                               bool quiet, struct hs_error *err);

#endif
