/*
 * The catalogue of parts: GPUs, NICs, and nodes of them that were measured. A row is a line in
 * `hiersearch systems --parts`, with the source of its figures.
 *
 * A table of the program and not files beside it: no part is read without the code that knows what
 * it means (NCCL's rule goes by capability and generation, the price by class), a machine that is
 * not in it is described by its levels, and the model reads no files.
 */
#include "system/parts.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

#define PCIE3 12.0 /* effective: NCCL src/graph/topo.h, PCI_BW */
#define PCIE4 24.0
#define PCIE5 48.0

/* What a rank copies to another through the memory of its node. */
#define RANK 6.0

#define A      HS_GPU_AMPERE
#define H      HS_GPU_HOPPER
#define B      HS_GPU_BLACKWELL
#define P      HS_GPU_BOARD
#define O      HS_GPU_OTHER
#define NVLINK HS_LINK_NVLINK
#define PCIE   HS_LINK_PCIE
#define XGMI   HS_LINK_XGMI
#define INTEL  HS_CPU_INTEL
#define AMD    HS_CPU_AMD
#define ARM    HS_CPU_ARM
#define FITTED HS_FIGURE_FITTED
#define VENDOR HS_FIGURE_VENDOR
#define GUESS  HS_FIGURE_GUESS

/* All links, effective and at their peak, and where both are from. */
#define LINKS(count, each, peak) (count) * (each), (count) * (peak)
#define NVLINKS(count, each)                                                                       \
#count " NVLinks (NVIDIA's data sheet), " #each " GB/s of each (NCCL 2.28.9 src/graph/topo.h)"
#define XGMIS(count, each)                                                                         \
#count " links (AMD's data sheet), " #each " GB/s of each (RCCL src/graph/topo.h)"

#define BOARD(pcie, each)                                                                          \
    "PCIe " #pcie " x16 (data sheet), " #each " GB/s of it (NCCL 2.28.9 src/graph/topo.h)"

/* Of processors the peak is the memory of a node of two sockets, where the row says no other, by
 * the channels of the maker's data sheet; what a rank copies is a guess. Memory is the data
 * sheets': of a tray or a board its sum over its GPUs (DGX B200: 1,440 GB of 8, HGX B300: 2.1 TB of
 * 8, NVL72: 13.4 and 20 TB of 72), of a die its half of a package, of those sold with two sizes the
 * one that most have. */
