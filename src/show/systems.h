/*
 * systems.h - machines as tables: a row per system, the levels of one, and what was fitted to its
 * layers.
 */
#ifndef HS_VIEW_SYSTEMS_H
#define HS_VIEW_SYSTEMS_H

#include "show/table.h"
#include "system/check.h"

/* Figures of a level, each with a source of its own. */
#define HS_LEVEL_FIGURES 4
extern const char *const hs_level_figures[HS_LEVEL_FIGURES];
void hs_level_sources(const char *sources[HS_LEVEL_FIGURES], const struct hs_level *level);

void hs_systems_init(struct hs_table *table);
void hs_systems_add(struct hs_table *table, const struct hs_system *system, const char *name);

/* A row per finding. */
void hs_findings_init(struct hs_table *table);
void hs_findings_add(struct hs_table *table, const struct hs_finding *finding, const char *name);

void hs_levels_table(struct hs_table *table, const struct hs_system *system);
/* A row per link of a level of the fabric links. */
void hs_links_table(struct hs_table *table, const struct hs_level *level);

/* Those of the library's price that are the system's own, beside the ones that ship. */
void hs_own_constants_table(struct hs_table *table, const struct hs_system *system);

/* Which fits, and what people see of them. */
enum hs_fits_of {
    HS_FITS_OF_LEVELS, /* of levels alone, each figure with its interval beside it */
    HS_FITS_OF_SIZES,  /* of levels and sizes, likewise, and more of each */
    HS_FITS_OF_LAYERS  /* of single layers, too, with the units in the figures */
};
void hs_fits_table(struct hs_table *table, const struct hs_system *system, enum hs_fits_of view);

#endif
