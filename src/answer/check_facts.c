/* What NCCL's own lines, and the user, say of causes: each with the number of the line. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check.h"

#define GB         1e9
#define LOWER_RATE 0.7 /* of what the line of text says, and below: a slot or port at a lower one */

#define ESTABLISH(facts, cause, ...)                                                               \
    do {                                                                                           \
        if (!(facts)->established[cause][0])                                                       \
            snprintf((facts)->established[cause], HS_FIELD_TEXT, __VA_ARGS__);                     \
    } while (0)
#define REFUTE(facts, cause, ...) snprintf((facts)->refuted[cause], HS_FIELD_TEXT, __VA_ARGS__)

/* What a line is named by: the file without its folders. */
static const char *short_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

/* ---- settings -------------------------------------------------------------------------------- */

static unsigned protocols_of(const char *value)
{
    unsigned bits = 0;

    for (int p = 0; p < HS_NCCL_PROTOCOL_COUNT; p++) {
        const char *name = hs_nccl_protocol_names[p];

        for (const char *at = value; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
            if (strcspn(at, ",") == strlen(name) && strncasecmp(at, name, strlen(name)) == 0)
                bits |= 1U << p;
    }
    return bits;
}

static unsigned algorithms_of(const char *value)
{
    unsigned bits = 0;

    for (int a = 0; a < HS_NCCL_ALGORITHM_COUNT; a++) {
        const char *name = hs_nccl_algorithm_names[a];

        for (const char *at = value; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
            if (strcspn(at, ",") == strlen(name) && strncasecmp(at, name, strlen(name)) == 0)
                bits |= 1U << a;
    }
    return bits;
}

/* `from`: "line 12", "--env". */
static void take_setting(struct hs_check_facts *facts, const char *name, const char *value,
                         const char *from)
{
    static const struct {
        const char *name;
        enum hs_check_cause cause;
    } others[] = {
        {"NCCL_MAX_NCHANNELS", HS_BY_CHANNELS},  {"NCCL_MAX_CTAS", HS_BY_CHANNELS},
        {"NCCL_MAX_NRINGS", HS_BY_CHANNELS},     {"NCCL_NCHANNELS_PER_NET_PEER", HS_BY_CHANNELS},
        {"NCCL_BUFFSIZE", HS_BY_LIBRARY_TUNING}, {"NCCL_NTHREADS", HS_BY_LIBRARY_TUNING},
    };
    bool is_zero = strcmp(value, "0") == 0;

    if (strcmp(name, "NCCL_ALGO") == 0 && (facts->among = algorithms_of(value)) != 0)
        ESTABLISH(facts,
                  facts->among == 1U << HS_NCCL_RING ? HS_BY_RING_FORCED : HS_BY_ALGORITHM_CHOICE,
                  "%s: NCCL_ALGO is set to %.60s", from, value);
    if (strcmp(name, "NCCL_PROTO") == 0 && (facts->protocols = protocols_of(value)) != 0)
        ESTABLISH(facts, HS_BY_PROTOCOL, "%s: NCCL_PROTO is set to %.60s", from, value);
    if (strcmp(name, "NCCL_NVLS_ENABLE") == 0 && is_zero)
        ESTABLISH(facts, HS_BY_NVLS_OFF, "%s: NCCL_NVLS_ENABLE is set to 0", from);
    if (strcmp(name, "NCCL_IB_DISABLE") == 0 && !is_zero)
        ESTABLISH(facts, HS_BY_TCP_SOCKETS, "%s: NCCL_IB_DISABLE is set to %.20s", from, value);
    if (strcmp(name, "NCCL_NET") == 0 && strcasecmp(value, "socket") == 0)
        ESTABLISH(facts, HS_BY_TCP_SOCKETS, "%s: NCCL_NET is set to Socket", from);
    if ((strcmp(name, "NCCL_P2P_DISABLE") == 0 && !is_zero) ||
        (strcmp(name, "NCCL_P2P_LEVEL") == 0 && (strcmp(value, "LOC") == 0 || is_zero)))
        ESTABLISH(facts, HS_BY_P2P_OFF, "%s: %s is set to %.20s", from, name, value);
    if (strcmp(name, "NCCL_NET_GDR_LEVEL") == 0 && (strcmp(value, "LOC") == 0 || is_zero))
        ESTABLISH(facts, HS_BY_GDR_OFF, "%s: NCCL_NET_GDR_LEVEL is set to %.20s", from, value);
    if (strcmp(name, "NCCL_NET_GDR_READ") == 0 && is_zero)
        ESTABLISH(facts, HS_BY_GDR_OFF, "%s: NCCL_NET_GDR_READ is set to 0", from);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i].name) == 0)
            ESTABLISH(facts, others[i].cause, "%s: %s is set to %.40s", from, name, value);
}

