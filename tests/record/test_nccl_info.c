/* What NCCL prints of itself: logs of known faults as NCCL would print them, lines that processes
 * share or that are cut, and wordings of versions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/log.h"
#include "record/nccl_reader.h"
#include "test.h"

#define LOGS "tests/record/logs/"

static struct hs_log load(const char *file)
{
    struct hs_error err = {0};
    struct hs_log log;

    if (hs_log_load(&log, NULL, NULL, file, &err) != HS_OK)
        fail_msg("%s", err.message);
    return log;
}

static struct hs_nccl_info read_text(const char *text)
{
    struct hs_nccl_info info;

    assert_int_equal(hs_nccl_info_read(&info, text, strlen(text), NULL), HS_OK);
    return info;
}

static const struct hs_nccl_host *host_named(const struct hs_nccl_info *info, const char *name)
{
    for (size_t h = 0; h < info->host_count; h++)
        if (strcmp(info->hosts[h].name, name) == 0)
            return &info->hosts[h];
    fail_msg("no host %s", name);
    return NULL;
}

static void assert_seen(struct hs_nccl_seen seen, size_t count, size_t line)
{
    assert_int_equal(seen.count, count);
    assert_int_equal(seen.line, line);
}

/* As `grep -n` finds it in the file. */
static size_t line_of(const char *path, const char *part)
{
    char line[4096];
    size_t number = 0;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        number++;
        if (strstr(line, part)) {
            fclose(file);
            return number;
        }
    }
    fail_msg("%s has no %s", path, part);
    return 0;
}

static void assert_setting(const struct hs_nccl_info *info, const char *name, const char *value,
                           size_t line)
{
    const struct hs_nccl_setting *setting = hs_nccl_info_setting(info, name);

    assert_non_null(setting);
    assert_string_equal(setting->value, value);
    assert_int_equal(setting->by, HS_NCCL_BY_ENVIRONMENT);
    assert_int_equal(setting->seen.line, line);
}

/* nccl 1412: the kernel module is missing on one node. */
static void a_host_without_gpudirect_rdma_is_told_by_its_lines(void **state)
{
    struct hs_log log = load(LOGS "info-gdr.txt");
    const struct hs_nccl_host *good = host_named(&log.info, "node-01");
    const struct hs_nccl_host *bad = host_named(&log.info, "node-02");

    (void)state;
    assert_int_equal(log.info.host_count, 2);
    assert_int_equal(log.info.library.version, 22105);
    assert_false(log.info.library.rccl);
    assert_int_equal(log.runs[0].nccl_version, 22105);
    assert_int_equal(log.info.job.ranks, 16);
    assert_int_equal(log.info.job.nodes, 2);
    assert_int_equal(log.info.job.local_ranks, 8);
    assert_int_equal(log.info.job.by_rank[9].cuda_device, 1);
    assert_int_equal(log.info.job.by_rank[9].bus_id, 0x2a000);
    assert_string_equal(log.info.hosts[log.info.job.by_rank[9].host].name, "node-02");
    assert_int_equal(log.info.job.by_rank[7].line, 0);
    assert_seen(bad->paths.net[HS_NCCL_RECEIVE][0], 2,
                line_of(LOGS "info-gdr.txt", "[receive] via NET/IB/0\n"));
    assert_seen(bad->paths.net[HS_NCCL_SEND][0], 2,
                line_of(LOGS "info-gdr.txt", "[send] via NET/IB/0\n"));
    assert_int_equal(bad->paths.net[HS_NCCL_SEND][1].count, 0);
    assert_seen(bad->gdr.hcas[0], 2, line_of(LOGS "info-gdr.txt", "Disabled for HCA 0"));
    assert_int_equal(good->paths.net[HS_NCCL_SEND][0].count, 0);
    assert_int_equal(good->paths.net[HS_NCCL_SEND][1].count, 2);
    assert_int_equal(good->gdr.hcas[1].count, 1);
    assert_int_equal(good->gdr.reads[1].count, 1);
    assert_int_equal(good->paths.p2p.count, 1);
    assert_string_equal(good->network.text, "IB");
    assert_int_equal(good->no_plugin.count, 1);
    assert_int_equal(hs_nccl_host_nics(good, HS_NCCL_VERBS), 4);
    assert_string_equal(good->nics[3].name, "mlx5_3");
    assert_false(good->nics[3].roce);
    assert_int_equal(good->nics[1].connections[HS_NCCL_SEND][1].count, 1);
    assert_int_equal(good->nics[2].connections[HS_NCCL_SEND][1].count, 0);
    assert_int_equal(log.info.decided.channels[0].nvls, 0);
    assert_int_equal(log.info.decided.channels[0].collective, 4);
    hs_log_release(&log);
}

