# make test is what CI runs. It needs Go, Node and, for what else is missing, root.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

# Pinned in .ci/tools.mod, so that go.mod names only what the product is made of.
TOOL := go tool -modfile=$(CURDIR)/.ci/tools.mod

FUZZTIME ?= 1m

# Two packages at a time: several start an Azurite or a browser and wait for them
# with deadlines, which more of them at once would miss. The lab's long explorations run one
# goroutine at a time, and the race detector makes them 15 times as slow: it looks at the
# rest of those packages, and they run without it. So does what makes the static files, which
# is one goroutine. It does not look into argon2, which takes twice as long with it, and shares
# no memory with our code.
LAB := microblogging/lab microblogging/lab/page
ALONE := $(LAB) microblogging/lab/prove microblogging/static/press
RACE := -race -gcflags=golang.org/x/crypto/argon2=-race=false
.PHONY: test
test: deps lint ## install what the tests need, then lint and run them all
	@report=$$(mktemp) && trap 'rm -f "$$report"' EXIT && export TEST_REPORT="$$report" && \
		(set -x; go test -shuffle=on -p 2 -timeout 10m $(ALONE) && go test $(RACE) -short -shuffle=on -p 2 $(LAB) && \
			go test $(RACE) -shuffle=on -p 2 -timeout 10m $$(go list ./... | grep -vx $(ALONE:%=-e %))) && cat "$$report"

.PHONY: check
check: lint ## the inner loop: lint, and the tests without Azurite, browser and long explorations
	go test -short ./...

.PHONY: deps
deps: node_modules/.package-lock.json ## npm packages, browser, C compiler, docker-compose
	@.ci/deps

# npm writes the target last. Nothing that we need runs an install script.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel error </dev/null
	@touch $@

.PHONY: lint
lint: ## formatting, vet, staticcheck, import arrows, generated code, known vulnerabilities
	@unformatted=$$(go list -f '{{.Dir}}' ./... | xargs gofmt -l | sort -u) && \
		if [ -n "$$unformatted" ]; then echo "gofmt -w is due:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(TOOL) staticcheck ./...
	cd .ci && $(TOOL) depguard microblogging/...
	$(TOOL) templ generate -check -path templates -log-level warn
	$(TOOL) templ generate -check -path lab/page -log-level warn
	.ci/vulnerabilities

.PHONY: generate
generate: ## Go code from templ files, what static/ serves, and the schedules in docs/
	$(TOOL) templ generate -path templates
	$(TOOL) templ generate -path lab/page
	go generate ./static
	go run ./lab/cmd/lab document docs/consistency.md

.PHONY: e2e
e2e: deps ## the binary as a process, the browser, the compose file
	go test -race -count=1 -v ./e2e/...

.PHONY: screenshots
screenshots: deps ## the pictures of the README, taken again
	SCREENSHOTS=1 ONLY='^a channel$$|follows a deletion to its end|^a run half way$$' go test -count=1 -run TestBrowser ./e2e
	@mkdir -p docs/images
	cp e2e/artifacts/a-channel-first.png docs/images/channel.png
	cp e2e/artifacts/deletion-running-first.png docs/images/deletion.png
	cp e2e/artifacts/lab-a-run-half-way-first.png docs/images/lab.png

.PHONY: bench
bench: ## the table of benchmarks
	go test -run '^$$' -bench . -benchmem ./... | awk '/^Benchmark/ { sub(/^Benchmark/, ""); print; next } /FAIL|panic/ { print; bad = 1 } END { exit bad }'

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (1m)
	@.ci/fuzz $(FUZZTIME)

.PHONY: prove
prove: ## explore schedules and crashes of the real code (lab/)
	go run ./lab/cmd/lab prove

SECONDS ?= 60
SEED ?= 1
FAULTS ?=

.PHONY: torture
torture: node_modules/.package-lock.json ## hurt real processes under load for SECONDS, as SEED decides, with all FAULTS or those named
	go run ./e2e/torture --time $(SECONDS)s --seed $(SEED) $(addprefix --faults ,$(FAULTS))

.PHONY: run
run: ## the program with a sample store
	go run ./cmd/microblogging --sample

.PHONY: dev
dev: ## the program with a sample store of its own, started again when a file changes
	@.ci/dev

.PHONY: help
help: ## this list
	@sed -En 's/^([a-z0-9]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | column -t -s $$'\t'
