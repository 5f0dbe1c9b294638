/*
 * nccl_info.h - what NCCL and RCCL print of themselves with NCCL_DEBUG=INFO (or WARN): facts of a
 * job, each with the line that says it.
 *
 * A message stands behind "HOST:PID:TID [DEVICE] NCCL INFO ", and that behind what a launcher puts
 * before each line. Lines of hosts and ranks may alternate; several messages may share a line,
 * where processes wrote at once; a message that was cut counts only as far as it is whole. What is
 * no message is passed over, so the text may be a log of nccl-tests with such lines in it.
 *
 * (Wording of NCCL 2.4 to 2.30: src/init.cc, src/enqueue.cc, src/transport, src/graph; of RCCL
 * 2.21 to 2.30; of aws-ofi-nccl.)
 */
#ifndef HS_RECORD_NCCL_INFO_H
#define HS_RECORD_NCCL_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "library/library_nccl.h"

/* What is kept at most, of each host or of the file. `left_out` counts what was too much. */
#define HS_NCCL_HOSTS_MAX     4096
#define HS_NCCL_RANKS_MAX     65536
#define HS_NCCL_NICS_MAX      128 /* of a host */
#define HS_NCCL_SETTINGS_MAX  256
#define HS_NCCL_CHOSEN_MAX    1024
#define HS_NCCL_PATTERNS_MAX  64
#define HS_NCCL_CHANNELS_MAX  16
#define HS_NCCL_WARNINGS_MAX  8
#define HS_NCCL_NAME_BYTES    64 /* of a name, with its NUL */
#define HS_NCCL_VALUE_BYTES   160
#define HS_NCCL_WARNING_BYTES 200

/* How many lines say something, and the number of the first, from 1; {0}: none does. */
struct hs_nccl_seen {
    size_t count, line;
};

/* A name as a line gives it, fit to be shown; line 0: none does. */
struct hs_nccl_name {
    char text[HS_NCCL_NAME_BYTES];
    size_t line;
};

/* A rate; line 0: none is given. */
struct hs_nccl_rate {
    double bytes_per_second;
    size_t line;
};

/* What a NIC is to NCCL: of the verbs (InfiniBand or RoCE), an interface of the kernel's sockets,
 * or another plugin's. */
enum hs_nccl_network { HS_NCCL_VERBS, HS_NCCL_SOCKET, HS_NCCL_PLUGIN };

/* Index of a direction. */
enum { HS_NCCL_SEND, HS_NCCL_RECEIVE, HS_NCCL_DIRECTIONS };

struct hs_nccl_nic {
    enum hs_nccl_network network;
    int64_t index;                 /* as connections name it: NET/IB/INDEX */
    char name[HS_NCCL_NAME_BYTES]; /* "" where connections alone name it */
    bool roce;
    bool merged;     /* one that NCCL makes of NICs that are listed, too */
    int64_t devices; /* ports that it consists of: 1, more of a merged one */
    size_t line;     /* that lists it as in use; 0: none does */
    /* Connections over it, [direction][by GPUDirect RDMA]: lines "[send] via NET/...". */
    struct hs_nccl_seen connections[HS_NCCL_DIRECTIONS][2];
    struct hs_nccl_rate believed; /* what NCCL takes its rate for */
};

/* GPUDirect RDMA: [0] not, [1] yes. */
struct hs_nccl_gdr {
    struct hs_nccl_seen hcas[2];    /* NICs for which the host has it: kernel module or DMA-BUF */
    struct hs_nccl_seen gpus[2];    /* pairs of GPU and NIC for which NCCL uses it: distance */
    struct hs_nccl_seen reads[2];   /* of pairs that use it: for what is sent, too */
    struct hs_nccl_seen rings[2];   /* "Connected all rings, use ring PXN 0 GDR 1" */
    struct hs_nccl_seen dma_buf[2]; /* DMA-BUF of GPUs */
    /* Of the first pair that does not use it: its distance, and the greatest that would. */
    int64_t distance, level;
};

/* What NCCL takes links of a host for. The slots are the slowest, NVLink (or xGMI) the fastest. */
struct hs_nccl_beliefs {
    struct hs_nccl_rate max, total; /* "=== System : maxBw 24.0 totalBw 192.0 ===" */
    struct hs_nccl_rate gpu_slot, nic_slot, nvlink;
};

/* Connections of a host: over the network, [direction][by GPUDirect RDMA], the sums over its NICs;
 * and inside it, by peer access and through the host's memory. */
struct hs_nccl_paths {
    struct hs_nccl_seen net[HS_NCCL_DIRECTIONS][2];
    struct hs_nccl_seen p2p, shm;
};

struct hs_nccl_host {
    char name[HS_NCCL_NAME_BYTES];     /* "" for lines that name none */
    struct hs_nccl_seen ranks;         /* of the largest communicator */
    struct hs_nccl_name network;       /* "Using network IB" */
    struct hs_nccl_name other_network; /* where another process of it uses another */
    struct hs_nccl_name plugin;        /* loaded for the network: "aws-ofi-nccl 1.13.0" */
    struct hs_nccl_name provider;      /* of libfabric: "efa" */
    struct hs_nccl_seen no_plugin;     /* none was found: right where none is installed */
    struct hs_nccl_seen no_verbs;      /* no device of the verbs, or not their library */
    struct hs_nccl_nic *nics;          /* [nic_count] owned */
    size_t nic_count;
    struct hs_nccl_paths paths;
    struct hs_nccl_gdr gdr;
    struct hs_nccl_seen nvls[2]; /* GPUs whose NVLS multicast is [1] available, [0] not */
    struct hs_nccl_beliefs beliefs;
};