/* nccl 949: what the environment forces, and what NCCL takes slots and NICs for. */
static void what_is_forced_and_what_nccl_believes(void **state)
{
    struct hs_log log = load(LOGS "info-forced.txt");
    const struct hs_nccl_host *host = host_named(&log.info, "node-02");
    const struct hs_nccl_pattern *pattern = &log.info.decided.patterns[0];

    (void)state;
    assert_int_equal(log.runs[0].among, 1U << HS_NCCL_RING);
    assert_setting(&log.info, "NCCL_ALGO", "RING", line_of(LOGS "info-forced.txt", "NCCL_ALGO"));
    assert_int_equal(hs_nccl_info_setting(&log.info, "NCCL_ALGO")->seen.count, 2);
    assert_setting(&log.info, "NCCL_TOPO_FILE", "/opt/microsoft/ndv4-topo.xml",
                   line_of(LOGS "info-forced.txt", "NCCL_TOPO_FILE"));
    assert_null(hs_nccl_info_setting(&log.info, "NCCL_PROTO"));
    assert_near(host->beliefs.max.bytes_per_second, 24e9, 1e-12);
    assert_near(host->beliefs.total.bytes_per_second, 240e9, 1e-12);
    assert_near(host->beliefs.gpu_slot.bytes_per_second, 24e9, 1e-12);
    assert_near(host->beliefs.nic_slot.bytes_per_second, 12e9, 1e-12);
    assert_near(host->beliefs.nvlink.bytes_per_second, 240e9, 1e-12);
    assert_int_equal(host->nic_count, 2);
    assert_string_equal(host->nics[1].name, "mlx5_1");
    assert_near(host->nics[1].believed.bytes_per_second, 25e9, 1e-12);
    assert_int_equal(host->gdr.dma_buf[1].count, 1);
    assert_int_equal(log.info.decided.pattern_count, 2);
    assert_int_equal(pattern->pattern, 4);
    assert_int_equal(pattern->channels, 2);
    assert_near(pattern->between_bytes_per_second, 24e9, 1e-12);
    assert_string_equal(pattern->inside, "NVL");
    assert_string_equal(pattern->between, "PHB");
    assert_int_equal(pattern->same_channels, 1);
    assert_int_equal(log.info.decided.channels[0].collnet, -1);
    assert_int_equal(log.info.cut.count, 0);
    hs_log_release(&log);
}

/* nccl 2140 */
static void nvls_that_is_switched_off(void **state)
{
    struct hs_log log = load(LOGS "info-nvls.txt");
    const struct hs_nccl_host *host = host_named(&log.info, "dgx-h100-07");
    const struct hs_nccl_chosen *chosen = log.info.decided.chosen;

    (void)state;
    assert_setting(&log.info, "NCCL_NVLS_ENABLE", "0",
                   line_of(LOGS "info-nvls.txt", "NCCL_NVLS_ENABLE"));
    assert_int_equal(host->nvls[0].count, 8);
    assert_int_equal(host->nvls[1].count, 0);
    assert_int_equal(host->ranks.count, 8);
    assert_int_equal(host->paths.p2p.count, 8);
    assert_int_equal(log.info.decided.channel_count, 1);
    assert_seen(log.info.decided.channels[0].seen, 8,
                line_of(LOGS "info-nvls.txt", "0 nvls channels"));
    assert_int_equal(log.info.decided.channels[0].nvls, 0);
    assert_int_equal(log.info.decided.channels[0].p2p_per_peer, 32);
    assert_int_equal(log.info.decided.chosen_count, 1);
    assert_true(chosen->call_known && chosen->algorithm_known);
    assert_int_equal(chosen->call, HS_CALL_ALLREDUCE);
    assert_true(chosen->bytes == 8589934592);
    assert_int_equal(chosen->algorithm, HS_NCCL_RING);
    assert_int_equal(chosen->protocol, HS_NCCL_SIMPLE);
    assert_int_equal(chosen->channels, 16);
    hs_log_release(&log);
}

