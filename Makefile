# Everything a developer or the gate runs. "make help" lists it.

VERSION ?= $(or $(shell git describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null | sed -n 's/^v\([0-9]*\.[0-9]*\.[0-9]*\)$$/\1/p'),0.1.0)
AREA ?=
RUN ?=
BENCH ?= .
FUZZTIME ?= 20s

GOLANGCI_LINT_VERSION := v2.14.0
NFPM_VERSION          := v2.45.2
GOFUMPT_VERSION       := v0.12.0

# The build does not read the repository's state, so it works in an export too.
export GOFLAGS := $(or $(GOFLAGS),-buildvcs=false)

GOBIN   := $(or $(shell go env GOBIN),$(shell go env GOPATH)/bin)
PROGRAMS = $(notdir $(wildcard cmd/gateway-*))
LDFLAGS  = -s -w -X gateway/internal/version.Version=$(VERSION)

# Starts PostgreSQL 17 from the lab's root file system, sets GATEWAY_TEST_DATABASE,
# runs what follows, and stops PostgreSQL again.
POSTGRES = go run ./lab/cmd/lab postgres --
GOTEST   = go run ./tools/gotest

# Folders of packages, so that a stray package below web/node_modules is no concern.
PATTERNS = $(patsubst %,./%/...,$(wildcard cmd internal lab packaging tools)) ./web
# What needs a node of its own is "make e2e"; the house rules are "make house".
UNIT     = $$(go list -e $(PATTERNS) | grep -v -e '/lab/e2e' -e '/tools/house$$')

.DEFAULT_GOAL := help
.PHONY: help check web web-check openapi fmt fmt-check lint house test e2e deb dev bench bench-proxy bench-firewall bars measured torture conformance fuzz tools clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

check: fmt-check lint house test web-check ## all that must hold before a commit: format, lint, house rules, tests

fmt: ## format the Go code
	$(GOBIN)/gofumpt -w $(wildcard cmd internal lab packaging tools) web/embed.go

fmt-check: ## list Go files that are not formatted, and fail if there are any
	@out=$$($(GOBIN)/gofumpt -l $(wildcard cmd internal lab packaging tools) web/embed.go); \
	if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi

lint: ## golangci-lint with .golangci.yml
	$(GOBIN)/golangci-lint run $(PATTERNS)

house: ## the house rules that a linter cannot say
	$(GOTEST) -- -count=1 -timeout=2m ./tools/house

test: ## unit and database tests with the race detector (bars and end-to-end tests apart)
	$(POSTGRES) $(GOTEST) -retry -- -race -p=2 -timeout=8m -skip='^TestBar' $(UNIT)

e2e: ## end-to-end stories on lab nodes, as root, after "make deb"; RUN=name for one
	$(GOTEST) -stream -retry -- -v -count=1 -p=1 -timeout=15m $(if $(RUN),-run='$(RUN)',-skip='^TestBar') ./lab/e2e/...

WEB = $(shell find web/src web/public web/build web/index.html web/vite.config.ts -type f 2>/dev/null)

# Not "npm ci": it refuses a lock file that leaves out other platforms' optional binaries, as ours does.
web/node_modules/.installed: web/package-lock.json
	cd web && npm install --no-save --no-audit --no-fund
	touch $@

web/dist/index.html: web/node_modules/.installed $(WEB)
	cd web && npm run build

web: web/dist/index.html ## build the browser UI into web/dist, from where Go embeds it

web-check: web/node_modules/.installed ## format, types and unit tests of the browser UI
	cd web && npm run check

openapi: ## bring the browser UI's client up to date with the API
	go run ./cmd/gateway-api --openapi > web/openapi.json
	cd web && npm run generate

deb: web ## build the package into dist/; VERSION=x.y.z
	@echo '$(VERSION)' | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$$' || { echo "VERSION must be x.y.z, not $(VERSION)"; exit 1; }
	@test -n "$(PROGRAMS)" || { echo "no program below cmd/"; exit 1; }
	mkdir -p dist/bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o dist/bin/ $(PROGRAMS:%=./cmd/%)
	go run ./tools/notices $(PROGRAMS:%=./cmd/%) > dist/third-party-licences.txt
	VERSION=$(VERSION) $(GOBIN)/nfpm package -f packaging/nfpm.yaml -p deb -t dist/

dev: ## the API on http://127.0.0.1:8080 with a PostgreSQL of its own, state in .cache/dev
	mkdir -p .cache/dev
	$(POSTGRES) go run ./cmd/gateway-api --dev --state-dir .cache/dev --listen 127.0.0.1:8080

bench: ## Go benchmarks; BENCH=pattern
	$(POSTGRES) go test -run '^$$' -bench '$(BENCH)' -benchmem -p 1 -timeout 30m ./internal/...

bench-proxy: ## what a request costs beside a hand-written HAProxy, nginx and Caddy (as root)
	$(POSTGRES) $(GOTEST) -stream -- -v -count=1 -timeout=30m -run='^TestBarProxy' ./lab/bench/proxy

bench-firewall: ## what ten thousand rules cost beside ten, and beside bare nft (as root)
	$(GOTEST) -stream -- -v -count=1 -timeout=30m -run='^TestBarFirewall' ./lab/bench/firewall

bars: ## measure what the product promises; AREA=foundation for one area (as root, after "make deb")
	$(POSTGRES) go run ./tools/bars -area '$(AREA)' -skip '$(SKIP)' $(if $(GATE),-gate)

measured: ## the same, and record the figures in docs/measured.md
	$(POSTGRES) go run ./tools/bars -area '$(AREA)' -write docs/measured.md

torture: ## the same with the long sizes, recorded too: hours; AREA=... is required
	@test -n '$(AREA)' || { echo "usage: make torture AREA=foundation"; exit 2; }
	GATEWAY_TORTURE=1 $(POSTGRES) go run ./tools/bars -area '$(AREA)' -torture -write docs/measured.md

conformance: ## which statements of docs/conformance.md a test shows
	@go run ./tools/conformance

fuzz: ## every fuzz target for FUZZTIME (20s)
	@grep -roEH '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' $(wildcard cmd internal lab packaging tools) web/embed.go \
	| sed 's/:func / /' | while read -r file name; do \
		echo "$$name in $${file%/*}"; \
		go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -timeout 30m "./$${file%/*}" || exit 1; \
	done

# $(call install,program,module path,package,version)
define install
	@have=$$(go version -m $(GOBIN)/$(1) 2>/dev/null | awk '$$1 == "mod" && $$2 == "$(2)" {print $$3}'); \
	if [ "$$have" = "$(4)" ]; then echo "$(1) $(4)"; \
	else echo "$(1) $(4): installing"; CGO_ENABLED=0 go install $(3)@$(4); fi
endef

tools: ## install the pinned linter, formatter and packager
	$(call install,golangci-lint,github.com/golangci/golangci-lint/v2,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,$(GOLANGCI_LINT_VERSION))
	$(call install,nfpm,github.com/goreleaser/nfpm/v2,github.com/goreleaser/nfpm/v2/cmd/nfpm,$(NFPM_VERSION))
	$(call install,gofumpt,mvdan.cc/gofumpt,mvdan.cc/gofumpt,$(GOFUMPT_VERSION))

clean: ## remove what was built, and the development state
	rm -rf bin dist .cache