/* clang-format off */
const struct hs_gpu hs_gpus[] = {
    {"P100", A, NVLINK, 60, LINKS(4, 18.0, 20), PCIE3, 16, INTEL, false, VENDOR, GUESS,
     NVLINKS(4, 18) "; times as A100's"},
    {"V100", A, NVLINK, 70, LINKS(6, 20.0, 25), PCIE3, 32, INTEL, false, VENDOR, GUESS,
     NVLINKS(6, 20) "; times as A100's"},
    {"A100", A, NVLINK, 80, LINKS(12, 20.0, 25), PCIE4, 80, AMD, false, FITTED, FITTED,
     NVLINKS(12, 20) ", 40 and 80 GB alike; times of 11 machines"},
    {"A800", A, NVLINK, 80, LINKS(8, 20.0, 25), PCIE4, 80, INTEL, false, VENDOR, FITTED,
     "8 NVLinks (400 GB/s both ways, as sold); times as A100's"},
    {"H100", H, NVLINK, 90, LINKS(18, 20.6, 25), PCIE5, 80, INTEL, true, FITTED, FITTED,
     NVLINKS(18, 20.6) "; times of 18 machines"},
    {"H200", H, NVLINK, 90, LINKS(18, 20.6, 25), PCIE5, 141, INTEL, true, FITTED, FITTED,
     NVLINKS(18, 20.6) "; times of 8 machines"},
    {"H800", H, NVLINK, 90, LINKS(8, 20.6, 25), PCIE5, 80, INTEL, true, VENDOR, FITTED,
     "8 NVLinks (400 GB/s both ways, as sold); times as H100's"},
    {"H20", H, NVLINK, 90, LINKS(18, 20.6, 25), PCIE5, 96, INTEL, true, VENDOR, FITTED,
     "18 NVLinks (900 GB/s both ways, as sold); times as H100's"},
    {"GH200", H, NVLINK, 90, LINKS(18, 20.6, 25), PCIE5, 96, ARM, false, FITTED, FITTED,
     NVLINKS(18, 20.6) "; times of 2 machines"},
    {"B200", B, NVLINK, 100, LINKS(18, 40.1, 50), PCIE5, 180, INTEL, true, FITTED, FITTED,
     NVLINKS(18, 40.1) "; times of 8 machines"},
    {"B300", B, NVLINK, 100, LINKS(18, 40.1, 50), 2 * PCIE5, 270, INTEL, true, FITTED, FITTED,
     NVLINKS(18, 40.1) "; times of 6 machines"},
    {"GB200", B, NVLINK, 100, LINKS(18, 40.1, 50), PCIE5, 186, ARM, true, FITTED, FITTED,
     NVLINKS(18, 40.1) "; times of 4 machines"},
    {"GB300", B, NVLINK, 100, LINKS(18, 40.1, 50), 2 * PCIE5, 277, ARM, true, FITTED, FITTED,
     NVLINKS(18, 40.1) "; times of 3 machines"},
    {"L40S", P, PCIE, 89, PCIE4, 31.5, PCIE4, 48, AMD, false, GUESS, GUESS,
     BOARD(4, 24) "; times of 1 machine"},
    {"A6000", P, PCIE, 86, PCIE4, 31.5, PCIE4, 48, AMD, false, GUESS, GUESS,
     BOARD(4, 24) "; times as L40S's"},
    {"RTXPRO6000", P, PCIE, 120, PCIE5, 63.0, PCIE5, 96, AMD, false, GUESS, GUESS,
     BOARD(5, 48) "; times of 3 machines"},
    {"RTX6000D", P, PCIE, 120, PCIE5, 63.0, PCIE5, 84, AMD, false, GUESS, GUESS,
     BOARD(5, 48) "; times as RTXPRO6000's"},
    {"RTX6000Ada", P, PCIE, 89, PCIE4, 31.5, PCIE4, 48, AMD, false, GUESS, GUESS,
     BOARD(4, 24) "; times as L40S's"},
    {"RTX5090", P, PCIE, 120, PCIE5, 63.0, PCIE5, 32, AMD, false, GUESS, GUESS,
     BOARD(5, 48) "; times as RTXPRO6000's"},
    {"RTX4090", P, PCIE, 89, PCIE4, 31.5, PCIE4, 24, AMD, false, GUESS, GUESS,
     BOARD(4, 24) "; times of 1 machine"},
    {"A10G", P, PCIE, 86, PCIE4, 31.5, PCIE4, 24, AMD, false, GUESS, GUESS,
     BOARD(4, 24) "; times as L40S's"},
    {"L4", P, PCIE, 89, PCIE4, 31.5, PCIE4, 24, INTEL, false, GUESS, GUESS,
     BOARD(4, 24) "; times as L40S's"},
    {"T4", P, PCIE, 75, PCIE3, 15.75, PCIE3, 16, INTEL, false, GUESS, GUESS,
     BOARD(3, 12) "; times as L40S's"},
    {"GB10", P, PCIE, 121, PCIE4, 31.5, PCIE4, 128, ARM, false, GUESS, GUESS,
     "one of a DGX Spark, whose NIC has two PCIe 5 x4 (NVIDIA's guide); times as L40S's"},
    {"MI210", O, XGMI, 0, LINKS(3, 36.0, 50), PCIE4, 64, AMD, false, GUESS, GUESS,
     XGMIS(3, 36) ", nodes of 4 joined by bridges"},
    {"MI250X", O, XGMI, 0, 4 * 36.0, 8 * 50.0, PCIE4, 64, AMD, false, GUESS, GUESS,
     "a die: " XGMIS(8, 36) ", 4 of them to other dies taken to be in use"},
    {"MI300A", O, XGMI, 0, LINKS(6, 48.0, 64), PCIE5, 128, AMD, false, VENDOR, GUESS,
     XGMIS(6, 48) ", 2 to each other one of 4"},
    {"MI300X", O, XGMI, 0, LINKS(7, 48.0, 64), PCIE5, 192, AMD, false, FITTED, FITTED,
     XGMIS(7, 48) "; times of 4 machines"},
    {"MI308X", O, XGMI, 0, LINKS(7, 48.0, 64), PCIE5, 192, AMD, false, GUESS, GUESS,
     "as MI300X, for want of a data sheet"},
    {"MI325X", O, XGMI, 0, LINKS(7, 48.0, 64), PCIE5, 256, AMD, false, FITTED, FITTED,
     XGMIS(7, 48) "; times of 1 machine"},
    {"MI350X", O, XGMI, 0, LINKS(7, 60.0, 76.8), PCIE5, 288, AMD, false, VENDOR, GUESS,
     "7 links (AMD's data sheet), the rate as MI355X's"},
    {"MI355X", O, XGMI, 0, LINKS(7, 60.0, 76.8), PCIE5, 288, AMD, false, FITTED, FITTED,
     "7 links (AMD's data sheet), 60 GB/s of each: an AllReduce of 8 that reaches 407 GB/s (OCI's "
     "guide of the MI355X); times of 3 machines"},
    {"CPU", O, HS_LINK_MEMORY, 0, RANK, 256.0, PCIE3, 0, INTEL, false, GUESS, GUESS,
     "6 x DDR4-2666 a socket, for want of a name"},
    {"Broadwell", O, HS_LINK_MEMORY, 0, RANK, 2 * 76.8, PCIE3, 0, INTEL, false, GUESS, GUESS,
     "4 x DDR4-2400 a socket"},
    {"Skylake", O, HS_LINK_MEMORY, 0, RANK, 2 * 128.0, PCIE3, 0, INTEL, false, GUESS, GUESS,
     "6 x DDR4-2666 a socket"},
    {"CascadeLake", O, HS_LINK_MEMORY, 0, RANK, 2 * 140.8, PCIE3, 0, INTEL, false, GUESS, GUESS,
     "6 x DDR4-2933 a socket"},
    {"IceLake", O, HS_LINK_MEMORY, 0, RANK, 2 * 204.8, PCIE4, 0, INTEL, false, GUESS, GUESS,
     "8 x DDR4-3200 a socket"},
    {"SapphireRapids", O, HS_LINK_MEMORY, 0, RANK, 2 * 307.2, PCIE5, 0, INTEL, false, GUESS, GUESS,
     "8 x DDR5-4800 a socket"},
    {"XeonMax", O, HS_LINK_MEMORY, 0, RANK, 2 * 307.2, PCIE5, 0, INTEL, false, GUESS, GUESS,
     "8 x DDR5-4800 a socket, its HBM left out"},
    {"Rome", O, HS_LINK_MEMORY, 0, RANK, 2 * 204.8, PCIE4, 0, AMD, false, GUESS, GUESS,
     "8 x DDR4-3200 a socket"},
    {"Milan", O, HS_LINK_MEMORY, 0, RANK, 2 * 204.8, PCIE4, 0, AMD, false, GUESS, GUESS,
     "8 x DDR4-3200 a socket"},
    {"Genoa", O, HS_LINK_MEMORY, 0, RANK, 2 * 460.8, PCIE5, 0, AMD, false, GUESS, GUESS,
     "12 x DDR5-4800 a socket"},
    {"Turin", O, HS_LINK_MEMORY, 0, RANK, 2 * 576.0, PCIE5, 0, AMD, false, GUESS, GUESS,
     "12 x DDR5-6000 a socket"},
    {"POWER9", O, HS_LINK_MEMORY, 0, RANK, 2 * 170.0, PCIE3, 0, INTEL, false, GUESS, GUESS,
     "8 x DDR4-2666 a socket"},
    {"A64FX", O, HS_LINK_MEMORY, 0, RANK, 1024.0, PCIE3, 0, ARM, false, GUESS, GUESS,
     "4 x HBM2, one socket"},
    {"Graviton3", O, HS_LINK_MEMORY, 0, RANK, 307.2, PCIE5, 0, ARM, false, GUESS, GUESS,
     "8 x DDR5-4800, one socket"},
    {"Grace", O, HS_LINK_MEMORY, 0, RANK, 2 * 500.0, PCIE5, 0, ARM, false, GUESS, GUESS,
     "LPDDR5X, two of a superchip"},
};

