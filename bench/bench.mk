# Every figure that a document states is printed by one of these. Included by the Makefile.

# ---- benches: every figure the documents state is printed by one of these -------------------------------
bench-predict: all $(BUILD)/bench/calls
	bench/predict.py --calls $(BUILD)/bench/calls $(BUILD)/hiersearch
$(BUILD)/bench/calls: bench/calls.c $(LIBRARY) include/hiersearch.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(call LIBRARY_LINK,..)
# Files as people post them: CASES=FOLDER of the inputs.
.PHONY: bench-cases
bench-cases: all
	bench/cases.py --program $(BUILD)/hiersearch
bench-table2: all
	bench/score.py --program $(BUILD)/hiersearch --predict abci --plans tests/answer/data/table2.json
# Predicted against measured times of results, and what the containment rule costs: RESULTS='FILE...', PREDICT=SYSTEM.
.PHONY: bench-score
bench-score: all
	bench/score.py --program $(BUILD)/hiersearch $(if $(PREDICT),--predict '$(PREDICT)') $(RESULTS)
# Each published split predicted from the layers of the nine others.
bench-accuracy-table2: all
	bench/accuracy_table2.py $(BUILD)/hiersearch
# As many ranks as cores, and 4, on this machine: plans against the library's own AllReduce, both MPIs, and the limits of copying.
bench-host: all other-mpi $(BUILD)/bench/host_ring
	$(if $(OTHER_BUILD),$(Q)$(MAKE) BUILD=$(OTHER_BUILD) PLAIN_BUILD=$(BUILD) MPICC=mpicc.openmpi $(OTHER_BUILD)/bench/host_ring)
	$(Q)for mpi in $(MPI_NAME):$(BUILD) $(if $(OTHER_BUILD),openmpi:$(OTHER_BUILD)); do \
	for np in $$(printf '%s\n' $$(nproc) 4 | sort -nu); do for mib in 1 64; do \
	    echo "$${mpi%%:*}, $$np ranks, $$mib MiB"; \
	    tests/runner/launch.sh $${mpi%%:*} $$np $${mpi#*:}/bench/host_ring -m $$mib -r $$((mib == 1 ? 200 : 15)) -b host \
	        $$np $${np}d $${np}h $$([ $$np = 4 ] && echo 2x2 2x2/4) || exit 1; done; done; done
bench-plot: all
	bench/plot.py $(BUILD)/hiersearch
# Predictions from a calibration against all splits, measured on the emulated cluster (root).
# What a prediction can be trusted with: published times, simulated ones, measured ones, and what certainty costs.
.PHONY: bench-accuracy
bench-accuracy: bench-accuracy-table2 bench-accuracy-simgrid bench-lazy bench-accuracy-cluster
.PHONY: bench-accuracy-cluster
bench-accuracy-cluster: all
	bench/accuracy_cluster.py --build $(BUILD)
	bench/accuracy_cluster.py --build $(BUILD) --others
# Prices against times that other people published, any file of their shape, after fits that leave out what is judged.
.PHONY: bench-accuracy-published
bench-accuracy-published: $(BUILD)/bench/published
	bench/accuracy_published.py --program $< --data $(DATA) --machines $(MACHINES) $(if $(FIT),--fit '$(FIT)') \
	    $(if $(POINTS),--points '$(POINTS)')
# CPU nodes of many ranks: does a split win, LAYERS=FILE of calls timed flat and in layers; prices, DATA='FILE...' of tables.
.PHONY: bench-cpu
bench-cpu: all
	bench/accuracy_cpu.py --program $(BUILD)/hiersearch $(if $(LAYERS),--layers '$(LAYERS)') $(if $(DATA),--data $(DATA))
$(BUILD)/bench/published: bench/published.c $(call libs,$(USES_estimate))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_estimate)) $(HS_LDFLAGS) $(HS_LIBS)
# What the plan shown loses where figures are off, and what one measurement takes off (about a minute).
.PHONY: bench-expected
bench-expected: $(BUILD)/bench/expected
	$< $(sort $(wildcard configs/*.json)) $(sort $(wildcard bench/systems/*.json))
$(BUILD)/bench/expected: bench/expected.c $(call libs,search $(USES_search))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,search $(USES_search)) $(HS_LDFLAGS) $(HS_LIBS)
# Played machines of 128 ranks: what the lazy plan costs against measuring every split.
bench-lazy: $(BUILD)/bench/lazy
	$<
$(BUILD)/bench/lazy: bench/lazy.c tests/search/lazy_machine.h $(call libs,search $(USES_runner))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,search $(USES_runner)) $(HS_LDFLAGS) $(HS_LIBS)
# Trees packed on the links of irregular nodes, against their limit, all cuts, ForestColl's and rings.
.PHONY: bench-links
bench-links: all $(BUILD)/bench/links
	$(BUILD)/bench/links dgx1-p100 dgx1-v100 mi250x mi250-16 ac922-4gpu ac922-6gpu mi300x a100-pcie-bridged perlmutter
	bench/links_cluster.py --build $(BUILD)
ifeq ($(HAVE_SIMGRID),1)
	bench/links_simgrid.py --build $(BUILD)
	$(BUILD)/bench/two_ways ac922-4gpu ac922-6gpu
bench-links: $(BUILD)/bench/two_ways
$(BUILD)/bench/two_ways: bench/two_ways.c $(call libs,$(USES_estimate))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_estimate)) $(HS_LDFLAGS) $(HS_LIBS) -lsimgrid
endif
$(BUILD)/bench/links: bench/links.c tests/links/all_cuts.h $(call libs,$(USES_estimate))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_estimate)) $(HS_LDFLAGS) $(HS_LIBS)
# Whether what measure states is true: 40 pairs of runs beside busy neighbours, 2,000 played machines.
.PHONY: bench-certain
bench-certain: all $(BUILD)/bench/certain
	bench/certain.py --build $(BUILD)
$(BUILD)/bench/certain: bench/certain.c tests/search/lazy_machine.h $(call libs,search $(USES_runner))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,search $(USES_runner)) $(HS_LDFLAGS) $(HS_LIBS)
# Programs with what was exported for them against the same without it: MPICH, Open MPI and, where PyTorch is, gloo (root).
.PHONY: bench-clients
bench-clients: all other-mpi $(BUILD)/bench/clients-mpich $(BUILD)/bench/clients-openmpi
	bench/clients.py --build $(BUILD) $(if $(HS_CLIENTS_PYTHON),,$(addprefix --python ,$(wildcard $(BUILD)/clients/venv/bin/python)))
$(BUILD)/bench/clients-mpich $(BUILD)/bench/clients-openmpi: $(BUILD)/bench/clients-%: bench/clients.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)mpicc.$* $(HS_CFLAGS) -o $@ $<
comma := ,
bench-cluster: all other-mpi
	bench/cluster.py --build $(BUILD)
	for mpi in $(MPI_NAME) $(if $(OTHER_BUILD),openmpi); do \
	    bench/cluster.py --build $(BUILD) --collective reduce-scatter,allgather,all-to-all --budget 15s --mpi $$mpi || exit 1; done
	bench/cluster.py --build $(BUILD) --uneven 22 --mpi $(MPI_NAME)$(if $(OTHER_BUILD),$(comma)openmpi)
# Unmodified programs under `hiersearch run` beside the same alone, and what the interposer costs (root).
.PHONY: bench-apply
bench-apply: all other-mpi
	bench/apply.py --build $(BUILD)
# What the same costs programs of NCCL: the host's time of a call, and communicators on the stand-in.
.PHONY: bench-nccl-run
bench-nccl-run: $(NCCL_INTERPOSER) $(if $(filter 1,$(HAVE_NCCL)),$(STANDIN_LIBRARY))
	CUDA_HOME=$(CUDA_HOME) NCCL_HOME=$(NCCL_HOME) bench/nccl_run.py --build $(BUILD)
# The README's pictures, and everything that is drawn, in $(BUILD)/pictures, to be looked at.
pictures: all
	docs/pictures/make.py $(BUILD)/hiersearch
	docs/pictures/look.py $(BUILD)/hiersearch $(BUILD)/pictures
$(BUILD)/bench/%: bench/%.c $(call libs,$(USES_runner)) $(filter %.o,$(GPU_LIBS))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(MPICC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_runner)) $(GPU_LIBS) $(HS_LDFLAGS) $(HS_LIBS) -lpthread

# How often `hiersearch check` is right: public logs with a known cause (DATA=FOLDER), curves of machines that are right
# (PUBLISHED=FILE MACHINES=FILE), and simulated faults.
.PHONY: bench-check
bench-check: $(BUILD)/hiersearch $(BUILD)/bench/check_truth
	$(if $(DATA),$(Q)bench/check.py --program $(BUILD)/hiersearch --cases $(DATA))
	$(if $(PUBLISHED),$(Q)bench/check.py --program $(BUILD)/hiersearch --published $(PUBLISHED) --machines $(MACHINES))
	$(Q)$(BUILD)/bench/check_truth 2000 1
$(BUILD)/bench/check_truth: bench/check_truth.c $(call libs,answer $(USES_answer))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,answer $(USES_answer)) $(HS_LDFLAGS) $(HS_LIBS)
# NCCL's own table of latencies and bandwidths, as its log prints them (TUNING=FILE), against the library's.
.PHONY: bench-tuning
bench-tuning: $(BUILD)/bench/tuning
	bench/tuning.py $(TUNING) --program $<
$(BUILD)/bench/tuning: bench/tuning.c $(call libs,$(USES_estimate))
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HS_CFLAGS) -o $@ $< $(call libs,$(USES_estimate)) $(HS_LDFLAGS) $(HS_LIBS)
