#!/usr/bin/env python3
"""Exported JAX modules on virtual CPU devices: sums, groups, lowered collectives. TAP on stdout.

    BUILD=build python test_jax.py            starts itself once per number of devices
"""
import json
import os
import re
import subprocess
import sys

from client_tools import (brute_force_groups, export_tools, load_plan, load_small, load_table,
                          plan_text)

PLANS = {
    8: ["4x2", "2x4", "2x2x2", "8", "4x2/3", "2x4/2", "2x2x2/4"],
    12: ["2x3x2", "2x2x3", "3x4"],
    64: ["4x8x2", "2x8x4", "64"],
}
# Axes, the innermost first, those of a group, and plans of it; the last two have a gap.
MESHES = [("tp=2,dp=4", "dp", "2x2"), ("tp=2,dp=4", "dp", "4"), ("tp=4,dp=2", "tp", "2x2/2"),
          ("tp=2,pp=2,dp=2", "tp,pp", "4"), ("tp=2,pp=2,dp=2", "tp,dp", "2x2"),
          ("tp=2,pp=2,dp=2", "tp,dp", "2x2/2")]
SHAPES = [(), (1,), (7,), (1000,), (3, 5, 7), (16, 24), (0,)]


def lowered_collectives(text):
    """(operation, sorted groups) in program order, of StableHLO before any optimisation."""
    found = []
    for match in re.finditer(r'"?stablehlo\.(reduce_scatter|all_reduce|all_gather)"?\(.*', text):
        groups = re.search(r"replica_groups = dense<(\[\[.*?\]\])>", match[0])
        found.append((match[1], sorted(json.loads(groups[1]))))
    return found


def expected_collectives(plan, chunks):
    layers = brute_force_groups(plan)
    down = [("reduce_scatter", groups) for groups in layers[:-1]]
    back = [("all_gather", groups) for groups in reversed(layers[:-1])]
    return (down + [("all_reduce", layers[-1])] + back) * chunks


