/*
 * place_forms.h - a placement as other programs are told it: who starts ranks, or who numbers them.
 */
#ifndef HS_SHOW_PLACE_FORMS_H
#define HS_SHOW_PLACE_FORMS_H

#include "answer/place.h"
#include "base/text.h"

/* Names, and the function that prints each. */
#define HS_PLACE_FORMS(row)                                                                        \
    row("device-mesh", print_device_mesh) row("hostfile", print_hostfile)                          \
        row("megatron", print_megatron) row("rankfile", print_rankfile) row("srun", print_srun)    \
            row("torchtitan", print_torchtitan)

/* Whether there is one of that name. */
bool hs_place_is_form(const char *name);

/* Prints the verdict's order in the form, where the form has none with a split axis the first of
 * whole ones; what to do with it is a note. `hosts` are names with commas between, or a file with a
 * line of each; NULL: none. HS_INVALID: what the form cannot say, or needs and was not given;
 * HS_MEMORY. */
enum hs_status hs_place_form_print(struct hs_text *out, struct hs_text *notes, const char *name,
                                   const struct hs_place_answer *placement, const char *hosts,
                                   struct hs_error *err);

#endif
