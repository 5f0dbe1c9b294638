#!/usr/bin/env python3
"""A data-parallel training that knows nothing of hiersearch: mpi4py and numpy, a perceptron of three layers.

Every rank has examples of its own, whose labels a fixed network of another shape gives. Gradients are averaged by an AllReduce
per array of parameters; with --sharded by a reduce-scatter of all of them, each rank updates its part, and an allgather hands the
parts to all. Printed by rank 0: the loss of each step, and how long a rank communicates in a step. A barrier stands before what is
timed, so that it is not the waiting for the slowest rank's arithmetic.
"""
import argparse
import time

import numpy
from mpi4py import MPI

INPUTS, HIDDEN, OUTPUTS = 512, (512, 128), 10
EXAMPLES = 32  # of a rank in a step
RATE = 0.1


def parameters_of(random):
    widths = (INPUTS, *HIDDEN, OUTPUTS)
    shapes = [shape for before, behind in zip(widths, widths[1:]) for shape in ((before, behind), (behind,))]
    return [(random.standard_normal(shape) * (shape[0] ** -0.5 if len(shape) == 2 else 0)).astype(numpy.float32) for shape in shapes]


def loss_and_gradients(parameters, inputs, labels):
    """Of softmax and cross entropy, layer by layer backwards."""
    values = [inputs]
    for i in range(0, len(parameters), 2):
        value = values[-1] @ parameters[i] + parameters[i + 1]
        values.append(numpy.maximum(value, 0) if i + 2 < len(parameters) else value)
    odds = numpy.exp(values[-1] - values[-1].max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    rows = numpy.arange(len(labels))
    loss = -numpy.log(odds[rows, labels] + 1e-12).mean()
    error = odds
    error[rows, labels] -= 1
    error /= len(labels)
    gradients = []
    for i in range(len(parameters) - 2, -1, -2):
        gradients[:0] = [values[i // 2].T @ error, error.sum(axis=0)]
        error = (error @ parameters[i].T) * (values[i // 2] > 0)
    return loss, gradients


def average_each(comm, parameters, gradients):
    for parameter, gradient in zip(parameters, gradients):
        total = numpy.empty_like(gradient)
        comm.Allreduce(gradient, total)
        parameter -= RATE / comm.size * total


def average_shards(comm, flat, gradients, part):
    """`flat`: all parameters, of which the arrays are views, and zeros up to a multiple of the ranks."""
    gradient = numpy.zeros_like(flat)
    numpy.concatenate([g.ravel() for g in gradients], out=gradient[:sum(g.size for g in gradients)])
    total = numpy.empty_like(part)
    comm.Reduce_scatter_block(gradient, total)
    comm.Allgather(part - numpy.float32(RATE / comm.size) * total, flat)


def flattened(parameters, ranks):
    size = sum(p.size for p in parameters)
    flat = numpy.zeros(-(-size // ranks) * ranks, numpy.float32)
    views, at = [], 0
    for parameter in parameters:
        views.append(flat[at:at + parameter.size].reshape(parameter.shape))
        views[-1][:] = parameter
        at += parameter.size
    return flat, views


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sharded", action="store_true")
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    comm = MPI.COMM_WORLD
    parameters = parameters_of(numpy.random.default_rng(1))
    labels_by = numpy.random.default_rng(2).standard_normal((INPUTS, OUTPUTS)).astype(numpy.float32)
    own = numpy.random.default_rng(100 + comm.rank)
    flat, views = flattened(parameters, comm.size)
    if arguments.sharded:
        parameters = views
    spent = []
    for step in range(arguments.steps):
        inputs = own.standard_normal((EXAMPLES, INPUTS)).astype(numpy.float32)
        loss, gradients = loss_and_gradients(parameters, inputs, (inputs @ labels_by).argmax(axis=1))
        comm.Barrier()
        begin = time.perf_counter()
        if arguments.sharded:
            shard = len(flat) // comm.size
            average_shards(comm, flat, gradients, flat[comm.rank * shard:(comm.rank + 1) * shard])
        else:
            average_each(comm, parameters, gradients)
        spent.append(time.perf_counter() - begin)
        loss = comm.allreduce(float(loss)) / comm.size
        if comm.rank == 0:
            print(f"step {step} loss {loss:.6f}", flush=True)
    mean = comm.allreduce(float(numpy.median(spent))) / comm.size
    if comm.rank == 0:
        print(f"communication {mean:.6f} s a step", flush=True)


if __name__ == "__main__":
    main()
