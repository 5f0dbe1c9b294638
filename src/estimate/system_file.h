/*
 * system_file.h - a system as a file (docs/system.schema.json): levels, parts, constants, and what
 * a calibration left. Reading asks the prices: of constants for their names, of fits where their
 * layers lie.
 */
#ifndef HS_ESTIMATE_SYSTEM_FILE_H
#define HS_ESTIMATE_SYSTEM_FILE_H

#include "base/fields.h"
#include "system/system.h"

#define HS_SYSTEM_VERSION "system/1"
#define HS_SYSTEM_FORMAT  HS_FORMAT_OF HS_SYSTEM_VERSION

/* A system file as a table: reading, writing and comparing are base/fields.h. */
extern const struct hs_fields hs_system_fields;
/* Its member `fits`, in fit_file.c. */
extern const struct hs_fields hs_fits_fields;

enum hs_status hs_system_load(struct hs_system *system, const char *path, struct hs_error *err);
/* Appends the text of a system file. HS_MEMORY. */
enum hs_status hs_system_print(struct hs_text *out, const struct hs_system *system,
                               struct hs_error *err);
/* A copy that owns its own. HS_MEMORY: it is {0}. */
enum hs_status hs_system_copy(struct hs_system *copy, const struct hs_system *system,
                              struct hs_error *err);
/* What library_algorithm says counts from here on. HS_INVALID: the library has none of the name. */
enum hs_status hs_system_take_algorithm(struct hs_system *system, struct hs_error *err);
/* Whether both are the same in a file: every figure, text and fit. */
bool hs_system_equal(const struct hs_system *a, const struct hs_system *b);

/* The fewest ranks, of a few, with which the layer lies on the level and is misaligned there, or
 * is not: one block of it, or as many as reach over the first border of a child. Uneven nodes: of 3
 * ranks at stride 1 on nodes of 4 the first group lies in a node, the second does not. 0: it never
 * does. */
int64_t hs_fit_ranks(const struct hs_system *system, struct hs_layer layer, int level,
                     bool misaligned);
/* Hockney's n_1/2 of a layer alone: bytes entering at which half of the attainable bandwidth is
 * reached, because latency and launches take as long as the bytes. Computed from the fitted figures
 * for a layer of scope size or layer on `system`; 0 for scope level (it depends on the size). */
double hs_fit_half_bandwidth_bytes(const struct hs_fit *fit, const struct hs_system *system);

#endif
