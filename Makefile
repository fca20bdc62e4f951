# Everything a developer or the gate runs. "make help" lists it.

VERSION ?= $(or $(shell git describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null | sed -n 's/^v\([0-9]*\.[0-9]*\.[0-9]*\)$$/\1/p'),0.1.0)
ARCH ?= amd64
AREA ?=
SITE ?= web/dist
RUN ?=
BENCH ?= .
FUZZTIME ?= 20s

GOLANGCI_LINT_VERSION := v2.14.0
NFPM_VERSION          := v2.45.2
GOFUMPT_VERSION       := v0.12.0
GOVULNCHECK_VERSION   := v1.8.0

# The build does not read the repository's state, so it works in an export too. All but the race
# detector's tests is compiled as the package is, so that it is compiled once, in whichever folder. Without
# what only debuggers read, a hundred programs of tests are linked in two thirds of the time.
export GOFLAGS := $(or $(GOFLAGS),-buildvcs=false -trimpath -ldflags=-w)
export CGO_ENABLED ?= 0

# Kept outside the checkout and by version, so that every checkout finds them.
TOOLS         ?= $(or $(GATEWAY_TOOLS),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gateway-tools)
GOLANGCI_LINT := $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint
NFPM          := $(TOOLS)/nfpm-$(NFPM_VERSION)/nfpm
GOFUMPT       := $(TOOLS)/gofumpt-$(GOFUMPT_VERSION)/gofumpt
GOVULNCHECK   := $(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION)/govulncheck

# Two files with four programs, and one each that records packets, sends logs and is started by Squid: see packaging/README.md.
PROGRAMS = gateway gateway-apply gateway-capture gateway-logship gateway-squid-lists
LDFLAGS  = -s -w -X gateway/internal/version.Version=$(VERSION)

# Starts PostgreSQL 17 from the lab's root file system, sets GATEWAY_TEST_DATABASE,
# runs what follows, and stops PostgreSQL again.
POSTGRES = go run ./lab/cmd/lab postgres --
GOTEST   = go run ./tools/gotest

# Folders of packages, so that a stray package below web/node_modules is no concern.
PATTERNS = $(patsubst %,./%/...,$(wildcard cmd internal lab packaging tools)) ./web
# What needs a node of its own is "make e2e"; the house rules are "make house". Go tests packages in
# this order, so those that take longest come first: at the end one of them would run alone.
LONGEST  = internal/app lab internal/restore internal/backup/offsite internal/component/backup internal/component/dns/unbound \
	internal/component/user internal/component/proxy/haproxyconf internal/ctl internal/apply internal/component/radius/freeradius \
	internal/component/cert internal/component/ntp internal/component/forwardproxy internal/component/audit internal/packetfilter \
	internal/component/dhcp internal/backup/archive internal/backup internal/component/radius
UNIT     = { printf 'gateway/%s\n' $(LONGEST); go list -e $(PATTERNS); } | awk '!seen[$$0]++' | grep -v -e '/lab/e2e' -e '/tools/house$$'
# Packages whose tests compute for long and share next to nothing: the race detector makes four times as much of that.
# The gate runs them without it; "make test" elsewhere, and with it "make check", does not.
COMPUTE  = $(patsubst %,-e gateway/internal/%,packetfilter component/proxy/haproxyconf component/dns/unbound component/ntp/chrony \
	component/radius/freeradius component/dhcp/kea component/forwardproxy/squid backup/archive rtnl/forecast component/network/netstate)

.DEFAULT_GOAL := help
.PHONY: help compiled check web web-check openapi fmt fmt-check lint house test e2e deb vulns dev demo image bench bench-proxy bench-firewall bench-network bars measured torture steady conformance fuzz tools clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

check: fmt-check lint house test web-check ## all that must hold before a commit: format, lint, house rules, tests

fmt: $(GOFUMPT) ## format the Go code
	$(GOFUMPT) -w $(wildcard cmd internal lab packaging tools) web/embed.go

fmt-check: $(GOFUMPT) ## list Go files that are not formatted, and fail if there are any
	@out=$$($(GOFUMPT) -l $(wildcard cmd internal lab packaging tools) web/embed.go); \
	if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi

