/*
 * place_forms.h - a placement as other programs are told it: who starts ranks, or who numbers them.
 */
#ifndef HS_API_PLACE_FORMS_H
#define HS_API_PLACE_FORMS_H

#include "base/text.h"
#include "search/axes.h"

/* What is placed, and the two answers; borrowed. */
struct hs_place_job {
    const struct hs_job *job;
    const struct hs_axes_layout *order;  /* the best of whole axes */
    const struct hs_axes_layout *layout; /* the best, with axes cut where that gains */
    int64_t node_ranks;                  /* of a node; forms that name nodes want whole ones */
    const char *hosts; /* names with commas between, or a file with a line of each; NULL: none */
};

/* Names, and the function that prints each. */
#define HS_PLACE_FORMS(row)                                                                        \
    row("device-mesh", print_device_mesh) row("hostfile", print_hostfile)                          \
        row("megatron", print_megatron) row("rankfile", print_rankfile) row("srun", print_srun)    \
            row("torchtitan", print_torchtitan)

/* Whether there is one of that name. */
bool hs_place_is_form(const char *name);

/* Prints the placement in the form; what to do with it is a note. HS_INVALID: what the form cannot
 * say, or needs and was not given; HS_MEMORY. */
enum hs_status hs_place_form_print(struct hs_text *out, struct hs_text *notes, const char *name,
                                   const struct hs_place_job *place, struct hs_error *err);

#endif
