/*
 * inputs.h - the result files of a command that takes several.
 */
#ifndef HS_CLI_INPUTS_H
#define HS_CLI_INPUTS_H

#include "console/command.h"
#include "plot/plot.h"

struct hs_inputs {
    struct hs_plot_input *inputs; /* [count] owned, in the order given */
    struct hs_result *results;    /* [count] owned */
    size_t count;
};

/* Loads them all; warns of runs that were cut short. "-" is stdin. HS_INVALID, HS_MEMORY; release
 * in any case. */
enum hs_status hs_inputs_load(struct hs_inputs *inputs, const struct hs_argument_list *files,
                              const struct hs_context *context, struct hs_error *err);
void hs_inputs_release(struct hs_inputs *inputs);

#endif
