/*
 * terminal.h - what the other end of stdout can show: width, color, block characters.
 */
#ifndef HS_CLI_TERMINAL_H
#define HS_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/format.h"

struct hs_terminal {
    bool is_terminal;
    bool color;  /* a terminal, TERM is not "dumb", and NO_COLOR is unset or empty (no-color.org) */
    bool blocks; /* the locale's characters are UTF-8: bars may use block characters */
    int width;   /* columns: $COLUMNS, else the terminal's, else HS_TERMINAL_WIDTH; _MIN .. _MAX */
};

/* Looks at a file descriptor and the environment. The program must have called setlocale(LC_CTYPE).
 */
struct hs_terminal hs_terminal_look(int fd);

enum hs_style { HS_STYLE_BOLD, HS_STYLE_DIM, HS_STYLE_LAYER };

/* Escape sequences where the terminal has color, else "". Layers have six colors, then begin
 * again; neighbours differ in shade too, so that nothing is said by color alone. */
const char *hs_style_on(const struct hs_terminal *terminal, enum hs_style style, int layer);
const char *hs_style_off(const struct hs_terminal *terminal);

/* Columns that the text takes: UTF-8 characters count 1, escape sequences 0. */
size_t hs_text_columns(const char *text);

#endif
