/*
 * places.h - where the program finds what was installed with it: files, and its other programs.
 *
 * Everything is found from the running program's own place, so an installed tree can be moved, and
 * no path of the build is kept in the program. In a build folder `make` lays out the same
 * share/hiersearch as `make install` does, with links into the source tree.
 */
#ifndef HS_BASE_PLACES_H
#define HS_BASE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* All of these write to `path`, of `path_bytes` bytes, and return false (what is in `path` then is
 * not defined) where there is no such thing or its path does not fit. */

/* "DIR/relative", where DIR is the folder of the running program (symbolic links followed). Whether
 * there is such a file is not looked at. */
bool hs_program_path(char *path, size_t path_bytes, const char *relative);

/* The file or folder "share/hiersearch/name" in the folder of the program, or of the shared library
 * that this code is in, or one of the two above it: from build/hiersearch build/share, from
 * bin/hiersearch and lib/libhiersearch.so.1 share, from libexec/hiersearch/hiersearch-measure share
 * again. The first that exists. */
bool hs_share_path(char *path, size_t path_bytes, const char *name);

/* Another program of ours: beside this one, in ../libexec/hiersearch, in ../libexec, else where
 * PATH has it. The first that exists, which need not be one that can be run. */
bool hs_sibling_program(char *path, size_t path_bytes, const char *name);

/* A program that can be run, from the folders of PATH. */
bool hs_program_in_path(char *path, size_t path_bytes, const char *name);

#endif
