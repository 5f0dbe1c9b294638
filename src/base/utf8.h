/*
 * utf8.h - where characters end, for the parts of base that read or show foreign text.
 */
#ifndef HS_BASE_UTF8_H
#define HS_BASE_UTF8_H

#include <stddef.h>

/* Bytes (1..4) of the character that starts at text[0], of which `available` bytes may be read; 0
 * where they are no well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF). */
size_t hs_utf8_length(const char *text, size_t available);

#endif
