/*
 * scan.h - reading JSON in one pass, without a tree and without a library: the plugin is loaded
 * into other people's programs, where a copy of cJSON could meet another.
 *
 * A scan goes forward only. Anything that is not JSON sets `failed` and makes every further call
 * fail, so a reader checks once, at the end. It is less strict than hiersearch itself, which wrote
 * the file.
 *
 *     while (scan_member(&scan, key)) { if (...) scan_number(&scan, &x); else scan_skip(&scan); }
 */
#ifndef HS_TUNER_SCAN_H
#define HS_TUNER_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define SCAN_TEXT 160 /* bytes of a key or text with its NUL; longer ones are cut */

struct scan {
    const char *at; /* NUL-terminated */
    bool failed;
};

/* The next member of an object: its key, with the scan before its value. False at the object's end.
 * The first call for an object stands at its '{'. */
bool scan_member(struct scan *scan, char key[SCAN_TEXT]);
/* The next element of an array, likewise. */
bool scan_element(struct scan *scan);

/* The value, which has to be of this kind. Escapes in texts are kept as they are written. */
bool scan_number(struct scan *scan, double *value);
bool scan_text(struct scan *scan, char text[SCAN_TEXT]);
/* Any value. */
void scan_skip(struct scan *scan);

#endif
