# The tests, what fuzzes, and the stand-in for NCCL (CONTRIBUTING.md). Included by the Makefile.

# ---- unit tests: each is linked with its own layer and those below -----------------------------------
# Of links and library with all of the core: many of theirs read a machine from a file, whose reader is on top of it.
tested_with = $(USES_$(if $(filter links library,$(1)),estimate,$(1)))
TEST_LAYERS := $(ALL_LAYERS)
CMOCKA_LIBS := $(shell pkg-config --libs cmocka 2>/dev/null)
unit_tests = $(patsubst tests/%.c,$(BUILD)/tests/%,$(foreach l,$(1),$(wildcard tests/$(l)/test_*.c)))
# Under tests/runner, mpi_*.c are programs to be run by mpiexec.
MPI_TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/runner/mpi_*.c))

define test_rule
$(BUILD)/tests/$(1)/%: tests/$(1)/%.c $$(call libs,$$(call tested_with,$(1))) $$(if $$(filter $(MPI_LAYERS),$(1)),$$(filter %.o,$$(GPU_LIBS)))
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$$(if $$(filter $(MPI_LAYERS),$(1)),$$(MPICC),$$(CC)) $$(HS_CFLAGS) -Itests -o $$@ $$< \
	    $$(call libs,$$(call tested_with,$(1))) $$(if $$(filter $(MPI_LAYERS),$(1)),$$(GPU_LIBS)) $$(HS_LDFLAGS) \
	    $$(CMOCKA_LIBS) $$(HS_LIBS) -lpthread
endef
$(foreach l,$(TEST_LAYERS),$(eval $(call test_rule,$(l))))

# Ubuntu 24.04's MPICH starts single-rank programs: a build takes the MPI of its compiler wrapper, tests follow.
MPI_NAME := $(if $(findstring openmpi,$(MPICC)),openmpi,mpich)
# $(1) MPI, $(2) build, on how many ranks: $(3) the backends, $(4) groups, $(5) bits.
MPI_TEST_COMMANDS = $(foreach n,$(3),"tests/runner/launch.sh $(1) $(n) $(2)/tests/runner/mpi_backends quick") \
    $(foreach n,$(4),"tests/runner/launch.sh $(1) $(n) $(2)/tests/runner/mpi_groups") \
    $(foreach n,$(5),"tests/runner/launch.sh $(1) $(n) $(2)/tests/runner/mpi_bits") \
    "@timeout=600 tests/apply/test_random.sh $(1) $(2) 300 $(BUILD)/hiersearch" \
    "tests/runner/launch.sh $(1) 4 $(2)/tests/runner/mpi_null" \
    "tests/runner/test_null.sh $(1) $(2)/tests/runner/mpi_null"
# Of programs that measure, and that run in front of others: what `check-full` has of the first MPI, and the rest.
RUN_COMMANDS = "tests/apply/test_run.sh $(1) $(2) $(BUILD)/hiersearch"
MPI_PROGRAM_COMMANDS = "tests/runner/test_measure.sh $(1) $(2)/hiersearch-measure" \
    "tests/apply/test_profile.sh $(1) $(2) $(BUILD)/hiersearch" "tests/apply/test_mpi4py.sh $(1) $(2) $(BUILD)/hiersearch" \
    "tests/runner/test_faults.sh $(1) $(2)/hiersearch-measure" "tests/runner/test_placement.sh $(1) $(2)/tests/runner/mpi_placement"
MPI_LATE_COMMANDS = "@timeout=900 tests/runner/test_groups.sh $(1) $(2)/hiersearch-measure" \
    "@timeout=900 tests/runner/test_collectives.sh $(1) $(2)/hiersearch-measure"

# ---- fuzzing: `make fuzz` runs libFuzzer, `check` replays the corpus with whatever compiler is there ----
# And random calls of MPI beside the library alone, with both MPIs; `check` has 1,000 of them.
FUZZ_RUNS ?= 1000000
FUZZ_CALLS ?= 100000
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_CC ?= $(firstword $(foreach c,clang clang-14 clang-18,$(shell command -v $(c) 2>/dev/null)))
FUZZ_LAYERS := $(USES_plot)
# Of the runner, what reads journals: no MPI in it.
FUZZ_SOURCES := $(addprefix src/runner/,journal.c race.c samples.c)
FUZZ_OBJECTS := $(patsubst src/%.c,$(BUILD)/obj-fuzz/%.o,$(foreach l,$(FUZZ_LAYERS),$(call sources,$(l))) \
    $(FUZZ_SOURCES))

