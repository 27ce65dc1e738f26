# Assay. `make help` lists what there is. Tools are pinned in hack/tools and built by the target that needs them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# The cluster comes before what is loaded into it; the work inside a target is parallel where it pays.
.NOTPARALLEL:

# Without a stamp of the commit: images are tagged by content, and a commit of other files is no new content.
# The flags of hack/tool.sh: Helm and the manager are compiled from the same packages.
GO_BUILD := GOGC=200 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags "-s -w"

## Development

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^## / {printf "\n%s\n", substr($$0, 4)} /^[a-z0-9\/-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: generate
generate: ## deepcopy functions, CRDs, RBAC and all else that is derived
	@hack/generate.sh

.PHONY: docs
docs: ## the documentation site with search, in out/site (VERSION=v0.1.0 builds it beside the versions that are there)
	@hack/site.sh build $(VERSION)

.PHONY: docs-check
docs-check: ## the site in headless Chromium: menu of versions, search, phone, dark, no request to elsewhere
	@hack/site.sh check

.PHONY: gallery
gallery: ## the page docs/gallery/README.md, and the reports of the stored runs beside it, in out/gallery
	@go run -trimpath ./hack/gallery page
	@go run -trimpath ./hack/gallery reports out/gallery

.PHONY: build
build: ## manager and agent as static Linux binaries, in out/bin/linux
	@mkdir -p out/bin/linux
	@CGO_ENABLED=0 GOOS=linux $(GO_BUILD) -o out/bin/linux/ $(addprefix ./cmd/,$(filter manager agent,$(notdir $(wildcard cmd/*))))

.PHONY: plugin
plugin: ## the plugin of kubectl for this machine, in out/bin (kubectl finds it in the PATH)
	@mkdir -p out/bin
	@CGO_ENABLED=0 $(GO_BUILD) -ldflags "-s -w $$(hack/plugin.sh stamp)" -o out/bin/ ./cmd/kubectl-assay

.PHONY: plugin-archives
plugin-archives: ## the plugin for Linux, macOS and Windows, and its manifest for krew, in out/plugin (VERSION=0.2.0)
	@hack/plugin.sh archives "$(VERSION)"

.PHONY: tools
tools: ## every pinned tool, in bin/ (each is built anyway when it is needed)
	@hack/tool.sh $(notdir $(wildcard hack/tools/*)) >/dev/null

# bin/kind, bin/helm, bin/kubectl ...: tool.sh decides whether anything is to be built.
.PHONY: $(addprefix bin/,$(notdir $(wildcard hack/tools/*)) kubectl)
$(addprefix bin/,$(notdir $(wildcard hack/tools/*))):
	@hack/tool.sh $(notdir $@) >/dev/null
bin/kubectl: bin/kubernetes

.PHONY: clean
clean: ## what was built in this checkout (bin, out); the cache and the cluster stay
	rm -rf bin out

## Cluster

# On a machine where the cluster has to be made from nothing, the images that are needed next are built meanwhile.
deploy demo servers: export ASSAY_IMAGES := demo
e2e e2e-gitops e2e-chaos e2e-monitoring e2e-cpus release-dry-run bench-trials bench-resolution bench-live bench-fidelity reproduce cells: export ASSAY_IMAGES := core
e2e-full: export ASSAY_IMAGES := full

.PHONY: cluster
cluster: ## a real cluster on this machine (kind: a control plane, a target node, a client node); CPUS=static: with the static CPU policy
	@hack/cluster-up.sh

.PHONY: cluster-check
cluster-check: ## prove that pod network, DNS, volumes and limits of the cluster work
	@hack/cluster-check.sh

.PHONY: cluster-down
cluster-down: ## delete the cluster
	@hack/cluster-down.sh

.PHONY: engine-down
engine-down: ## stop the container engine, if `make cluster` started it
	@hack/engine.sh down

.PHONY: images
images: build ## the images that the core stories need, loaded into the cluster (DOTNET_HARNESS=FILE: that of .NET's drivers too, of an archive of hack/dotnet.sh)
	@hack/images.sh core

.PHONY: images-demo
images-demo: build ## those of them that the demo needs
	@hack/images.sh demo

.PHONY: images-full
images-full: build ## every image, loaded into the cluster (the first time, TiDB alone takes ten minutes, and Dolt some more)
	@hack/images.sh full

.PHONY: deploy
deploy: cluster images-demo ## Assay in the cluster
	@hack/demo.sh deploy

.PHONY: demo
demo: cluster images-demo ## a benchmark from beginning to end, and its report as a page
	@hack/demo.sh

.PHONY: servers
servers: cluster build ## images of further servers, for runs of yours: make servers SERVERS="mysql:8.0 mariadb:11.8"
	@hack/demo.sh servers $(SERVERS)

## Tests

.PHONY: test
test: unit envtest browser e2e harness-test ## everything

.PHONY: unit
unit: ## tests that need nothing
	@hack/test.sh unit

.PHONY: envtest
envtest: ## tests against a real API server
	@hack/test.sh envtest

.PHONY: test-versions
test-versions: ## those of them that depend on the API server's version, on the oldest and the newest one that the chart is tested on (each is built once, in minutes)
	@hack/test.sh versions

.PHONY: harness-test
harness-test: build ## tests of the driver harnesses, of YCSB's binding and of what is changed in go-tpc that need no server, with the tools of their images (LANGUAGES="python ycsb tpcc")
	@hack/harness-test.sh $(LANGUAGES)

.PHONY: browser
browser: ## the pages in headless Chromium: no error, no request, no barrier that axe finds
	@hack/browser.sh

.PHONY: screenshots
screenshots: ## docs/pictures: the report, the pages of kubectl assay ui and the terminal, of the stored runs there
	@ASSAY_SCREENSHOTS=1 hack/browser.sh -count=1 -run '^TestScreenshots$$'

.PHONY: bench-report
bench-report: ## how long the page of 10,000 trials takes in Chromium until it answers a reader, against its bar
	@hack/browser.sh -run '^$$' -bench '^BenchmarkReportOfManyTrials$$' -benchtime 10x

.PHONY: envtest-assets
envtest-assets: ## API server and etcd for envtest; prints the value for KUBEBUILDER_ASSETS
	@hack/envtest-assets.sh

.PHONY: e2e
e2e: cluster images ## the core stories, in the cluster
	@hack/e2e.sh core

.PHONY: conformance
conformance: build ## every driver of every language against the protocol, on real servers, without a cluster
	@hack/images.sh build core
	@hack/conformance.sh

.PHONY: conformance-binary
conformance-binary: ## the same as one static program, in out/bin: conformance -language DotNet -harness "COMMAND" -servers MariaDB=HOST:PORT
	@mkdir -p out/bin
	@CGO_ENABLED=0 go test -c -trimpath -ldflags "-s -w" -o out/bin/conformance ./test/conformance

.PHONY: e2e-full
e2e-full: cluster images-full ## every story, in the cluster, and the conformance of the harnesses
	@hack/conformance.sh
	@hack/export-readers.sh
	@hack/e2e.sh full

.PHONY: e2e-gitops
e2e-gitops: cluster images ## those of them with Flux, from a commit to a run (the first time, building Flux's controller takes ten minutes)
	@hack/images.sh tool-flux && hack/images.sh load core # the list of images then has Flux too
	@hack/e2e.sh gitops

.PHONY: e2e-chaos
e2e-chaos: cluster images ## the matrix of faults (an hour): kills at every step, lost nodes, a full etcd, a full disk ...
	@hack/images.sh tool-versitygw && hack/images.sh load core # the list of images then has the object store too
	@go test ./controllers/benchmarkrun/invariants -run '^TestDeathAtEveryWrite$$' -stride=1 -timeout=60m -chaos-report "$(CURDIR)/out/chaos"
	@hack/e2e.sh chaos

.PHONY: e2e-monitoring
e2e-monitoring: cluster images ## Prometheus Operator and Prometheus in the cluster (the first time, building them takes 15 minutes)
	@hack/monitoring.sh e2e

.PHONY: e2e-cpus
e2e-cpus: export CPUS := static
e2e-cpus: cluster images ## CPUs of their own, in a cluster with the static CPU policy, which is made anew (needs 2 CPUs)
	@hack/e2e.sh cpus

.PHONY: export-readers
export-readers: ## exported files, read by the programs they are made for (from PyPI; benchstat is in the unit tests)
	@hack/export-readers.sh

.PHONY: publish
publish: ## images and chart into a registry of yours: make publish REPOSITORY=registry.example.com/assay
	@hack/publish.sh $(REPOSITORY)

.PHONY: release-dry-run
release-dry-run: cluster ## all that a release does, into a registry beside the cluster, and an installation from it
	@hack/release-dry-run.sh

.PHONY: bench-trials
bench-trials: cluster images ## dead time between trials, start skew of four clients, the first query on data that exists, restore of 1 GiB, in the cluster
	@hack/e2e.sh trials

.PHONY: bench-resolution
bench-resolution: cluster images plugin ## how small a difference designs find in 5 and 10 minutes, in the cluster; FOR=2h plays for longer, CASES="reads-*" these
	@hack/resolution.sh $(CASES)

.PHONY: bench-live
bench-live: cluster images ## what a scrape of the live figures costs the tool, within one trial of four minutes, in the cluster
	@hack/e2e.sh live

.PHONY: bench-fidelity
bench-fidelity: cluster images ## sysbench and YCSB through Assay against the same by kubectl run, 20 pairs each, in the cluster
	@hack/e2e.sh fidelity

.PHONY: reproduce
reproduce: cluster images plugin ## the published experiments in small, three runs of each, claim by claim and for the gallery, in the cluster; FOR=4h plays for longer, RUNS="s0-dotnet" this one
	@hack/reproduce.sh $(RUNS)

.PHONY: cells
cells: cluster images plugin ## every cell of the published experiments at full size, once and short, in the cluster; FOR=1h plays for longer, RUNS="s4-sweep-2" this piece
	@hack/cells.sh $(RUNS)

.PHONY: bench-harness
bench-harness: build ## what the driver harnesses cost: the driver null, and SELECT 1 against a loop written by hand
	@hack/images.sh build core
	@hack/bench-harness.sh $(HARNESS)

.PHONY: bench-scale
bench-scale: ## cost of 1 to 1,000 runs at once and of 1,000 schedules, against its bars (SIZES=1,10,100 is faster)
	@hack/bench-scale.sh

.PHONY: bench-stats
bench-stats: ## error rates, coverage and power of the statistics, by simulation, against their bars (ten minutes)
	@go run ./test/cmd/stats $(if $(ROUNDS),-rounds=$(ROUNDS))

.PHONY: lint
lint: verify ## Go and shell linters, and verify
	@hack/lint.sh

.PHONY: verify
verify: ## nothing derived is out of date
	@hack/verify.sh

.PHONY: vulnerabilities
vulnerabilities: ## no program of a release calls what the Go project's database says is vulnerable
	@hack/vulnerabilities.sh
