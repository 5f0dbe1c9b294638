/*
 * systems.h - machines as a caller names them, with what there is to say of them.
 */
#ifndef HS_API_SYSTEMS_H
#define HS_API_SYSTEMS_H

#include "base/options.h"
#include "base/text.h"
#include "detect/node.h"
#include "system/system.h"

/* hs_system_find, and a note of the latencies that a line of text does not give. */
enum hs_status hs_system_ask(struct hs_system *system, const char *text, struct hs_text *notes,
                             struct hs_error *err);
/* Appends an array of the system files of all that are shipped, by name; a broken one among them is
 * said and passed over: the others are still of use. HS_MEMORY. */
enum hs_status hs_systems_print(struct hs_text *out, struct hs_text *notes, struct hs_error *err);
/* Loads one of the list; false, with a warning, where it is broken. */
bool hs_systems_load(struct hs_system *system, const char *path, struct hs_text *notes);
/* The system that is proposed of a node. `found` gets, for people, what the node is made of, and
 * `notes` what could not be found out, also where nothing can be proposed: HS_FAILED, or HS_INVALID
 * of what was read from files. */
enum hs_status hs_system_of_node(struct hs_system *system, struct hs_text *found,
                                 struct hs_text *notes, const struct hs_node *node,
                                 struct hs_error *err);
/* The same of what files say of a node, joined. HS_INVALID, HS_IO, HS_MEMORY. */
enum hs_status hs_system_of_files(struct hs_system *system, struct hs_text *found,
                                  struct hs_text *notes, const char *const *paths, size_t count,
                                  struct hs_error *err);
/* Whether a job of np processes (0: of several counts) that may have named its GPUs is of some of
 * the children of a first level of single links: of those named, or of fewer than all. */
bool hs_system_is_part(const struct hs_system *system, const struct hs_count_list *gpus,
                       int64_t np);
/* The system becomes that of the GPUs named, else, where it is of some, of the first; as it is
 * where these are not joined. As hs_system_choose, "--gpus: ..." */
enum hs_status hs_system_choose_asked(struct hs_system *system, const struct hs_count_list *gpus,
                                      int64_t np, struct hs_error *err);
/* Names the system, in the letters that a name may have. HS_INVALID. */
enum hs_status hs_system_rename(struct hs_system *system, const char *name, struct hs_error *err);
/* Names of the systems that are listed, the calling thread's, which are kept; ends with a NULL. */
const char *const *hs_system_words(void);

#endif