$(BUILD)/fuzz/%_replay: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(FUZZ_SOURCES) $(call libs,$(FUZZ_LAYERS))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $(filter %.c,$^) $(call libs,$(FUZZ_LAYERS)) $(HS_LDFLAGS) $(HS_LIBS)

FUZZ_FLAGS = -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen -g -O1 $(PKG_CFLAGS) $(EXPAT_CFLAGS) -MMD -MP -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=all
.SECONDARY: $(FUZZ_OBJECTS)
$(BUILD)/obj-fuzz/%.o: src/%.c | $(BUILD)/gen/version.h $(LITERALS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -c -o $@ $<
$(BUILD)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZ_OBJECTS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_OBJECTS) $(HS_LIBS)

fuzz: $(addprefix $(BUILD)/fuzz/,$(FUZZ_TARGETS)) all other-mpi
	@for t in $(FUZZ_TARGETS); do mkdir -p $(BUILD)/fuzz/corpus-$$t; \
	    echo "$$t: $(FUZZ_RUNS) executions"; \
	    $(BUILD)/fuzz/$$t -runs=$(FUZZ_RUNS) -max_len=16384 -verbosity=0 -print_final_stats=1 \
	        $(BUILD)/fuzz/corpus-$$t tests/fuzz/corpus/$$t || exit 1; done
	$(if $(filter 1,$(HAVE_MPI)),tests/apply/test_random.sh $(MPI_NAME) $(BUILD) $(FUZZ_CALLS))
	$(if $(OTHER_BUILD),tests/apply/test_random.sh openmpi $(OTHER_BUILD) $(FUZZ_CALLS) $(BUILD)/hiersearch)

# ---- the test suite -----------------------------------------------------------------------------------
# One command a line; tests/run runs them, counts their TAP lines and prints "N passed, N failed".
UNIT_TESTS := $(call unit_tests,$(filter-out $(if $(filter 1,$(HAVE_MPI)),,$(MPI_LAYERS)),$(TEST_LAYERS)))
REPLAYS := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%_replay)
PYTHON3 ?= /usr/bin/python3
export BUILD PYTHON3 MPICC

# What takes longest begins first, so that no core is idle at the end; of unit tests likewise.
LONG_UNIT_TESTS := $(addprefix $(BUILD)/tests/,search/test_search engine/test_executors search/test_lazy)
LIMIT_TEST := $(BUILD)/tests/library/test_limit
USUAL_COMMANDS = $(filter $(LONG_UNIT_TESTS),$(UNIT_TESTS)) tests/simulate/test_accuracy.sh tests/golden/run \
    $(filter-out $(LONG_UNIT_TESTS) $(LIMIT_TEST),$(UNIT_TESTS)) $(foreach t,$(FUZZ_TARGETS),"$(BUILD)/fuzz/$(t)_replay tests/fuzz/corpus/$(t)") \
    tests/configs/test_configs.py tests/record/check_schema.py tests/cli/test_megatron.py tests/page/test_stand_ins.py "make -s headers" \
    "make -s layers" "make -s layers-link" "tests/api/test_symbols.sh $(BUILD)" "tests/api/test_abi.sh $(BUILD)" \
    "$(LIBRARY_THREADS) tests/record/logs/nodes.txt" "tests/detect/test_here.sh $(BUILD)" tests/meta/test_run.sh tests/meta/test_golden.sh tests/meta/test_documents.sh tests/meta/test_folder.sh \
    tests/export/test_python.sh tests/plot/test_plots.sh \
    "tests/library/test_published.sh $(BUILD)/bench/published" \
    "tests/answer/test_score.sh $(BUILD)/hiersearch" \
    "tests/install/test_manual.sh $(BUILD) && tests/install/test_completion.sh $(BUILD)"
QUICK_COMMANDS = $(LONG_COMMANDS) $(LONG_QUICK_COMMANDS) $(LIMIT_TEST) $(USUAL_COMMANDS) "@serial tests/install/test_examples.sh $(BUILD)"
FULL_COMMANDS = "@timeout=36000 tests/instrumented.sh sanitizers" "TESTS=full $(LIMIT_TEST)" $(LONG_COMMANDS) $(USUAL_COMMANDS) \
    "@serial @timeout=600 tests/install/test_install.sh $(BUILD) $(MPI_NAME) && tests/install/test_deb.sh $(BUILD)" \
    tests/export/msccl_check.py tests/export/astra_check.py tests/export/test_environment.sh \
    tests/export/test_simgrid.sh tests/export/test_mpich.sh tests/export/test_ompi.sh tests/export/test_own.sh \
    tests/export/test_nccl.sh \
    "tests/page/test_machines.py $(BUILD)/hiersearch" "@timeout=900 tests/page/test_page.sh $(BUILD) answers 150" "@timeout=900 tests/page/test_page.sh $(BUILD) browser" \
    "tests/cli/test_place.sh $(BUILD)" "@timeout=900 python/tests/run.sh $(BUILD) quick" "@timeout=900 tests/docs/test_documents.py"