lint: $(GOLANGCI_LINT) ## golangci-lint with .golangci.yml
	$(GOLANGCI_LINT) run $(PATTERNS)

house: ## the house rules that a linter cannot say
	$(GOTEST) -- -count=1 -timeout=2m ./tools/house

# Without vet: "make lint" has it. Four at once, since many wait for a daemon or a clock; at the gate three, as others run beside.
GOUNIT = -vet=off -p=$(if $(GATE),3,4) -timeout=8m -skip='^TestBar'
test: ## unit and database tests with the race detector (bars and end-to-end tests apart)
ifdef GATE
	@rc=0; export GATEWAY_GATE=1; \
	$(POSTGRES) env CGO_ENABLED=1 $(GOTEST) -retry -- -race $(GOUNIT) $$($(UNIT) | grep -vxF $(COMPUTE)) || rc=1; \
	$(POSTGRES) $(GOTEST) -retry -- $(GOUNIT) $$($(UNIT) | grep -xF $(COMPUTE)) || rc=1; exit $$rc
else
	$(POSTGRES) env CGO_ENABLED=1 $(GOTEST) -retry -- -race $(GOUNIT) $$($(UNIT))
endif

# With its tests, but without linking them: that is done for each run anyhow.
compiled: ## compile everything as "make test GATE=1" and the bars do
	@CGO_ENABLED=1 go list -race -test -export -deps $$($(UNIT) | grep -vxF $(COMPUTE)) >/dev/null
	@go list -test -export -deps $(PATTERNS) >/dev/null

e2e: ## end-to-end stories on lab nodes, as root, after "make deb"; RUN=name for one
	$(GOTEST) -stream -retry -- -v -vet=off -count=1 -p=1 -timeout=25m $(if $(RUN),-run='$(RUN)',-skip='^TestBar') ./lab/e2e/...

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

deb: web $(NFPM) ## build the package into dist/; VERSION=x.y.z, ARCH=arm64
	@echo '$(VERSION)' | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$$' || { echo "VERSION must be x.y.z, not $(VERSION)"; exit 1; }
	rm -rf dist/bin && mkdir -p dist/bin
	go run ./tools/packsite $(SITE) web/dist.zip
	CGO_ENABLED=0 GOARCH=$(ARCH) go build -tags packed -trimpath -ldflags '$(LDFLAGS)' -o dist/bin/ $(PROGRAMS:%=./cmd/%)
	go run ./tools/notices $(PROGRAMS:%=./cmd/%) > dist/third-party-notices.txt
	go run ./tools/sbom -version $(VERSION) $(PROGRAMS:%=dist/bin/%) > dist/sbom.cdx.json
	VERSION=$(VERSION) packaging/assemble
	VERSION=$(VERSION) ARCH=$(ARCH) $(NFPM) package -f dist/package/nfpm.yaml -p deb -t dist/

vulns: $(GOVULNCHECK) ## known vulnerabilities in what is linked; asks vuln.go.dev, so it is no part of the gate
	$(GOVULNCHECK) $(PROGRAMS:%=./cmd/%)

dev: ## the API on http://127.0.0.1:8080 with a PostgreSQL of its own, state in .cache/dev
	mkdir -p .cache/dev
	$(POSTGRES) go run ./cmd/gateway-api --dev --state-dir .cache/dev --listen 127.0.0.1:8080

PORT ?= 3443
demo: deb ## a node with sample data, to open in the browser, until Ctrl-C (as root); PORT=3443
	@exec go run ./lab/cmd/lab demo --deb dist/gateway_$(VERSION)_$(ARCH).deb --listen 127.0.0.1:$(PORT) --sites 127.0.0.1:$$(($(PORT) + 5000))

image: deb ## a disk image for virtual machines, with mkosi: see packaging/image
	packaging/image/build dist/gateway_$(VERSION)_$(ARCH).deb

bench: ## Go benchmarks; BENCH=pattern
	$(POSTGRES) go test -run '^$$' -bench '$(BENCH)' -benchmem -p 1 -timeout 30m ./internal/...

