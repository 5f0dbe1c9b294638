/*
 * unsolved.c - in programs of other people, which are to bring no solver along: no trees are packed
 * there (links/packing_parts.h). What is carried out there was planned elsewhere.
 */
#include "links/packing_parts.h"

enum hs_status hs_packer_solve(struct hs_packer *packer, double enough, struct hs_error *err)
{
    (void)packer;
    (void)enough;
    return hs_fail(err, HS_FAILED, "packing trees: there is no solver here");
}