/* AReaL 639 */
static void sockets_in_place_of_the_verbs(void **state)
{
    struct hs_log log = load(LOGS "info-sockets.txt");

    (void)state;
    assert_int_equal(log.info.host_count, 2);
    for (size_t h = 0; h < 2; h++) {
        const struct hs_nccl_host *host = &log.info.hosts[h];

        assert_string_equal(host->network.text, "Socket");
        assert_int_equal(host->no_verbs.count, 2);
        assert_int_equal(host->no_plugin.count, 1);
        assert_int_equal(hs_nccl_host_nics(host, HS_NCCL_VERBS), 0);
        assert_int_equal(hs_nccl_host_nics(host, HS_NCCL_SOCKET), 1);
        assert_string_equal(host->nics[0].name, "bond0");
        assert_int_equal(host->nics[0].connections[HS_NCCL_SEND][0].count, 1);
        assert_int_equal(host->nics[0].connections[HS_NCCL_RECEIVE][0].count, 1);
    }
    hs_log_release(&log);
}

/* nccl 371 */
static void gpudirect_rdma_for_writes_alone(void **state)
{
    struct hs_log log = load(LOGS "info-reads.txt");
    const struct hs_nccl_host *host = host_named(&log.info, "node-01");

    (void)state;
    assert_int_equal(log.info.library.version, 20708);
    assert_int_equal(host->paths.net[HS_NCCL_SEND][0].count, 1);
    assert_int_equal(host->paths.net[HS_NCCL_SEND][1].count, 0);
    assert_int_equal(host->paths.net[HS_NCCL_RECEIVE][1].count, 1);
    assert_int_equal(host->paths.shm.count, 1);
    assert_seen(host->gdr.reads[0], 1, line_of(LOGS "info-reads.txt", "read 0"));
    assert_seen(host->gdr.gpus[0], 1, line_of(LOGS "info-reads.txt", "(distance 7 > 4)"));
    assert_int_equal(host->gdr.distance, 7);
    assert_int_equal(host->gdr.level, 4);
    assert_int_equal(log.info.decided.channels[0].nvls, -1);
    assert_int_equal(log.info.job.nodes, 0);
    hs_log_release(&log);
}

/* nccl 1801: hosts of one NVLink domain are one node to NCCL. */
static void what_ran_for_a_size_in_a_rack(void **state)
{
    struct hs_log log = load(LOGS "info-ring.txt");

    (void)state;
    assert_int_equal(log.info.job.ranks, 12);
    assert_int_equal(log.info.job.nodes, 1);
    assert_int_equal(log.runs[0].nodes, 3);
    assert_int_equal(log.info.decided.chosen[0].algorithm, HS_NCCL_RING);
    assert_int_equal(log.info.decided.chosen[0].seen.count, 2);
    assert_int_equal(hs_nccl_host_nics(&log.info.hosts[2], HS_NCCL_VERBS), 4);
    assert_string_equal(log.info.hosts[2].nics[2].name, "mlx5_3");
    hs_log_release(&log);
}

