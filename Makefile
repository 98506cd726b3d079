# `make` lists what there is to do. Building and running needs Go, git and make; the tests also need
# PostgreSQL's server programs (see tools/with-postgres), the race detector a C compiler.

.DEFAULT_GOAL := help
.PHONY: help run build test test-sqlite race lint fmt bench fuzz generate verify vuln shipping client browser static module certify clean

# What is tested, and further flags for go test: make test PACKAGES=./platform/web TESTFLAGS='-run Prefer -v'
PACKAGES  ?= ./...
TESTFLAGS ?=
# How often (2000x) or how long (1m) each fuzz target runs, and arguments for the benchmark harness.
FUZZTIME   ?= 2000x
BENCHFLAGS ?=

# Everything is compiled in one way, which is how it is shipped, so that nothing is compiled twice: programs that
# tests build, the linters' export data and the static binary are all found in the build cache.
export GOFLAGS     := $(strip -trimpath $(filter-out -trimpath,$(GOFLAGS)))
export CGO_ENABLED := 0

# go test vets nothing, since lint does. Tests wait for the database half of the time, so more run than there are processors.
TEST          := go test -vet=off -shuffle=on -parallel=4 -timeout=20m
WITH_POSTGRES := tools/with-postgres
EXAMPLES      := $(if $(filter ./...,$(PACKAGES)), && cd examples/external && $(TEST) $(TESTFLAGS) ./...)
BOUNDARIES    := Area_|Platform_|Contract_|Libraries_|Manifest_|Migrations_|Package_
TOOL          := go tool -modfile=tools/go.mod
SCRIPTS       := .ci/run tools/browser/check tools/client/check tools/fuzz tools/generate tools/smoke tools/verify tools/with-postgres

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Build and start the service on SQLite in ./data, at http://127.0.0.1:8080
	./bin/dispatchd serve

build: ## Build bin/dispatchd
	go build -o bin/dispatchd ./cmd/dispatchd

static: ## Build bin/dispatchd as the Docker image has it: without libraries or paths of this machine
	go build -ldflags='-s -w' -o bin/dispatchd ./cmd/dispatchd

test: ## Run all tests on SQLite and on a private PostgreSQL, then those of examples/external (but not with PACKAGES)
	$(WITH_POSTGRES) sh -c '$(TEST) $(TESTFLAGS) $(PACKAGES)$(EXAMPLES)'

test-sqlite: ## Run all tests on SQLite alone: quick, and needs no server
	DISPATCHD_TEST_DATABASES=sqlite $(TEST) $(TESTFLAGS) $(PACKAGES)

# Tests of cmd and of scaffolded areas watch programs that are built without the detector: it finds nothing there.
race: ## Run tests with the race detector, on PostgreSQL alone
	DISPATCHD_TEST_DATABASES=postgres CGO_ENABLED=1 $(WITH_POSTGRES) $(TEST) -race -skip '^TestModuleNew_' $(TESTFLAGS) \
		$(if $(filter ./...,$(PACKAGES)),$$(go list ./... | grep -v '/cmd/'),$(PACKAGES))

lint: ## Check style and the import rules (see .golangci.yml)
	$(TOOL) golangci-lint run ./...
	cd examples/external && $$(go -C ../../tools tool -n golangci-lint) run --config ../../.golangci.yml ./...
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); \
	else echo 'lint: shellcheck is not installed, so the scripts are not checked'; fi

fmt: ## Format the Go code
	$(TOOL) golangci-lint fmt ./...
	cd examples/external && $$(go -C ../../tools tool -n golangci-lint) fmt --config ../../.golangci.yml ./...

bench: ## Measure, against the bare databases (see bench/)
	$(WITH_POSTGRES) --durable sh -c \
		'DISPATCHD_BENCH_POSTGRES_URL=$$DISPATCHD_TEST_POSTGRES_URL go run ./bench $(BENCHFLAGS)'

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

browser: ## Send files by tus-js-client and by a page, and sign envelopes of the sandbox; needs node, npm and chromium
	tools/browser/check

module: ## Add an area: make module NAME=yard_checks (NOUN=check)
	@test -n '$(NAME)' || { echo 'usage: make module NAME=yard_checks' >&2; exit 2; }
	go run ./cmd/dispatchd module new '$(NAME)' $(if $(NOUN),--noun '$(NOUN)')

certify: ## Certify an area on both databases, and check the boundary rules: make certify AREA=yard_checks
	@test -n '$(AREA)' || { echo 'usage: make certify AREA=yard_checks' >&2; exit 2; }
	$(WITH_POSTGRES) $(TEST) ./modules -run 'TestAreas_KeepWhatEveryAreaPromises/^$(AREA)$$$$|$(BOUNDARIES)'

clean: ## Remove what was built; data/ stays
	rm -rf bin
