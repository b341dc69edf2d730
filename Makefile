# make test is what CI runs. It needs Go, Node and, for what else is missing, root.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

# Pinned in .ci/tools.mod, so that go.mod names only what the product is made of.
TOOL := go tool -modfile=$(CURDIR)/.ci/tools.mod

# Lint, tests and program are compiled as a release is, so that each package is compiled once,
# and not again in another clone. Only the race detector needs C.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false

FUZZTIME ?= 1m

.PHONY: test
test: ## install what the tests need, then lint and run them all
	@$(MAKE) --no-print-directory --jobs --keep-going --output-sync=target lint test-plain test-part test-raced test-e2e

# The browser takes longest and has deadlines. The torture yields to it a little, and lint
# and the others yield to both (nice). The + shows what a test says as it says it.
.PHONY: test-e2e test-raced test-part test-plain
test-e2e: deps
	+@.ci/test e2e

test-raced: deps
	+@nice -n 5 .ci/test raced

# It begins when test-raced has ended, so that beside lint no more than three of these run at a time.
test-part: deps test-raced
	+@nice .ci/test part

test-plain: deps compiled
	+@nice .ci/test plain

# Else lint and tests that start at once on an empty cache would each compile the same.
.PHONY: compiled
compiled:
	@nice go build ./...

.PHONY: check
check: lint ## the inner loop: lint, and the tests without Azurite, browser and long explorations
	go test -short ./...

.PHONY: deps
deps: node_modules/.package-lock.json programs ## npm packages, browser, C compiler, docker-compose

.PHONY: programs
programs:
	@.ci/deps

# npm writes the target last. Nothing that we need runs an install script.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel error </dev/null
	@touch $@

.PHONY: lint
lint: code vulnerabilities ## formatting, vet, staticcheck, import arrows, generated code, known vulnerabilities

# To collect garbage less often saves half of staticcheck's work.
.PHONY: code
code: export GOGC = 400
code: export GOMEMLIMIT = 2GiB
code: compiled
	@unformatted=$$(go list -f '{{.Dir}}' ./... | xargs gofmt -l | sort -u) && \
		if [ -n "$$unformatted" ]; then echo "gofmt -w is due:"; echo "$$unformatted"; exit 1; fi
	nice go vet ./...
	nice $(TOOL) staticcheck ./...
	cd .ci && nice $(TOOL) depguard microblogging/...
	$(TOOL) actionlint
	$(TOOL) templ generate -check -path templates -log-level warn
	$(TOOL) templ generate -check -path lab/page -log-level warn

# Most of it is a wait for the network, so make test has it beside the rest.
.PHONY: vulnerabilities
vulnerabilities:
	@nice .ci/vulnerabilities

.PHONY: generate
generate: ## Go code from templ files, and the schedules and tables of the documents
	$(TOOL) templ generate -path templates
	$(TOOL) templ generate -path lab/page
	for text in consistency testing; do go run ./lab/cmd/lab document docs/$$text.md; done
	GENERATE=1 go test -count=1 -run '^(TestTrips|TestKinds)$$/^(docs|ARCHITECTURE)' ./web ./storage/check

.PHONY: e2e
e2e: deps ## the binary as a process, the browser, the compose file
	CGO_ENABLED=1 go test -race -count=1 -v ./e2e/...

.PHONY: engine
engine: node_modules/.package-lock.json ## the compose file on a Docker engine of its own; needs root, Debian and ten minutes
	e2e/engine/run

.PHONY: pictures
pictures: deps ## the pictures of the README, and the words that a test compares with the pages
	SCREENSHOTS=1 ONLY='^a channel$$|follows a deletion to its end|^a run half way$$' go test -count=1 -run TestBrowser ./e2e
	@mkdir -p docs/images
	cp e2e/artifacts/a-channel-first.png docs/images/channel.png
	cp e2e/artifacts/deletion-running-first.png docs/images/deletion.png
	cp e2e/artifacts/lab-a-run-half-way-first.png docs/images/lab.png

.PHONY: bench
bench: ## the benchmarks
	go test -run '^$$' -bench . -benchmem ./... | awk '/^Benchmark/ { sub(/^Benchmark/, ""); print; next } /FAIL|panic/ { print; bad = 1 } END { exit bad }'

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (1m)
	@.ci/fuzz $(FUZZTIME)

.PHONY: modelcheck prove
prove: modelcheck
modelcheck: ## explore schedules and crashes of the real code (lab/)
	go run ./lab/cmd/lab modelcheck

.PHONY: induct
induct: programs ## prove the protocols for any number of channels, posts, workers and duplicates (lab/induct)
	go test -count=1 -v -run TestModels ./lab/induct

PKG ?=

.PHONY: mutate
mutate: ## change one thing of storage and worker (or of PKG) at a time, and name the changes that nothing notices
	nice .ci/mutate $(PKG)

# The account is that of AZURE_STORAGE_CONNECTION_STRING, or of AZURE_STORAGE_TABLE_ENDPOINT and
# AZURE_STORAGE_QUEUE_ENDPOINT with the default credential.
.PHONY: conformance
conformance: ## the drivers' suite, a deletion and a load on an Azure account of yours: at most 5 minutes and 100,000 requests
	cd storage/azure && MICROBLOGGING_TEST_ACCOUNT=environment go test -count=1 -timeout 10m -run '^TestConformance$$'

SECONDS ?= 60
SEED ?= 1
FAULTS ?=

.PHONY: torture
torture: node_modules/.package-lock.json ## hurt real processes under load for SECONDS, as SEED decides, with all FAULTS or those named
	go run ./e2e/torture --time $(SECONDS)s --seed $(SEED) $(addprefix --faults ,$(FAULTS))

.PHONY: release
release: ## static programs for six systems, list of parts and checksums, in dist/
	.ci/release

.PHONY: run
run: ## the program with a sample store
	go run ./cmd/microblogging --sample

.PHONY: dev
dev: ## the program with a sample store of its own, started again when a file changes
	@.ci/dev

.PHONY: help
help: ## this list
	@sed -En 's/^([a-z0-9]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | column -t -s $$'\t'
