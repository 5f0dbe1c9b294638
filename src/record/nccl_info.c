#include "record/nccl_info.h"

#include <stdlib.h>
#include <string.h>

void hs_nccl_info_release(struct hs_nccl_info *info)
{
    for (size_t h = 0; h < info->host_count; h++)
        free(info->hosts[h].nics);
    free(info->hosts);
    free(info->settings);
    free(info->decided.chosen);
    free(info->decided.patterns);
    free(info->job.by_rank);
    *info = (struct hs_nccl_info){0};
}

int64_t hs_nccl_host_nics(const struct hs_nccl_host *host, enum hs_nccl_network network)
{
    int64_t count = 0;

    for (size_t n = 0; n < host->nic_count; n++)
        if (host->nics[n].network == network && host->nics[n].line > 0 && !host->nics[n].merged)
            count += host->nics[n].devices;
    return count;
}

int64_t hs_nccl_info_hosts(const struct hs_nccl_info *info)
{
    int64_t hosts = 0, ranks = 0;

    for (size_t h = 0; h < info->host_count; h++)
        if (info->hosts[h].name[0] != '\0' && info->hosts[h].ranks.count > 0) {
            hosts++;
            ranks += (int64_t)info->hosts[h].ranks.count;
        }
    return ranks == info->job.ranks && ranks > 0 ? hosts : info->job.nodes;
}

const struct hs_nccl_setting *hs_nccl_info_setting(const struct hs_nccl_info *info,
                                                   const char *name)
{
    for (size_t s = 0; s < info->setting_count; s++)
        if (strcmp(info->settings[s].name, name) == 0)
            return &info->settings[s];
    return NULL;
}
