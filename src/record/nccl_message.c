/*
 * A table says which words begin a message of interest, or are in it, and who reads on from there.
 * Readers take what is whole: a message that another process wrote into, or that the file's end
 * cuts, must not make of "NET/IB/0/GDRDMA" a connection without GPUDirect RDMA.
 */
#include "record/nccl_message.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "base/utf8.h"

#define NUMBER_MAX INT64_C(1000000000000000)
#define GIGA       1e9

/* ---- words ----------------------------------------------------------------------------------- */

void hs_nccl_see(const struct hs_nccl_reader *reader, struct hs_nccl_seen *seen)
{
    if (seen->count++ == 0)
        seen->line = reader->line;
}

void hs_nccl_copy(char *out, size_t size, const char *text, size_t length)
{
    size_t used = 0, step;

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    for (; length > 0 && *text == ' '; length--)
        text++;
    for (; length > 0 && used + 4 < size; text += step, length -= step) {
        if (hs_utf8_is_harmless(&step, text, length)) {
            memcpy(out + used, text, step);
            used += step;
        } else {
            out[used++] = '?';
        }
    }
    out[used] = '\0';
}

static void name_once(const struct hs_nccl_reader *reader, struct hs_nccl_name *name,
                      const char *text, size_t length)
{
    if (name->line > 0)
        return;
    hs_nccl_copy(name->text, sizeof(name->text), text, length);
    if (name->text[0] != '\0')
        name->line = reader->line;
}

static bool skip(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool take_number(int64_t *out, const char **at)
{
    int64_t value = 0;

    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); (*at)++)
        value = value < NUMBER_MAX ? value * 10 + (**at - '0') : NUMBER_MAX;
    *out = value;
    return true;
}

/* The number behind a word of a text, " rank 3"; `missing` where there is none. */
static int64_t number_behind(const char *text, const char *word, int64_t missing)
{
    const char *at = strstr(text, word);
    int64_t value;

    if (!at)
        return missing;
    at += strlen(word);
    return take_number(&value, &at) ? value : missing;
}

/* A rate in GB/s, "24.0". */
static bool take_rate(double *bytes_per_second, const char **at)
{
    char *end;
    double value;

    if (!isdigit((unsigned char)**at))
        return false;
    value = strtod(*at, &end);
    *at = end;
    if (!(value > 0 && value < 1e6))
        return false;
    *bytes_per_second = value * GIGA;
    return true;
}

static void see_rate(const struct hs_nccl_reader *reader, struct hs_nccl_rate *rate, double value,
                     bool is_better)
{
    if (rate->line == 0 || is_better)
        *rate = (struct hs_nccl_rate){value, reader->line};
}

void *hs_nccl_one_more(struct hs_nccl_reader *reader, void *list, size_t *count, size_t size,
                       size_t most)
{
    void *added = NULL;

    if (*count >= most)
        hs_nccl_see(reader, &reader->info->left_out);
    else if (reader->status == HS_OK)
        added = hs_grow(list, NULL, *count, size, reader->err);
    if (added)
        ++*count;
    else if (*count < most)
        reader->status = HS_MEMORY;
    return added;
}

/* ---- NICs ------------------------------------------------------------------------------------ */

/* A NIC of a host by kind and index, and by name, too, where one is given; it is added where there
 * is none. An unnamed one takes the name. */
static struct hs_nccl_nic *find_nic(struct hs_nccl_reader *reader, struct hs_nccl_host *host,
                                    enum hs_nccl_network network, int64_t index, const char *name)
{
    struct hs_nccl_nic *nic;

    for (size_t n = 0; n < host->nic_count; n++) {
        nic = &host->nics[n];
        if (nic->network != network || nic->index != index)
            continue;
        if (nic->name[0] == '\0')
            snprintf(nic->name, sizeof(nic->name), "%s", name);
        if (name[0] == '\0' || strcmp(nic->name, name) == 0)
            return nic;
    }
    nic = hs_nccl_one_more(reader, &host->nics, &host->nic_count, sizeof(*nic), HS_NCCL_NICS_MAX);
    if (!nic)
        return NULL;
    nic->network = network;
    nic->index = index;
    nic->devices = 1;
    snprintf(nic->name, sizeof(nic->name), "%s", name);
    return nic;
}

