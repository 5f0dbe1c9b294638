/*
 * Times of a ring program of its own (not ours) under SimGrid 3.32's flow-level network, 128 MiB
 * per rank, on a platform of 4 GPUs per node (150 GB/s per pair, 0.5 us), 2 NICs per node (25 GB/s,
 * 1 us, two GPUs each), 8 nodes per rack (crossbar 0.3 us), rack uplinks of 133.3 GB/s (1 us).
 * Milliseconds. 64 ranks are 2 racks, 128 ranks 4 racks. tests/model/simgrid.json describes the
 * machine.
 */
#ifndef HS_TESTS_SIMGRID64_H
#define HS_TESTS_SIMGRID64_H

#include <stdint.h>

static const struct simulated {
    int64_t np;
    const char *split;
    double milliseconds;
} simulated_splits[] = {
    {64, "2x2x2x2x2x2", 7.076}, {64, "2x2x2x2x4", 6.922}, {64, "2x2x2x4x2", 7.081},
    {64, "2x2x2x8", 6.451},     {64, "2x2x4x2x2", 7.081}, {64, "2x2x4x4", 6.927},
    {64, "2x2x8x2", 7.094},     {64, "2x2x16", 6.520},    {64, "2x4x2x2x2", 12.006},
    {64, "2x4x2x4", 11.852},    {64, "2x4x4x2", 12.010},  {64, "2x4x8", 11.381},
    {64, "2x8x2x2", 12.019},    {64, "2x8x4", 11.865},    {64, "2x16x2", 12.052},
    {64, "2x32", 11.588},       {64, "4x2x2x2x2", 7.077}, {64, "4x2x2x4", 6.923},
    {64, "4x2x4x2", 7.082},     {64, "4x2x8", 6.452},     {64, "4x4x2x2", 7.082},
    {64, "4x4x4", 6.928},       {64, "4x8x2", 7.095},     {64, "4x16", 6.521},
    {64, "8x2x2x2", 11.839},    {64, "8x2x4", 11.902},    {64, "8x4x2", 11.842},
    {64, "8x8", 11.822},        {64, "16x2x2", 11.387},   {64, "16x4", 11.535},
    {64, "32x2", 11.419},       {64, "64", 11.154},       {128, "128", 11.827},
    {128, "4x8x4", 7.617},      {128, "4x32", 6.836},     {128, "32x4", 11.931},
    {128, "4x2x4x4", 7.603},
};

#endif
