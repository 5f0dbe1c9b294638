/*
 * parts.h - the catalogue of parts (system/parts.h) as tables, with the kinds of its figures and
 * where they are from.
 */
#ifndef HS_VIEW_PARTS_H
#define HS_VIEW_PARTS_H

#include "show/table.h"

void hs_gpus_table(struct hs_table *table);
void hs_nics_table(struct hs_table *table);
/* Nodes that the constants of a price were fitted to. */
void hs_fitted_nodes_table(struct hs_table *table);

#endif
