# Installing and packaging (docs/install.md). Included by the Makefile.
#
#   make install [PREFIX=/usr/local] [DESTDIR=]     make uninstall, with the same PREFIX and DESTDIR
#   make man       manual pages in $(BUILD)/man      make deb    a Debian package in $(BUILD)

STRIP ?= strip

# ---- manual pages: of the commands from the table that --help is made from, of the files from what describes them ----
$(BUILD)/hs-manual: $(call libs,$(USES_manual))
	$(CC) $(HS_LDFLAGS) -o $@ $(BUILD)/obj/manual/main.o $(call libs,$(USES_manual)) $(HS_LIBS)

MAN5 := $(BUILD)/man/hiersearch-system.5 $(BUILD)/man/hiersearch-result.5
$(BUILD)/man/hiersearch-system.5: $(BUILD)/hs-manual docs/system.schema.json docs/systems.md
	@mkdir -p $(@D)
	$< hiersearch-system 'how hiersearch describes a machine' docs/system.schema.json docs/systems.md \
	    'Which latency' 'Which bandwidth' 'Describe a machine of your own' > $@.new
	@mv -f $@.new $@
$(BUILD)/man/hiersearch-result.5: $(BUILD)/hs-manual docs/result.schema.json docs/result.md
	@mkdir -p $(@D)
	$< hiersearch-result 'what hiersearch predicted and measured' docs/result.schema.json docs/result.md > $@.new
	@mv -f $@.new $@

# The programs know what commands there are.
$(BUILD)/man/hiersearch.1: $(PROGRAMS)
	@mkdir -p $(@D)
	@rm -f $(@D)/*.1
	$(BUILD)/hiersearch help --names > $(@D)/commands
	@set -e; while read -r command; do \
	    $(BUILD)/hiersearch help --man $$command > $(@D)/hiersearch-$$command.1; done < $(@D)/commands
	$(BUILD)/hiersearch help --man > $@.new
	@mv -f $@.new $@
man: $(BUILD)/man/hiersearch.1 $(MAN5)

# ---- completion ------------------------------------------------------------------------------------------
COMPLETIONS := $(addprefix $(BUILD)/completion/,bash fish zsh)
$(COMPLETIONS): $(BUILD)/completion/%: $(PROGRAMS)
	@mkdir -p $(@D)
	$(BUILD)/hiersearch completion $* > $@.new
	@mv -f $@.new $@

# ---- the library: what a program needs to predict, search, read results and export them ---------------------
LIBRARY_LAYERS := base model search compare result export
LIBRARY_HEADERS := $(foreach l,$(LIBRARY_LAYERS),$(sort $(wildcard src/$(l)/*.h)))
$(BUILD)/lib/libhiersearch.a: $(foreach l,$(LIBRARY_LAYERS),$(call objects,$(l)))
	@rm -f $@
	ar qcs $@ $^
# It finds its own place, so the tree can be moved.
$(BUILD)/hiersearch.pc: packaging/install.mk VERSION
	@printf '%s\n' 'prefix=$${pcfiledir}/../..' 'libdir=$${pcfiledir}/..' 'includedir=$${prefix}/include/hiersearch' '' \
	    'Name: hiersearch' 'Description: the fastest split of an AllReduce into layers' 'Version: $(VERSION)' \
	    'Requires.private: $(PKGS)' 'Libs: -L$${libdir} -lhiersearch' 'Libs.private: -lm' \
	    'Cflags: -I$${includedir}' > $@

# ---- the tree, as it will lie below PREFIX ---------------------------------------------------------------------
STAGE := $(BUILD)/stage
HELPERS := $(filter-out $(BUILD)/hiersearch,$(PROGRAMS)) $(if $(filter 1,$(HAVE_SIMGRID)),$(BUILD)/hiersearch-simulate)
PUT := install -m 644 -t
stage: $(PROGRAMS) $(HELPERS) $(PLUGIN) man $(COMPLETIONS) $(BUILD)/lib/libhiersearch.a $(BUILD)/hiersearch.pc
	@rm -rf $(STAGE)
	@umask 022; set -e; \
	install -d $(addprefix $(STAGE)/,bin libexec/hiersearch lib/hiersearch lib/pkgconfig share/hiersearch/configs \
	    share/hiersearch/plots share/hiersearch/schemas share/man/man1 share/man/man5 share/doc/hiersearch \
	    share/bash-completion/completions share/fish/vendor_completions.d share/zsh/site-functions \
	    $(LIBRARY_LAYERS:%=include/hiersearch/%)); \
	install -m 755 -t $(STAGE)/bin $(BUILD)/hiersearch; \
	$(if $(HELPERS),install -m 755 -t $(STAGE)/libexec/hiersearch $(HELPERS);) \
	$(PUT) $(STAGE)/lib/hiersearch $(PLUGIN); \
	$(PUT) $(STAGE)/lib $(BUILD)/lib/libhiersearch.a; \
	$(STRIP) $(STAGE)/bin/* $(if $(HELPERS),$(STAGE)/libexec/hiersearch/*); \
	$(STRIP) --strip-unneeded $(STAGE)/lib/hiersearch/*.so; \
	$(STRIP) --strip-debug $(STAGE)/lib/libhiersearch.a; \
	$(PUT) $(STAGE)/lib/pkgconfig $(BUILD)/hiersearch.pc; \
	for h in $(LIBRARY_HEADERS:src/%=%); do install -m 644 src/$$h $(STAGE)/include/hiersearch/$$h; done; \
	$(PUT) $(STAGE)/share/hiersearch/configs configs/*.json; \
	$(PUT) $(STAGE)/share/hiersearch/plots plots/*.gp; \
	$(PUT) $(STAGE)/share/hiersearch/schemas docs/*.schema.json; \
	$(PUT) $(STAGE)/share/man/man1 $(BUILD)/man/*.1; \
	$(PUT) $(STAGE)/share/man/man5 $(MAN5); \
	$(PUT) $(STAGE)/share/doc/hiersearch README.md CHANGELOG.md LICENSE $(wildcard docs/*.md); \
	install -m 644 $(BUILD)/completion/bash $(STAGE)/share/bash-completion/completions/hiersearch; \
	install -m 644 $(BUILD)/completion/fish $(STAGE)/share/fish/vendor_completions.d/hiersearch.fish; \
	install -m 644 $(BUILD)/completion/zsh $(STAGE)/share/zsh/site-functions/_hiersearch; \
	rmdir --ignore-fail-on-non-empty $(STAGE)/libexec/hiersearch $(STAGE)/libexec 2>/dev/null || true

install: stage
	@packaging/tree install $(STAGE) "$(DESTDIR)$(PREFIX)"
uninstall:
	@packaging/tree uninstall "$(DESTDIR)$(PREFIX)"

# ---- a Debian package --------------------------------------------------------------------------------------------
deb: stage
	@packaging/deb $(STAGE) $(BUILD) "$(VERSION)" "$(GIT_DESCRIBE)" "$(DATE)" "$(if $(filter 1,$(HAVE_MPI)),$(MPI_NAME))"

.PHONY: man stage install uninstall deb