class Suite:
    def __init__(self, count):
        import jax
        import jax.numpy as jnp
        import numpy as np

        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp, self.np = jax, jnp, np
        self.count = count
        self.tap = export_tools.Tap()
        self.random = np.random.default_rng(1)

    def flat_sum(self, x):
        """The library's own AllReduce over one axis."""
        jax = self.jax
        mesh = jax.sharding.Mesh(self.np.array(jax.devices()), ("all",))
        spec = jax.sharding.PartitionSpec("all")
        return jax.jit(jax.shard_map(lambda part: jax.lax.psum(part, "all"), mesh=mesh,
                                     in_specs=spec, out_specs=jax.sharding.PartitionSpec()))(x)[0]

    def integers(self, shape, dtype):
        values = self.random.integers(0 if dtype == "uint8" else -9, 10, (self.count, *shape))
        return self.jnp.asarray(values).astype(dtype)

    def check_sums(self, module, plan):
        jnp, wrong = self.jnp, []
        for dtype in ("float32", "float64", "bfloat16", "float16", "int32", "int64", "uint8"):
            for shape in SHAPES if dtype == "float32" else [(1001,)]:
                x = self.integers(shape, dtype)
                got, want = module.all_reduce(x), self.flat_sum(x)
                same = all(bool(jnp.array_equal(got[i], want)) for i in range(self.count))
                exact = self.np.asarray(x).astype("int64").sum(0)
                right = bool((self.np.asarray(got[0]).astype("int64") == exact).all())
                if not (same and right and got.dtype == x.dtype and got.shape == x.shape):
                    wrong.append((dtype, shape))
        self.tap.check(not wrong, f"{plan}: sums equal lax.psum, all shapes and types", wrong)
        x = self.integers((37,), "float32")
        mean = self.flat_sum(x) / self.count
        self.tap.check(bool(jnp.array_equal(module.all_reduce(x, mean=True)[3], mean)),
                       f"{plan}: the mean is the sum divided by the number of devices")

    def check_refusals(self, module, plan):
        cases = [
            ("the mean of integers", TypeError,
             lambda: module.all_reduce(self.integers((4,), "int32"), mean=True)),
            ("a sum of bool", TypeError,
             lambda: module.all_reduce(self.jnp.ones((self.count, 4), bool))),
            ("another number of slices", ValueError,
             lambda: module.all_reduce(self.jnp.ones((self.count + 1, 4)))),
        ]
        for what, kind, call in cases:
            try:
                call()
                self.tap.check(False, f"{plan}: {what} is refused", "no exception")
            except kind as error:
                self.tap.check(True, f"{plan}: {what} is refused: {str(error).splitlines()[0]}")

    def check_mesh(self, module, plan):
        mesh = module.make_mesh()
        ids = self.np.vectorize(lambda device: device.id)(mesh.devices)
        layers = []
        for axis in range(ids.ndim - 1, -1, -1):
            rows = self.np.moveaxis(ids, axis, -1).reshape(-1, ids.shape[axis])
            layers.append(sorted(rows.tolist()))
        self.tap.check(layers == brute_force_groups(plan),
                       f"{plan}: the axes of the mesh are the groups of the layers", layers)

    def check_lowered(self, module, plan):
        jax = self.jax
        mesh, names = module.make_mesh(), module.axes_of()
        spec = jax.sharding.PartitionSpec(names[::-1])
        step = jax.jit(jax.shard_map(module.hierarchical_psum, mesh=mesh, in_specs=spec,
                                     out_specs=spec))
        x = jax.ShapeDtypeStruct((self.count, 480), "float32")
        got = lowered_collectives(step.lower(x).as_text())
        want = expected_collectives(plan, module.MOST_CHUNKS)
        self.tap.check(got == want, f"{plan}: lowered to the plan's collectives and groups", got)

    def check_small(self, plan):
        """A loss of 4 bytes is one psum, in the mesh of the layers and in all_reduce."""
        jax, jnp, module = self.jax, self.jnp, load_small(plan, "jax")
        mesh, names = module.make_mesh(), module.axes_of()
        spec = jax.sharding.PartitionSpec(names[::-1])

        def lowered(mean):
            step = jax.jit(jax.shard_map(lambda x: module.hierarchical_psum(x, mean=mean),
                                         mesh=mesh, in_specs=spec, out_specs=spec))
            x = jax.ShapeDtypeStruct((self.count,), "float32")
            found = lowered_collectives(step.lower(x).as_text())
            return [(name, [sorted(group) for group in groups]) for name, groups in found]

        everyone = [("all_reduce", [list(range(self.count))])]
        self.tap.check(lowered(False) == everyone == lowered(True),
                       f"{plan}: 4 bytes are one sum over all devices", lowered(False))
        x = self.integers((1,), "float32")
        same = bool(jnp.array_equal(module.all_reduce(x)[1], self.flat_sum(x)))
        mean = bool(jnp.array_equal(module.all_reduce(x, mean=True)[1],
                                    self.flat_sum(x) / self.count))
        self.tap.check(same and mean, f"{plan}: and their sum and mean are right")

    def check_table(self):
        module, best = load_table(self.count, "1KiB:64MiB", "jax")
        named = {size: plan_text(module.rule_for(size)) for size in best}
        self.tap.check(plan_text(module.rule_for(4)) == "8", "several sizes: 4 bytes take no layers")
        self.tap.check(named == best and len(module.RULES) > 1,
                       "several sizes: each gets its own best plan", named, best)
        x = self.integers((300,), "float32")
        self.tap.check(bool(self.jnp.array_equal(module.all_reduce(x)[2], self.flat_sum(x))),
                       "several sizes: sums equal lax.psum")

    def check_groups(self, axes, over, plan):
        """Sums of groups against lax.psum over axes of a mesh that is made here."""
        jax, np, name = self.jax, self.np, f"{over} of {axes}, {plan}"
        module = load_plan(plan, "jax", "--mesh", axes, "--group", over)
        sizes = [(axis.split("=")[0], int(axis.split("=")[1])) for axis in axes.split(",")]
        names, shape = zip(*reversed(sizes))
        mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(shape), names)
        spec = jax.sharding.PartitionSpec(names)
        own = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, tuple(over.split(","))), mesh=mesh,
                                    in_specs=spec, out_specs=spec))
        wrong = []
        for dtype, shape in (("float32", (7,)), ("int32", (3, 5)), ("float64", (1000,)),
                             ("float32", ())):
            x = self.integers(shape, dtype)
            if not bool(self.jnp.array_equal(module.all_reduce(x), own(x))):
                wrong.append((dtype, shape))
        x = self.integers((40,), "float32")
        group = module.NP
        if not bool(self.jnp.array_equal(module.all_reduce(x, mean=True), own(x) / group)):
            wrong.append("mean")
        self.tap.check(not wrong and module.DEVICES == self.count,
                       f"{name}: sums of groups equal lax.psum over their axes", wrong)
        others = [axis for axis, _ in sizes if axis not in over.split(",")]
        self.tap.check(all(axis in module.make_mesh().axis_names for axis in others),
                       f"{name}: the other axes keep their names", module.make_mesh())
        whole = load_small(plan, "jax", "--mesh", axes, "--group", over)
        x = self.integers((), "float32")
        self.tap.check(bool(self.jnp.array_equal(whole.all_reduce(x), own(x))),
                       f"{name}: so do those of 4 bytes, one psum")

    def check_count(self):
        module = load_plan("3x4" if self.count == 8 else "4x2", "jax")
        try:
            module.make_mesh()
            self.tap.check(False, "another number of devices is refused")
        except module.DeviceCountError as error:
            self.tap.check(f"for {module.NP} devices" in str(error)
                           and f"there are {self.count}:" in str(error),
                           "another number of devices is refused, naming both", error)

    def run(self):
        self.tap.check(len(self.jax.devices()) == self.count, f"{self.count} virtual devices")
        for plan in PLANS[self.count]:
            module = load_plan(plan, "jax")
            self.check_mesh(module, plan)
            self.check_lowered(module, plan)
            if self.count <= 12:
                self.check_sums(module, plan)
        if self.count == 8:
            self.check_refusals(load_plan("4x2", "jax"), "4x2")
            self.check_table()
            self.check_small("4x2")
            for axes, over, plan in MESHES:
                self.check_groups(axes, over, plan)
        self.check_count()
        return self.tap.end()


def main():
    status = 0
    for count in PLANS:
        flags = f"--xla_force_host_platform_device_count={count}"
        environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
        status |= subprocess.run([sys.executable, __file__, str(count)], env=environment,
                                 timeout=900, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(Suite(int(sys.argv[1])).run() if len(sys.argv) > 1 else main())
