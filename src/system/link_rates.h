/*
 * link_rates.h - what NCCL and RCCL count on one link, one way, in bytes per second
 * (src/graph/topo.h of both, 2.28): each figure once, for lines of parts and for nodes that were
 * looked at.
 */
#ifndef HS_SYSTEM_LINK_RATES_H
#define HS_SYSTEM_LINK_RATES_H

/* From CPU to CPU: POWER9, AMD, and Intel by its model, from which on (arm64: as the oldest). */
#define HS_CPU_LINK_POWER9    32e9
#define HS_CPU_LINK_AMD       16e9
#define HS_CPU_LINK_BROADWELL 6e9
#define HS_CPU_LINK_SKYLAKE   10e9 /* 0x55 */
#define HS_CPU_LINK_SAPPHIRE  22e9 /* 0x8F */
#define HS_CPU_LINK_EMERALD   40e9 /* 0xCF */

/* PCIe 3 x16; each generation doubles it. */
#define HS_PCIE3_X16 12e9
/* Its line rate by that: 15.75 of 12 GB/s. All NICs of a GPU share its slot. */
#define HS_SLOT_PEAK 1.3125

/* An xGMI link: of MI300 (gfx94*), MI200 (gfx90a), and what was before (MI50 to MI100); of MI350
 * (gfx950) as in the catalogue. */
#define HS_XGMI       48e9
#define HS_XGMI_MI200 36e9
#define HS_XGMI_VEGA  24e9
#define HS_XGMI_MI350 60e9

/* NCCL's 12.0 GB/s per 100 Gb/s (src/graph/topo.h). */
#define HS_NIC_EFFICIENCY 0.96

/* Where nothing better is known: a step of a ring with Simple over each kind of link, and what a
 * call costs before (2.28.9, src/graph/tuning.cc: hwLat, baseLat). */
#define HS_NCCL_NVLINK_STEP_SECONDS  3.4e-6
#define HS_NCCL_PCIE_STEP_SECONDS    5.7e-6
#define HS_NCCL_NETWORK_STEP_SECONDS 14e-6
#define HS_NCCL_CALL_SECONDS         8.4e-6

/* A way over PCIe takes NCCL's step: half of it at each end, and next to nothing in between. */
#define HS_PCIE_END_SECONDS (HS_NCCL_PCIE_STEP_SECONDS / 2)
#define HS_RELAY_SECONDS    0.1e-6

/* An NVLink of a GPU of that compute capability, times 10; 0: not known. */
double hs_nvlink_bytes_per_second(int capability);

#endif
