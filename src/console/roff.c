#include "console/roff.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "version.h"

#define LINE_BYTES 76
#define LONG_WORD  40 /* may be broken in two */

/* How a character is written; NULL: as it is. */
static const char *escape_of(char character)
{
    switch (character) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '"':
        return "\\(dq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '\001': /* HS_ROFF_BOLD */
        return "\\fB";
    case '\002': /* HS_ROFF_ITALIC */
        return "\\fI";
    case '\003': /* HS_ROFF_ROMAN */
        return "\\fR";
    default:
        return NULL;
    }
}

/* `bold` says whether the text stands between two backquotes; NULL: these are characters too. Where
 * it is `breakable`, a line may end behind some characters. */
static void append_escaped(struct hs_text *out, const char *text, size_t length, bool breakable,
                           bool *bold)
{
    for (size_t i = 0; i < length; i++) {
        const char *escape = escape_of(text[i]);

        if (bold && text[i] == '`') {
            *bold = !*bold;
            escape = *bold ? "\\fB" : "\\fR";
        }
        if (escape)
            hs_text_append(out, "%s", escape);
        else
            hs_text_append_bytes(out, text + i, 1);
        if (breakable && strchr(",|)]", text[i]))
            hs_text_append(out, "\\:");
    }
}

void hs_roff_inline(struct hs_text *out, const char *text)
{
    bool bold = false;

    append_escaped(out, text, strlen(text), false, &bold);
}

/* Names and what one types must not get hyphens at the ends of lines. */
static bool is_name(const char *word, size_t length, bool bold)
{
    return bold || memchr(word, '`', length) || memchr(word, '_', length) || word[0] == '-';
}

void hs_roff_paragraph(struct hs_text *out, const char *text)
{
    size_t line = 0;
    bool bold = false;

    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        struct hs_text word = {0};

        hs_text_append(&word, "%s", is_name(text, length, bold) ? "\\%" : "");
        append_escaped(&word, text, length, length > LONG_WORD, &bold);
        if (line > 0 && line + 1 + word.length > LINE_BYTES) {
            hs_text_append(out, "\n");
            line = 0;
        }
        /* A dot at the beginning of a line would be a macro. */
        hs_text_append(out, "%s%s",
                       line > 0         ? " "
                       : text[0] == '.' ? "\\&"
                                        : "",
                       word.data ? word.data : "");
        out->failed = out->failed || word.failed;
        line += word.length + (line > 0);
        hs_text_release(&word);
        text += length;
    }
    hs_text_append(out, "\n");
}

static size_t common_indent(const char *lines)
{
    size_t least = SIZE_MAX;

    for (; *lines; lines += *lines == '\n') {
        size_t blanks = strspn(lines, " ");

        if (lines[blanks] && lines[blanks] != '\n' && blanks < least)
            least = blanks;
        lines += strcspn(lines, "\n");
    }
    return least == SIZE_MAX ? 0 : least;
}

void hs_roff_verbatim(struct hs_text *out, const char *lines)
{
    size_t indent = common_indent(lines);

    hs_text_append(out, ".RS 4\n.EX\n");
    while (*lines) {
        size_t length = strcspn(lines, "\n"), skip = length < indent ? length : indent;

        if (lines[skip] == '.')
            hs_text_append(out, "\\&");
        append_escaped(out, lines + skip, length - skip, false, NULL);
        hs_text_append(out, "\n");
        lines += length + (lines[length] == '\n');
    }
    hs_text_append(out, ".EE\n.RE\n");
}

void hs_roff_title(struct hs_text *out, const char *name, int section)
{
    hs_text_append(out, ".TH \"");
    for (; *name; name++)
        hs_text_append(out, "%s%c", *name == '-' ? "\\" : "",
                       *name == '-' ? '-' : toupper((unsigned char)*name));
    hs_text_append(out, "\" %d %s \"hiersearch %s\" \"hiersearch manual\"\n", section, HS_DATE,
                   HS_VERSION);
    hs_text_append(out, ".ad l\n");
}
