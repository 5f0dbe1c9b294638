#include "record/result_gaps.h"

void hs_result_gaps_add(struct hs_gaps *gaps, const struct hs_result *result,
                        const struct hs_result_message *message)
{
    struct hs_problem problem = hs_result_problem(result, message);

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];

        if (candidate->cost)
            hs_gaps_add(gaps, &result->system, &candidate->plan, candidate->cost);
        else if (candidate->extrapolated) /* the library's default call */
            hs_gaps_add_call(gaps, &result->system, &problem);
    }
}

void hs_result_gaps_append(struct hs_text *out, const struct hs_result *result,
                           const struct hs_result_message *message)
{
    struct hs_gaps gaps = {0};

    hs_result_gaps_add(&gaps, result, message);
    hs_gaps_legend(out, &gaps, &result->system);
}
