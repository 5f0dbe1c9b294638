/*
 * utf8.h - where characters end, for the parts of base that read or show foreign text.
 */
#ifndef HS_BASE_UTF8_H
#define HS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes (1..4) of the character that starts at text[0], of which `available` bytes may be read; 0
 * where they are no well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF). */
size_t hs_utf8_length(const char *text, size_t available);

/* Whether the character that starts at text[0] may be shown to people wherever its text comes from:
 * well-formed, nothing that a terminal obeys (C0, DEL, C1), that turns the direction of what is
 * around it (U+061C, U+200E and F, U+202A to E, U+2066 to 9) or that ends a line (U+2028 and 9).
 * *length: the bytes to go on by, 1 at least; `available` >= 1. */
bool hs_utf8_is_harmless(size_t *length, const char *text, size_t available);

/* Makes UTF-8 of a text in UTF-16, which is one that begins with a byte order mark (PowerShell
 * writes such files); any other stays. *text, owned, is replaced, with a NUL behind it; what is no
 * character becomes U+FFFD. False: out of memory, and *text is as it was. */
bool hs_utf8_from_utf16(char **text, size_t *length);

#endif
