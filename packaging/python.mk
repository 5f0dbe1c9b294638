# The Python package (docs/python.md). Included by the Makefile.
#
#   make python    the package in $(BUILD)/python, to be imported from there
#   make wheel     $(BUILD)/wheels/hiersearch-*.whl, with the libraries that it needs inside (auditwheel)

# ---- what travels in hiersearch/tree: all that needs no MPI ---------------------------------------------------------
PYTHON_TREE := $(BUILD)/python-tree
python-tree: $(BUILD)/hiersearch $(PLUGIN) $(NCCL_INTERPOSER) $(LIBRARY)
	@rm -rf $(PYTHON_TREE)
	@umask 022; set -e; \
	install -d $(addprefix $(PYTHON_TREE)/,bin include lib/hiersearch share/hiersearch/configs share/hiersearch/plots share/hiersearch/schemas); \
	install -m 755 -t $(PYTHON_TREE)/bin $(BUILD)/hiersearch; \
	$(PUT) $(PYTHON_TREE)/lib $(LIBRARY); \
	$(PUT) $(PYTHON_TREE)/lib/hiersearch $(PLUGIN) $(NCCL_INTERPOSER); \
	$(STRIP) $(PYTHON_TREE)/bin/hiersearch; \
	$(STRIP) --strip-unneeded $(PYTHON_TREE)/lib/*.so.* $(PYTHON_TREE)/lib/hiersearch/*.so; \
	$(PUT) $(PYTHON_TREE)/include include/hiersearch.h; \
	$(PUT) $(PYTHON_TREE)/share/hiersearch/configs configs/*.json; \
	$(PUT) $(PYTHON_TREE)/share/hiersearch/plots plots/*.gp; \
	$(PUT) $(PYTHON_TREE)/share/hiersearch/schemas docs/*.schema.json

# ---- the package and its wheel, by tools from the package index ------------------------------------------------------
PYTHON_TOOLS := $(BUILD)/python-tools
GET_PYTHON_TOOLS = rm -rf $(PYTHON_TOOLS) && $(PYTHON3) -m venv $(PYTHON_TOOLS) && \
    $(PYTHON_TOOLS)/bin/pip install --quiet --disable-pip-version-check -r python/tools.txt && touch $(PYTHON_TOOLS)/complete
$(PYTHON_TOOLS)/complete: python/tools.txt
	$(call say,PIP,$<)
	$(Q)$(GET_PYTHON_TOOLS)
python: $(PYTHON_TOOLS)/complete python-tree
	$(Q)BUILD=$(BUILD) $(PYTHON_TOOLS)/bin/python python/backend.py package $(BUILD)/python
wheel: $(PYTHON_TOOLS)/complete python-tree
	$(Q)rm -rf $(BUILD)/wheels $(BUILD)/wheels-here
	$(Q)BUILD=$(BUILD) $(PYTHON_TOOLS)/bin/python python/backend.py wheel $(BUILD)/wheels-here >/dev/null
	$(Q)PATH="$$(realpath $(PYTHON_TOOLS))/bin:$$PATH" auditwheel repair --strip -w $(BUILD)/wheels $(BUILD)/wheels-here/*.whl 2>$(BUILD)/wheels-here/log \
	    || { cat $(BUILD)/wheels-here/log; false; }
	@ls $(BUILD)/wheels/*.whl

# ---- the package as part of one for the whole machine (`make deb`), without a tree of its own --------------------------
# The machine's own cffi makes it, else that of the package index; where there is neither there is none, as all else works without.
PYTHON_SYSTEM := $(BUILD)/python-system
python-system: stage
	@rm -rf $(PYTHON_SYSTEM)
	@python=$(PYTHON3); \
	if ! $$python -c 'import cffi' 2>/dev/null; then \
	    python=$(PYTHON_TOOLS)/bin/python; \
	    [ -e $(PYTHON_TOOLS)/complete ] || { export PIP_RETRIES=1; $(GET_PYTHON_TOOLS); } >/dev/null 2>&1 || { \
	        echo 'make deb: without the Python package: $(PYTHON3) has no cffi (python3-cffi), and no package index can be reached' >&2; exit 0; }; \
	fi; \
	BUILD=$(BUILD) $$python -B python/backend.py system $(PYTHON_SYSTEM) >/dev/null

# ---- its tests and figures --------------------------------------------------------------------------------------------
check-python: all
	tests/run --jobs 1 --timeout 1800 -- "python/tests/run.sh $(BUILD) full" "python/tests/run.sh $(BUILD) torch"
# Calls per second of the package and of the library, and what Python adds to a call.
bench-python: $(BUILD)/bench/calls python
	bench/python.py --calls $(BUILD)/bench/calls --tools $(PYTHON_TOOLS) --package $(BUILD)/python

.PHONY: python-tree python-system python wheel check-python bench-python
