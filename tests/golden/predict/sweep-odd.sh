# Process counts that are no powers of two; the last one of the range is always there.
hiersearch predict summit --np 6:100
