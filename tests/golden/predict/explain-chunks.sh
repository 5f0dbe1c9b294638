# 8 processes, 4x2/4: a chunk takes 58 us + 451 us on nvlink and 19 us + 1804 us on ib; the sum of 4 is 9.326 ms, and overlapped
# 2.331 ms + 3 * 1.823 ms (ib sets the pace) = 7.800 ms.
hiersearch predict abci --np 8 --explain 4x2/4