/* Of the name that a network begins with: "IB", "IBext_v8" of a plugin that uses the verbs, too,
 * "Socket", "FastSocket". */
static enum hs_nccl_network network_of(const char *name)
{
    return strncmp(name, "IB", 2) == 0            ? HS_NCCL_VERBS
           : strncmp(name, "Socket", 6) == 0      ? HS_NCCL_SOCKET
           : strncmp(name, "FastSocket", 10) == 0 ? HS_NCCL_SOCKET
                                                  : HS_NCCL_PLUGIN;
}

/* ---- messages: what the library is and where it runs ----------------------------------------- */

/* "NCCL version 2.30.3+cuda13.0", "RCCL version : 2.27.7-HEAD:0d2c4fd" */
static void read_version(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_version *library = &in->info->library;
    int version = 0;

    library->rccl |= in->text[0] == 'R';
    skip(&at, ": ");
    for (int part = 0; part < 3; part++) {
        int64_t number;

        if (!take_number(&number, &at) || number > 99 || (part < 2 && !skip(&at, ".")))
            return;
        version = version * 100 + (int)number;
    }
    if (library->version == 0) {
        library->version = version;
        library->line = in->reader->line;
    } else if (library->version != version && library->other == 0) {
        library->other = version;
        library->other_line = in->reader->line;
    }
}

/* "ncclCommInitRank comm 0x5a0ca40 rank 1 nranks 4 cudaDev 1 nvmlDev 1 busId 38000 commId ... -
 * Init COMPLETE", "comm 0x5a0ca40 rank 1 nRanks 4 nNodes 2 localRanks 2 localRank 1 MNNVL 0". Of
 * several communicators the largest is the job; a later one as large is taken for the same. */
static void read_communicator(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_job *job = &in->info->job;
    int64_t rank = number_behind(at, " rank ", -1);
    int64_t ranks = number_behind(at, " nranks ", number_behind(at, " nRanks ", 0));
    int64_t nodes = number_behind(at, " nNodes ", 0);
    const char *bus = strstr(at, " busId ");
    struct hs_nccl_rank *seen;

    if (rank < 0 || rank >= ranks || ranks > INT32_MAX || ranks < job->ranks)
        return;
    if (ranks > job->ranks) {
        free(job->by_rank);
        *job = (struct hs_nccl_job){.ranks = ranks, .line = in->reader->line};
        for (size_t h = 0; h < in->info->host_count; h++)
            in->info->hosts[h].ranks = (struct hs_nccl_seen){0};
    }
    if (nodes > 0 && nodes <= ranks && job->nodes == 0) {
        job->nodes = nodes;
        job->local_ranks = number_behind(at, " localRanks ", 0);
        job->nodes_line = in->reader->line;
    }
    if (rank >= HS_NCCL_RANKS_MAX) {
        hs_nccl_see(in->reader, &in->info->left_out);
        return;
    }
    while (job->rank_count <= (size_t)rank)
        if (!hs_nccl_one_more(in->reader, &job->by_rank, &job->rank_count, sizeof(*seen),
                              HS_NCCL_RANKS_MAX))
            return;
    seen = &job->by_rank[rank];
    if (seen->line == 0) {
        *seen = (struct hs_nccl_rank){.host = in->host_index,
                                      .cuda_device = number_behind(at, " cudaDev ", -1),
                                      .nvml_device = number_behind(at, " nvmlDev ", -1),
                                      .line = in->reader->line};
        hs_nccl_see(in->reader, &in->host->ranks);
    }
    if (bus && seen->bus_id == 0)
        seen->bus_id = strtoull(bus + strlen(" busId "), NULL, 16);
}

/* ---- messages: the network ------------------------------------------------------------------- */

/* One NIC of a list, behind its "[index]": "mlx5_0:1/IB", "eth0:10.0.0.1<0>", and of a merged one
 * "={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB}", which is named by its first port. */
