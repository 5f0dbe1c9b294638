# Installing and packaging (docs/install.md). Included by the Makefile.
#
#   make install [PREFIX=/usr/local] [DESTDIR=]     make uninstall, with the same PREFIX and DESTDIR
#   make man       manual pages in $(BUILD)/man      make deb    a Debian package in $(BUILD)

STRIP ?= strip

# ---- manual pages, by lowdown from Markdown: of the commands from the table that --help is made from, of the files
# from their documents -----------------------------------------------------------------------------------------
LOWDOWN ?= $(shell command -v lowdown 2>/dev/null)
MAN_PAGE = packaging/manpage page $(basename $(@F)) $(subst .,,$(suffix $@)) "$(VERSION)" $(DATE)
MAN5 := $(BUILD)/man/hiersearch-system.5 $(BUILD)/man/hiersearch-result.5
$(BUILD)/man/hiersearch-system.5: docs/systems.md
	$(call say,MAN,$@)
	$(Q)packaging/manpage text hiersearch-system 'how hiersearch describes a machine' $< Fields 'Which latency' \
	    'Which bandwidth' 'Calibrated systems' 'Describe a machine of your own' >$@.md
	$(Q)$(MAN_PAGE) <$@.md >$@
$(BUILD)/man/hiersearch-result.5: docs/result.md
	$(call say,MAN,$@)
	$(Q)packaging/manpage text hiersearch-result 'what hiersearch predicted and measured' $< >$@.md
	$(Q)$(MAN_PAGE) <$@.md >$@
$(MAN5): packaging/manpage $(BUILD)/gen/version.h | $(BUILD)/man
$(BUILD)/man:
	@mkdir -p $@

