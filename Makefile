# hiersearch - one Makefile, no recursion; tests/tests.mk, bench/bench.mk and packaging/*.mk are parts of it.
#
#   make               the programs in build/
#   make check         quick tests (under 3 minutes), last line "N passed, N failed"
#   make check-full    what a change has to pass, without a GPU (12 to 20 minutes)
#   make check-all     the same with all draws, sanitizers over all tests, both MPIs in full (an hour)
#   make install       see packaging/install.mk; also uninstall, man and deb
#   make page          the page for a browser, see page/page.mk
#   make wheel         the Python package, see packaging/python.mk; also python, check-python and bench-python
#   make clean         removes the build folder
#   make help          all targets
#
# Choices: V=1 (whole commands)  BUILD=dir  CC=clang  SANITIZE=address,undefined  DEBUG=1  PREFIX=/usr/local  DESTDIR=
#          MPICC=mpicc.openmpi  HAVE_MPI=0|1 (1 fails loudly where MPI is missing)
#          HAVE_NCCL=0|1  CUDA_HOME=/usr/local/cuda  NCCL_HOME=  NVCC_ARCH=native|80 90|all-major

BUILD  ?= build
# Where what knows no MPI is: the build with the other MPI takes it from this one (other-mpi).
PLAIN_BUILD ?= $(BUILD)
PREFIX ?= /usr/local
DEBUG  ?= 0
SANITIZE ?=

# A line per file, or with V=1 its command; nothing with make -s.
V ?= 0
Q = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),,$(info $()  $(1) $(2)))

VERSION := $(shell cat VERSION)
GIT_DESCRIBE := $(shell git describe --always --dirty --tags 2>/dev/null)
# The date on manual pages: of the commit, else of VERSION; SOURCE_DATE_EPOCH overrides it.
DATE := $(shell date -u +%Y-%m-%d -d @$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)})

# ---- what is here --------------------------------------------------------------------------------
# What needs no library.
BARE := $(if $(filter-out help clean format sizes,$(or $(MAKECMDGOALS),all)),,bare)
PKGS := libcjson gsl
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
ifeq ($(PKG_LIBS)$(BARE),)
$(error cJSON or GSL not found by pkg-config: install libcjson-dev and libgsl-dev, or run ./bootstrap)
endif
# GLPK has no file for pkg-config. (A PKG_LIBS that was given has it.)
ifneq ($(origin PKG_LIBS),command line)
GLPK_LIBS := $(shell $(CC) $(CPPFLAGS) -include glpk.h -fsyntax-only -x c /dev/null 2>/dev/null && echo -lglpk)
$(if $(GLPK_LIBS)$(BARE),,$(error no glpk.h: install libglpk-dev, or run ./bootstrap))
PKG_LIBS += $(GLPK_LIBS)
endif

# Debian's plain `mpicc` may be Open MPI's even where MPICH is installed: ask for MPICH by name first.
MPICC ?= $(firstword $(foreach c,mpicc.mpich mpicc,$(shell command -v $(c) 2>/dev/null)))
HAVE_MPI ?= $(if $(MPICC),1,0)
ifeq ($(HAVE_MPI)$(MPICC),1)
$(error HAVE_MPI=1, but there is no mpicc: install mpich and libmpich-dev, or set MPICC=)
endif

# CUDA and NCCL (docs/gpu.md). CUDA's runtime is linked statically and NCCL is loaded when a backend wants it, so
# the program starts where there is neither a driver nor NCCL. NCCL may lie in CUDA_HOME.
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(firstword $(shell command -v nvcc 2>/dev/null) \
               $(wildcard /usr/local/cuda/bin/nvcc)))
NVCC := $(wildcard $(CUDA_HOME)/bin/nvcc)
CUDART := $(firstword $(wildcard $(addsuffix /libcudart_static.a,$(addprefix $(CUDA_HOME)/,lib64 lib \
            targets/x86_64-linux/lib targets/sbsa-linux/lib))))
