! What Fortran calls: sums of 1000 numbers, in place too, and gathered ones; exit status 1 where one is wrong.
program carried
    use mpi
    implicit none
    double precision :: values(1000), sums(1000), gathered(64000)
    integer :: rank, ranks, pair, error, i

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    values = [(dble(i + rank), i = 1, 1000)]
    call MPI_Allreduce(values, sums, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(sums /= [(dble(ranks * i + ranks * (ranks - 1) / 2), i = 1, 1000)])) stop 1
    sums = values
    call MPI_Allreduce(MPI_IN_PLACE, sums, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(sums /= [(dble(ranks * i + ranks * (ranks - 1) / 2), i = 1, 1000)])) stop 1
    call MPI_Allgather(values, 1000, MPI_DOUBLE_PRECISION, gathered, 1000, MPI_DOUBLE_PRECISION, &
        MPI_COMM_WORLD, error)
    do i = 0, ranks - 1
        if (gathered(1000 * i + 5) /= dble(5 + i)) stop 1
    end do
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pair, error)
    call MPI_Allreduce(values, sums, 1000, MPI_DOUBLE_PRECISION, MPI_MAX, pair, error)
    if (any(sums /= [(dble(i + (rank / 2) * 2 + 1), i = 1, 1000)])) stop 1
    call MPI_Comm_free(pair, error)
    call MPI_Finalize(error)
end program carried
