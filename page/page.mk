# The page: build/page/hiersearch.html, one file that asks the library in a browser, which needs no server and no network.
# The library's sources are compiled once more, to WebAssembly, by Debian's package emscripten; without it there is no page.
EMCC ?= $(shell command -v emcc 2>/dev/null)
PAGE := $(BUILD)/page/hiersearch.html
# In place of the solver of linear programs what the interposers have; of cJSON, GSL and glibc what they call.
PAGE_SOURCES := $(filter-out src/links/packing_master.c src/apply/%,$(LIBRARY_SOURCES)) $(INTERPOSERS_UNSOLVED) page/stand_ins.c
PAGE_OBJECTS := $(patsubst %.c,$(BUILD)/page/obj/%.o,$(PAGE_SOURCES))
PAGE_HEADERS := $(addprefix $(BUILD)/page/include/,cjson/cJSON.h $(addprefix gsl/gsl_,cdf.h linalg.h sort.h statistics_double.h))
# The compiler by itself: emcc in front of it takes longer than it.
PAGE_CC = $(EMCC_CLANG) $(EMCC_FLAGS) -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen -I$(BUILD)/page/include -include page/stand_ins.h \
    -O2 -ffp-contract=off -w -MMD -MP
EMCC_CLANG = $(eval EMCC_CLANG := $$(shell em-config LLVM_ROOT)/clang-$$(shell em-config CLANG_ADD_VERSION))$(EMCC_CLANG)
EMCC_FLAGS = $(eval EMCC_FLAGS := $$(shell $(EMCC) --cflags))$(EMCC_FLAGS)

$(PAGE_HEADERS):
	@mkdir -p $(@D)
	@echo '/* page/stand_ins.h has what is asked of it */' >$@
$(BUILD)/page/obj/%.o: %.c | $(PAGE_HEADERS) $(BUILD)/gen/version.h $(LITERALS)
	@mkdir -p $(@D)
	$(call say,EMCC,$<)
	$(Q)$(PAGE_CC) -c -o $@ $<
# What page/worker.js calls.
PAGE_CALLS = $(shell grep -oh 'hiersearch_[a-z_]*' page/worker.js | sort -u)
space := $() $()
comma := ,
$(BUILD)/page/library.js: $(PAGE_OBJECTS) $(wildcard configs/*.json) page/worker.js
	$(call say,EMLD,$@)
	$(Q)NODE_PATH=$${NODE_PATH:-/usr/share/nodejs} $(EMCC) -O2 -o $@ $(PAGE_OBJECTS) --embed-file configs@/configs \
	    -sSINGLE_FILE=1 -sMODULARIZE=1 -sEXPORT_NAME=hiersearch -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB \
	    -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,ENV \
	    -sEXPORTED_FUNCTIONS=_malloc,_free,$(subst $(space),$(comma),$(PAGE_CALLS:%=_%))

# One file of all: lines @NAME@ of page.html are those files.
$(PAGE): $(BUILD)/page/library.js $(wildcard page/page.*)
	$(call say,PAGE,$@)
	$(Q)! grep -il '</script\|<!--' $(BUILD)/page/library.js page/*.js
	$(Q)sed -e '/^@style@$$/{r page/page.css' -e 'd}' -e '/^@library@$$/{r $(BUILD)/page/library.js' -e 'd}' \
	    -e '/^@worker@$$/{r page/worker.js' -e 'd}' -e '/^@page@$$/{r page/page.js' -e 'd}' page/page.html >$@
# A page for each shipped machine and for common lines of parts, and an index; without emcc, too.
machines: $(BUILD)/hiersearch
	$(Q)page/machines.py --program $(BUILD)/hiersearch $(BUILD)/page/machines
	@echo "$(BUILD)/page/machines/index.html"
.PHONY: machines

page:
ifeq ($(EMCC),)
	@echo "no page: emcc is missing (Debian's package emscripten)"
else
page: $(PAGE)
endif
.PHONY: page