/* Line rates are those of the standards, by direction. */
const struct hs_nic hs_nics[] = {
    {"FDR56", 6.8, HS_NIC_INFINIBAND, 3, GUESS, "InfiniBand FDR, 4 lanes of 14.06 Gb/s"},
    {"EDR100", 12.5, HS_NIC_INFINIBAND, 2.5, FITTED, "InfiniBand EDR; times of its class"},
    {"HDR100", 12.5, HS_NIC_INFINIBAND, 2.5, FITTED, "InfiniBand HDR, 2 lanes; times of its class"},
    {"HDR200", 25.0, HS_NIC_INFINIBAND, 2.5, FITTED, "InfiniBand HDR; times of 2 machines"},
    {"NDR200", 25.0, HS_NIC_INFINIBAND, 2.5, FITTED, "InfiniBand NDR, 2 lanes; times of 1 machine"},
    {"NDR400", 50.0, HS_NIC_INFINIBAND, 2.5, FITTED, "InfiniBand NDR; times of 11 machines"},
    {"OPA100", 12.5, HS_NIC_INFINIBAND, 2.5, GUESS, "Omni-Path 100; times as EDR100's"},
    {"TOFUD", 6.8, HS_NIC_INFINIBAND, 3.5, GUESS, "Tofu-D, one of 6 of a node; times as SS11's"},
    {"XDR800", 100.0, HS_NIC_INFINIBAND, 2.5, GUESS, "InfiniBand XDR; times as NDR400's"},
    {"SS10", 12.5, HS_NIC_SLINGSHOT, 3.5, GUESS, "Slingshot with ConnectX-5; times as SS11's"},
    {"SS11", 25.0, HS_NIC_SLINGSHOT, 3.5, FITTED, "Slingshot 11; times of 3 machines"},
    {"EFA100", 12.5, HS_NIC_EFA, 25, FITTED,
     "AWS p4d, p4de, p5: 100 Gb/s each; times of 10 machines"},
    {"EFA200", 25.0, HS_NIC_LATER_EFA, 25, FITTED, "AWS p5en: 200 Gb/s each; times of 2 machines"},
    {"EFA400", 50.0, HS_NIC_LATER_EFA, 25, FITTED, "AWS p6: 400 Gb/s each; times of 5 machines"},
    {"RoCE25", 3.125, HS_NIC_ROCE, 3, GUESS, "25 GbE with RoCE; times as RoCE100's"},
    {"RoCE100", 12.5, HS_NIC_ROCE, 3, FITTED, "100 GbE with RoCE; times of 1 machine"},
    {"RoCE200", 25.0, HS_NIC_ROCE, 3, FITTED, "200 GbE with RoCE; times of 2 machines"},
    {"RoCE400", 50.0, HS_NIC_ROCE, 3, FITTED, "400 GbE with RoCE; times of 10 machines"},
    {"RoCE800", 100.0, HS_NIC_ROCE, 3, FITTED, "800 GbE with RoCE; times of 1 machine"},
    {"TCPXO200", 25.0, HS_NIC_TCPXO, HS_TCP_STEP_US, FITTED,
     "GCP a3-megagpu: 200 Gb/s each; times of 2 machines"},
    {"ETH10", 1.25, HS_NIC_TCP, HS_TCP_STEP_US, GUESS, "10 GbE, the kernel's sockets; no times"},
    {"ETH25", 3.125, HS_NIC_TCP, HS_TCP_STEP_US, GUESS, "25 GbE, the kernel's sockets; no times"},
    {"ETH40", 5.0, HS_NIC_TCP, HS_TCP_STEP_US, GUESS, "40 GbE, the kernel's sockets; no times"},
    {"ETH50", 6.25, HS_NIC_TCP, HS_TCP_STEP_US, GUESS, "50 GbE, the kernel's sockets; no times"},
    {"ETH100", 12.5, HS_NIC_TCP, HS_TCP_STEP_US, GUESS, "100 GbE, the kernel's sockets; no times"},
};

