/*
 * members.h - where members lie in structs that no header declares: NAME=OFFSET among a program's
 * arguments, as a test found them in the debug information.
 */
#ifndef HS_TESTS_NCCL_MEMBERS_H
#define HS_TESTS_NCCL_MEMBERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **arguments; /* of main */

/* Ends the program where there is none of the name. */
static uint64_t number(const char *name)
{
    size_t length = strlen(name);

    for (char **at = arguments; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return strtoull(*at + length + 1, NULL, 0);
    fprintf(stderr, "no %s\n", name);
    exit(2);
}

#endif
