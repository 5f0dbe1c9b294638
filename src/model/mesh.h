/*
 * mesh.h - a job's ranks as a mesh of named axes, the innermost first, and the groups along some of
 * them: "tp=8,dp=64" over "dp". Rank r has the coordinate r mod 8 along tp, r / 8 along dp.
 */
#ifndef HS_MODEL_MESH_H
#define HS_MODEL_MESH_H

#include <stdint.h>

#include "base/error.h"
#include "model/group.h"

#define HS_AXES_MAX  8
#define HS_AXIS_TEXT 16  /* bytes of an axis' name, its end included */
#define HS_MESH_TEXT 160 /* bytes enough for any mesh, or list of its axes, as text */

struct hs_axis {
    char name[HS_AXIS_TEXT];
    int64_t size;
};

struct hs_mesh {
    int count; /* 0: there is none, all ranks are one group */
    struct hs_axis axes[HS_AXES_MAX];
    unsigned over; /* bits: the axes that a group spans */
};

/* What --mesh says; `over` is none. HS_INVALID: not NAME=SIZE, names are not one to 15 letters,
 * digits, '-' and '_' that begin with a letter, an axis twice, more than HS_AXES_MAX axes or
 * HS_NP_MAX ranks. */
enum hs_status hs_mesh_parse(struct hs_mesh *mesh, const char *text, struct hs_error *err);
/* What --group says of it, with commas between or, as in a job's messages, '+'. HS_INVALID: an axis
 * that the mesh does not have (with the nearest name), or twice; more than HS_SKIPS_MAX gaps. */
enum hs_status hs_mesh_parse_over(struct hs_mesh *mesh, const char *text, struct hs_error *err);
/* HS_INVALID: more than HS_SKIPS_MAX gaps between the axes of `over`. */
enum hs_status hs_mesh_check_over(const struct hs_mesh *mesh, struct hs_error *err);
/* "tp=8,dp=64". Returns `text`. */
char *hs_mesh_format(char text[HS_MESH_TEXT], const struct hs_mesh *mesh);
/* "dp", or "tp,dp": innermost first. Returns `text`. */
char *hs_mesh_format_over(char text[HS_MESH_TEXT], const struct hs_mesh *mesh);

/* ", 8 groups of 64 over dp of tp=8,dp=64"; without a mesh "". Returns `text`. */
#define HS_MESH_ASIDE (2 * HS_MESH_TEXT + 64)
char *hs_mesh_aside(char text[HS_MESH_ASIDE], const struct hs_mesh *mesh);

/* Ranks of the whole mesh. */
int64_t hs_mesh_ranks(const struct hs_mesh *mesh);
/* Along the axes that `over` says; without a mesh all of `ranks`. */
struct hs_group hs_mesh_group(const struct hs_mesh *mesh, int64_t ranks);
/* Whether axes, their sizes and order, and `over` are the same. */
bool hs_mesh_equal(const struct hs_mesh *a, const struct hs_mesh *b);

#endif
