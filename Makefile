# What a developer runs. Each target sets up what it needs; see the scripts for how.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: build demo test lint format bench clean

build: ## bin/nvim-acp, the program beside the plugin
	go generate ./host/highlight/lexers
	CGO_ENABLED=0 go build -trimpath -tags lexers -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/nvim-acp ./cmd/nvim-acp

demo: build ## the plugin with the demo agent on a sample project; a transcript when there is no terminal
	scripts/demo

test: ## all tests on Neovim 0.12 with the race detector, tests/ again on 0.10
	scripts/test

lint: ## gofmt, vet, staticcheck, stylua, luacheck
	scripts/lint

format: ## gofmt and stylua
	scripts/lint --fix

bench: build ## one table of speed and stalls, on Neovim 0.12; doc/benchmarks.md says how to read it
	go build -o bin/bench ./tests/bench
	bin/bench -nvim "$$(scripts/nvim 0.12)"

clean:
	rm -rf bin