/* Two processes that wrote at once, and a row of the table before a message. */
static void messages_that_share_a_line_are_told_apart(void **state)
{
    struct hs_nccl_info info = read_text(
        "a-1:1:2 [0] NCCL INFO Using network IB\n"
        "a-2:1:2 [0] NCCL INFO Using network IB\n"
        "a-1:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMAa-2:1:2 [0] "
        "NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/1\n"
        "   1024   256   float     sum      -1    64.18a-1:1:2 [0] NCCL INFO Channel 01/0 : 0[0] "
        "-> "
        "1[0] [send] via NET/IB/0/GDRDMA\n"
        "a-1:1:2 [0] NCCL INFO Channel 01/0 : 1[0] -> 0[0] [receive] via NET/IB/0a-2:1:2 [0] NCCL "
        "INFO Connected all rings, use ring PXN 0 GDR 0\n"
        "a-1:1:2 [0] NCCL INFO Channel 00 : 0[0] -> 1[0] via P2P/IPCb-3:1:2 [0] NCCL INFO "
        "Connected "
        "all rings, use ring PXN 0 GDR 1\n");

    (void)state;
    assert_int_equal(info.host_count, 3);
    assert_string_equal(info.hosts[2].name, ""); /* no IPCb-3 */
    assert_seen(info.hosts[2].gdr.rings[1], 1, 6);
    assert_seen(info.hosts[0].paths.p2p, 1, 6);
    assert_seen(info.messages, 9, 1);
    assert_seen(info.hosts[0].paths.net[HS_NCCL_SEND][1], 2, 3);
    assert_seen(info.hosts[1].paths.net[HS_NCCL_RECEIVE][0], 1, 3);
    assert_seen(info.hosts[1].gdr.rings[0], 1, 5);
    assert_int_equal(info.hosts[0].paths.net[HS_NCCL_RECEIVE][0].count, 0);
    assert_seen(info.cut, 1, 5);
    hs_nccl_info_release(&info);
}

/* A cut must never turn a connection with GPUDirect RDMA into one without, or LL128 into LL. */
static void a_message_that_is_cut_says_nothing_false(void **state)
{
    static const char whole[] =
        "n:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/10/GDRDMA/Shared";
    static const char chosen[] =
        "n:1:2 [0] NCCL INFO AllReduce: 16777216 Bytes -> Algo NVLS_TREE proto LL128 channel"
        "{Lo..Hi}={0..15}";
    size_t connections = 0, choices = 0;

    (void)state;
    for (size_t length = 1; length < sizeof(whole); length++) {
        struct hs_nccl_info info;

        assert_int_equal(hs_nccl_info_read(&info, whole, length, NULL), HS_OK);
        if (info.host_count > 0) {
            assert_int_equal(info.hosts[0].paths.net[HS_NCCL_SEND][0].count, 0);
            connections += info.hosts[0].paths.net[HS_NCCL_SEND][1].count;
        }
        hs_nccl_info_release(&info);
    }
    assert_int_equal(connections, 2); /* "/GDRDMA", and the whole */
    for (size_t length = 1; length < sizeof(chosen); length++) {
        struct hs_nccl_info info;

        assert_int_equal(hs_nccl_info_read(&info, chosen, length, NULL), HS_OK);
        if (info.decided.chosen_count > 0) {
            choices++;
            assert_int_equal(info.decided.chosen[0].algorithm, HS_NCCL_NVLSTREE);
            assert_int_equal(info.decided.chosen[0].protocol, HS_NCCL_LL128);
            assert_true(info.decided.chosen[0].bytes == 16777216);
            assert_true(info.decided.chosen[0].channels == 0 ||
                        info.decided.chosen[0].channels == 16);
        }
        hs_nccl_info_release(&info);
    }
    assert_true(choices > 1);
}

static void assert_connection(const char *text, enum hs_nccl_network network, int64_t index,
                              int direction, bool gdr)
{
    char line[512];
    struct hs_nccl_info info;

    snprintf(line, sizeof(line), "n:1:2 [0] NCCL INFO %s\n", text);
    info = read_text(line);
    assert_int_equal(info.hosts[0].nic_count, 1);
    assert_int_equal(info.hosts[0].nics[0].network, network);
    assert_int_equal(info.hosts[0].nics[0].index, index);
    assert_seen(info.hosts[0].nics[0].connections[direction][gdr], 1, 1);
    hs_nccl_info_release(&info);
}