# Behind these, in `check-all`: what takes long and seldom fails.
ALL_COMMANDS = $(FULL_COMMANDS) "@timeout=36000 tests/instrumented.sh threads" "@timeout=36000 tests/instrumented.sh valgrind" \
    "@timeout=36000 make -s tidy TIDY_QUICK=1" tests/export/msccl_trees.py tests/simulate/test_simulate.sh \
    "@timeout=900 tests/page/test_page.sh $(BUILD) answers 500"
ifeq ($(HAVE_MPI),1)
LONG_QUICK_COMMANDS += $(call MPI_TEST_COMMANDS,$(MPI_NAME),$(BUILD),2 3,4,4)
FULL_COMMANDS += $(call MPI_TEST_COMMANDS,$(MPI_NAME),$(BUILD),4,8,6) \
    "@timeout=36000 $(SANITIZED_TEST)"
ALL_COMMANDS += "@timeout=900 tests/runner/test_lazy.sh $(MPI_NAME) $(BUILD)/hiersearch-measure" \
    "@timeout=900 tests/runner/test_calibrate.sh $(MPI_NAME) $(BUILD)/hiersearch-measure" \
    $(call MPI_LATE_COMMANDS,$(MPI_NAME),$(BUILD))
check-full check-all: sanitized-interposers
ifeq ($(HAVE_NCCL),1)
USUAL_COMMANDS += "CUDA_HOME=$(CUDA_HOME) tests/nccl/test_kernels.sh $(BUILD)" \
    "@timeout=900 CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/nccl/test_versions.sh $(BUILD) && CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_nccl_profile.sh $(BUILD)" \
    "@timeout=900 CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_nccl_run.sh $(BUILD)" \
    "@timeout=900 CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_nccl_profile.sh $(BUILD) rccl && TESTS=quick CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_nccl_run.sh $(BUILD) rccl"
ALL_COMMANDS += "@timeout=1800 TESTS=full CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_nccl_run.sh $(BUILD) rccl"
check check-full check-all: nccl-programs $(BUILD)/tests/nccl/versions_gpu
endif
ifeq ($(HAVE_NCCL),1)
USUAL_COMMANDS += "tests/nccl/test_gpu_check.sh quick $(MPI_NAME) $(BUILD)"
LONG_COMMANDS += "@timeout=900 tests/nccl/test_nccl.sh quick $(MPI_NAME) $(BUILD)"
ALL_COMMANDS += "@timeout=900 tests/nccl/test_nccl.sh usual $(MPI_NAME) $(BUILD)"
FULL_COMMANDS += "NCCL_HOME=$(BUILD)/nccl/2.32.3 tests/export/test_nccl.sh"
endif
# Alone: it compares the machine's mounts and processes before and after, which other tests change, too.
FULL_COMMANDS += $(call RUN_COMMANDS,$(MPI_NAME),$(BUILD)) $(call MPI_PROGRAM_COMMANDS,$(MPI_NAME),$(BUILD)) "@serial tests/cluster/test_cluster.sh" \
    "@serial tests/cluster/test_measure.sh $(BUILD)/hiersearch"
# The other MPI has to build and pass too, in a build of its own.
ifneq ($(MPI_NAME)$(shell command -v mpicc.openmpi 2>/dev/null),mpich)
ifneq ($(MPI_NAME),openmpi)
OTHER_BUILD := $(BUILD)/openmpi
FULL_COMMANDS += $(call MPI_TEST_COMMANDS,openmpi,$(OTHER_BUILD),3,4,6) $(call RUN_COMMANDS,openmpi,$(OTHER_BUILD))
ALL_COMMANDS += $(call MPI_PROGRAM_COMMANDS,openmpi,$(OTHER_BUILD)) $(call MPI_LATE_COMMANDS,openmpi,$(OTHER_BUILD))
endif
endif
endif

