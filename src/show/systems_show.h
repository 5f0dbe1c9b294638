/*
 * systems_show.h - what "systems" prints: all machines, one of them in full, the node on which this
 * runs, the parts that are known, and what cannot be true.
 */
#ifndef HS_API_SYSTEMS_SHOW_H
#define HS_API_SYSTEMS_SHOW_H

#include "answer/rows.h"
#include "show/sheet.h"
#include "system/system.h"

struct hs_systems_settings {
    bool text, names, here, parts, check;
    const char *name; /* what to call the system; NULL: as it is called */
    struct hs_print print;
};

/* Rows of it, but for those of its print. */
#define HS_ROWS_SYSTEMS(at)                                                                        \
    HS_ROW_FLAG("text", 0, NULL, (at) + offsetof(struct hs_systems_settings, text),                \
                "the SYSTEM as one line of text, which predict accepts in its place"),             \
        HS_ROW_FLAG("names", 0, NULL, (at) + offsetof(struct hs_systems_settings, names),          \
                    "only the names, one per line"),                                               \
        HS_ROW_FLAG("here", 0, NULL, (at) + offsetof(struct hs_systems_settings, here),            \
                    "this node: GPUs, NICs and what joins them, and the system that is proposed "  \
                    "from it"),                                                                    \
        HS_ROW_FLAG("parts", 0, NULL, (at) + offsetof(struct hs_systems_settings, parts),          \
                    "the parts that a line such as '8xH100, 8xNDR400' is made of, with the kind "  \
                    "and the source of their figures"),                                            \
        HS_ROW_FLAG("check", 0, NULL, (at) + offsetof(struct hs_systems_settings, check),          \
                    "figures of the SYSTEMs, or of all that come with the program, that cannot "   \
                    "be true: against the parts that are known, and each other; exit status 1 if " \
                    "there are any"),                                                              \
    {                                                                                              \
        .name = "name", .argument = "NAME", .type = &hs_option_text,                               \
        .offset = (at) + offsetof(struct hs_systems_settings, name),                               \
        .help = "call the SYSTEM so, or what is proposed (a-z, 0-9, '_', '-' and '.')"             \
    }

/* Where it is printed. */
struct hs_systems_page {
    const struct hs_systems_settings *settings;
    struct hs_sheet *sheet;
    struct hs_text *notes; /* NULL: nobody reads them */
};

/* HS_INVALID where what is asked does not go together; `one`: a system is given. */
enum hs_status hs_systems_settings_check(const struct hs_systems_settings *settings, bool one,
                                         struct hs_error *err);
/* Of no system: the list, its names, the parts, or this node. */
enum hs_status hs_systems_show(const struct hs_systems_page *page, struct hs_error *err);
/* One in full, as a file or as a line; `node` is what it was proposed from (hs_system_of_node), for
 * people; NULL: it is described. */
enum hs_status hs_systems_show_one(const struct hs_systems_page *page,
                                   const struct hs_system *system, const char *node,
                                   struct hs_error *err);

/* What of some systems cannot be true. */
struct hs_checked {
    struct hs_table findings;
    size_t count, found; /* systems; findings */
};
void hs_checked_init(struct hs_checked *checked);
void hs_checked_add(struct hs_checked *checked, const struct hs_system *system, const char *name);
/* All that are listed. HS_INVALID where a file is no system. */
enum hs_status hs_checked_add_all(struct hs_checked *checked, struct hs_error *err);
/* Prints them, unless the status is a failure, which it passes on; releases them in any case. */
enum hs_status hs_checked_end(struct hs_sheet *sheet, struct hs_checked *checked,
                              enum hs_status status, struct hs_error *err);

#endif