/* A rank of the largest communicator; line 0: not seen. */
struct hs_nccl_rank {
    size_t host;                      /* index */
    int64_t cuda_device, nvml_device; /* -1: not given */
    uint64_t bus_id;
    size_t line;
};

enum hs_nccl_setter { HS_NCCL_BY_ENVIRONMENT, HS_NCCL_BY_PROGRAM, HS_NCCL_BY_PLUGIN };

/* A setting with one of its values: by the environment "NCCL_ALGO", by the program the name of a
 * field of its configuration, "minCTAs". */
struct hs_nccl_setting {
    char name[HS_NCCL_NAME_BYTES];
    char value[HS_NCCL_VALUE_BYTES];
    enum hs_nccl_setter by;
    size_t host;              /* of the first line */
    struct hs_nccl_seen seen; /* lines of all hosts */
};

/* What ran for a size: one of its algorithms and protocols. */
struct hs_nccl_chosen {
    bool call_known;           /* versions before 2.24 do not say the call */
    enum hs_library_call call; /* other calls are passed over */
    uint64_t bytes;            /* as that version counts them */
    bool algorithm_known;      /* false: one without a price here, such as CollNet */
    enum hs_nccl_algorithm algorithm;
    enum hs_nccl_protocol protocol;
    char name[HS_NCCL_NAME_BYTES]; /* of the algorithm: "nvlstree", "collnet_direct" */
    int64_t channels;              /* 0: not said */
    struct hs_nccl_seen seen;
};

/* "16 coll channels, 0 collnet channels, 16 nvls channels, ..."; -1: that version does not say. */
struct hs_nccl_channels {
    int64_t collective, collnet, nvls, p2p, p2p_per_peer;
    struct hs_nccl_seen seen;
};

/* "Pattern 4, crossNic 0, nChannels 16, bw 20.0/20.0, type NVL/PXN, sameChannels 1" */
struct hs_nccl_pattern {
    int64_t pattern, cross_nic, channels, same_channels;
    double inside_bytes_per_second, between_bytes_per_second; /* of a channel */
    char inside[8], between[8];                               /* kinds of paths: "NVL", "PXN" */
    size_t host;
    struct hs_nccl_seen seen;
};

struct hs_nccl_warning {
    char text[HS_NCCL_WARNING_BYTES];
    size_t host, line;
};

/* The largest communicator. A count of 0 is not said. */
struct hs_nccl_job {
    int64_t ranks, nodes, local_ranks;
    size_t line;                  /* of ranks */
    size_t nodes_line;            /* of the two others */
    struct hs_nccl_rank *by_rank; /* [rank_count] owned, by rank, as far as one was seen */
    size_t rank_count;
};

/* Which library, as NCCL counts: 23003 is 2.30.3; 0: not said. */
struct hs_nccl_version {
    int version;
    size_t line;
    int other; /* the first other version among the processes; 0: none */
    size_t other_line;
    bool rccl;
};

/* What NCCL chose: by size (SUBSYS TUNING), how many channels, and which paths (GRAPH). */
struct hs_nccl_decisions {
    struct hs_nccl_chosen *chosen;    /* [chosen_count] owned */
    struct hs_nccl_pattern *patterns; /* [pattern_count] owned */
    struct hs_nccl_channels channels[HS_NCCL_CHANNELS_MAX];
    size_t chosen_count, pattern_count, channel_count;
};

struct hs_nccl_info {
    struct hs_nccl_seen messages; /* 0: no line of the library's is in the text */
    struct hs_nccl_version library;
    struct hs_nccl_job job;
    struct hs_nccl_host *hosts; /* [host_count] owned, as they come */
    size_t host_count;
    struct hs_nccl_setting *settings; /* [setting_count] owned, as they come */
    size_t setting_count;
    struct hs_nccl_decisions decided;
    struct hs_nccl_warning warnings[HS_NCCL_WARNINGS_MAX]; /* the first of those warned */
    struct hs_nccl_seen warned;
    struct hs_nccl_seen cut;      /* messages that end too early to be counted */
    struct hs_nccl_seen left_out; /* facts above the limits */
};

void hs_nccl_info_release(struct hs_nccl_info *info);

/* How many NICs of a kind a host lists as in use, those once that merged ones are made of. */
int64_t hs_nccl_host_nics(const struct hs_nccl_host *host, enum hs_nccl_network network);
/* On how many hosts the job's ranks are, where each of them names its own, else the nodes that NCCL
 * counts (one of a rack whose hosts share NVLink); 0: not said. */
int64_t hs_nccl_info_hosts(const struct hs_nccl_info *info);
/* The first setting of a name, whoever set it. NULL: there is none. */
const struct hs_nccl_setting *hs_nccl_info_setting(const struct hs_nccl_info *info,
                                                   const char *name);

#endif
