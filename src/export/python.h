/*
 * python.h - exports as Python modules: the header comment, then a module that is kept as a Python
 * file (src/export/python/) with the result's constants put in. Internal to src/export.
 *
 * The constants are the same for every module: NP, of a result about groups of a mesh those of one
 * group; MESH and OVER (its axes, innermost first, and those of a group); COLLECTIVE and LAYOUT
 * (collective.h), RULES (per message size a split and its chunks), SPLIT (layer sizes, innermost
 * first) and MESH_SHAPE (outermost first, row-major) of the rule for the largest messages,
 * MOST_CHUNKS and RANKS_PER_NODE; of one that can go by trees on single links also FORESTS, packed
 * for its rules (packing.h).
 */
#ifndef HS_EXPORT_PYTHON_H
#define HS_EXPORT_PYTHON_H

#include "export/export.h"

struct hs_python_module {
    const struct hs_exporter *exporter;
    const char *file_name; /* "hierarchical_torch.py" */
    const char *use;       /* for the header comment, several lines */
    const char *body;      /* the module; the constants replace its one line @CONSTANTS@ */
};

/* What an exporter's write function returns. HS_INVALID where a message size has no best plan. */
enum hs_status hs_python_write(struct hs_export_output *out, const struct hs_export_job *job,
                               const struct hs_python_module *module, struct hs_error *err);

#endif