static void wordings_of_connections(void **state)
{
    (void)state;
    assert_connection("Ring 00 : 15 -> 16 [send] via NET/AWS Libfabric/0", HS_NCCL_PLUGIN, 0,
                      HS_NCCL_SEND, false);
    assert_connection("Channel 05/0 : 0[0] -> 1[1] [receive] via NET/AWS Libfabric/1/GDRDMA",
                      HS_NCCL_PLUGIN, 1, HS_NCCL_RECEIVE, true);
    assert_connection("Channel 03/0 : 47[7] -> 39[7] [receive] via NET/IBext_v8/2", HS_NCCL_VERBS,
                      2, HS_NCCL_RECEIVE, false);
    assert_connection("Channel 01/1 : 3[1] -> 8[0] [send] via NET/IB/1(2)/GDRDMA/Shared",
                      HS_NCCL_VERBS, 1, HS_NCCL_SEND, true);
    assert_connection("Channel 01/0 : 3[1] -> 8[0] [send] via NET/IB/3/GDRDMA(PCI)/Shared",
                      HS_NCCL_VERBS, 3, HS_NCCL_SEND, true);
    assert_connection("Channel 02/0 : 1[c6000] -> 4[c1000] [receive] via NET/Socket/1 comm "
                      "0x95cdeb0 nRanks 08",
                      HS_NCCL_SOCKET, 1, HS_NCCL_RECEIVE, false);
}

static void wordings_of_networks_and_plugins(void **state)
{
    struct hs_nccl_info info = read_text(
        "[1,0]<stdout>:w-0:21:21 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.13.0-aws\n"
        "[1,0]<stdout>:w-0:21:21 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is "
        "efa-direct (found 16 nics)\n"
        "[1,0]<stdout>:w-0:21:21 [0] NCCL INFO NET/OFI Setting NCCL_PROTO to \"simple\"\n"
        "[1,0]<stdout>:w-0:21:21 [0] NCCL INFO Using network AWS Libfabric\n"
        "[1,1]<stdout>:w-0:22:22 [1] NCCL INFO Using network Socket\n"
        "3: w-1:5:6 [0] NCCL INFO NET/IB : Using [0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/RoCE} "
        "[1]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
        "w-2:5:6 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB/SHARP [1]mlx5_1:1/IB/SHARP [RO]; OOB "
        "ib0:10.0.0.1<0>\n"
        "w-2:5:6 [0] NCCL INFO NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=400000 "
        "ndevs=2\n"
        "w-2:5:6 [0] NCCL INFO P2P plugin IBext_v8\n");
    const struct hs_nccl_host *efa = host_named(&info, "w-0"), *merged = host_named(&info, "w-1"),
                              *sharp = host_named(&info, "w-2");

    (void)state;
    assert_string_equal(efa->plugin.text, "aws-ofi-nccl 1.13.0-aws");
    assert_string_equal(efa->provider.text, "efa");
    assert_int_equal(efa->provider.line, 2);
    assert_string_equal(efa->network.text, "AWS Libfabric");
    assert_string_equal(efa->other_network.text, "Socket");
    assert_int_equal(efa->other_network.line, 5);
    assert_int_equal(info.settings[0].by, HS_NCCL_BY_PLUGIN);
    assert_string_equal(info.settings[0].value, "simple");
    assert_int_equal(hs_nccl_host_nics(merged, HS_NCCL_VERBS), 3);
    assert_int_equal(merged->nics[0].devices, 2);
    assert_true(merged->nics[1].roce);
    assert_int_equal(hs_nccl_host_nics(sharp, HS_NCCL_VERBS), 2);
    assert_int_equal(sharp->nic_count, 3);
    assert_true(sharp->nics[2].merged);
    assert_string_equal(sharp->plugin.text, "IBext_v8");
    hs_nccl_info_release(&info);
}

