# `make` lists what there is to do. Building and running needs Go, git and make; the tests also need
# PostgreSQL's server programs (see tools/with-postgres), the race detector a C compiler.

.DEFAULT_GOAL := help
.PHONY: help run build test test-sqlite race lint fmt bench fuzz generate verify vuln shipping client browser static functions soak module certify clean

# What is tested, and further flags for go test: make test PACKAGES=./platform/web TESTFLAGS='-run Prefer -v'
PACKAGES  ?= ./...
TESTFLAGS ?=
# The modules beside the main one that test, lint and fmt look at as well: all of them, but with PACKAGES.
MODULES   ?= $(if $(filter ./...,$(PACKAGES)),bench examples/external)
# How often (2000x) or how long (1m) each fuzz target runs, and arguments for the benchmark harness.
FUZZTIME   ?= 2000x
BENCHFLAGS ?=

# Everything is compiled in one way, which is how it is shipped, so that nothing is compiled twice: programs that
# tests build, the linters' export data and the static binary are all found in the build cache.
export GOFLAGS     := $(strip -trimpath $(filter-out -trimpath,$(GOFLAGS)))
export CGO_ENABLED := 0

# go test vets nothing, since lint does; it links without what only debuggers read, and collects garbage less often, which is
# a third of the time of linking and a sixth of that of the tests. Tests wait for the database half of the time, so more run
# than there are processors. -short has property tests try 20 cases, and not 100: make soak tries all.
export GOGC   ?= 400
TEST          := go test -short -vet=off -ldflags="-s -w" -shuffle=on -parallel=4 -timeout=40m
WITH_POSTGRES := tools/with-postgres
# In a workspace with the main module, they find it compiled. Outside, it is a dependency with a version, which trimmed paths
# have in them, and is compiled once more.
WORKSPACE     := GOWORK="$(CURDIR)/tools/modules.work"
BOUNDARIES    := Area_|Platform_|Contract_|Libraries_|Manifest_|Migrations_|Package_
SWEEPS        := ^TestAreas_KeepWhatEveryAreaPromises|^TestClosedModule_
TOOL          := go tool -modfile=tools/go.mod
SCRIPTS       := .ci/run tools/browser/check tools/changed tools/client/check tools/fuzz tools/areas tools/generate tools/reached tools/smoke tools/soak tools/verify tools/with-postgres

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Build and start the service on SQLite in ./data, at http://127.0.0.1:8080
	./bin/dispatchd serve

build: ## Build bin/dispatchd
	go build -o bin/dispatchd ./cmd/dispatchd

static: ## Build bin/dispatchd as the Docker image has it: without libraries or paths of this machine
	go build -ldflags='-s -w' -o bin/dispatchd ./cmd/dispatchd

test: ## Run all tests on SQLite and on a private PostgreSQL, then those of the modules beside it (but not with PACKAGES)
	$(WITH_POSTGRES) sh -c '$(TEST) $(TESTFLAGS) $(PACKAGES)$(if $(MODULES), && $(WORKSPACE) $(TEST) $(TESTFLAGS) $(MODULES:%=./%/...))'

test-sqlite: ## Run all tests on SQLite alone: quick, and needs no server
	DISPATCHD_TEST_DATABASES=sqlite $(TEST) $(TESTFLAGS) $(PACKAGES)

# Tests of cmd and of scaffolded areas watch programs that are built without the detector: it finds nothing there. Certification
# calls every operation, one after the other, as the areas' own tests do with others beside them: make soak has it.
race: ## Run tests with the race detector, on PostgreSQL alone
	DISPATCHD_TEST_DATABASES=postgres CGO_ENABLED=1 $(WITH_POSTGRES) $(TEST) -race -skip '^TestModuleNew_|$(SWEEPS)' $(TESTFLAGS) \
		$(if $(filter ./...,$(PACKAGES)),$$(go list ./... | grep -v '/cmd/'),$(PACKAGES))

functions: ## Count the functions, files and packages that requests of a few kinds run (modules/walks/testdata/functions.txt)
	DISPATCHD_TEST_DATABASES=sqlite $(TEST) -tags functions -cover -covermode=atomic -coverpkg=./modules/...,./platform/... \
		-run TestFunctions -v ./modules/walks

soak: ## Run the long tests: kill -9, replacing processes, plans at size, certification with the race detector (BASE=commit: what changed since)
	tools/soak $(BASE)

lint: ## Check style and the import rules (see .golangci.yml)
	$(if $(PACKAGES),$(TOOL) golangci-lint run $(PACKAGES))
	@for module in $(MODULES); do echo "lint $$module"; \
		(cd $$module && linter=$$(go -C "$(CURDIR)/tools" tool -n golangci-lint) && $(WORKSPACE) $$linter run --config "$(CURDIR)/.golangci.yml" ./...) || exit 1; done
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); \
	else echo 'lint: shellcheck is not installed, so the scripts are not checked'; fi

fmt: ## Format the Go code
	$(TOOL) golangci-lint fmt ./...
	@for module in $(MODULES); do \
		(cd $$module && $$(go -C "$(CURDIR)/tools" tool -n golangci-lint) fmt --config "$(CURDIR)/.golangci.yml" ./...) || exit 1; done

bench: ## Measure, against the bare databases (see bench/)
	$(WITH_POSTGRES) --durable sh -c \
		'DISPATCHD_BENCH_POSTGRES_URL=$$DISPATCHD_TEST_POSTGRES_URL go run -C bench . $(BENCHFLAGS)'

fuzz: ## Run each fuzz target for FUZZTIME (2000x)
	FUZZTIME=$(FUZZTIME) tools/fuzz

generate: ## Write the generated files anew: example configuration, OpenAPI, routes, index of areas
	tools/generate

verify: ## Check that generated files and go.mod files are up to date
	tools/verify

vuln: ## Look for known vulnerabilities; needs the Go vulnerability database
	$(TOOL) govulncheck ./...

shipping: ## Check what is shipped: Dockerfile, compose file, systemd unit, and the static binary
	cd tools/shipping && go test . && go run . ../../deploy
	tools/smoke

client: ## Generate a TypeScript client of a company's modules, and use it; needs node and npm
	tools/client/check

browser: ## Send files by tus-js-client and by a page, sign envelopes of the sandbox, fill in packets, and pay by links; needs node, npm and chromium
	tools/browser/check

module: ## Add an area: make module NAME=yard_checks (NOUN=check FIELDS='code:text! load:loads.load')
	@test -n '$(NAME)' || { echo 'usage: make module NAME=yard_checks' >&2; exit 2; }
	go run ./cmd/dispatchd module new '$(NAME)' $(if $(NOUN),--noun '$(NOUN)')$(if $(FIELDS), --fields '$(FIELDS)')

certify: ## Certify an area on both databases, and check the boundary rules: make certify AREA=yard_checks
	@test -n '$(AREA)' || { echo 'usage: make certify AREA=yard_checks' >&2; exit 2; }
	$(WITH_POSTGRES) $(TEST) ./modules -run 'TestAreas_KeepWhatEveryAreaPromises/^$(AREA)$$$$|$(BOUNDARIES)'

clean: ## Remove what was built; data/ stays
	rm -rf bin