static void read_listed(const struct hs_nccl_message *in, enum hs_nccl_network network,
                        int64_t index, const char **at)
{
    char name[HS_NCCL_NAME_BYTES];
    struct hs_nccl_nic *nic;
    int64_t devices = 1, part;
    const char *kind;
    size_t length;
    bool roce;

    if (skip(at, "={[") && !(take_number(&part, at) && skip(at, "]")))
        return;
    *at += strspn(*at, " ");
    length = strcspn(*at, ": ;,}");
    if (length == 0 || (*at)[length] != ':')
        return;
    hs_nccl_copy(name, sizeof(name), *at, length);
    *at += length;
    kind = *at + 1;
    kind += strspn(kind, "0123456789");
    roce = network == HS_NCCL_VERBS && skip(&kind, "/RoCE");
    if (network == HS_NCCL_VERBS && !roce && !skip(&kind, "/IB")) { /* of SHARP "/IB/SHARP" */
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    *at += strcspn(*at, " ,}");
    while (skip(at, ", [")) {
        devices++;
        *at += strcspn(*at, ",} ");
        *at += **at == ' ';
        *at += strcspn(*at, ",}");
    }
    nic = find_nic(in->reader, in->host, network, index, name);
    if (!nic || nic->line > 0)
        return;
    nic->line = in->reader->line;
    nic->roce = roce;
    nic->devices = devices;
}

/* "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>", "NET/Socket : Using
 * [0]eth0:10.0.0.1<0>" */
static void read_list(const struct hs_nccl_message *in, const char *at)
{
    const char *name = in->text;
    enum hs_nccl_network network;
    int64_t index;

    if (!skip(&name, "NET/"))
        return;
    network = network_of(name);
    while (*at && *at != ';') {
        if (skip(&at, "[") && take_number(&index, &at) && skip(&at, "]"))
            read_listed(in, network, index, &at);
        else if (*at)
            at++;
    }
}

/* "NET/IB : Made virtual device [8] name=mlx5_0+mlx5_1 speed=400000 ndevs=2" */
static void read_merged(const struct hs_nccl_message *in, const char *at)
{
    const char *name = strstr(at, " name=");
    int64_t index, devices = number_behind(at, " ndevs=", 1);
    char shown[HS_NCCL_NAME_BYTES];
    struct hs_nccl_nic *nic;

    if (!take_number(&index, &at) || !name || devices < 2)
        return;
    name += strlen(" name=");
    hs_nccl_copy(shown, sizeof(shown), name, strcspn(name, " "));
    nic = find_nic(in->reader, in->host, HS_NCCL_VERBS, index, shown);
    if (!nic || nic->line > 0)
        return;
    nic->line = in->reader->line;
    nic->merged = true;
    nic->devices = devices;
}

static void read_no_plugin(const struct hs_nccl_message *in, const char *at)
{
    (void)at;
    if (strncmp(in->text, "NET/Plugin", 10) == 0)
        hs_nccl_see(in->reader, &in->host->no_plugin);
}

/* "Using network IB": of each process, and they need not agree. */
static void read_network(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_name made = {.line = 0};

    name_once(in->reader, &made, at, strlen(at));
    if (in->host->network.line == 0)
        in->host->network = made;
    else if (in->host->other_network.line == 0 && strcmp(made.text, in->host->network.text) != 0)
        in->host->other_network = made;
}

static void read_provider(const struct hs_nccl_message *in, const char *at)
{
    name_once(in->reader, &in->host->provider, at, strcspn(at, " ,"));
}

/* Behind "via NET/": "IB/1/GDRDMA/Shared", "AWS Libfabric/0/GDRDMA(PCI)", "Socket/0", "IB/1(3)";
 * RCCL goes on with " comm 0x... nRanks 16". */
static void read_net(const struct hs_nccl_message *in, const char *at, int direction)
{
    const char *slash = at;
    int64_t index, through;
    struct hs_nccl_nic *nic;
    bool gdr, is_cut = false;

    while (*slash && !(slash[0] == '/' && isdigit((unsigned char)slash[1])))
        slash++;
    if (*slash == '\0') {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    slash++;
    take_number(&index, &slash);
    if (skip(&slash, "(") && !(take_number(&through, &slash) && skip(&slash, ")")))
        slash = "/";
    gdr = skip(&slash, "/GDRDMA");
    if (gdr)
        skip(&slash, "(PCI)");
    if (!skip(&slash, "/Shared") && *slash != '\0' && *slash != ' ')
        is_cut = true;
    /* Without /GDRDMA it must be sure that nothing is missing behind. */
    if (is_cut || (!gdr && *slash == '\0' && !in->whole)) {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    nic = find_nic(in->reader, in->host, network_of(at), index, "");
    if (nic)
        hs_nccl_see(in->reader, &nic->connections[direction][gdr]);
    hs_nccl_see(in->reader, &in->host->paths.net[direction][gdr]);
}

/* "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/1/GDRDMA", "Channel 00 : 1[0] -> 2[1] via
 * SHM/direct/direct"; "Ring 00 : 7 -> 8 [send] via ..." before 2.5. */
static void read_connection(const struct hs_nccl_message *in, const char *at)
{
    if (strncmp(in->text, "Channel ", 8) != 0 && strncmp(in->text, "Ring ", 5) != 0)
        return;
    if (skip(&at, "P2P/"))
        hs_nccl_see(in->reader, &in->host->paths.p2p);
    else if (skip(&at, "SHM/") || skip(&at, "direct shared memory"))
        hs_nccl_see(in->reader, &in->host->paths.shm);
    else if (skip(&at, "NET/")) {
        if (strstr(in->text, "[send]"))
            read_net(in, at, HS_NCCL_SEND);
        else if (strstr(in->text, "[receive]"))
            read_net(in, at, HS_NCCL_RECEIVE);
    }
}

/* "Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 1 mode Default", "Disabled for GPU ca000 / HCA
 * 0 (distance 7 > 4)", "Disabled for HCA 0 'mlx5_0' (no module)" */
static void read_gdr(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_gdr *gdr = &in->host->gdr;
    bool enabled = skip(&at, "Enabled for ");
    int64_t read;

    if (!enabled && !skip(&at, "Disabled for "))
        return;
    if (strncmp(at, "HCA ", 4) == 0 || strstr(at, "(no module")) {
        hs_nccl_see(in->reader, &gdr->hcas[enabled]);
        return;
    }
    if (strncmp(at, "GPU ", 4) != 0 || !strstr(at, "(distance ") || !strchr(at, ')')) {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    if (!enabled && gdr->gpus[0].count == 0) {
        gdr->distance = number_behind(at, "(distance ", 0);
        gdr->level = number_behind(at, "> ", number_behind(at, ">= ", 0));
    }
    hs_nccl_see(in->reader, &gdr->gpus[enabled]);
    read = number_behind(at, "), read ", -1);
    if (enabled && (read == 0 || read == 1))
        hs_nccl_see(in->reader, &gdr->reads[read]);
}

/* "Connected all rings, use ring PXN 0 GDR 1" */
static void read_rings(const struct hs_nccl_message *in, const char *at)
{
    int64_t gdr = number_behind(at, " GDR ", -1);

    if (gdr == 0 || gdr == 1)
        hs_nccl_see(in->reader, &in->host->gdr.rings[gdr]);
}

/* ---- messages: settings and choices ---------------------------------------------------------- */

static void add_setting(const struct hs_nccl_message *in, const struct hs_nccl_setting *made)
{
    struct hs_nccl_info *info = in->info;
    struct hs_nccl_setting *setting;

    if (made->name[0] == '\0')
        return;
    for (size_t s = 0; s < info->setting_count; s++) {
        setting = &info->settings[s];
        if (setting->by == made->by && strcmp(setting->name, made->name) == 0 &&
            strcmp(setting->value, made->value) == 0) {
            hs_nccl_see(in->reader, &setting->seen);
            return;
        }
    }
    setting = hs_nccl_one_more(in->reader, &info->settings, &info->setting_count, sizeof(*setting),
                               HS_NCCL_SETTINGS_MAX);
    if (!setting)
        return;
    *setting = *made;
    setting->host = in->host_index;
    hs_nccl_see(in->reader, &setting->seen);
}

/* Whether a word is the name of a variable of the library. */
static bool is_variable(const char *text, size_t length)
{
    if (length < 6 || (strncmp(text, "NCCL_", 5) != 0 && strncmp(text, "RCCL_", 5) != 0))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isupper((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

/* Numbers are printed with a dot behind them. */
static void copy_value(struct hs_nccl_setting *made, const char *text)
{
    const char *at = text + (*text == '-');
    size_t length = strlen(text);
    int64_t number;

    if (take_number(&number, &at) && strcmp(at, ".") == 0)
        length = (size_t)(at - text);
    if (length > 1 && text[0] == '"' && text[length - 1] == '"')
        hs_nccl_copy(made->value, sizeof(made->value), text + 1, length - 2);
    else
        hs_nccl_copy(made->value, sizeof(made->value), text, length);
}

/* "NCCL_ALGO set by environment to Ring", "NCCL_IB_HCA set to mlx5", "Comm config minCTAs set to
 * 16". A message that was cut has no value, or one that is cut. */
static void read_set(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_setting made = {.by = HS_NCCL_BY_ENVIRONMENT};
    const char *name = in->text;
    bool configured = skip(&name, "Comm config ");
    size_t length = strcspn(name, " ");

    if (!configured && !is_variable(name, length))
        return;
    if (!in->whole) {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    if (configured)
        made.by = HS_NCCL_BY_PROGRAM;
    hs_nccl_copy(made.name, sizeof(made.name), name, length);
    copy_value(&made, at);
    add_setting(in, &made);
}

/* "Comm config minCTAs reset to NCCL_MIN_CTAS=4" */
static void read_reset(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_setting made = {.by = HS_NCCL_BY_ENVIRONMENT};
    size_t length = strcspn(at, "=");

    if (at[length] != '=' || !is_variable(at, length) || !in->whole)
        return;
    hs_nccl_copy(made.name, sizeof(made.name), at, length);
    copy_value(&made, at + length + 1);
    add_setting(in, &made);
}

/* "NET/OFI Setting NCCL_PROTO to "simple"", "NET/OFI Setting NCCL_NVLSTREE_MAX_CHUNKSIZE to 512KiB"
 */
static void read_plugin_setting(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_setting made = {.by = HS_NCCL_BY_PLUGIN};
    size_t length = strcspn(at, " ");

    if (!is_variable(at, length) || strncmp(at + length, " to ", 4) != 0 || !in->whole)
        return;
    hs_nccl_copy(made.name, sizeof(made.name), at, length);
    copy_value(&made, at + length + 4);
    add_setting(in, &made);
}

/* In the order of NCCL's numbers (src/include/nccl_common.h; 2.4 to 2.30), as later versions write
 * them, and what they are here. */
static const char *const algorithm_words[] = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
static const struct {
    const char *name;
    enum hs_nccl_algorithm algorithm; /* HS_NCCL_ALGORITHM_COUNT: none */
} algorithms[] = {{"tree", HS_NCCL_TREE},
                  {"ring", HS_NCCL_RING},
                  {"collnet_direct", HS_NCCL_ALGORITHM_COUNT},
                  {"collnet_chain", HS_NCCL_ALGORITHM_COUNT},
                  {"nvls", HS_NCCL_NVLS},
                  {"nvlstree", HS_NCCL_NVLSTREE},
                  {"pat", HS_NCCL_PAT}};
static const char *const protocol_words[] = {"LL", "LL128", "SIMPLE"};

/* A word's index, or a number below their count. */
static bool take_choice(size_t *out, const char **at, const char *const *words, size_t count)
{
    size_t length = strcspn(*at, " \t");
    int64_t number;

    if (take_number(&number, at)) {
        *out = (size_t)number;
        return number < (int64_t)count;
    }
    for (*out = 0; *out < count; ++*out)
        if (strlen(words[*out]) == length && strncasecmp(*at, words[*out], length) == 0) {
            *at += length;
            return true;
        }
    return false;
}

/* Which call it is, by the word before the bytes; "" of old versions. False: none that is kept. */
static bool read_call(struct hs_nccl_chosen *made, const char *text)
{
    static const char *const words[HS_LIBRARY_CALL_COUNT] = {
        [HS_CALL_ALLREDUCE] = "AllReduce:",
        [HS_CALL_ALLGATHER] = "AllGather:",
        [HS_CALL_REDUCE_SCATTER] = "ReduceScatter:",
        [HS_CALL_ALLTOALL] = "AlltoAll:",
    };

    if (isdigit((unsigned char)*text))
        return true;
    for (int c = 0; c < HS_LIBRARY_CALL_COUNT; c++)
        if (strncmp(text, words[c], strlen(words[c])) == 0) {
            made->call_known = true;
            made->call = (enum hs_library_call)c;
        }
    return made->call_known;
}

/* "AllReduce: 16777216 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}" from 2.24 on, "8
 * Bytes -> Algo 0 proto 0 time 25.200924" before. */
static void read_chosen(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_decisions *decided = &in->info->decided;
    const char *bytes = in->text, *range;
    struct hs_nccl_chosen made = {0}, *chosen;
    size_t algorithm, protocol;
    int64_t count, low, high;

    if (!read_call(&made, bytes))
        return;
    bytes += strcspn(bytes, "0123456789");
    if (!take_number(&count, &bytes) || !take_choice(&algorithm, &at, algorithm_words, 7))
        return;
    at += strspn(at, " \t");
    /* Something stands behind both in all versions: else "LL128" may be cut to "LL". */
    if (!skip(&at, "proto ") || !take_choice(&protocol, &at, protocol_words, 3) || *at == '\0') {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    made.bytes = (uint64_t)count;
    made.algorithm = algorithms[algorithm].algorithm;
    made.algorithm_known = made.algorithm != HS_NCCL_ALGORITHM_COUNT;
    made.protocol = (enum hs_nccl_protocol)(HS_NCCL_LL + protocol);
    snprintf(made.name, sizeof(made.name), "%s", algorithms[algorithm].name);
    range = strstr(at, "={");
    if (range) {
        range += 2;
        if (take_number(&low, &range) && skip(&range, "..") && take_number(&high, &range) &&
            high >= low && *range == '}')
            made.channels = high - low + 1;
    }
    for (size_t i = 0; i < decided->chosen_count; i++) {
        size_t c = (in->reader->last_chosen + i) % decided->chosen_count;

        chosen = &decided->chosen[c];
        if (chosen->call_known == made.call_known && chosen->call == made.call &&
            chosen->bytes == made.bytes && chosen->protocol == made.protocol &&
            strcmp(chosen->name, made.name) == 0) {
            hs_nccl_see(in->reader, &chosen->seen);
            in->reader->last_chosen = c;
            return;
        }
    }
    chosen = hs_nccl_one_more(in->reader, &decided->chosen, &decided->chosen_count, sizeof(*chosen),
                              HS_NCCL_CHOSEN_MAX);
    if (!chosen)
        return;
    *chosen = made;
    hs_nccl_see(in->reader, &chosen->seen);
}

/* "16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per
 * peer" */
static void read_channels(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_channels made = {-1, -1, -1, -1, -1, {0}};
    struct hs_nccl_decisions *decided = &in->info->decided;
    int64_t value;

    (void)at;
    for (at = in->text; take_number(&value, &at); skip(&at, ", "))
        if (skip(&at, " coll channels"))
            made.collective = value;
        else if (skip(&at, " collnet channels"))
            made.collnet = value;
        else if (skip(&at, " nvls channels"))
            made.nvls = value;
        else if (skip(&at, " p2p channels per peer"))
            made.p2p_per_peer = value;
        else if (skip(&at, " p2p channels"))
            made.p2p = value;
    if (made.p2p_per_peer < 0) {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    for (size_t c = 0; c < decided->channel_count; c++) {
        struct hs_nccl_channels *known = &decided->channels[c];

        if (known->collective == made.collective && known->collnet == made.collnet &&
            known->nvls == made.nvls && known->p2p == made.p2p &&
            known->p2p_per_peer == made.p2p_per_peer) {
            hs_nccl_see(in->reader, &known->seen);
            return;
        }
    }
    if (decided->channel_count == HS_NCCL_CHANNELS_MAX) {
        hs_nccl_see(in->reader, &in->info->left_out);
        return;
    }
    hs_nccl_see(in->reader, &made.seen);
    decided->channels[decided->channel_count++] = made;
}

/* "NVLS multicast support is not available on dev 0" */
static void read_nvls(const struct hs_nccl_message *in, const char *at)
{
    bool available = !skip(&at, "not ");

    if (skip(&at, "available on dev"))
        hs_nccl_see(in->reader, &in->host->nvls[available]);
}

/* ---- messages: what NCCL takes the machine for ----------------------------------------------- */

/* "=== System : maxBw 24.0 totalBw 192.0 ===" */
static void read_system(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_beliefs *beliefs = &in->host->beliefs;
    double max, total;

    if (!take_rate(&max, &at) || !skip(&at, " totalBw ") || !take_rate(&total, &at))
        return;
    see_rate(in->reader, &beliefs->max, max, false);
    see_rate(in->reader, &beliefs->total, total, false);
}

/* "+ PCI[12.0] - NIC/19000", "+ NET[25.0] - NET/0-0 (0/88b97a0003a1420c/1/25.000000)", and "+
 * NVL[370.8] - NVS/0"; `at` is behind the '+'. */
static void read_link(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_beliefs *beliefs = &in->host->beliefs;
    const char *kind = at;
    double rate;

    if (in->text[strspn(in->text, " ")] != '+')
        return;
    at += strcspn(at, "[ ");
    if (!skip(&at, "[") || !take_rate(&rate, &at) || !skip(&at, "] - "))
        return;
    if (strncmp(kind, "PCI", 3) == 0 && strncmp(at, "NIC/", 4) == 0) {
        see_rate(in->reader, &beliefs->nic_slot, rate, rate < beliefs->nic_slot.bytes_per_second);
    } else if (strncmp(kind, "PCI", 3) == 0 && strncmp(at, "GPU/", 4) == 0) {
        see_rate(in->reader, &beliefs->gpu_slot, rate, rate < beliefs->gpu_slot.bytes_per_second);
    } else if (strncmp(kind, "NVL", 3) == 0 || strncmp(kind, "XGMI", 4) == 0) {
        see_rate(in->reader, &beliefs->nvlink, rate, rate > beliefs->nvlink.bytes_per_second);
    } else if (strncmp(kind, "NET", 3) == 0 && skip(&at, "NET/")) {
        enum hs_nccl_network network =
            in->host->network.line > 0 ? network_of(in->host->network.text) : HS_NCCL_VERBS;
        int64_t index, local;
        struct hs_nccl_nic *nic;

        if (!take_number(&index, &at))
            return;
        if (skip(&at, "-") && take_number(&local, &at)) /* of a system: NET/0-3 */
            index = local;
        nic = find_nic(in->reader, in->host, network, index, "");
        if (nic)
            see_rate(in->reader, &nic->believed, rate, false);
    }
}

static void copy_path(char out[8], const char *text)
{
    size_t length = strcspn(text, "/, ");

    hs_nccl_copy(out, 8, text, length < 4 ? length : 3);
}

static void read_pattern(const struct hs_nccl_message *in, const char *at)
{
    struct hs_nccl_pattern made = {.pattern = number_behind(in->text, "Pattern ", -1),
                                   .cross_nic = number_behind(at, ", crossNic ", -1),
                                   .channels = number_behind(at, ", nChannels ", -1),
                                   .same_channels = number_behind(at, ", sameChannels ", -1),
                                   .host = in->host_index},
                           *pattern;
    struct hs_nccl_decisions *decided = &in->info->decided;
    const char *rates = strstr(at, ", bw "), *kinds = strstr(at, ", type "), *slash;

    if (!rates)
        rates = strstr(at, ", speed ");
    slash = kinds ? strchr(kinds, '/') : NULL;
    if (!rates || !slash || made.channels < 0 || made.same_channels < 0) {
        hs_nccl_see(in->reader, &in->info->cut);
        return;
    }
    rates += strcspn(rates, "0123456789");
    take_rate(&made.inside_bytes_per_second, &rates);
    if (skip(&rates, "/"))
        take_rate(&made.between_bytes_per_second, &rates);
    copy_path(made.inside, kinds + strlen(", type "));
    copy_path(made.between, slash + 1);
    for (size_t g = 0; g < decided->pattern_count; g++) {
        pattern = &decided->patterns[g];
        if (pattern->host == made.host && pattern->pattern == made.pattern &&
            pattern->channels == made.channels &&
            pattern->inside_bytes_per_second == made.inside_bytes_per_second &&
            pattern->between_bytes_per_second == made.between_bytes_per_second &&
            strcmp(pattern->inside, made.inside) == 0 &&
            strcmp(pattern->between, made.between) == 0) {
            hs_nccl_see(in->reader, &pattern->seen);
            return;
        }
    }
    pattern = hs_nccl_one_more(in->reader, &decided->patterns, &decided->pattern_count,
                               sizeof(*pattern), HS_NCCL_PATTERNS_MAX);
    if (!pattern)
        return;
    *pattern = made;
    hs_nccl_see(in->reader, &pattern->seen);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define NOTHING      0, 0
#define SEEN(member) offsetof(struct hs_nccl_host, member), 0
#define NAME(member) 0, offsetof(struct hs_nccl_host, member)

/* Where a word stands in a message, and who reads on behind it: a function, or that it is seen at
 * all, or a name to its end. A message may have several. */
static const struct {
    const char *word;
    bool begins; /* else it is anywhere in it */
    void (*read)(const struct hs_nccl_message *in, const char *behind);
    size_t seen, name; /* offsets in a host; 0: neither */
} rows[] = {
    {"NCCL version ", true, read_version, NOTHING},
    {"RCCL version ", true, read_version, NOTHING},
    {"comm 0x", false, read_communicator, NOTHING},
    {"Using network ", true, read_network, NOTHING},
    {": Using ", false, read_list, NOTHING},
    {": Made virtual device [", false, read_merged, NOTHING},
    {"NET/IB : No device found", true, NULL, SEEN(no_verbs)},
    {"Failed to open libibverbs.so", true, NULL, SEEN(no_verbs)},
    {"No plugin found", false, read_no_plugin, NOTHING},
    {"Could not find: ", false, read_no_plugin, NOTHING},
    {"oad returned 2", false, read_no_plugin, NOTHING},
    {") returned 2", false, read_no_plugin, NOTHING},
    {"NET/Plugin: Loaded net plugin ", true, NULL, NAME(plugin)},
    {"P2P plugin ", true, NULL, NAME(plugin)},
    {"NET/OFI Using ", true, NULL, NAME(plugin)},
    {"NET/OFI Initializing ", true, NULL, NAME(plugin)},
    {"NET/OFI Selected Provider is ", true, read_provider, NOTHING},
    {"NET/OFI Selected provider is ", true, read_provider, NOTHING},
    {"NET/OFI Setting ", true, read_plugin_setting, NOTHING},
    {" via ", false, read_connection, NOTHING},
    {"GPU Direct RDMA ", false, read_gdr, NOTHING},
    {"Connected all rings, use ring", true, read_rings, NOTHING},
    {"DMA-BUF is available on GPU", true, NULL, SEEN(gdr.dma_buf[1])},
    {"Dmabuf feature disabled", true, NULL, SEEN(gdr.dma_buf[0])},
    {" set by environment to ", false, read_set, NOTHING},
    {" set to ", false, read_set, NOTHING},
    {" reset to ", false, read_reset, NOTHING},
    {" Bytes -> Algo ", false, read_chosen, NOTHING},
    {" coll channels, ", false, read_channels, NOTHING},
    {"NVLS multicast support is ", true, read_nvls, NOTHING},
    {"=== System : maxBw ", true, read_system, NOTHING},
    {"+ ", false, read_link, NOTHING},
    {"Pattern ", true, read_pattern, NOTHING},
};

void hs_nccl_message_read(const struct hs_nccl_message *in)
{
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows) && in->reader->status == HS_OK; r++) {
        const char *found = strstr(in->text, rows[r].word);
        char *host = (char *)in->host;

        if (!found || (found != in->text && rows[r].begins))
            continue;
        found += strlen(rows[r].word);
        if (rows[r].read)
            rows[r].read(in, found);
        if (rows[r].seen)
            hs_nccl_see(in->reader, (struct hs_nccl_seen *)(void *)(host + rows[r].seen));
        if (rows[r].name)
            name_once(in->reader, (struct hs_nccl_name *)(void *)(host + rows[r].name), found,
                      strlen(found));
    }
}

void hs_nccl_message_warn(const struct hs_nccl_message *in)
{
    struct hs_nccl_info *info = in->info;

    if (info->warned.count < HS_NCCL_WARNINGS_MAX) {
        struct hs_nccl_warning *warning = &info->warnings[info->warned.count];

        hs_nccl_copy(warning->text, sizeof(warning->text), in->text, strlen(in->text));
        warning->host = in->host_index;
        warning->line = in->reader->line;
    }
    hs_nccl_see(in->reader, &info->warned);
}
