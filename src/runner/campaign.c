/* campaign.c - see campaign.h. */
#include "runner/campaign.h"

#include <stdlib.h>

struct hs_problem hs_campaign_problem(const struct hs_campaign *campaign, double bytes)
{
    const struct hs_call_options *call = &campaign->settings.campaign.call;

    return (struct hs_problem){call->collective, hs_mesh_group(&call->mesh, campaign->ranks.np),
                               bytes, call->layout};
}

int64_t hs_campaign_oversubscribed(const struct hs_campaign *campaign, int64_t *cores)
{
    bool oversubscribed = campaign->oversubscribed_ranks > campaign->oversubscribed_cores &&
                          !campaign->backend->virtual_clock;

    if (cores)
        *cores = oversubscribed ? (int64_t)campaign->oversubscribed_cores : 0;
    return oversubscribed ? (int64_t)campaign->oversubscribed_ranks : 0;
}

void hs_campaign_journaled(struct hs_campaign *campaign, enum hs_status status,
                           const struct hs_error *error)
{
    if (status != HS_OK)
        hs_progress_note(&campaign->progress, "the journal ends here: %s", error->message);
}

void hs_campaign_sync(struct hs_campaign *campaign)
{
    struct hs_error error;

    hs_campaign_journaled(campaign, hs_journal_sync(&campaign->journal, &error), &error);
}

void hs_campaign_release(struct hs_campaign *campaign)
{
    for (size_t i = 0; i < campaign->size_count; i++) {
        hs_candidates_release(&campaign->sizes[i].candidates);
        hs_certificate_release(&campaign->sizes[i].certificate);
        hs_race_release(&campaign->sizes[i].race);
    }
    free(campaign->sizes);
    campaign->sizes = NULL;
    campaign->size_count = 0;
    hs_layers_release(campaign);
    hs_grid_release(&campaign->grid);
    hs_text_release(&campaign->settings.job.notes);
    hs_journal_close(&campaign->journal, false);
    hs_system_release(&campaign->system);
    hs_system_release(&campaign->played);
    hs_machine_release(&campaign->machine);
    hs_rank_order_release(&campaign->order);
}
