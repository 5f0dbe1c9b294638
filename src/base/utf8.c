#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Well-formed sequences by their first byte; the second byte's range is what keeps overlong forms,
 * surrogates and code points above U+10FFFF out (Unicode, table 3-7). */
static const struct {
    unsigned char first_low, first_high, second_low, second_high;
    size_t length;
} forms[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static bool between(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

size_t hs_utf8_length(const char *text, size_t available)
{
    const unsigned char *bytes = (const unsigned char *)text;

    if (available == 0)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
        if (!between(bytes[0], forms[f].first_low, forms[f].first_high))
            continue;
        if (available < forms[f].length ||
            !between(bytes[1], forms[f].second_low, forms[f].second_high))
            return 0;
        for (size_t i = 2; i < forms[f].length; i++) {
            if (!between(bytes[i], 0x80, 0xbf))
                return 0;
        }
        return forms[f].length;
    }
    return 0;
}

/* First and last of ranges of characters of equally many bytes: these sort as their bytes do. */
static const char *const harmful[][2] = {
    {"\xc2\x80", "\xc2\x9f"},         /* C1 */
    {"\xd8\x9c", "\xd8\x9c"},         /* U+061C */
    {"\xe2\x80\x8e", "\xe2\x80\x8f"}, /* U+200E, F */
    /* U+2028 to E, 2066 to 9; as letters, lest the source itself be read the other way round */
    {(const char[]){'\xe2', '\x80', '\xa8', 0}, (const char[]){'\xe2', '\x80', '\xae', 0}},
    {(const char[]){'\xe2', '\x81', '\xa6', 0}, (const char[]){'\xe2', '\x81', '\xa9', 0}},
};

bool hs_utf8_is_harmless(size_t *length, const char *text, size_t available)
{
    size_t bytes = hs_utf8_length(text, available);

    *length = bytes > 0 ? bytes : 1;
    if (bytes <= 1)
        return bytes == 1 && text[0] >= ' ' && text[0] != '\177';
    for (size_t i = 0; i < sizeof(harmful) / sizeof(*harmful); i++)
        if (strlen(harmful[i][0]) == bytes && memcmp(text, harmful[i][0], bytes) >= 0 &&
            memcmp(text, harmful[i][1], bytes) <= 0)
            return false;
    return true;
}

/* The bytes of a character in UTF-8 (RFC 3629, section 3). */
static size_t write_character(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

bool hs_utf8_from_utf16(char **text, size_t *length)
{
    const unsigned char *from = (const unsigned char *)*text;
    bool little = *length >= 2 && from[0] == 0xff && from[1] == 0xfe;
    bool big = *length >= 2 && from[0] == 0xfe && from[1] == 0xff;
    size_t units = *length / 2, used = 0;
    char *out;

    if (!little && !big)
        return true;
    out = malloc(3 * units + 1); /* a unit has 3 bytes at most, a pair of them 4 */
    if (!out)
        return false;
    for (size_t u = 1; u < units; u++) {
        uint32_t code = (uint32_t)from[2 * u + big] | (uint32_t)from[2 * u + little] << 8, low = 0;

        if (code >= 0xd800 && code < 0xdc00 && u + 1 < units)
            low = (uint32_t)from[2 * u + 2 + big] | (uint32_t)from[2 * u + 2 + little] << 8;
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            u++;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = 0xfffd;
        }
        used += write_character(out + used, code);
    }
    out[used] = '\0';
    free(*text);
    *text = out;
    *length = used;
    return true;
}