other-mpi: $(call libs,$(filter-out $(MPI_LAYERS),$(USES_runner))) $(INTERPOSERS_SHARE) $(filter %.o,$(GPU_LIBS))
	$(if $(OTHER_BUILD),$(MAKE) BUILD=$(OTHER_BUILD) PLAIN_BUILD=$(BUILD) MPICC=mpicc.openmpi measure-programs)
measure-programs: $(BUILD)/hiersearch-measure $(INTERPOSER) $(MPI_TESTS)

# Hostile files and odd callers, for sanitizers: with the archives that the programs are linked with.
LIBRARY_HOSTILE := $(BUILD)/tests/api/hostile
$(LIBRARY_HOSTILE): tests/api/hostile.c $(call libs,$(USES_api))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_api)) $(HS_LDFLAGS) $(HS_LIBS)
# What tests/instrumented.sh builds a second time.
# Without all draws, what reads files of others and what programs call.
instrumented-programs: $(BUILD)/hiersearch $(if $(filter full,$(TESTS)),$(UNIT_TESTS)) $(REPLAYS) $(LIBRARY_THREADS)
instrumented-threads: $(LIBRARY_THREADS)
instrumented-hostile: $(BUILD)/hiersearch $(LIBRARY_HOSTILE) $(if $(filter 1,$(HAVE_MPI)),$(BUILD)/hiersearch-measure)

# The library and hiersearch-measure under ASan and UBSan with hostile files and odd callers; `check-full` has it, too.
check-hostile:
	$(Q)tests/run --timeout 1600 -- "tests/instrumented.sh hostile"

# Benches of models are built with the tests, so that a change of what they use is seen at once.
BENCHES := $(addprefix $(BUILD)/bench/,calls certain check_truth expected lazy published tuning)
check: export TESTS := quick
check: all $(BUILD)/bench/published $(UNIT_TESTS) $(LIBRARY_THREADS) $(REPLAYS) $(if $(filter 1,$(HAVE_MPI)),$(MPI_TESTS))
	$(Q)tests/run -- $(QUICK_COMMANDS)

# With the quick check's number of draws; but for the bounds of prices, of which it has 10,000.
check-full: export TESTS := quick
check-full check-all check-nccl: export FETCH := 1
check-full check-all: all page $(BENCHES) $(UNIT_TESTS) $(LIBRARY_THREADS) $(REPLAYS) $(if $(filter 1,$(HAVE_MPI)),$(MPI_TESTS) other-mpi)
check-full:
	$(Q)tests/run --again -- $(FULL_COMMANDS)
check-all: export TESTS := full
check-all:
	$(Q)tests/run -- $(ALL_COMMANDS)

# Every split of 2 to 16 ranks through the stand-in for NCCL and CUDA, sanitizers included (about 9 minutes).
check-nccl: all nccl-programs $(BUILD)/tests/nccl/versions_gpu
	tests/run --timeout 1800 -- "tests/nccl/test_nccl.sh full $(MPI_NAME) $(BUILD)" \
	    "tests/nccl/test_gpu_check.sh full $(MPI_NAME) $(BUILD)" \
	    "CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/nccl/test_versions.sh $(BUILD)"

# Both README commands in a fresh Debian root with nothing else installed (root, debootstrap).
check-bare:
	tests/run --timeout 5400 -- tests/bare/check-bare

# Large clients (PyTorch, JAX: 6 GB of packages from the Python index, once) run what was exported for them.
check-clients: all
	tests/run --jobs 1 --timeout 3600 -- tests/clients/run.sh "python/tests/run.sh $(BUILD) torch"