# Of the library from its header: one page, and a page for each function that leads to it.
MAN3 := $(BUILD)/man/hiersearch.3
$(MAN3): include/hiersearch.h $(LIBRARY_MAP) packaging/manpage $(BUILD)/gen/version.h | $(BUILD)/man
	$(call say,MAN,$@)
	$(Q)rm -f $(@D)/*.3*
	$(Q)packaging/manpage header $< >$@.md
	$(Q)$(MAN_PAGE) <$@.md >$@
	$(Q)for f in $$(sed -n 's/^ *\(hiersearch_[a-z_]*\);/\1/p' $(LIBRARY_MAP)); do ln -s $(@F) $(@D)/$$f.3; done

# The program knows what commands there are.
$(BUILD)/man/hiersearch.1: $(BUILD)/hiersearch packaging/hiersearch.1.md packaging/manpage | $(BUILD)/man
	$(call say,MAN,$@)
	$(Q)rm -f $(@D)/*.1*
	$(Q)set -e; for command in $$($< help --names); do \
	    page=$(@D)/hiersearch-$$command.1; $< help --markdown $$command >$$page.md; \
	    packaging/manpage page hiersearch-$$command 1 "$(VERSION)" $(DATE) <$$page.md >$$page; done
	$(Q){ $< help --markdown && cat packaging/hiersearch.1.md; } >$@.md
	$(Q)$(MAN_PAGE) <$@.md >$@
ifeq ($(LOWDOWN),)
man:
	@echo "make man: there is no lowdown: no manual pages"; false
else
MANUAL := $(BUILD)/man/hiersearch.1 $(MAN3) $(MAN5)
man: $(MANUAL)
endif

# ---- what a compiler is told of the library ------------------------------------------------------------------
# It finds its own place, so the tree can be moved.
$(BUILD)/hiersearch.pc: packaging/install.mk VERSION
	@printf '%s\n' 'prefix=$${pcfiledir}/../..' 'libdir=$${pcfiledir}/..' 'includedir=$${prefix}/include' '' \
	    'Name: hiersearch' 'Description: how a job should communicate on a machine' 'Version: $(VERSION)' \
	    'Requires.private: $(PKGS)' 'Libs: -L$${libdir} -lhiersearch' 'Libs.private: $(GLPK_LIBS) $(EXPAT_LIBS) -lm -ldl' \
	    'Cflags: -I$${includedir}' > $@

# ---- the tree, as it will lie below PREFIX ---------------------------------------------------------------------
STAGE := $(BUILD)/stage
HELPERS := $(filter-out $(BUILD)/hiersearch,$(PROGRAMS)) $(if $(filter 1,$(HAVE_SIMGRID)),$(BUILD)/hiersearch-simulate)
PUT := install -m 644 -t
stage: $(PROGRAMS) $(HELPERS) $(PLUGIN) $(INTERPOSER) $(NCCL_INTERPOSER) $(MANUAL) $(LIBRARY) $(LIBRARY_STATIC) $(BUILD)/hiersearch.pc
	@rm -rf $(STAGE)
	@umask 022; set -e; \
	install -d $(addprefix $(STAGE)/,bin libexec/hiersearch lib/hiersearch lib/pkgconfig share/hiersearch/configs \
	    share/hiersearch/plots share/hiersearch/schemas $(if $(MANUAL),share/man/man1 share/man/man3 share/man/man5) share/doc/hiersearch/examples \
	    share/bash-completion/completions share/fish/vendor_completions.d share/zsh/site-functions include); \
	install -m 755 -t $(STAGE)/bin $(BUILD)/hiersearch; \
	$(if $(HELPERS),install -m 755 -t $(STAGE)/libexec/hiersearch $(HELPERS);) \
	$(PUT) $(STAGE)/lib/hiersearch $(PLUGIN) $(INTERPOSER) $(NCCL_INTERPOSER); \
	$(PUT) $(STAGE)/lib $(LIBRARY) $(LIBRARY_STATIC); \
	ln -s $(notdir $(LIBRARY)) $(STAGE)/lib/libhiersearch.so; \
	$(STRIP) $(STAGE)/bin/* $(if $(HELPERS),$(STAGE)/libexec/hiersearch/*); \
	$(STRIP) --strip-unneeded $(STAGE)/lib/hiersearch/*.so; \
	$(STRIP) --strip-unneeded $(STAGE)/lib/$(notdir $(LIBRARY)); \
	$(STRIP) --strip-debug $(STAGE)/lib/libhiersearch.a; \
	$(PUT) $(STAGE)/lib/pkgconfig $(BUILD)/hiersearch.pc; \
	$(PUT) $(STAGE)/include include/hiersearch.h; \
	$(PUT) $(STAGE)/share/hiersearch/configs configs/*.json; \
	$(PUT) $(STAGE)/share/hiersearch/plots plots/*.gp; \
	$(PUT) $(STAGE)/share/hiersearch/schemas docs/*.schema.json; \
	$(if $(MANUAL),$(PUT) $(STAGE)/share/man/man1 $(BUILD)/man/*.1; $(PUT) $(STAGE)/share/man/man3 $(MAN3); cp -P $(BUILD)/man/hiersearch_*.3 $(STAGE)/share/man/man3; \
	    $(PUT) $(STAGE)/share/man/man5 $(MAN5);) \
	$(PUT) $(STAGE)/share/doc/hiersearch/examples $(wildcard examples/*.c); \
	$(PUT) $(STAGE)/share/doc/hiersearch README.md CHANGELOG.md LICENSE $(wildcard docs/*.md); \
	install -m 644 src/cli/completion/bash $(STAGE)/share/bash-completion/completions/hiersearch; \
	install -m 644 src/cli/completion/fish $(STAGE)/share/fish/vendor_completions.d/hiersearch.fish; \
	install -m 644 src/cli/completion/zsh $(STAGE)/share/zsh/site-functions/_hiersearch; \
	rmdir --ignore-fail-on-non-empty $(STAGE)/libexec/hiersearch $(STAGE)/libexec 2>/dev/null || true

install: stage
	@packaging/tree install $(STAGE) "$(DESTDIR)$(PREFIX)"
uninstall:
	@packaging/tree uninstall "$(DESTDIR)$(PREFIX)"

# ---- a Debian package --------------------------------------------------------------------------------------------
deb: stage python-system
	@packaging/deb $(STAGE) $(BUILD) "$(VERSION)" "$(GIT_DESCRIBE)" "$(DATE)" "$(if $(filter 1,$(HAVE_MPI)),$(MPI_NAME))"

.PHONY: man stage install uninstall deb
