# In a UTF-8 locale bars have block characters. One layer of 4 and one of 2, as in answer.sh:
#   4x2    2*2*4.8us*3 + 2n/111.61428 GB/s * 3/4 = 0.058 + 1.804 ms; 2*2*4.8us + 2n/4 / (18.60238/4 GB/s) / 2
#          = 0.019 + 7.215 ms; together 9.096 ms, 1.403 times faster than 8: 0.134 + 14.430 * 7/8 = 12.761 ms
LC_ALL=C.UTF-8 hiersearch predict 'nvlink:mesh:4@111.61428GB/s~4.8us,ib@18.60238GB/s~4.8us;s=2' -n8 -q --top 1
