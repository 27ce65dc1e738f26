#!/usr/bin/env bash
# Linters of Go, shell and workflows. The rules are in .golangci.yml, .golangci-api.yml and .shellcheckrc.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
golangci=$(tool golangci-lint)/golangci-lint
step "lint: Go"
"$golangci" run ./...
step "lint: API"
"$(tool kube-api-linter)/kube-api-linter" run --allow-parallel-runners --config .golangci-api.yml ./api/...
step "lint: shell"
command -v shellcheck >/dev/null || "$REPO/hack/install-debian.sh" lint
# By the first line, since not every script is called .sh.
git grep -lzE '^#!.*\bbash|^# shellcheck shell=bash' -- ':!*.md' | xargs -0 shellcheck
step "lint: workflows"
"$(tool actionlint)/actionlint"
step_done
