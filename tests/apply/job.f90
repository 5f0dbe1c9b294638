! The same for Fortran's calls: by mpif.h or `use mpi`, whichever the library has.
program job
  use mpi
  implicit none
  integer :: failed, rank, ranks, i
  real(8) :: from(1000), to(1000)
  integer :: request, sizes(8), bytes(8), types(8)
  call mpi_init(failed)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, failed)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, failed)
  from = rank
  do i = 1, 3
    call mpi_allreduce(from, to, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
  end do
  to = rank
  call mpi_allreduce(MPI_IN_PLACE, to, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
  if (abs(to(1) - ranks * (ranks - 1) / 2) > 0) call mpi_abort(MPI_COMM_WORLD, 3, failed)
  call mpi_iallreduce(from, to, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, failed)
  call mpi_wait(request, MPI_STATUS_IGNORE, failed)
  call mpi_bcast(from, 1000, MPI_REAL8, 0, MPI_COMM_WORLD, failed)
  sizes = 10
  bytes = [(80 * i, i = 0, 7)]
  types = MPI_DOUBLE_PRECISION
  call mpi_alltoallw(from, sizes, bytes, types, to, sizes, bytes, types, MPI_COMM_WORLD, failed)
  call mpi_barrier(MPI_COMM_WORLD, failed)
  call mpi_finalize(failed)
end program job
