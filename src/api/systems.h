/*
 * systems.h - machines as a caller names them, with what there is to say of them.
 */
#ifndef HS_API_SYSTEMS_H
#define HS_API_SYSTEMS_H

#include "base/text.h"
#include "model/system.h"
#include "view/sheet.h"

/* hs_system_find, and a note of the latencies that a line of text does not give. */
enum hs_status hs_system_ask(struct hs_system *system, const char *text, struct hs_text *notes,
                             struct hs_error *err);
/* Appends an array of the system files of all that are shipped, by name; a broken one among them is
 * said and passed over: the others are still of use. HS_MEMORY. */
enum hs_status hs_systems_print(struct hs_text *out, struct hs_text *notes, struct hs_error *err);
/* Loads one of the list; false, with a warning, where it is broken. */
bool hs_systems_load(struct hs_system *system, const char *path, struct hs_text *notes);
/* Adds what cannot be true of a system to the table of findings; returns how much. */
size_t hs_system_say_findings(struct hs_table *table, const struct hs_system *system,
                              const char *name);
/* The catalogue of parts, as tables. */
void hs_parts_say(struct hs_sheet *sheet);
/* Names the system, in the letters that a name may have. HS_INVALID. */
enum hs_status hs_system_rename(struct hs_system *system, const char *name, struct hs_error *err);

#endif
