# The page: build/page/hiersearch.html, one file that asks the library in a browser, which needs no server and no network.
# The library's sources are compiled once more, to WebAssembly, by Debian's package emscripten; without it there is no page.
EMCC ?= $(shell command -v emcc 2>/dev/null)
PAGE := $(BUILD)/page/hiersearch.html
# In place of the solver of linear programs what the interposers have; of cJSON, GSL and glibc what they call.
PAGE_SOURCES := $(filter-out src/links/packing_master.c,$(LIBRARY_SOURCES)) $(INTERPOSERS_UNSOLVED) page/stand_ins.c
PAGE_OBJECTS := $(patsubst %.c,$(BUILD)/page/obj/%.o,$(PAGE_SOURCES))
PAGE_HEADERS := $(addprefix $(BUILD)/page/include/,cjson/cJSON.h $(addprefix gsl/gsl_,cdf.h linalg.h sort.h statistics_double.h))
# The compiler by itself: emcc in front of it takes longer than it.
PAGE_CC = clang-14 $(EMCC_FLAGS) -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen -I$(BUILD)/page/include -include page/stand_ins.h \
    -Os -ffp-contract=off -w -MMD -MP
EMCC_FLAGS = $(eval EMCC_FLAGS := $$(shell $(EMCC) --cflags))$(EMCC_FLAGS)

$(PAGE_HEADERS):
	@mkdir -p $(@D)
	@echo '/* page/stand_ins.h has what is asked of it */' >$@
$(BUILD)/page/obj/%.o: %.c | $(PAGE_HEADERS) $(BUILD)/gen/version.h $(LITERALS)
	@mkdir -p $(@D)
	$(call say,EMCC,$<)
	$(Q)$(PAGE_CC) -c -o $@ $<
# What page/worker.js calls.
PAGE_CALLS := $(shell grep -oh 'hiersearch_[a-z_]*' page/worker.js | sort -u)
space := $() $()
comma := ,
$(BUILD)/page/library.js: $(PAGE_OBJECTS) $(wildcard configs/*.json) page/worker.js page/page.mk
	$(call say,EMLD,$@)
	$(Q)NODE_PATH=$${NODE_PATH:-/usr/share/nodejs} $(EMCC) -Os -o $@ $(PAGE_OBJECTS) --embed-file configs@/share/hiersearch/configs -sSINGLE_FILE=1 -sMODULARIZE=1 -sEXPORT_NAME=hiersearch \
	    -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB -sEXPORTED_RUNTIME_METHODS=ccall,UTF8ToString,ENV \
	    -sEXPORTED_FUNCTIONS=$(subst $(space),$(comma),$(PAGE_CALLS:%=_%) _malloc _free)
