/*
 * nccl_machine.h - on which node a rank is: ranks for which it is the same number are on one.
 *
 * A node is a machine, as NCCL tells them apart: $NCCL_HOSTID, or the machine's boot. Where NVLinks
 * join several machines NCCL takes GPUs of one clique for a node, as predictions do ("nodes 2x72"
 * of trays of 4 GPUs).
 */
#ifndef HS_APPLY_NCCL_MACHINE_H
#define HS_APPLY_NCCL_MACHINE_H

#include <stdint.h>

uint64_t hs_nccl_host(void);
/* The clique of this thread's GPU, by the NVML that NCCL has loaded; 0: it is in none, or
 * $NCCL_MNNVL_ENABLE is 0. */
uint64_t hs_nccl_clique(void);

#endif
