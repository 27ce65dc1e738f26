#!/usr/bin/env bash
# Go and shell linters. The rules are in .golangci.yml, .golangci-api.yml and .shellcheckrc.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
golangci=$(tool golangci-lint)/golangci-lint
step "lint: Go"
"$golangci" run ./...
step "lint: API"
"$(tool kube-api-linter)/kube-api-linter" run --allow-parallel-runners --config .golangci-api.yml ./api/...
step "lint: shell"
if command -v shellcheck >/dev/null; then
  # By the first line, since not every script is called .sh.
  git grep -lzE '^#!.*\bbash|^# shellcheck shell=bash' -- hack .ci runners harness | xargs -0 shellcheck
else
  say "skipped: no shellcheck here (hack/install-debian.sh lint)"
fi
step_done
