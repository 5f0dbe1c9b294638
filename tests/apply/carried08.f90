! What Fortran 2008 calls, with `ierror` and without: all collectives that plans carry out, in place, from MPI_BOTTOM and of
! every other element too, of all ranks, of pairs and of a grid's rows; and each of the others. For 4 ranks; exit status 1
! where an element is wrong.
program carried08
    use mpi_f08
    implicit none
    integer, parameter :: n = 1000
    double precision, asynchronous :: from(4 * n), to(4 * n)
    integer :: rank, ranks, error, i, sizes(4), places(4), bytes(4)
    integer(MPI_ADDRESS_KIND) :: address(1)
    type(MPI_Comm) :: pair, copy, grid, row
    type(MPI_Datatype) :: types(4), there
    type(MPI_Request) :: request
    type(MPI_Status) :: status

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    if (ranks /= 4) stop 1
    from = [(dble(i + rank), i = 1, 4 * n)]
    sizes = n
    places = [0, n, 2 * n, 3 * n]
    bytes = 8 * places
    types = MPI_DOUBLE_PRECISION
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pair)
    call MPI_Comm_dup(pair, copy, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 2], [.false., .false.], .false., grid)
    call MPI_Cart_sub(grid, [.false., .true.], row, error)
    call carried
    call others
    call begun
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Bcast(to, -1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    if (error == MPI_SUCCESS) stop 1
    call MPI_Comm_free(pair)
    call MPI_Finalize()

contains

    ! Of all ranks 12 calls, of pairs and rows 3.
    subroutine carried
        call MPI_Allreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        call expect(6, 4)
        call MPI_Allreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        call expect(6, 4)
        to(:n) = from(:n)
        call MPI_Allreduce(MPI_IN_PLACE, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        call expect(6, 4)
        call MPI_Reduce_scatter_block(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        call expect(4 * rank * n + 6, 4)
        call MPI_Reduce_scatter(from, to, sizes, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        call expect(4 * rank * n + 6, 4)
        call MPI_Allgather(from, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call expect_blocks(0, 1)
        to(rank * n + 1:(rank + 1) * n) = from(:n)
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
        call expect_blocks(0, 1)
        call MPI_Allgather(from(2:2 * n:2), n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call expect_blocks(0, 2)
        call MPI_Get_address(from, address(1))
        call MPI_Type_create_hindexed(1, [n], address, MPI_DOUBLE_PRECISION, there)
        call MPI_Type_commit(there)
        call MPI_Allgather(MPI_BOTTOM, 1, there, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call expect_blocks(0, 1)
        call MPI_Type_free(there)
        call MPI_Get_address(to, address(1))
        call MPI_Type_create_hindexed(1, [n], address, MPI_DOUBLE_PRECISION, there)
        call MPI_Type_commit(there)
        call MPI_Allgather(from, n, MPI_DOUBLE_PRECISION, MPI_BOTTOM, 1, there, MPI_COMM_WORLD)
        call expect_blocks(0, 1)
        call MPI_Alltoall(from, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
        call expect_blocks(rank * n, 1)
        to = from
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call expect_blocks(rank * n, 1)
        call MPI_Allreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, pair)
        call expect(2 * (rank - mod(rank, 2)) + 1, 2)
        call MPI_Allreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, copy, error)
        call expect(2 * (rank - mod(rank, 2)) + 1, 2)
        call MPI_Allreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, row)
        call expect(2 * (rank - mod(rank, 2)) + 1, 2)
    end subroutine carried

    subroutine others
        to(:n) = from(:n)
        call MPI_Bcast(to, n, MPI_DOUBLE_PRECISION, 2, MPI_COMM_WORLD)
        call expect(2, 1)
        call MPI_Reduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, 1, MPI_COMM_WORLD)
        if (rank == 1) call expect(6, 4)
        call MPI_Scan(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        call expect(rank * (rank + 1) / 2, rank + 1)
        call MPI_Exscan(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        if (rank > 0) call expect(rank * (rank - 1) / 2, rank)
        call MPI_Gather(from, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, 3, MPI_COMM_WORLD)
        if (rank == 3) call expect_blocks(0, 1)
        call MPI_Scatter(from, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, 3, MPI_COMM_WORLD)
        call expect(rank * n + 3, 1)
        call MPI_Gatherv(from, n, MPI_DOUBLE_PRECISION, to, sizes, places, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
        if (rank == 0) call expect_blocks(0, 1)
        call MPI_Scatterv(from, sizes, places, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
        call expect(rank * n, 1)
        call MPI_Allgatherv(from, n, MPI_DOUBLE_PRECISION, to, sizes, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        call expect_blocks(0, 1)
        call MPI_Alltoallv(from, sizes, places, MPI_DOUBLE_PRECISION, to, sizes, places, MPI_DOUBLE_PRECISION, &
            MPI_COMM_WORLD)
        call expect_blocks(rank * n, 1)
        call MPI_Alltoallw(from, sizes, bytes, types, to, sizes, bytes, types, MPI_COMM_WORLD)
        call expect_blocks(rank * n, 1)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine others

    subroutine begun
        call MPI_Iallreduce(from, to, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect(6, 4)
        call MPI_Ireduce_scatter(from, to, sizes, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
        call MPI_Wait(request, status)
        call expect(4 * rank * n + 6, 4)
        call MPI_Iallgather(from, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call expect_blocks(0, 1)
        call MPI_Ibarrier(MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
    end subroutine begun

    ! The first n numbers are `first` and more by `step` each.
    subroutine expect(first, step)
        integer, intent(in) :: first, step

        if (any(to(:n) /= [(dble(first + step * i), i = 1, n)])) stop 1
        to = -1
    end subroutine expect

    ! Block k is so of rank k's.
    subroutine expect_blocks(first, step)
        integer, intent(in) :: first, step
        integer :: k

        do k = 0, 3
            if (any(to(k * n + 1:(k + 1) * n) /= [(dble(first + step * i + k), i = 1, n)])) stop 1
        end do
        to = -1
    end subroutine expect_blocks
end program carried08
