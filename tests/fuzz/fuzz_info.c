/* Any text is read, within the limits; each fact has the line that says it, and text that may be
 * shown. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "record/nccl_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *invariant)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", invariant);
        abort();
    }
}

static size_t lines; /* of the text */

static void check_line(size_t line, bool there)
{
    require(there ? line >= 1 && line <= lines : line == 0, "a fact has a line of the text");
}

static void check_seen(struct hs_nccl_seen seen)
{
    check_line(seen.line, seen.count > 0);
}

static void check_text(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes), step;

    require(length < bytes, "a text ends");
    for (size_t i = 0; i < length; i += step)
        require(hs_utf8_is_harmless(&step, text + i, length - i), "a text may be shown");
}

static void check_rate(const struct hs_nccl_rate *rate)
{
    check_line(rate->line, rate->bytes_per_second > 0);
    require(isfinite(rate->bytes_per_second), "a rate is finite");
}

static void check_host(const struct hs_nccl_host *host)
{
    size_t sums[HS_NCCL_DIRECTIONS][2] = {{0}};

    check_text(host->name, sizeof(host->name));
    check_text(host->network.text, sizeof(host->network.text));
    check_text(host->provider.text, sizeof(host->provider.text));
    check_line(host->network.line, host->network.text[0] != '\0');
    check_line(host->plugin.line, host->plugin.text[0] != '\0');
    require(host->nic_count <= HS_NCCL_NICS_MAX, "NICs are within the limit");
    for (size_t n = 0; n < host->nic_count; n++) {
        const struct hs_nccl_nic *nic = &host->nics[n];

        check_text(nic->name, sizeof(nic->name));
        check_rate(&nic->believed);
        require(nic->devices >= 1 && nic->index >= 0, "a NIC has ports and an index");
        for (int i = 0; i < 2 * HS_NCCL_DIRECTIONS; i++) {
            check_seen(nic->connections[i / 2][i % 2]);
            sums[i / 2][i % 2] += nic->connections[i / 2][i % 2].count;
        }
    }
    for (int i = 0; i < 2 * HS_NCCL_DIRECTIONS; i++) {
        check_seen(host->paths.net[i / 2][i % 2]);
        require(host->paths.net[i / 2][i % 2].count >= sums[i / 2][i % 2],
                "a host's connections are those of its NICs");
    }
    check_seen(host->paths.p2p);
    check_seen(host->gdr.gpus[0]);
    check_seen(host->nvls[1]);
    check_rate(&host->beliefs.max);
    check_rate(&host->beliefs.nic_slot);
    require(hs_nccl_host_nics(host, HS_NCCL_VERBS) >= 0, "NICs are counted");
}

static void check_job(const struct hs_nccl_info *info)
{
    const struct hs_nccl_job *job = &info->job;
    size_t ranks = 0;

    check_line(job->line, job->ranks > 0);
    check_line(job->nodes_line, job->nodes > 0);
    require(job->nodes <= job->ranks && (int64_t)job->rank_count <= job->ranks, "ranks of a job");
    for (size_t r = 0; r < job->rank_count; r++) {
        require(job->by_rank[r].line <= lines && job->by_rank[r].host < info->host_count,
                "a rank is on a host");
        ranks += job->by_rank[r].line > 0;
    }
    for (size_t h = 0; h < info->host_count; h++)
        ranks -= info->hosts[h].ranks.count;
    require(ranks == 0, "each rank is on one host");
    require(hs_nccl_info_hosts(info) <= job->ranks, "hosts have ranks");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hs_nccl_info info;

    lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    require(hs_nccl_info_read(&info, (const char *)data, size, NULL) == HS_OK, "any text is read");
    require(info.host_count <= HS_NCCL_HOSTS_MAX && info.setting_count <= HS_NCCL_SETTINGS_MAX &&
                info.decided.chosen_count <= HS_NCCL_CHOSEN_MAX,
            "lists are within their limits");
    check_line(info.library.line, info.library.version > 0);
    for (size_t h = 0; h < info.host_count; h++)
        check_host(&info.hosts[h]);
    check_job(&info);
    for (size_t s = 0; s < info.setting_count; s++) {
        check_text(info.settings[s].name, sizeof(info.settings[s].name));
        check_text(info.settings[s].value, sizeof(info.settings[s].value));
        require(info.settings[s].host < info.host_count, "a setting is of a host");
        check_seen(info.settings[s].seen);
    }
    for (size_t c = 0; c < info.decided.chosen_count; c++) {
        const struct hs_nccl_chosen *chosen = &info.decided.chosen[c];

        require(chosen->algorithm_known == (chosen->algorithm < HS_NCCL_ALGORITHM_COUNT) &&
                    chosen->protocol < HS_NCCL_PROTOCOL_COUNT && chosen->channels >= 0,
                "a choice is one of those there are");
        check_seen(chosen->seen);
    }
    for (size_t p = 0; p < info.decided.pattern_count; p++)
        check_text(info.decided.patterns[p].between, sizeof(info.decided.patterns[p].between));
    for (size_t w = 0; w < info.warned.count && w < HS_NCCL_WARNINGS_MAX; w++) {
        check_text(info.warnings[w].text, sizeof(info.warnings[w].text));
        check_line(info.warnings[w].line, true);
    }
    check_seen(info.cut);
    check_seen(info.left_out);
    hs_nccl_info_release(&info);
    return 0;
}
