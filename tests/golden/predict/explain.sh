# 4x32 by hand: layer 1 as in blocks.sh, 0.058 + 1.804 = 1.861 ms (3.1 % latency); layer 2 with 32 MiB entering on a quarter of
# 18.60238 GB/s: 2*2*4.8us*31 + 2 * 33554432 / 4.650595e9 * 31/32 = 0.595 + 13.979 = 14.574 ms (4.1 %); together 16.436 ms.
# Sizes at which the winner changes, with steps of 2*2*4.8us = 19.2us, B = 111.61428 GB/s and W = 2 n / 9301.19 MB/s:
#   2x2x2x2x2x2x2 -> 4x2x2x2x2x2: a layer of 4 has 3 steps and uses the whole mesh, 2 n/B * 3/4; 2x2 has 2 steps, each on a third
#     of it, 2 n/(B/3) * 1/2 + 2 (n/2)/(B/3) * 1/2. Equal at 19.2us = 3 n/B: n = 714331 B = 697.6 KiB
#   4x2x2x2x2x2 -> 64x2: 8 steps and W (1/16 + 31/64) against 64 steps and W (63/128 + 1/64): 56 steps = 5/128 W: 122.1 MiB
#   64x2 -> 128: 64 steps and W * 65/128 against 127 steps and W * 127/256: 63 steps = 3/256 W: 457.8 MiB
hiersearch predict abci --np 128 --explain 4x32
