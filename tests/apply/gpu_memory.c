/*
 * What stands in for libcuda: all memory is a GPU's to it, and only its own copy may touch what a
 * program has; it counts them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer);
int cuMemcpy(uintptr_t to, uintptr_t from, size_t bytes);
static int copies;

int cuPointerGetAttribute(void *value, int attribute, uintptr_t pointer)
{
    (void)pointer;
    if (attribute != 2)
        return 1;
    *(unsigned *)value = 2;
    return 0;
}

int cuMemcpy(uintptr_t to, uintptr_t from, size_t bytes)
{
    copies++;
    memmove((void *)to, (const void *)from, bytes);
    return 0;
}

__attribute__((destructor)) static void say(void)
{
    fprintf(stderr, "%d copies of a GPU's memory\n", copies);
}
