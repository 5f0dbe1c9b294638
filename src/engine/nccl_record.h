/*
 * nccl_record.h - what NCCL took for its calls: algorithm, protocol, channels.
 *
 * NCCL tells it to profiler plugins when it launches a call, after its own choice and whatever
 * tuner the user has (2.28.9: src/plugin/profiler.cc, ncclProfilerStartTaskEvents); a tuner is
 * asked before, sees the costs alone, and would take the place of the user's. The plugin is part of
 * this program (NCCL_PROFILER_PLUGIN=STATIC_PLUGIN; interface version 5: from 2.28 on) and asks for
 * events only while a task runs for the first time, so it costs timed runs nothing. A profiler of
 * the user's own stays, and then there is no record.
 *
 * One per process, as NCCL's plugins are. All functions are local.
 */
#ifndef HS_ENGINE_NCCL_RECORD_H
#define HS_ENGINE_NCCL_RECORD_H

#include <stdbool.h>

#include "base/error.h"
#include "engine/engine.h"
#include "model/stage.h"

/* Of one communicator: what was taken for a phase's calls, "RING LL128 4 channels". Calls that the
 * launch says nothing of went another way: a kernel for symmetric memory. */
struct hs_nccl_record {
    unsigned asked[HS_PHASE_COUNT], launched[HS_PHASE_COUNT];
    char text[HS_PHASE_COUNT][HS_CHOICE_TEXT];
};

/* Before the first communicator: has NCCL find the plugin. HS_MEMORY. */
enum hs_status hs_nccl_record_offer(struct hs_error *err);
/* Communicators that are made from now on tell `record`, which outlives them; NULL: nobody. */
void hs_nccl_record_into(struct hs_nccl_record *record);
/* Whether events are asked for. */
void hs_nccl_record_listen(bool on);
/* As text, and begins anew; "": nothing was told. */
void hs_nccl_record_take(char text[HS_CHOICE_TEXT], struct hs_nccl_record *record,
                         enum hs_phase phase);

#endif