const struct hs_fitted_node hs_fitted_nodes[] = {
    {"A100", true, "SS11", 16, "Perlmutter (NERSC), nccl-tests"},
    {"A100", false, "EFA100", 2, "AWS p4d.24xlarge and p4de.24xlarge, nccl-tests"},
    {"A100", false, "HDR200", 2, "Sophia (ALCF), nccl-tests; Azure NDm A100 v4"},
    {"A100", false, "RoCE100", 2, "OCI A100, nccl-tests"},
    {"H100", true, "NDR200", 16, "MareNostrum 5 ACC (BSC)"},
    {"H100", false, "NDR400", 12, "CoreWeave's, Crusoe's, Nebius' and others', nccl-tests"},
    {"H100", false, "RoCE200", 2, "OCI BM.GPU.H100.8, nccl-tests"},
    {"H100", false, "EFA100", 32, "AWS p5.48xlarge, nccl-tests"},
    {"H100", false, "TCPXO200", 2, "GCP a3-megagpu-8g, nccl-tests"},
    {"H200", false, "RoCE400", 2, "GCP a3-ultragpu-8g, nccl-tests"},
    {"GH200", true, "SS11", 2, "Alps (CSCS) and Olivia (NRIS)"},
    {"B200", false, "NDR400", 64, "Together's and Lambda's, nccl-tests"},
    {"B200", false, "RoCE400", 2, "GCP a4-highgpu-8g, nccl-tests"},
    {"B300", false, "EFA400", 2, "AWS p6-b300.48xlarge, nccl-tests"},
    {"GB200", false, "RoCE400", 2, "OCI BM.GPU.GB200-v3.4, 2 racks"},
    {"GB300", false, "RoCE400", 2, "GCP a4x-maxgpu-4g, trays of two domains, nccl-tests"},
    {"GB300", false, "RoCE800", 2, "OCI GB300, 2 racks"},
};
/* clang-format on */

const size_t hs_gpu_count = COUNT_OF(hs_gpus), hs_nic_count = COUNT_OF(hs_nics),
             hs_fitted_node_count = COUNT_OF(hs_fitted_nodes);
