# tutti. `make help` lists what there is; no target asks anything.
#
# Every target that compiles goes through deploy/deps/deps.sh, which first gets
# what is missing (a libav prefix, a Go toolchain) into a cache outside the tree
# and costs nothing when all is there.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

with := deploy/deps/deps.sh exec

# The release this tree is becoming; a tag v* on the commit itself wins.
release := 0.1.0
VERSION := $(shell git describe --tags --exact-match --match 'v*' 2>/dev/null | sed 's/^v//')
ifeq ($(VERSION),)
VERSION := $(release)$(shell git rev-parse --short HEAD 2>/dev/null | sed 's/^/+g/')
endif

# FUZZTIME: how long each fuzz target runs. PKG, RUN: only these packages and tests.
# VIDEO: the file that `make run` plays. ARGS: more flags for run, demo and bench.
FUZZTIME ?= 10s
PKG ?= ./...
RUN ?=
# ATONCE: how many packages' tests run at once with the race detector; default one for each core.
# ROUNDS, SEED: how long chaos goes on, and which; without a seed always another.
ROUNDS ?= 200
SEED ?= $(shell date +%s)
VIDEO ?=
ARGS ?=

programs := $(filter-out ./cmd/internal,$(patsubst %/,./%,$(wildcard cmd/*/)))
# What failed, once more at the end: the nodes' logs are long.
failures := echo 'What failed:'; \
	grep -E '^ *--- FAIL|^FAIL|^panic: |DATA RACE|^ +[a-z0-9_]+\.go:[0-9]+: ' bin/test.log | \
	grep -v 'log of \[' | cut -c1-300 | tail -n 100
testflags := -timeout 40m $(if $(RUN),-run '$(RUN)')

help:  ## list the targets
	@echo 'tutti $(VERSION). make TARGET, where TARGET is one of'
	@sed -n 's/^\([a-z0-9]*\):.*  ## \(.*\)$$/  \1|\2/p' $(MAKEFILE_LIST) | sed 's/\$$\$$/$$/g' | \
		awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'
	@echo 'Settings: VIDEO=file (run)  ARGS="flags" (run, demo, bench)  PKG=./dir/... RUN=pattern (race, check)'
	@echo '          FUZZTIME=10s (fuzz)  ROUNDS=200 SEED=1 (chaos)  ATONCE=3 (race)'
	@echo '          TUTTI_DEPS=/prefix (an FFmpeg 7.1 of your own)'
	@echo '          TUTTI_PREBUILT=/dir (libav of a release)  TUTTI_CACHE=/dir'

deps:  ## get everything a build needs that is not in this tree
	@deploy/deps/deps.sh ensure

env:  ## print shell exports: eval "$$(make -s env)"
	@deploy/deps/deps.sh env

build:  ## build every program into bin/
	@mkdir -p bin
	@echo 'build: $(notdir $(programs)), version $(VERSION)'
	@$(with) go build -trimpath -ldflags \
		'-s -w -X main.version=$(VERSION) -X github.com/tuttinode/tutti/cmd/tutti/internal/process.Version=$(VERSION)' \
		-o bin/ $(programs)

run: build  ## a node on this machine and a page that plays its renditions
	@bin/tutti_demo run $(if $(VIDEO),-video '$(VIDEO)') $(ARGS)

demo: build  ## the same without a browser: bounded, checked, exit 0 or what broke
	@bin/tutti_demo check $(ARGS)

test: lint contractscheck build race  ## everything CI runs: lint, build, all tests with the race detector

parts:  ## get what tests need: a llama.cpp server, Docker, PostgreSQL, clients of AI APIs, network hosts
	@deploy/deps/deps.sh lab >/dev/null
	@deploy/deps/deps.sh llama >/dev/null
	@deploy/deps/deps.sh engine >/dev/null
	@deploy/deps/deps.sh judges >/dev/null
	@deploy/deps/deps.sh nfpm >/dev/null
	@deploy/deps/deps.sh postgres >/dev/null
	@deploy/deps/deps.sh prometheus >/dev/null
	@deploy/deps/deps.sh npm test/openai >/dev/null
	@deploy/deps/deps.sh npm test/aiclients >/dev/null
	@deploy/deps/deps.sh npm test/agents >/dev/null
	@deploy/deps/deps.sh npm test/aisdk >/dev/null
	@deploy/deps/deps.sh npm test/langchain >/dev/null
	@deploy/deps/deps.sh npm test/dashboard >/dev/null
	@deploy/deps/deps.sh browser >/dev/null

# The race detector is of no use to test/layout, which reads the tree, and makes it six
# times as slow: lint runs it. Lint also vets: go test need not do that again. The long
# packages are below test and come first. With more of them at once than there are cores,
# streams in real time came late.
raced = $(if $(filter ./...,$(PKG)),$$($(with) go list ./test/... ./... | grep -v '/test/layout$$'),$(PKG))
ATONCE ?= $$(nproc)

# A raced process sleeps a second before it exits, so that goroutines that still run can be
# caught. A tenth does: 20 of 20 such races were caught with 20 ms, 9 of 20 with none. What
# GORACE says already comes later, so it wins.
raceoptions := atexit_sleep_ms=100

race: parts  ## all tests with the race detector
	@echo 'go test -race $(PKG)'
	@mkdir -p bin
	@GORACE="$(raceoptions) $${GORACE:-}" $(with) go test -race -vet=off -p $(ATONCE) $(testflags) $(raced) 2>&1 | tee bin/test.log || { $(failures); exit 1; }
	@awk '$$1 == "ok" { n++ } END { printf "packages: %d passed, 0 failed\n", n; exit n == 0 }' bin/test.log

check: fmt vet parts  ## the quick one while working: format, vet, tests without race
	@$(with) go test $(testflags) $(PKG)

lint: fmt vet tidy nocgo shellcheck  ## gofmt, vet, modules, staticcheck, shellcheck, layout, builds without cgo
	@echo 'lint: staticcheck'
	@$(with) go tool staticcheck ./...
	@echo 'lint: import table'
	@$(with) go test ./test/layout/...

fmt:
	@echo 'lint: gofmt'
	@unformatted=$$($(with) bash -c '"$$(go env GOROOT)/bin/gofmt" -l $$(find . -name "*.go" -not -path "./bin/*")'); \
	if [ -n "$$unformatted" ]; then printf 'not gofmt-ed:\n%s\n' "$$unformatted"; exit 1; fi

vet:
	@echo 'lint: vet'
	@$(with) go vet ./...

tidy:
	@echo 'lint: go.mod'
	@$(with) go mod tidy -diff || { echo 'go mod tidy writes this'; exit 1; }

# Scripts are checked where the machine has shellcheck (a package of every distribution).
scripts := $(wildcard .ci/run deploy/deps/*.sh deploy/nfpm/*.sh deploy/nfpm/scripts/*.sh server/rpc/*.sh \
	test/gpu/kit/*.sh test/trial/*.sh)
shellcheck:
	@if command -v shellcheck >/dev/null; then echo 'lint: shellcheck'; shellcheck --severity=warning $(scripts); \
	else echo 'lint: shellcheck is not installed: scripts are not checked'; fi

golangci:  ## the linters of .golangci.yml; fetches golangci-lint through the Go proxy and compiles it, minutes
	@$(with) go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0 run ./...

vulncheck:  ## known vulnerabilities in what is linked; needs https://vuln.go.dev
	@$(with) go run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./...

# The domain and the command line client must not need a C compiler; the tests of
# what keeps books do, for their SQLite.
nocgo := ./core/... ./pm ./pm/earnings ./test/coretest ./cmd/tutti_cli/...
nocgo:
	@echo 'lint: without cgo: $(nocgo)'
	@CGO_ENABLED=0 $(with) go build ./pm/...
	@CGO_ENABLED=0 $(with) go vet $(nocgo)
	@CGO_ENABLED=0 $(with) go test -vet=off $(nocgo)

fuzz:  ## every fuzz target for FUZZTIME each
	@$(with) go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r package; do \
		targets=$$($(with) go test -list '^Fuzz' "$$package" </dev/null) || { echo "$$targets"; exit 1; }; \
		for target in $$(grep '^Fuzz' <<<"$$targets" || true); do \
			echo "fuzz: $$package $$target for $(FUZZTIME)"; \
			$(with) go test -run '^$$' -fuzz "^$$target\$$" -fuzztime '$(FUZZTIME)' "$$package" </dev/null; \
		done; \
	done

bench: benchvideo benchllm benchlive benchpay benchpaid benchsplit  ## speed and memory, also as bin/bench*.json

benchvideo: build  ## only the video path
	@$(with) go run ./test/bench -json bin/benchvideo.json $(ARGS)

benchllm: build  ## only the text path
	@$(with) go run ./test/benchllm -json bin/benchllm.json $(ARGS)

benchlive: build  ## only live work; ARGS="-sessions 1000 -load 1m" is the load that its targets are stated for
	@$(with) go run ./test/benchlive -json bin/benchlive.json $(ARGS)

benchpay: build  ## only payments
	@$(with) go run ./test/benchpay -json bin/benchpay.json $(ARGS)

benchpaid: build  ## only paid jobs beside unpaid ones; ARGS="-only foreign -load 10m -l1 12s" loads for long
	@$(with) go run ./test/benchpaid -json bin/benchpaid.json $(ARGS)

benchsplit: build  ## only transcoders on other hosts, with delay and loss; ARGS=-largest starts many
	@$(with) go run ./test/benchsplit -json bin/benchsplit.json $(ARGS)

# PAIRS: how often each of the two is run. benchvideo's folder is test/bench.
BASE ?=
PART ?= benchlive
PAIRS ?= 10

benchcompare:  ## what of PART=benchlive moved since BASE=commit beyond noise; exit 1 where it became worse
	@$(with) go run ./test/benchcompare -base '$(BASE)' -part '$(PART:benchvideo=bench)' -pairs '$(PAIRS)' -- $(ARGS)

e2e: parts  ## the tests that start real programs
	@$(with) go test -count=1 $(testflags) ./test/e2e/...

kubernetes:  ## build an API server of Kubernetes into the cache, and apply the manifests to it
	@deploy/deps/deps.sh kubernetes >/dev/null
	@$(with) go test -count=1 -v $(testflags) ./test/kubernetes

chaos:  ## ROUNDS rounds in which everything goes wrong on the chain, and what a block costs
	@TUTTI_CHAOS_ROUNDS='$(ROUNDS)' TUTTI_CHAOS_SEED='$(SEED)' $(with) go test -count=1 -v -timeout 3h \
		-run 'TestChaos$$|TestCost$$' ./test/chaos

adversary: parts  ## unknown peers, false answers and hostile media, for longer than in the tests
	@TUTTI_ADVERSARY=long $(with) go test -race -count=1 -timeout 1h $(if $(RUN),-run '$(RUN)') ./test/adversary/...
	@$(MAKE) --no-print-directory sanitize

# What libav holds and frees goes through the sanitizer's malloc, and freed memory is
# overwritten, so that a read of it inside libav, which is not instrumented, shows as well.
# The skipped test closes an engine whose driver hangs, which leaves what that holds.
sanitized := detect_leaks=1:malloc_fill_byte=190:max_malloc_fill_size=4096:$\
	free_fill_byte=221:max_free_fill_size=268435456

sanitize:  ## the media engine, the whole corpus and slices of it under AddressSanitizer
	@ASAN_OPTIONS='$(sanitized)' TUTTI_ADVERSARY=long $(with) go test -asan -count=1 -timeout 1h \
		-skip 'TestGPUCloseLeavesAHang' $(if $(RUN),-run '$(RUN)') ./transcoder/libav/... ./test/corpus

FOR ?= 10m

soak: parts  ## gateways pay orchestrators for FOR while everything goes wrong, then their books are compared
	@$(with) go test -count=1 -v -timeout 0 -run "TestSoak|TestKeysSpend" ./test/payments -args -soak.for=$(FOR) \
		-spend.for=$(FOR) -soak.seed=$(or $(SEED),1)

steady: parts  ## load that never stays the same for FOR: memory, goroutines and open files of the nodes must stay level
	@$(with) go test -count=1 -v -timeout 0 -run TestSteady ./test/steady -args -steady.for=$(FOR) -steady.every=5s

solidity := test/devnet/solidity
contracts:  ## compile the local test chain's contracts into test/devnet/solidity/artifacts
	@NODE_PATH="$$(deploy/deps/deps.sh npm $(solidity)/solc)/node_modules" \
		node $(solidity)/solc/compile.cjs $(solidity)/contracts $(solidity)/artifacts

# The committed artifacts are what the sources give, byte by byte. Compiling them takes 23 s of a core, so the cache
# remembers which compiler, sources and artifacts agreed.
contractscheck:
	@sum=$$(find $(solidity)/solc $(solidity)/contracts $(solidity)/artifacts -type f | LC_ALL=C sort | \
		xargs -d '\n' sha256sum | sha256sum | cut -d' ' -f1); \
	stamp="$${TUTTI_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/tutti}/checked/contracts-$$sum"; \
	if [ -e "$$stamp" ]; then echo 'lint: contracts, checked before'; exit; fi; \
	echo 'lint: contracts'; \
	out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; \
	NODE_PATH="$$(deploy/deps/deps.sh npm $(solidity)/solc)/node_modules" \
		node $(solidity)/solc/compile.cjs $(solidity)/contracts "$$out/artifacts"; \
	diff -rq $(solidity)/artifacts "$$out/artifacts" || { echo 'run make contracts'; exit 1; }; \
	mkdir -p "$${stamp%/*}"; touch "$$stamp"

ARCH ?= $(shell dpkg --print-architecture 2>/dev/null || echo amd64)

packages:  ## deb, rpm, archive, image, SBOM, libav and checksums into bin/packages; ARCH=arm64 for 64-bit ARM
	@mkdir -p bin/packages
	@deploy/nfpm/build.sh '$(VERSION)' '$(ARCH)' bin/packages

windows:  ## the programs for Windows as a zip with its checksum into bin/packages
	@mkdir -p bin/packages
	@deploy/nfpm/windows.sh '$(VERSION)' bin/packages

winesmoke: build  ## run those programs under Wine beside a gateway of this machine
	@deploy/nfpm/winesmoke.sh bin/packages

reproducible:  ## make the packages twice, in two folders, and compare them byte by byte
	@deploy/nfpm/reproducible.sh '$(VERSION)' '$(ARCH)'

gpukit:  ## an archive that tries tutti on a machine with an NVIDIA card, without network, into bin/gpukit
	@deploy/deps/deps.sh xz
	@$(with) test/gpu/kit/pack.sh '$(VERSION)' bin/gpukit

gpurehearsal: gpukit  ## run that archive on simulated GPUs in a bare Debian 12; root only; PARTS="inventory correct"
	@deploy/deps/deps.sh bare
	@test/gpu/kit/rehearse.sh bin/gpukit/tutti-gpukit-*-linux-amd64.tar.xz $(PARTS)

# REPORT: the report.md that the kit wrote on a card; without one the section is only filled again.
gpureport:  ## put REPORT=report.md of the GPU kit into docs/ and fill the section of docs/gpu.md
	@$(with) go run ./test/gpu/kit publish '$(REPORT)' docs

trial: packages  ## install the package on a bare Debian 12 and check that each problem is named; root only
	@mkdir -p bin/trial
	@$(with) go build -trimpath -o bin/trial/tutti_devnet ./cmd/tutti_devnet
	@test/trial/trial.sh "$$(ls -t bin/packages/tutti-[0-9]*-linux-$(ARCH).deb | head -1)" "$$PWD/bin/trial/tutti_devnet"

docs:  ## regenerate the pages of docs/ and deploy/monitoring that come from tables
	@$(with) go run ./cmd/internal/gendocs docs
	@$(with) go run ./cmd/internal/gendocs monitoring

transcript:  ## walk docs/become-an-orchestrator.md and write what the programs say into it
	@UPDATE=1 $(with) go test -count=1 -run BecomeAnOrchestrator ./test/operator

generate: docs  ## run go generate, then docs
	@$(with) go generate ./...

clean:  ## remove what was built in the tree
	rm -rf bin
	@echo "the cache outside the tree stays: $${TUTTI_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/tutti}"

.PHONY: adversary sanitize gpukit gpurehearsal gpureport trial soak steady help deps env build run demo test parts \
	race check lint fmt vet tidy shellcheck golangci vulncheck nocgo fuzz bench benchvideo benchllm benchlive benchpay \
	benchpaid benchsplit benchcompare e2e kubernetes chaos contracts contractscheck packages windows winesmoke \
	reproducible docs transcript generate clean