static void wordings_of_settings_and_choices(void **state)
{
    struct hs_nccl_info info = read_text(
        "h:1:2 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.\n"
        "h:1:2 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to LOC\n"
        "h:1:2 [0] NCCL INFO NCCL_IB_HCA set to mlx5\n"
        "h:1:2 [0] NCCL INFO Comm config minCTAs set to 16\n"
        "h:1:2 [0] NCCL INFO Comm config maxCTAs reset to NCCL_MAX_CTAS=4\n"
        "h:1:2 [0] NCCL INFO P2P Chunksize set to 131072\n"
        "[0] NCCL INFO 8 Bytes -> Algo 0 proto 0 time 25.200924\n"
        "[0] NCCL INFO 805306368 Bytes -> Algo 5 proto 2 time 3970.683594\n"
        "[0] NCCL INFO 805306368 Bytes -> Algo 5 proto 2 time 3970.683594\n"
        "[0] NCCL INFO 64 Bytes -> Algo 7 proto 2 time 1.0\n"
        "h:1:2 [0] NCCL INFO AllGather: 32768 Bytes -> Algo PAT proto SIMPLE channel{Lo..Hi}="
        "{2..3}\n"
        "h:1:2 [0] NCCL INFO AllReduce: 4096 Bytes -> Algo COLLNET_CHAIN proto SIMPLE channel"
        "{Lo..Hi}={0..0}\n"
        "h:1:2 [0] NCCL INFO Broadcast: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}\n");
    const struct hs_nccl_chosen *chosen = info.decided.chosen;

    (void)state;
    assert_int_equal(info.setting_count, 5);
    assert_setting(&info, "NCCL_IB_GID_INDEX", "3", 1);
    assert_setting(&info, "NCCL_P2P_LEVEL", "LOC", 2);
    assert_setting(&info, "NCCL_IB_HCA", "mlx5", 3);
    assert_int_equal(hs_nccl_info_setting(&info, "minCTAs")->by, HS_NCCL_BY_PROGRAM);
    assert_setting(&info, "NCCL_MAX_CTAS", "4", 5);
    assert_int_equal(info.decided.chosen_count, 4);
    assert_false(chosen[0].call_known);
    assert_int_equal(chosen[0].algorithm, HS_NCCL_TREE);
    assert_int_equal(chosen[0].protocol, HS_NCCL_LL);
    assert_int_equal(chosen[1].algorithm, HS_NCCL_NVLSTREE);
    assert_seen(chosen[1].seen, 2, 8);
    assert_int_equal(chosen[2].call, HS_CALL_ALLGATHER);
    assert_int_equal(chosen[2].algorithm, HS_NCCL_PAT);
    assert_int_equal(chosen[2].channels, 2);
    assert_false(chosen[3].algorithm_known);
    assert_string_equal(chosen[3].name, "collnet_chain");
    hs_nccl_info_release(&info);
}

static void versions_and_warnings(void **state)
{
    struct hs_nccl_info info = read_text(
        "\033[1;32mc:9:9 [0] NCCL INFO RCCL version : 2.27.7-HEAD:0d2c4fd\033[0m\n"
        "HIP version  : 7.2.26015-fc0010cf6a\n"
        "c:9:9 [0] NCCL INFO Dmabuf feature disabled without NCCL_DMABUF_ENABLE=1\n"
        "[2026-08-23 09:56:58] c:9:9 [0] /app/src/init.cc:213 NCCL WARN Missing \"iommu=pt\" from "
        "\001kernel command line\n"
        "RCCL version : 2.26.6-HEAD:f224e2c\n");

    (void)state;
    assert_true(info.library.rccl);
    assert_int_equal(info.library.version, 22707);
    assert_int_equal(info.library.line, 1);
    assert_int_equal(info.library.other, 22606);
    assert_int_equal(info.library.other_line, 5);
    assert_int_equal(info.host_count, 1);
    assert_seen(info.hosts[0].gdr.dma_buf[0], 1, 3);
    assert_seen(info.warned, 1, 4);
    assert_string_equal(info.warnings[0].text, "Missing \"iommu=pt\" from ?kernel command line");
    assert_string_equal(info.hosts[info.warnings[0].host].name, "c");
    hs_nccl_info_release(&info);
}

