/* systems_here.c - see systems_here.h. */
#include "cli/systems_here.h"

#include "machine/node.h"

enum hs_status hs_systems_here(struct hs_context *context, struct hs_system *system, bool *proposed,
                               bool quiet, struct hs_error *err)
{
    struct hs_node node;
    struct hs_error why;
    enum hs_status status;

    hs_node_read(&node);
    status = hs_node_propose(system, &node, &why);
    *proposed = status == HS_OK;
    if (!quiet)
        hs_node_print(context->out, &node);
    hs_node_release(&node);
    if (*proposed)
        hs_text_append(context->out, quiet ? "" : "\n");
    else if (!quiet)
        hs_text_append(context->out, "%s\n", why.message);
    else
        return hs_fail(err, HS_FAILED, "--here: %s", why.message);
    return HS_OK;
}