NCCL_HOME ?= $(patsubst %/include/nccl.h,%,$(firstword $(wildcard \
               $(addsuffix /include/nccl.h,$(CUDA_HOME) /usr /usr/local))))
NCCL_H := $(wildcard $(NCCL_HOME)/include/nccl.h)
# nvcc hands the name of this folder to a shell, which executes what such letters say.
NVCC_EXECUTES := $(foreach letter,$$ ` " \,$(findstring $(letter),$(CURDIR)))
HAVE_NCCL ?= $(if $(strip $(NVCC_EXECUTES)),0,$(if $(and $(NVCC),$(CUDART),$(NCCL_H),$(filter 1,$(HAVE_MPI))),1,0))
ifeq ($(HAVE_NCCL),1)
$(if $(strip $(NVCC_EXECUTES)),$(error HAVE_NCCL=1, but nvcc would execute what is in the name of this folder: build elsewhere))
$(if $(NVCC),,$(error HAVE_NCCL=1, but there is no nvcc: install the CUDA toolkit, or set CUDA_HOME=))
$(if $(CUDART),,$(error HAVE_NCCL=1, but there is no libcudart_static.a in $(CUDA_HOME)))
$(if $(NCCL_H),,$(error HAVE_NCCL=1, but there is no nccl.h: install NCCL, or set NCCL_HOME=))
$(if $(filter 1,$(HAVE_MPI)),,$(error HAVE_NCCL=1 needs MPI))
NCCL_LIBRARY := $(firstword $(wildcard $(addsuffix /libnccl.so.2,$(addprefix $(NCCL_HOME)/,lib lib64))) libnccl.so.2)
# NCCL looks for the profiler plugin in the program itself (src/engine/nccl_record.h).
GPU_SHOWN := -Wl,--export-dynamic-symbol=ncclProfiler_v5
GPU_CFLAGS := -DHS_HAVE_NCCL -DHS_NCCL_BUILT_WITH='"$(NCCL_LIBRARY)"' \
              $(addprefix -isystem ,$(filter-out /usr/include,$(sort $(CUDA_HOME)/include $(NCCL_HOME)/include)))
GPU_LIBS := $(PLAIN_BUILD)/obj-pic/engine/cuda_kernels.o $(PLAIN_BUILD)/obj-pic/runner/pattern_kernels.o $(CUDART) -ldl -lrt
endif
# What the GPUs' kernels are compiled for: `native`, the GPUs of this machine; or numbers, machine code for these and,
# for all others from 7.5 on, what their driver compiles when the program starts; or any other word of nvcc's -arch.
NVCC_ARCH ?= $(if $(wildcard /dev/nvidia[0-9]*),native,$(if $(NVCC),$(strip \
    $(filter 80 90 100,$(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code))))))
NVCC_ARCH_FLAGS := $(if $(filter native all%,$(NVCC_ARCH)),-arch=$(NVCC_ARCH),$(foreach a,$(NVCC_ARCH), \
    -gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_75,code=compute_75)
# hwloc and NVML are loaded when `systems --here` asks; of hwloc the header is needed.
HAVE_HWLOC ?= $(if $(wildcard /usr/include/hwloc.h),1,0)
HWLOC_CFLAGS := $(if $(filter 1,$(HAVE_HWLOC)),-DHS_HAVE_HWLOC $(shell pkg-config --cflags hwloc 2>/dev/null))
# expat reads the XML that `systems --from` is given.
HAVE_EXPAT ?= $(if $(wildcard /usr/include/expat.h),1,0)
EXPAT_CFLAGS := $(if $(filter 1,$(HAVE_EXPAT)),-DHS_HAVE_EXPAT)
EXPAT_LIBS := $(if $(filter 1,$(HAVE_EXPAT)),-lexpat)

# ---- flags ---------------------------------------------------------------------------------------
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wpointer-arith -Wvla -Wformat=2
# Of our own sources: who calls the library may be a thread with a small stack. (Sanitizers add to frames.)
FRAMES := $(if $(SANITIZE),,-Wframe-larger-than=16384)
OPTIMISE := $(if $(filter 1,$(DEBUG)),-O0 -g3,-O2 -g)
SANITIZE_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
                    -fno-sanitize-recover=all)
# -ffp-contract=off: the same sums on every machine and compiler.
HS_CFLAGS := -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen $(OPTIMISE) $(WARNINGS) -ffp-contract=off \
             $(SANITIZE_FLAGS) $(PKG_CFLAGS) $(GPU_CFLAGS) $(HWLOC_CFLAGS) $(EXPAT_CFLAGS) -MMD -MP $(CFLAGS)
# Each source is compiled once, for programs, libraries and interposers alike: what programs link, the linker makes as
# direct as it was. initial-exec: the interposer for MPI is there before a thread is.
OBJECT_FLAGS = $(HS_CFLAGS) $(FRAMES) $(PIC_FLAGS)
PIC_FLAGS := -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections
MPI_OBJECT_FLAGS = $(OBJECT_FLAGS) -ftls-model=initial-exec
HS_LDFLAGS := $(SANITIZE_FLAGS) $(LDFLAGS)
# Of a library that is not sanitized nothing may be left to be found.
DEFINED := $(if $(SANITIZE),,-Wl,-z,defs)
HS_LIBS := $(PKG_LIBS) $(EXPAT_LIBS) -lm -ldl

# ---- sources: a folder is a layer, a layer is an archive -------------------------------------------
ALL_LAYERS := base system model links library estimate detect engine record search apply export answer show plot api cli runner
NO_GPU := $(if $(filter 1,$(HAVE_NCCL)),,$(wildcard src/engine/nccl*.[ch] src/engine/cuda_[dgkm]*.[ch] \
    src/runner/pattern_kernels.h))
# What stands in for MPI and NCCL, in programs of other people.
INTERPOSER_SOURCES := $(wildcard src/apply/mpi_*.c)
NCCL_INTERPOSER_SOURCES := $(wildcard src/apply/nccl_*.c)
# What both have of the rest: of model and base what they call, which needs no library.
INTERPOSERS_BOTH := src/record/counts.c src/apply/loaded.c src/apply/pairs.c src/apply/reasons.c
# In the place of the solver of linear programs, which they do not bring along.
INTERPOSERS_UNSOLVED := src/apply/unsolved.c
INTERPOSERS_SHARE = $(patsubst src/%.c,$(PLAIN_BUILD)/obj-pic/%.o,$(INTERPOSERS_BOTH) $(INTERPOSERS_UNSOLVED) \
    $(filter-out src/links/packing_master.c,$(foreach l,$(CORE),$(call sources,$(l)))))
# Engine `host` by itself.
HOST_ENGINE := $(addprefix src/engine/,host.c mpi_base.c forced.c mpi_status.c host_memory.c layer_comms.c executors.c flow.c packing.c stages.c \
    task.c transport.c idle.c pages.c reduce.c) $(wildcard src/engine/executor_*.c)
sources = $(filter-out $(NO_GPU) $(INTERPOSER_SOURCES) $(NCCL_INTERPOSER_SOURCES) $(INTERPOSERS_UNSOLVED),$(sort $(wildcard src/$(1)/*.c)))
MPI_LAYERS := engine runner
folder = $(if $(filter $(MPI_LAYERS),$(1)),$(BUILD),$(PLAIN_BUILD))
objects = $(patsubst src/%.c,$(call folder,$(1))/obj-pic/%.o,$(call sources,$(1)))
archive = $(call folder,$(1))/lib/libhs_$(1).a

# What each layer may use, itself included, in link order (docs/architecture.md; `make layers` checks).
USES_base := base
USES_system := system $(USES_base)
USES_model := model $(USES_system)
USES_links := links $(USES_model)
USES_library := library $(USES_links)
USES_estimate := estimate $(USES_library)
CORE := $(USES_estimate)
USES_detect := detect $(CORE)
USES_engine := engine $(CORE)
USES_record := record $(CORE)
USES_search := search $(CORE)
USES_apply := apply record $(CORE)
# The interposer, which is in no archive.
INCLUDES_apply := engine
USES_export := export record $(CORE)
USES_answer := answer export search apply record detect $(CORE)
USES_show := show $(USES_answer)
USES_plot := plot $(USES_show)
USES_api := api $(USES_plot)
USES_cli := cli $(USES_api)
USES_runner := runner engine $(USES_cli)

PROGRAMS := $(BUILD)/hiersearch
ifeq ($(HAVE_MPI),1)
PROGRAMS += $(BUILD)/hiersearch-measure
endif

.DELETE_ON_ERROR:
programs: $(PROGRAMS)
all: programs
	@echo "hiersearch $(VERSION): mpi $(if $(filter 1,$(HAVE_MPI)),$(MPICC),no), \
	nccl $(if $(filter 1,$(HAVE_NCCL)),$(NCCL_H) with $(NVCC),no), \
	manual pages $(if $(LOWDOWN),$(LOWDOWN),no (lowdown is missing))"

$(PLAIN_BUILD)/obj-pic/%.o: src/%.c | $(BUILD)/gen/version.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(OBJECT_FLAGS) -c -o $@ $<

define mpi_object_rule
$(BUILD)/obj-pic/$(1)%.o: src/$(1)%.c | $(BUILD)/gen/version.h
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$(MPICC) $(MPI_OBJECT_FLAGS) -c -o $$@ $$<
endef
$(foreach l,$(MPI_LAYERS:=/) apply/mpi_,$(eval $(call mpi_object_rule,$(l))))

define archive_rule
$(call archive,$(1)): $(call objects,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR,$$@)
	$$(Q)ar rcs $$@ $$^
endef
$(foreach l,$(ALL_LAYERS),$(eval $(call archive_rule,$(l))))

# What `make install` copies to share/hiersearch, for programs that run from the build folder (base/places.h).
SHARED := configs plots
$(SHARED:%=$(BUILD)/share/hiersearch/%): $(BUILD)/share/hiersearch/%:
	@mkdir -p $(@D)
	@ln -sfn "$$(pwd)/$*" $@
$(call archive,base): | $(SHARED:%=$(BUILD)/share/hiersearch/%)

once = $(if $(1),$(firstword $(1)) $(call once,$(filter-out $(firstword $(1)),$(1))))
libs = $(call once,$(foreach l,$(1),$(if $(call sources,$(l)),$(call archive,$(l)))))

$(BUILD)/hiersearch: $(call libs,$(USES_cli))
	$(call say,LD,$@)
	$(Q)$(CC) $(HS_LDFLAGS) -o $@ $(BUILD)/obj-pic/cli/main.o $(call libs,$(USES_cli)) $(HS_LIBS)

$(BUILD)/hiersearch-measure: $(call libs,$(USES_runner)) $(filter %.o,$(GPU_LIBS))
	$(call say,LD,$@)
	$(Q)$(MPICC) $(HS_LDFLAGS) $(GPU_SHOWN) -o $@ $(BUILD)/obj-pic/runner/main.o $(call libs,$(USES_runner)) $(GPU_LIBS) \
	    $(HS_LIBS) -lpthread
$(PLAIN_BUILD)/obj-pic/%_kernels.o: src/%_kernels.cu $(wildcard src/engine/*.h src/runner/*.h)
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) -std=c++17 -O2 -fmad=false $(NVCC_ARCH_FLAGS) -Xcompiler -fno-exceptions,-fno-threadsafe-statics \
	    -Isrc -c -o $@ $<

# ---- the tuner plugin that reads a result inside somebody else's program: no dependencies (plugins/nccl-tuner) ----
PLUGIN := $(BUILD)/libnccl-tuner-hiersearch.so
PLUGIN_FILES := $(wildcard plugins/nccl-tuner/*.c)
$(PLUGIN): $(PLUGIN_FILES) $(wildcard plugins/nccl-tuner/*.h)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(OPTIMISE) $(WARNINGS) -fPIC -fvisibility=hidden -shared -o $@ $(PLUGIN_FILES) -lm
plugin: $(PLUGIN)
all: $(PLUGIN)
.PHONY: plugin

# ---- libhiersearch-mpi.so: between somebody else's program and its MPI library (src/apply/mpi_profile.h) -------
ifeq ($(HAVE_MPI),1)
INTERPOSER := $(BUILD)/libhiersearch-mpi.so
INTERPOSER_OBJECTS := $(patsubst src/%.c,$(BUILD)/obj-pic/%.o,$(INTERPOSER_SOURCES) $(HOST_ENGINE)) $(INTERPOSERS_SHARE)
$(INTERPOSER): $(INTERPOSER_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(MPICC) $(HS_LDFLAGS) -shared -Wl,--gc-sections $(DEFINED) -o $@ $(INTERPOSER_OBJECTS) -lm -ldl -lpthread
all: $(INTERPOSER)
endif

# ---- libhiersearch-nccl.so: the same in front of NCCL, of which it needs nothing to be built (src/apply/nccl_abi.h) ----
NCCL_INTERPOSER := $(BUILD)/libhiersearch-nccl.so
NCCL_INTERPOSER_OBJECTS := $(NCCL_INTERPOSER_SOURCES:src/%.c=$(PLAIN_BUILD)/obj-pic/%.o) $(INTERPOSERS_SHARE)
$(NCCL_INTERPOSER): $(NCCL_INTERPOSER_OBJECTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(HS_LDFLAGS) -shared -Wl,--gc-sections $(DEFINED) -o $@ $(NCCL_INTERPOSER_OBJECTS) -lm -ldl -lpthread
all: $(NCCL_INTERPOSER)

# Both once more with sanitizers, for programs that are built with them, too (tests/apply/test_sanitized.sh): of model and
# base, which other tests instrument, the rules alone.
SANITIZED := $(BUILD)/sanitized-interposers
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZED_SHARE := $(INTERPOSERS_BOTH) src/model/rules.c
sanitized_objects = $(patsubst src/%.c,$(SANITIZED)/%.o,$(1) $(SANITIZED_SHARE)) \
    $(filter-out $(SANITIZED_SHARE:src/%.c=$(PLAIN_BUILD)/obj-pic/%.o),$(INTERPOSERS_SHARE))
$(SANITIZED)/%.o: src/%.c | $(BUILD)/gen/version.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(or $(MPICC),$(CC)) $(filter-out $(SANITIZE_FLAGS),$(HS_CFLAGS)) -O1 $(SANITIZERS) $(PIC_FLAGS) -ftls-model=initial-exec -c -o $@ $<
$(SANITIZED)/libhiersearch-mpi.so: $(call sanitized_objects,$(INTERPOSER_SOURCES) $(HOST_ENGINE))
	$(call say,LD,$@)
	$(Q)$(MPICC) -shared $(SANITIZERS) -Wl,--gc-sections -o $@ $^ -lm -ldl -lpthread
$(SANITIZED)/libhiersearch-nccl.so: $(call sanitized_objects,$(NCCL_INTERPOSER_SOURCES))
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANITIZERS) -Wl,--gc-sections -o $@ $^ -lm -ldl -lpthread
sanitized-interposers: $(if $(INTERPOSER),$(SANITIZED)/libhiersearch-mpi.so) $(SANITIZED)/libhiersearch-nccl.so
.PHONY: sanitized-interposers check-interposers
# Hostile files and odd programs, under a minute.
SANITIZED_TEST = CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) tests/apply/test_sanitized.sh $(MPI_NAME) $(BUILD)
check-interposers: all sanitized-interposers $(if $(filter 1,$(HAVE_NCCL)),$(BUILD)/tests/nccl/libnccl.so.2)
	tests/run --timeout 1600 -- "$(SANITIZED_TEST)"

# ---- libhiersearch.so.1 and libhiersearch.a: what include/hiersearch.h declares, and nothing else (docs/library.md) ----
LIBRARY_SOURCES := $(foreach l,$(USES_api),$(call sources,$(l)))
LIBRARY_OBJECTS := $(LIBRARY_SOURCES:src/%.c=$(PLAIN_BUILD)/obj-pic/%.o)
LIBRARY := $(BUILD)/libhiersearch.so.1
LIBRARY_STATIC := $(BUILD)/lib/libhiersearch.a
LIBRARY_MAP := src/api/libhiersearch.map
$(LIBRARY): $(LIBRARY_OBJECTS) $(LIBRARY_MAP)
	$(call say,LD,$@)
	$(Q)$(CC) $(HS_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(LIBRARY_MAP) -Wl,--gc-sections \
	    $(DEFINED) -o $@ $(LIBRARY_OBJECTS) $(HS_LIBS)
	@ln -sfn $(@F) $(basename $@)
# The same for programs that are linked statically: one object, in which what is hidden is local.
$(LIBRARY_STATIC): $(LIBRARY_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ld -r -o $(@:.a=.o) $(LIBRARY_OBJECTS) && objcopy --localize-hidden $(@:.a=.o) && ar qcs $@ $(@:.a=.o) && rm $(@:.a=.o)
all: $(LIBRARY)
# Threads that use it at the same time.
LIBRARY_THREADS := $(BUILD)/tests/api/threads
LIBRARY_LINK = -Iinclude $(OPTIMISE) $(WARNINGS) $(SANITIZE_FLAGS) -o $@ $< -L$(BUILD) -lhiersearch -Wl,-rpath,'$$ORIGIN/$(1)' -lpthread
$(LIBRARY_THREADS): tests/api/threads.c $(LIBRARY) include/hiersearch.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(call LIBRARY_LINK,../..)

# ---- hiersearch-simulate: the host backend again, compiled by SimGrid's smpicc (src/simulate/simulate.h) ------
SMPICC ?= $(shell command -v smpicc 2>/dev/null)
HAVE_SIMGRID ?= $(if $(SMPICC),1,0)
ifeq ($(HAVE_SIMGRID)$(SMPICC),1)
$(error HAVE_SIMGRID=1, but there is no smpicc: install libsimgrid-dev, or set SMPICC=)
endif
SMPI_SOURCES := $(wildcard src/simulate/*.c) $(filter-out src/engine/idle.c src/engine/pages.c src/engine/reduce.c,$(HOST_ENGINE)) src/engine/forests.c
SMPI_OBJECTS := $(SMPI_SOURCES:src/%.c=$(BUILD)/obj-smpi/%.o)
SMPI_WRAPPED := MPI_Iallreduce MPI_Comm_idup hs_transport_send hs_transport_receive hs_transport_test \
    hs_transport_launch smpi_shared_free
# Simulated ranks have stacks of their own: no sanitizers. smpicc makes names of sources absolute, and __FILE__ too.
$(BUILD)/obj-smpi/%.o: src/%.c | $(BUILD)/gen/version.h
	@mkdir -p $(@D)
	$(call say,SMPICC,$<)
	$(Q)$(SMPICC) $(filter-out $(SANITIZE_FLAGS),$(HS_CFLAGS)) -fmacro-prefix-map="$$(pwd -P)/=" -c -o $@ $<
$(BUILD)/hiersearch-simulate: $(SMPI_OBJECTS) $(call libs,$(USES_record))
	$(call say,LD,$@)
	$(Q)$(SMPICC) -o $@ $(SMPI_OBJECTS) $(call libs,$(USES_record)) $(SMPI_WRAPPED:%=-Wl,--wrap=%) $(LDFLAGS) $(HS_LIBS)
ifeq ($(HAVE_SIMGRID)$(SANITIZE),1)
all: $(BUILD)/hiersearch-simulate
endif
.PHONY: bench-simulate
bench-simulate: all
	bench/simulate.py --large $(BUILD)/hiersearch
# The plain model against SimGrid on six machines, every split of 2 to 64 processes (about 15 minutes of one core).
.PHONY: bench-accuracy-simgrid
bench-accuracy-simgrid: all
	bench/accuracy_simgrid.py $(BUILD)/hiersearch
	bench/accuracy_links.py --build $(BUILD)

include packaging/install.mk
include packaging/python.mk
include $(wildcard page/page.mk)

# Rewritten only when it changes, so that a commit does not rebuild the world.
$(BUILD)/gen/version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define HS_VERSION "%s"\n#define HS_GIT_DESCRIBE "%s"\n#define HS_DATE "%s"\n' \
	    "$(VERSION)" "$(GIT_DESCRIBE)" "$(DATE)" > $@.new
	@cmp -s $@.new $@ && rm -f $@.new || mv -f $@.new $@
FORCE:

# What the program writes or prints as it is - Python modules, completion scripts, pages - is kept in files, and built in
# as string literals: #include "export/python/NAME.py.inc".
LITERALS := $(patsubst src/%,$(BUILD)/gen/%.inc,$(wildcard src/export/python/*.py src/cli/completion/* src/plot/*.html src/plot/*.css))
$(BUILD)/gen/%.inc: src/%
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $< > $@
$(addprefix $(BUILD)/obj-pic/,export/inductor.o export/pytorch.o export/jax.o plot/page.o cli/cmd_completion.o): $(LITERALS)

# The sources that travel in the Python package have neither.
include $(wildcard tests/tests.mk bench/bench.mk)

# ---- quality gates -----------------------------------------------------------------------------------
# src/simulate needs SimGrid's mpi.h.
C_FILES  := $(filter-out $(NO_GPU) src/simulate/%,$(wildcard src/*/*.c))
H_FILES  := $(filter-out $(NO_GPU),$(wildcard include/*.h src/*/*.h))
MPI_INCLUDE := $(if $(MPICC),$(filter -I%,$(shell $(MPICC) -show 2>/dev/null))) $(GPU_CFLAGS) $(HWLOC_CFLAGS)

# Each header compiles alone.
headers:
	@for h in $(H_FILES); do \
	    $(CC) -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen $(PKG_CFLAGS) $(MPI_INCLUDE) $(WARNINGS) \
	        -Werror -fsyntax-only -x c $$h || exit 1; done
	@echo "ok 1 - each of $(words $(H_FILES)) headers compiles alone"

# A folder includes only the folders it may use (the USES_ lists above), and no files of one include each other in a circle.
# The command line is a client of the library: it asks through api and prints through show, but for what measures, counts,
# runs or simulates, and the rows of options of these.
CLIENT := cli api show base
BEYOND_THE_LIBRARY := cmd_measure cmd_profile cmd_run faults interposed measure_profile option_rows \
    simulate simulate_progress simulate_run
layers:
	@tests/layers.py $(foreach l,$(filter-out cli,$(ALL_LAYERS)),"$(l):$(USES_$(l)) $(INCLUDES_$(l))") "simulate:simulate engine record $(CORE)" \
	    "cli:$(CLIENT)" $(BEYOND_THE_LIBRARY:%="cli/%:$(USES_cli)")

# A layer calls nothing of what is above it: all of it links with those that it may use. (Sanitizers leave names open.)
ALONE := $(filter-out $(MPI_LAYERS),$(ALL_LAYERS))
layers-link: $(call libs,$(ALONE))
	@for layer in $(foreach l,$(ALONE),"$(l) $(call archive,$(l)) $(filter-out $(call archive,$(l)),$(call libs,$(USES_$(l))))"); do \
	    set -- $$layer; name=$$1; own=$$2; shift 2; \
	    $(CC) -shared $(HS_LDFLAGS) $(DEFINED) -o /dev/null -Wl,--whole-archive $$own -Wl,--no-whole-archive $$* $(HS_LIBS) || exit 1; \
	    echo "ok - $$name links with what it may use"; done

# Limits of lines, functions and structs (tests/house.txt excuses), format, and clang-tidy: what has not changed since it
# was found clean is not looked at again. One file at a time: clang-tidy 14 reports va_lists wrongly when it gets several.
# TIDY_QUICK=1 leaves out the paths that clang's analyzer follows: nine tenths of the time.
TIDY_QUICK ?=
TIDY_STAMPS := $(C_FILES:src/%.c=$(BUILD)/tidy$(if $(TIDY_QUICK),-quick)/%.stamp)
FORMATTED = $(wildcard $(foreach d,include src tests bench plugins examples page,$(addprefix $d/,*.[ch] */*.[ch] */*.cu */*/*.[ch])))
tidy:
	@tests/house.py check
	@case $$(clang-format --version) in *' 14.'*) clang-format --dry-run -Werror $(FORMATTED) && echo \
	    "ok 5 - clang-format changes none of $(words $(FORMATTED)) files" ;; \
	    *) echo "ok 5 - clang-format changes nothing # SKIP the sources are formatted by version 14" ;; esac
	@$(MAKE) --no-print-directory -k $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) tidy-files
	@echo "ok 6 - clang-tidy finds nothing in $(words $(C_FILES)) files"
tidy-files: $(TIDY_STAMPS)
	@:
TIDY_FLAGS = -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen $(PKG_CFLAGS) $(MPI_INCLUDE)
$(BUILD)/tidy$(if $(TIDY_QUICK),-quick)/%.stamp: src/%.c .clang-tidy | $(BUILD)/gen/version.h $(LITERALS)
	@mkdir -p $(@D)
	$(call say,TIDY,$<)
	$(Q)$(CC) $(TIDY_FLAGS) -MM -MP -MT $@ -MF $(@:.stamp=.d) $<
	$(Q)clang-tidy --quiet $(if $(TIDY_QUICK),'--checks=-clang-analyzer-*') $< -- $(TIDY_FLAGS) >$@.log 2>&1; ! grep -E -A 3 'warning:|error:' $@.log
	$(Q)mv $@.log $@

format:
	clang-format -i $(FORMATTED)

# Lines of code by folder, lengths, comments: the figures of the house.
sizes:
	@tests/house.py sizes

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

# A build folder, and nothing else that BUILD may name.
clean:
	@if [ -e "$(BUILD)/gen/version.h" ] && [ ! -e "$(BUILD)/Makefile" ]; then rm -rf -- "$(BUILD)"; \
	elif [ -e "$(BUILD)" ]; then echo "make clean: $(BUILD) is no build folder" >&2; exit 1; fi

# What stands at the top of this file, then the names of all targets.
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo "targets: $$(sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' $(wildcard Makefile */*.mk) | sort -u | tr '\n' ' ')"

.PHONY: all programs clean help FORCE headers layers layers-link tidy tidy-files format sizes fuzz check check-full check-all check-bare check-clients check-nccl \
    nccl-programs gpu-check gpu-package gpu-probe gpu-bench other-mpi measure-programs instrumented-programs instrumented-threads instrumented-hostile check-hostile pictures bench-predict bench-table2 \
    bench-accuracy-table2 bench-host bench-plot bench-cluster bench-lazy
