/*
 * scontrol.h - asks Slurm for its network tree.
 */
#ifndef HS_MACHINE_SCONTROL_H
#define HS_MACHINE_SCONTROL_H

#include "base/error.h"
#include "base/text.h"

/* Appends what `scontrol show topology` prints on stdout to *out; nothing where there is no
 * scontrol on the PATH or it has nothing to say (what it complains of goes nowhere). It is ended
 * after `timeout_ms`: a controller that does not answer must not keep a job from starting.
 * HS_FAILED then, and where no process can be started. Local. */
enum hs_status hs_scontrol_topology(struct hs_text *out, int timeout_ms, struct hs_error *err);

#endif