/* "NCCL_X=Y NCCL_Z=W" */
static enum hs_status take_environment(struct hs_check_facts *facts, const char *text,
                                       struct hs_error *err)
{
    char *copy = hs_strdup(text), *line = copy, *word;
    enum hs_status status = copy ? HS_OK : hs_no_memory(err);

    while (status == HS_OK && (word = hs_word_next(&line))) {
        char *value = strchr(word, '=');

        if (!value)
            status = hs_fail(err, HS_INVALID, "--env: expected NAME=VALUE, found %s", word);
        else {
            *value = '\0';
            take_setting(facts, word, value + 1, "--env");
        }
    }
    free(copy);
    return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_sockets(const struct hs_parts *parts)
{
    return parts->nic.class == HS_NIC_TCP || parts->nic.class == HS_NIC_TCPXO ||
           parts->nic.class == HS_NIC_EFA || parts->nic.class == HS_NIC_LATER_EFA ||
           parts->nic.class == HS_NIC_SLINGSHOT;
}

static void take_network(struct hs_check_facts *facts, const struct hs_nccl_host *host,
                         const struct hs_parts *parts, const char *file)
{
    int64_t nics = hs_nccl_host_nics(host, HS_NCCL_VERBS);
    const char *name = host->name[0] ? host->name : "a host";
    size_t with = 0, used = 0, line = 0;
    bool sockets = false;

    for (size_t n = 0; n < host->nic_count; n++) {
        const struct hs_nccl_nic *nic = &host->nics[n];
        size_t count = 0;

        for (int d = 0; d < HS_NCCL_DIRECTIONS; d++)
            for (int g = 0; g < 2; g++)
                count += nic->connections[d][g].count;
        used += count > 0 && nic->network == HS_NCCL_VERBS;
        if (count > 0 && nic->network == HS_NCCL_SOCKET)
            sockets = true;
        if (nic->believed.line > 0 && parts->nic_count > 0 &&
            nic->believed.bytes_per_second < LOWER_RATE * parts->nic.line_GBps * GB &&
            nic->network == HS_NCCL_VERBS)
            ESTABLISH(facts, HS_BY_PORT_RATE, "%s:%zu: %.30s is at %.3g GB/s, not %.3g", file,
                      nic->believed.line, nic->name, nic->believed.bytes_per_second / GB,
                      parts->nic.line_GBps);
    }
    sockets = sockets || strcmp(host->network.text, "Socket") == 0;
    if (sockets && !is_sockets(parts)) {
        line = host->network.line ? host->network.line : host->no_verbs.line;
        for (size_t n = 0; n < host->nic_count && line == 0; n++)
            if (host->nics[n].network == HS_NCCL_SOCKET)
                line = host->nics[n].line;
        ESTABLISH(facts, HS_BY_TCP_SOCKETS, "%s:%zu: NCCL uses sockets on %.40s%s", file, line,
                  name, host->no_verbs.count > 0 ? ", it found no device of InfiniBand" : "");
    } else if (strcmp(host->network.text, "IB") == 0)
        REFUTE(facts, HS_BY_TCP_SOCKETS, "%s:%zu: NCCL uses IB", file, host->network.line);
    for (int d = 0; d < HS_NCCL_DIRECTIONS; d++) {
        const struct hs_nccl_seen *net = host->paths.net[d];

        with += net[1].count;
        if (net[0].count > 0 && !sockets && !is_sockets(parts))
            ESTABLISH(facts, HS_BY_GDR_OFF, "%s:%zu: a connection of %.40s %s without /GDRDMA",
                      file, net[0].line, name, d == HS_NCCL_SEND ? "sends" : "receives");
    }
    if (with > 0)
        REFUTE(facts, HS_BY_GDR_OFF, "%s: connections over the network end in /GDRDMA", file);
    if (host->gdr.gpus[0].count > 0 && host->gdr.gpus[1].count == 0 && with == 0)
        ESTABLISH(facts, HS_BY_NIC_BEHIND_CPU,
                  "%s:%zu: GPU and NIC are at distance %" PRId64 ", beyond %" PRId64, file,
                  host->gdr.gpus[0].line, host->gdr.distance, host->gdr.level);
    if (nics == 0 || parts->nic_count == 0)
        return;
    if (nics < parts->nic_count)
        for (size_t n = 0; n < host->nic_count; n++) {
            if (host->nics[n].network == HS_NCCL_VERBS && host->nics[n].line > 0) {
                ESTABLISH(facts, HS_BY_NICS_USED,
                          "%s:%zu: NCCL uses %" PRId64 " of %" PRId64 " NICs on %.40s", file,
                          host->nics[n].line, nics, parts->nic_count, name);
                break;
            }
        }
    else if (used == 1 && parts->nic_count > 1 && host->ranks.count == (size_t)parts->gpu_count)
        ESTABLISH(facts, HS_BY_NICS_USED, "%s: all connections of %.40s are over one NIC", file,
                  name);
    else
        REFUTE(facts, HS_BY_NICS_USED, "%s: NCCL uses %" PRId64 " NICs on %.40s", file, nics, name);
}

static void take_inside(struct hs_check_facts *facts, const struct hs_nccl_host *host,
                        const struct hs_parts *parts, const char *file)
{
    if (host->paths.shm.count > 0 && host->paths.p2p.count == 0)
        ESTABLISH(facts, HS_BY_P2P_OFF, "%s:%zu: GPUs of %.40s reach each other via SHM", file,
                  host->paths.shm.line, host->name);
    else if (host->paths.p2p.count > 0 && host->paths.shm.count == 0)
        REFUTE(facts, HS_BY_P2P_OFF, "%s:%zu: GPUs reach each other via P2P", file,
               host->paths.p2p.line);
    if (parts->gpu.nvls && host->nvls[0].count > 0 && host->nvls[1].count == 0)
        ESTABLISH(facts, HS_BY_NVLS_OFF, "%s:%zu: NVLS multicast is not available on %.40s", file,
                  host->nvls[0].line, host->name);
    if (host->beliefs.gpu_slot.line > 0 &&
        host->beliefs.gpu_slot.bytes_per_second < LOWER_RATE * parts->gpu.slot_GBps * GB)
        ESTABLISH(facts, HS_BY_SLOT, "%s:%zu: NCCL finds a GPU's slot at %.3g GB/s, not %.3g", file,
                  host->beliefs.gpu_slot.line, host->beliefs.gpu_slot.bytes_per_second / GB,
                  parts->gpu.slot_GBps);
}

static void take_channels(struct hs_check_facts *facts, const struct hs_nccl_info *info,
                          const struct hs_parts *parts, const char *file)
{
    for (size_t i = 0; i < info->decided.channel_count; i++) {
        const struct hs_nccl_channels *channels = &info->decided.channels[i];

        if (!parts->gpu.nvls || channels->collective <= 0)
            continue;
        if (channels->nvls == 0)
            ESTABLISH(facts, HS_BY_NVLS_OFF, "%s:%zu: 0 nvls channels", file, channels->seen.line);
        else if (channels->nvls > 0)
            REFUTE(facts, HS_BY_NVLS_OFF, "%s:%zu: %" PRId64 " nvls channels", file,
                   channels->seen.line, channels->nvls);
    }
}

static void take_info(struct hs_check_facts *facts, const struct hs_nccl_info *info,
                      const struct hs_parts *parts, const char *file)
{
    char from[HS_FIELD_TEXT];

    if (info->messages.count == 0)
        return;
    if (facts->version == 0 && !info->library.rccl)
        facts->version = info->library.version;
    for (size_t h = 0; h < info->host_count && parts->gpu_count > 0; h++) {
        take_network(facts, &info->hosts[h], parts, file);
        take_inside(facts, &info->hosts[h], parts, file);
    }
    take_channels(facts, info, parts, file);
    for (size_t i = 0; i < info->setting_count; i++) {
        const struct hs_nccl_setting *setting = &info->settings[i];

        snprintf(from, sizeof(from), "%.60s:%zu", file, setting->seen.line);
        if (setting->by == HS_NCCL_BY_ENVIRONMENT)
            take_setting(facts, setting->name, setting->value, from);
    }
}

enum hs_status hs_check_facts_find(struct hs_check_facts *facts,
                                   const struct hs_check_question *question,
                                   const struct hs_nccl_info *more, struct hs_error *err)
{
    const struct hs_check_settings *settings = question->settings;
    const struct hs_parts *parts = &question->system->nccl.parts;
    enum hs_status status = HS_OK;

    if (settings->library_version) {
        facts->version = hs_nccl_version_parse(settings->library_version);
        if (facts->version == 0)
            return hs_fail(err, HS_INVALID,
                           "--library-version: expected a version such as 2.28.9, found %s",
                           settings->library_version);
    }
    if (settings->info)
        take_info(facts, more, parts, short_name(settings->info));
    for (size_t i = 0; i < question->inputs->log_count; i++) {
        const struct hs_input_log *log = &question->inputs->logs[i];

        take_info(facts, &log->log.info, parts, short_name(log->file));
        for (size_t r = 0; r < log->log.run_count; r++) {
            if (facts->version == 0)
                facts->version = log->log.runs[r].nccl_version;
            if (facts->among == 0 && log->log.runs[r].among != 0) {
                facts->among = log->log.runs[r].among;
                ESTABLISH(facts,
                          facts->among == 1U << HS_NCCL_RING ? HS_BY_RING_FORCED
                                                             : HS_BY_ALGORITHM_CHOICE,
                          "%s: NCCL_ALGO is set by the environment", short_name(log->file));
            }
        }
    }
    if (settings->environment)
        status = take_environment(facts, settings->environment, err);
    if (settings->log.algorithm) { /* what was asked for is no fault */
        facts->among = 0;
        facts->established[HS_BY_RING_FORCED][0] = facts->established[HS_BY_ALGORITHM_CHOICE][0] =
            '\0';
    }
    return status;
}

/* ---- what ran, by size ----------------------------------------------------------------------- */

static void take_chosen(struct hs_check_facts *facts, const struct hs_check_answer *checked,
                        const struct hs_nccl_info *info, const struct hs_system *system,
                        const char *file)
{
    size_t same = 0, other = 0;

    for (size_t i = 0; i < checked->row_count; i++) {
        const struct hs_check_row *row = &checked->rows[i];
        const struct hs_nccl_choice *expected = &row->logged.nccl.choice;

        if (!row->is_low || row->logged.library != HS_LIBRARY_NCCL)
            continue;
        for (size_t k = 0; k < info->decided.chosen_count; k++) {
            const struct hs_nccl_chosen *chosen = &info->decided.chosen[k];
            struct hs_check_variant ran = HS_CHECK_SAME;
            double slower;

            if (chosen->bytes != row->bytes || !chosen->algorithm_known ||
                (chosen->call_known && chosen->call != row->logged.kind))
                continue;
            ran.among = 1U << chosen->algorithm;
            ran.protocols = 1U << chosen->protocol;
            slower = hs_check_seconds(row, system, &ran) / row->expected_seconds;
            same += chosen->algorithm == expected->algorithm;
            if (slower < 1.08)
                continue;
            other++;
            if (facts->established[HS_BY_NVLS_OFF][0] || facts->established[HS_BY_RING_FORCED][0])
                continue; /* of which this is the consequence */
            ESTABLISH(facts, HS_BY_ALGORITHM_CHOICE,
                      "%.40s:%zu: %.16s, %s runs, which takes %.2gx of %.30s", file,
                      chosen->seen.line, chosen->name, hs_nccl_protocol_names[chosen->protocol],
                      slower, row->algorithm);
        }
    }
    if (same > 0 && other == 0)
        for (size_t c = 0; c < 3; c++) {
            static const enum hs_check_cause not [] = {HS_BY_ALGORITHM_CHOICE, HS_BY_RING_FORCED,
                                                       HS_BY_NVLS_OFF};

            REFUTE(facts, not [c], "%s: the expected algorithm runs", file);
        }
}

void hs_check_facts_chosen(struct hs_check_facts *facts, const struct hs_check_answer *checked,
                           const struct hs_check_question *question,
                           const struct hs_nccl_info *more)
{
    if (question->settings->info)
        take_chosen(facts, checked, more, question->system, short_name(question->settings->info));
    for (size_t i = 0; i < question->inputs->log_count; i++)
        take_chosen(facts, checked, &question->inputs->logs[i].log.info, question->system,
                    short_name(question->inputs->logs[i].file));
}