bench-proxy: ## what a request costs beside a hand-written HAProxy, nginx and Caddy (as root)
	$(POSTGRES) $(GOTEST) -stream -- -v -count=1 -timeout=30m -run='^TestBarProxy' ./lab/bench/proxy

bench-firewall: ## what ten thousand rules cost beside ten, and beside bare nft (as root)
	$(GOTEST) -stream -- -v -count=1 -timeout=30m -run='^TestBarFirewall' ./lab/bench/firewall

bench-network: ## what ten thousand routes cost beside bare ip, and one more by the API (as root)
	$(POSTGRES) $(GOTEST) -stream -- -v -count=1 -timeout=30m -run='^TestBarNetwork06' ./internal/component/network/...

bars: ## measure what the product promises; AREA=foundation for one area (as root, after "make deb")
	$(POSTGRES) go run ./tools/bars -area '$(AREA)' -skip '$(SKIP)' $(if $(GATE),-gate)

measured: ## the same, and record the figures in docs/measured.md; SKIP=Proxy0[23] leaves tests out
	$(POSTGRES) go run ./tools/bars -area '$(AREA)' -skip '$(SKIP)' -write docs/measured.md

torture: ## the same with the long sizes, recorded too: hours; AREA=... is required
	@test -n '$(AREA)' || { echo "usage: make torture AREA=foundation"; exit 2; }
	GATEWAY_TORTURE=1 $(POSTGRES) go run ./tools/bars -area '$(AREA)' -skip '$(SKIP)' -torture -write docs/measured.md

steady: ## which end-to-end tests and bars fail by chance: two rounds beside two busy loops; AREA=trust or e2e for a part, WRITE=1 records it
	$(MAKE) deb VERSION=0.1.1
	$(MAKE) deb VERSION=0.1.0
	@rc=0; .ci/run steady $(AREA) || rc=$$?; \
	if [ -n '$(WRITE)' ]; then go run ./tools/bars -lines .cache/steady -write docs/measured.md || rc=$$?; fi; exit $$rc

conformance: ## which statements of docs/conformance.md a test shows; WRITE=1 brings the README's figure up to date
	@go run ./tools/conformance $(if $(WRITE),-write)

fuzz: ## every fuzz target for FUZZTIME (20s)
	@grep -roEH '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' $(wildcard cmd internal lab packaging tools) web/embed.go \
	| sed 's/:func / /' | while read -r file name; do \
		echo "$$name in $${file%/*}"; \
		go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -timeout 30m "./$${file%/*}" || exit 1; \
	done

# $(call install,package,version) makes a tool, or takes the one that "go install" left
# elsewhere if it is the same. It is moved into its place when it is whole.
define install
	@mkdir -p $(TOOLS)
	@made=$$(mktemp -d $(TOOLS)/.new.XXXXXX) && trap 'rm -rf "$$made"' EXIT && \
	have=$$(go env GOPATH)/bin/$(@F) && \
	if go version -m "$$have" 2>/dev/null | awk '$$1 == "path" {p = $$2} $$1 == "mod" {v = $$3} END {exit !(p == "$(1)" && v == "$(2)")}'; \
	then cp "$$have" "$$made/"; \
	else echo "$(@F) $(2): compiling"; GOBIN=$$made CGO_ENABLED=0 go install $(1)@$(2); fi && \
	mkdir -p $(@D) && mv "$$made/$(@F)" $@
endef

$(GOLANGCI_LINT):
	$(call install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,$(GOLANGCI_LINT_VERSION))

$(NFPM):
	$(call install,github.com/goreleaser/nfpm/v2/cmd/nfpm,$(NFPM_VERSION))

$(GOFUMPT):
	$(call install,mvdan.cc/gofumpt,$(GOFUMPT_VERSION))

$(GOVULNCHECK):
	$(call install,golang.org/x/vuln/cmd/govulncheck,$(GOVULNCHECK_VERSION))

tools: $(GOLANGCI_LINT) $(NFPM) $(GOFUMPT) ## the pinned linter, packager and formatter; each target makes what it needs by itself
	@printf '%s\n' $^

clean: ## remove what was built, and the development state
	rm -rf bin dist .cache web/dist.zip
