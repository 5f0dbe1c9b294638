/*
 * Trees on single links, for programs that NCCL sends for. It takes one way between two GPUs, as
 * MPI does (fixed_ways in links.h): where they have a link, that one, and not as well the way over
 * a switch or a CPU that another part of a message could take.
 */
#include "export/export.h"

enum hs_status hs_export_pack(struct hs_packing *packing, struct hs_export_output *out,
                              const struct hs_export_job *job, struct hs_stage_key key,
                              struct hs_error *err)
{
    hs_packing_function *make = hs_packing_functions[key.algorithm];
    struct hs_links links = job->result->system.levels[0].links;
    struct hs_packing planned;
    enum hs_status status = make(&planned, &links, key.phase, err);
    double seconds;

    if (status != HS_OK)
        return status;
    seconds = planned.seconds_per_byte;
    hs_packing_release(&planned);
    links.fixed_ways = true;
    status = make(packing, &links, key.phase, err);
    if (status == HS_OK && packing->seconds_per_byte > 1.001 * seconds)
        hs_export_note(out,
                       "NCCL takes one way between two GPUs: the %s by %s leaves out switches and "
                       "CPUs beside their links, and the busiest link carries %.0f %% more than "
                       "planned",
                       hs_phase_names[key.phase], hs_algorithm_names[key.algorithm],
                       100 * (packing->seconds_per_byte / seconds - 1));
    return status;
}
