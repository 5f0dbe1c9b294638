/*
 * exports.h - results as configuration for other libraries: which message of a result, which plan,
 * and several results as one file.
 */
#ifndef HS_API_EXPORTS_H
#define HS_API_EXPORTS_H

#include "answer/rows.h"
#include "export/export.h"
#include "record/profile_call.h"

struct hs_exports_settings {
    const char *format, *size, *plan; /* NULL: not given */
};

/* What an export is asked for. */
struct hs_export_question {
    struct hs_exports_settings settings;
    const char *profile;   /* path; NULL: none */
    bool list;             /* the formats, in place of an export */
    struct hs_print print; /* of the list */
};

/* Rows: --to, --size, --plan; const char *, --profile; bool, --list. */
#define HS_ROW_EXPORT_TO(place)                                                                    \
    {                                                                                              \
        .name = "to", .letter = 't', .argument = "FORMAT", .words = hs_export_words,               \
        .type = &hs_option_word, .offset = (place) + offsetof(struct hs_exports_settings, format), \
        .usual = true, .help = "what to make; --list says what each is"                            \
    }
#define HS_ROW_EXPORT_PROFILE(place)                                                               \
    HS_ROW_FILE("profile", 0, NULL, place, false,                                                  \
                "only what a job calls that `hiersearch profile` counted (or FILE.ranks, which "   \
                "it left): other results are left out, other sizes keep the library's default")
#define HS_ROWS_EXPORT(place)                                                                      \
    HS_ROW_RESULT_SIZE((place) + offsetof(struct hs_exports_settings, size),                       \
                       "message size whose plan is exported (default: the largest of the "         \
                       "result)"),                                                                 \
        HS_ROW_RESULT_PLAN((place) + offsetof(struct hs_exports_settings, plan),                   \
                           "export this plan, such as 4x32, instead of the best")

#define HS_ROW_EXPORT_LIST(place)                                                                  \
    HS_ROW_FLAG("list", 'l', NULL, place,                                                          \
                "the formats: for which library, how many layers, exact or not")

/* The list stands alone, and is all that has a format of print. `more`: something is given that is
 * no option of these. HS_INVALID. */
enum hs_status hs_export_check(const struct hs_export_question *asked, bool more,
                               struct hs_error *err);

/* Names of formats, the calling thread's; ends with a NULL. */
const char *const *hs_export_words(void);

/* What is to be exported, result by result, and what was made of it. */
struct hs_exports {
    const struct hs_exports_settings *settings;
    const char *second; /* name of the second result that will come; NULL: there is one */
    /* Of a job, whose calls alone are exported; NULL: none is given. */
    const struct hs_profile *profile;
    const char *profile_name;
    struct hs_text *notes; /* NULL: nobody reads them */
    /* [own_count] owned: of results with the library's own algorithms, exported together */
    struct hs_export_job *own;
    size_t own_count;
    struct hs_profile_load *loads; /* [load_count] owned: what the job calls */
    size_t load_count;
    struct hs_export_output output; /* owned; of its notes each is said by hs_exports_end */
};

/* HS_INVALID where results or settings do not go together; HS_MEMORY. Release in any case. */
enum hs_status hs_exports_begin(struct hs_exports *exports, struct hs_error *err);
/* Adds a result, whose messages are sorted; `name` is what messages call it. Both stay until the
 * end. HS_INVALID, HS_MEMORY. */
enum hs_status hs_exports_add(struct hs_exports *exports, struct hs_result *result,
                              const char *name, struct hs_error *err);
/* HS_INVALID where there is nothing, or what each may be by itself does not go together. */
enum hs_status hs_exports_end(struct hs_exports *exports, struct hs_error *err);
/* The notes of the output, which come behind what is written. */
void hs_exports_say(struct hs_exports *exports);
void hs_exports_release(struct hs_exports *exports);

#endif
