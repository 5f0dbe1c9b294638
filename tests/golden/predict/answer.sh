# The figures by hand, from the equations in CCGRID 2019 (alpha 4.8 us, s 2, one HCA 9301.19 MB/s, two per node,
# n = 128 MiB, W = 2 n / 9301.19 MB/s = 28.860 ms):
#   64x2   64 is one ring over both HCAs: 2*2*4.8us*63 + W/2 * 63/64 = 1.210 + 14.205 ms; 2 at stride 64 puts 4 rings
#          on a node's link, half an HCA each: 2*2*4.8us + 2 W/64 * 1/2 = 0.019 + 0.451 ms; together 15.884 ms
#   128    2*2*4.8us*127 + W (1/2 - 1/256) = 2.438 + 14.317 = 16.756 ms
# busbw of 64x2: n / 15.884 ms * 2 * 127/128 = 16.77 GB/s. There are 2^6 splits of 2^7, and 7*8/2 layers.
hiersearch predict 'nvlink:mesh:4@111.61428GB/s~4.8us,ib:32@18.60238GB/s~4.8us,spine@198.425GB/s;s=2' --np 128
