#include "scan.h"

#include <stdlib.h>
#include <string.h>

static bool fail(struct scan *scan)
{
    scan->failed = true;
    return false;
}

/* The next character; NUL at the end and after a failure. */
static char peek(struct scan *scan)
{
    if (scan->failed)
        return '\0';
    scan->at += strspn(scan->at, " \t\r\n");
    return *scan->at;
}

/* Between members: the first stands behind `open`, the others behind a comma. */
static bool next(struct scan *scan, char open, char close)
{
    char c = peek(scan);

    if (c != open && c != ',' && c != close)
        return fail(scan);
    scan->at++;
    if (c == open && peek(scan) == close) {
        scan->at++;
        return false;
    }
    return c != close;
}

bool scan_member(struct scan *scan, char key[SCAN_TEXT])
{
    if (!next(scan, '{', '}') || !scan_text(scan, key))
        return false;
    if (peek(scan) != ':')
        return fail(scan);
    scan->at++;
    return true;
}

bool scan_element(struct scan *scan)
{
    return next(scan, '[', ']');
}

bool scan_number(struct scan *scan, double *value)
{
    char c = peek(scan);
    char *end;

    if (c != '-' && (c < '0' || c > '9'))
        return fail(scan);
    *value = strtod(scan->at, &end);
    scan->at = end;
    return true;
}

bool scan_text(struct scan *scan, char text[SCAN_TEXT])
{
    size_t length = 0;

    if (peek(scan) != '"')
        return fail(scan);
    for (scan->at++; *scan->at != '"'; scan->at++) {
        if (*scan->at == '\\' && scan->at[1] != '\0') {
            if (length < SCAN_TEXT - 1)
                text[length++] = *scan->at;
            scan->at++;
        }
        if (*scan->at == '\0')
            return fail(scan);
        if (length < SCAN_TEXT - 1)
            text[length++] = *scan->at;
    }
    text[length] = '\0';
    scan->at++;
    return true;
}

/* Brackets are counted, not matched. */
void scan_skip(struct scan *scan)
{
    char text[SCAN_TEXT];
    size_t depth = 0;

    while (!scan->failed) {
        char c = peek(scan);

        if (c == '"')
            scan_text(scan, text);
        else if (c == '\0' || (depth == 0 && strchr(",:]}", c)))
            fail(scan);
        else if (strchr("[{", c))
            depth++, scan->at++;
        else if (strchr("]}", c))
            depth--, scan->at++;
        else if (strchr(",:", c))
            scan->at++;
        else
            scan->at += strcspn(scan->at, " \t\r\n,:[]{}\"");
        if (depth == 0)
            return;
    }
}