# ---- NCCL's backend: with the stand-in for NCCL and CUDA (tests/nccl/standin), and on GPUs ---------------------
STANDIN := $(patsubst tests/nccl/standin/%.c,$(BUILD)/obj-pic/standin/%.o,$(wildcard tests/nccl/standin/*.c))
STANDIN_PROGRAMS := $(addprefix $(BUILD)/tests/nccl/,nccl_job nccl_job_old device_job gpu_probe standin_rules measure)
$(BUILD)/obj-pic/standin/%.o: tests/nccl/standin/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(MPICC) $(HS_CFLAGS) -Itests/nccl/standin -c -o $@ $<
$(BUILD)/obj-pic/standin-old/%.o: tests/nccl/standin/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(MPICC) $(HS_CFLAGS) -DSTANDIN_OLD -Itests/nccl/standin -c -o $@ $<
$(BUILD)/tests/nccl/%.o: tests/nccl/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(MPICC) $(HS_CFLAGS) -Itests/nccl/standin -c -o $@ $<
STANDIN_LINK = $(call say,LD,$@)$(Q)$(MPICC) $(HS_LDFLAGS) -rdynamic -o $@ $(filter %.o,$^) $(filter %.a,$^) $(HS_LIBS) -ldl -lpthread
$(BUILD)/tests/nccl/nccl_job: $(BUILD)/tests/nccl/nccl_job.o $(STANDIN) $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/nccl_job_old: $(BUILD)/tests/nccl/nccl_job.o $(subst /standin/,/standin-old/,$(STANDIN)) \
    $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/device_job: $(BUILD)/tests/nccl/device_job.o $(STANDIN) $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/gpu_probe: $(BUILD)/tests/nccl/gpu_probe.o $(STANDIN) $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/standin_rules: $(BUILD)/tests/nccl/standin_rules.o $(STANDIN) $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/measure: $(BUILD)/obj-pic/runner/main.o $(STANDIN) $(call libs,$(USES_runner))
	$(STANDIN_LINK)
$(BUILD)/tests/nccl/%_gpu: $(BUILD)/tests/nccl/%.o $(call libs,$(USES_runner)) $(filter %.o,$(GPU_LIBS))
	$(call say,LD,$@)
	$(Q)$(MPICC) $(HS_LDFLAGS) $(GPU_SHOWN) -o $@ $< $(call libs,$(USES_runner)) $(GPU_LIBS) $(HS_LIBS) -lpthread
# The stand-in as a library, for programs without MPI.
STANDIN_LIBRARY := $(BUILD)/tests/nccl/libnccl.so.2
STANDIN_SHARED = $(call say,LD,$@)$(Q)mkdir -p $(@D) && $(CC) $(filter-out -MMD -MP $(SANITIZE_FLAGS),$(HS_CFLAGS)) \
    -Itests/nccl/standin -fPIC -shared -Wl,-soname,$(@F) -o $@ $(filter %.c %.so.7,$^)
$(STANDIN_LIBRARY): $(filter-out %/mpi.c %/kernels.c,$(wildcard tests/nccl/standin/*.c)) src/engine/reduce.c \
    $(wildcard tests/nccl/standin/*.h)
	$(STANDIN_SHARED) -lpthread -ldl
# The same as RCCL and the HIP runtime, for programs that are compiled with tests/apply/hip_names.h.
STANDIN_HIP := $(BUILD)/tests/nccl/libamdhip64.so.7
STANDIN_RCCL := $(BUILD)/tests/nccl/librccl.so.1
STANDIN_GPU := $(addprefix tests/nccl/standin/,device.c streams.c graphs.c memory.c order.c)
$(STANDIN_HIP): $(STANDIN_GPU) tests/apply/hip_runtime.c tests/apply/hip.map $(wildcard tests/nccl/standin/*.h)
	$(STANDIN_SHARED) -Wl,--version-script=tests/apply/hip.map
$(STANDIN_RCCL): $(filter-out %/mpi.c %/kernels.c $(STANDIN_GPU),$(wildcard tests/nccl/standin/*.c)) src/engine/reduce.c \
    $(STANDIN_HIP) $(wildcard tests/nccl/standin/*.h)
	$(STANDIN_SHARED) -Wl,-rpath,'$$ORIGIN' -lpthread -ldl
nccl-programs: $(STANDIN_PROGRAMS) $(STANDIN_LIBRARY) $(STANDIN_RCCL)
GPU_PROGRAMS := $(if $(GPU_LIBS),$(addprefix $(BUILD)/tests/nccl/,nccl_job_gpu device_job_gpu gpu_probe_gpu))
gpu-check: all $(GPU_PROGRAMS)
	tests/nccl/gpu_check.sh $(BUILD) $(PARTS)
# What one GPU and its host cost where the model has no figure yet: JSON.
gpu-probe: $(GPU_PROGRAMS)
	$(BUILD)/tests/nccl/gpu_probe_gpu
# For a machine with GPUs and nothing else: $(BUILD)/gpu-package (docs/gpu.md).
gpu-package: all $(GPU_PROGRAMS)
	$(if $(GPU_LIBS),,$(error there is nothing to package: it is built without NCCL))
	GPU_CONTENTS="machine code for $(NVCC_ARCH), for others from 7.5 on PTX; with the headers of $(NCCL_H)" \
	    tests/nccl/gpu_package.sh $(BUILD) $(BUILD)/gpu-package
gpu-bench: all
	bench/gpu.sh $(BUILD)
