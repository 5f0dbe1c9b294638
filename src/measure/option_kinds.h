/*
 * option_kinds.h - kinds of option values that `measure` and `calibrate` have in common.
 */
#ifndef HS_MEASURE_OPTION_KINDS_H
#define HS_MEASURE_OPTION_KINDS_H

#include "console/options.h"

extern const struct hs_option_type hs_option_seconds; /* double: a time above 0 */
extern const struct hs_option_type
    hs_option_percent; /* double: "2%" is 0.02; above 0, below 100% */

/* For hs_option_word: "auto" and the backends of this build; types of elements; reductions. */
const char *const *hs_backend_words(void);
const char *const *hs_datatype_words(void);
const char *const *hs_operation_words(void);

#endif
