"""AllReduce in layers for JAX.

Whole arrays, one slice per device along the first axis:

    import hierarchical_jax as hierarchical

    total = hierarchical.all_reduce(x)           # x.shape[0] == DEVICES; every slice is the sum

Within one's own shard_map, in place of lax.psum over all devices:

    mesh = hierarchical.make_mesh()
    spec = jax.sharding.PartitionSpec(hierarchical.axes_of()[::-1])
    step = jax.shard_map(lambda g: hierarchical.hierarchical_psum(g),
                         mesh=mesh, in_specs=spec, out_specs=spec)

A message is reduce-scattered over the innermost layer, what is left over the next, and so on;
summed over the outermost layer; then gathered back in reverse order. The devices of a layer's groups are
{b + k * stride : k < size}. With a MESH the sum is over its axes OVER alone, which the layers cut;
the others keep their names in the mesh that make_mesh makes.

The layers follow the machine only if devices are numbered node by node, as jax.devices() does on
GPUs. make_mesh keeps that order (jax.make_mesh may change it). XLA may rewrite or combine
collectives; the flags of the XLA that is in use decide. Needs JAX 0.7 or later and NumPy.
"""
import math
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec


class Rule(NamedTuple):
    """The plan for messages of at most `up_to_bytes` bytes (None: of any size)."""

    up_to_bytes: Optional[int]
    split: tuple[int, ...]  # layer sizes, innermost first
    chunks: int  # parts of a message that go through the layers independently of each other


@CONSTANTS@

DEVICES = math.prod(size for _, size in MESH) if MESH else NP  # of the whole job


class DeviceCountError(RuntimeError):
    """The job has another number of devices than the plan."""


def rule_for(message_bytes: int) -> Rule:
    """The plan for a message of this size, in bytes per device."""
    for rule in RULES:
        if rule.up_to_bytes is None or message_bytes <= rule.up_to_bytes:
            return rule
    return RULES[-1]


def axes_of(rule: Rule = RULES[-1]) -> tuple[str, ...]:
    """The names of the mesh axes that the plan sums over, innermost layer first."""
    return tuple(name for name, _ in _axes(rule) if name not in _others())


def _others() -> tuple[str, ...]:
    return tuple(name for name, _ in MESH if name not in OVER)


def _axes(rule: Rule) -> list[tuple[str, int]]:
    """(name, size) of all axes of the rule's mesh, innermost first.

    One call over all is that over each run of neighboring axes of OVER: no axis spans a gap.
    """
    axes: list[tuple[str, int]] = []
    layers, left = list(rule.split), 1
    own, count = len(layers) == 1, 0
    for name, size in (*(MESH or (("", NP),)), ("", 0)):
        over = name in OVER or (not MESH and size > 0)
        left *= size if over else 1
        while left > 1 and (left % layers[0] == 0 if not own else not over and size != 1):
            taken = left if own else layers.pop(0)
            left //= taken
            count += 1
            axes.append((f"layer{count}", taken))
        if not over and size > 0:
            axes.append((name, size))
    return axes


def make_mesh(devices: Optional[Sequence[jax.Device]] = None, rule: Rule = RULES[-1]) -> Mesh:
    """The layers as a Mesh, with MESH's other axes: what is innermost is the last axis."""
    devices = list(jax.devices() if devices is None else devices)
    if len(devices) != DEVICES:
        raise DeviceCountError(
            f"this plan is for {DEVICES} devices, but there are {len(devices)}: "
            f"export a result for {len(devices)} processes, or use lax.psum"
        )
    processes = [device.process_index for device in devices]
    if processes != sorted(processes):
        warnings.warn(
            "the devices are not ordered by process: the plan's inner layers may leave the node",
            stacklevel=2,
        )
    # Filled row by row: the last axis varies fastest, so it is the innermost layer.
    names, shape = zip(*reversed(_axes(rule)))
    return Mesh(np.array(devices).reshape(shape), names)


def hierarchical_psum(x: jax.Array, rule: Rule = RULES[-1], mean: bool = False) -> jax.Array:
    """The sum (or mean) of x over all devices, or those along OVER, of x's shape and type.

    To be called within shard_map over a mesh that has the rule's axes, as make_mesh(rule=rule)
    makes it. The result is the same on all devices, but shard_map does not know that: for
    out_specs that leave out an axis it needs check_vma=False.
    """
    x = jnp.asarray(x)
    if mean and not jnp.issubdtype(x.dtype, jnp.inexact):
        raise TypeError(f"mean of {x.dtype}: take the sum, then divide")
    if x.dtype == jnp.bool_:
        raise TypeError("sum of bool: convert to an integer type first")
    if x.size == 0:
        return x
    if 1 in (len(rule.split), len(rule_for(x.nbytes).split)):  # too small for layers, or better without
        return (lax.pmean if mean else lax.psum)(x, axes_of(rule))
    inner = NP // rule.split[-1]
    part_length = -(-x.size // (inner * rule.chunks)) * inner
    flat = x.reshape(-1)
    parts = [
        _psum_part(flat[begin : begin + part_length], inner, axes_of(rule), mean)
        for begin in range(0, x.size, part_length)
    ]
    return jnp.concatenate(parts).reshape(x.shape)


def _psum_part(part: jax.Array, inner: int, axes: tuple[str, ...], mean: bool) -> jax.Array:
    """One chunk: down through the layers and back."""
    piece = jnp.pad(part, (0, -part.size % inner))
    for axis in axes[:-1]:
        piece = lax.psum_scatter(piece, axis, scatter_dimension=0, tiled=True)
    piece = lax.psum(piece, axes[-1])
    if mean:
        piece = piece / NP
    for axis in reversed(axes[:-1]):
        piece = lax.all_gather(piece, axis, axis=0, tiled=True)
    return piece[: part.size]


@lru_cache(maxsize=None)
def _all_reduce_function(rule: Rule, mean: bool) -> Callable[[jax.Array], jax.Array]:
    mesh = make_mesh(rule=rule)
    spec = PartitionSpec(mesh.axis_names)
    return jax.jit(
        jax.shard_map(
            lambda x: hierarchical_psum(x, rule, mean), mesh=mesh, in_specs=spec, out_specs=spec
        )
    )


def all_reduce(x: jax.Array, mean: bool = False) -> jax.Array:
    """Every slice x[i] of the result is the sum (or mean) of all slices, or of those of device i's
    group; slice i is on device i."""
    x = jnp.asarray(x)
    if x.ndim == 0 or x.shape[0] != DEVICES:
        raise ValueError(f"expected one slice for each of {DEVICES} devices, found shape {x.shape}")
    return _all_reduce_function(rule_for(x.nbytes // DEVICES), mean)(x)