/* Of several communicators the largest is the job. */
static void the_job_is_the_largest_communicator(void **state)
{
    struct hs_nccl_info info = read_text(
        "x:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n"
        "x:1:1 [0] NCCL INFO comm 0x2 rank 0 nranks 3 cudaDev 0 busId 1000 - Init COMPLETE\n"
        "z:1:1 [0] NCCL INFO comm 0x4 rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "y:1:1 [0] NCCL INFO comm 0x3 rank 1 nranks 3 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "y:1:1 [0] NCCL INFO comm 0x5 rank 2 nranks 3 cudaDev 2 busId 3000 - Init COMPLETE\n");

    (void)state;
    assert_int_equal(info.job.ranks, 3);
    assert_int_equal(info.job.line, 2);
    assert_int_equal(info.job.rank_count, 3);
    assert_seen(info.hosts[0].ranks, 1, 2);
    assert_seen(host_named(&info, "z")->ranks, 0, 0);
    assert_seen(host_named(&info, "y")->ranks, 2, 4);
    assert_int_equal(hs_nccl_info_hosts(&info), 2);
    hs_nccl_info_release(&info);
}

static void what_is_too_much_is_counted(void **state)
{
    const size_t hosts = HS_NCCL_HOSTS_MAX + 3;
    char *text = malloc(hosts * 64), *at = text;
    struct hs_nccl_info info;

    (void)state;
    assert_non_null(text);
    for (size_t h = 0; h < hosts; h++)
        at += sprintf(at, "h%zu:1:2 [0] NCCL INFO Using network IB\n", h);
    info = read_text(text);
    assert_int_equal(info.host_count, HS_NCCL_HOSTS_MAX);
    assert_seen(info.left_out, 3, HS_NCCL_HOSTS_MAX + 1);
    assert_string_equal(info.hosts[HS_NCCL_HOSTS_MAX - 1].network.text, "IB");
    hs_nccl_info_release(&info);
    free(text);
}

static void lines_of_nccl_alone_are_a_file_of_their_own(void **state)
{
    static const char line[] = "n:1:2 [0] NCCL INFO Using network IB\n";
    char path[] = "/tmp/hs_test_info_XXXXXX";
    struct hs_error err = {0};
    struct hs_nccl_info info;
    struct hs_log log;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, line, strlen(line)), strlen(line));
    close(fd);
    assert_int_equal(hs_nccl_info_load(&info, path, &err), HS_OK);
    assert_string_equal(info.hosts[0].network.text, "IB");
    hs_nccl_info_release(&info);
    assert_status_is(hs_log_load(&log, NULL, NULL, path, &err), HS_INVALID, &err);
    assert_has(err.message, "expected times, found what NCCL prints of itself alone");
    assert_status_is(hs_nccl_info_load(&info, LOGS "osu.txt", &err), HS_INVALID, &err);
    assert_has(err.message, "osu.txt: expected lines that NCCL prints with NCCL_DEBUG=INFO");
    remove(path);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a host without GPUDirect RDMA is told by its lines",
            a_host_without_gpudirect_rdma_is_told_by_its_lines),
    HS_TEST("what is forced, and what NCCL believes", what_is_forced_and_what_nccl_believes),
    HS_TEST("NVLS that is switched off", nvls_that_is_switched_off),
    HS_TEST("sockets in place of the verbs", sockets_in_place_of_the_verbs),
    HS_TEST("GPUDirect RDMA for writes alone", gpudirect_rdma_for_writes_alone),
    HS_TEST("what ran for a size in a rack", what_ran_for_a_size_in_a_rack),
    HS_TEST("messages that share a line are told apart", messages_that_share_a_line_are_told_apart),
    HS_TEST("a message that is cut says nothing false", a_message_that_is_cut_says_nothing_false),
    HS_TEST("wordings of connections", wordings_of_connections),
    HS_TEST("wordings of networks and plugins", wordings_of_networks_and_plugins),
    HS_TEST("wordings of settings and choices", wordings_of_settings_and_choices),
    HS_TEST("versions and warnings", versions_and_warnings),
    HS_TEST("the job is the largest communicator", the_job_is_the_largest_communicator),
    HS_TEST("what is too much is counted", what_is_too_much_is_counted),
    HS_TEST("lines of NCCL alone are a file of their own",
            lines_of_nccl_alone_are_a_file_of_their_own),
};
HS_TEST_MAIN(tests)
