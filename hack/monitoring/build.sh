#!/usr/bin/env bash
# Builds Prometheus, promtool, the Prometheus Operator and its reloader from the modules beside this script into the
# cache, once per content and Go version, and prints the folder that holds them. Twenty minutes on two processors;
# everybody else on the machine goes first.
# Usage: build.sh prometheus|operator
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

here=$REPO/hack/monitoring

# tags of a module. Without these Prometheus has the service discovery of every cloud, whose packages are most of it.
tags() { [[ $1 != prometheus ]] || printf 'remove_all_sd,enable_kubernetes_sd'; }

# stamp tells a program its version. Release 3.N.P of Prometheus is v0.3NN.P of its module.
stamp() {
  local version
  version=$(sed -nE 's#^\tgithub.com/prometheus(-operator)?/prometheus(-operator)? v([^ ]+) // indirect$#\3#p' "$here/$1/go.mod" | head -n 1)
  [[ $1 != prometheus ]] || version=$(sed -E 's/^0\.30?([0-9]+)\./3.\1./' <<<"$version")
  printf '%s' "-X github.com/prometheus/common/version.Version=$version"
}

build() {
  local module=$1 partial=$2.partial.$$ start
  start=$(now_ms)
  say "building $module from Go modules; this takes a while"
  mkdir -p "$partial"
  # Static, so that they run in any image; one compilation at a time, because others have tests to run.
  (cd "$here/$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 GOOS=linux nice -n 15 go build -p 1 -trimpath \
      -tags "$(tags "$module")" -gcflags=all=-dwarf=false -ldflags "-s -w $(stamp "$module")" -o "$partial/" tool) 2>&1 |
    { grep -v '^go: downloading' || true; } >&2
  mv "$partial" "$2"
  say "built $module in $(since "$start")"
}

# provide prints the folder of a module's programs, which it builds if they are missing.
provide() {
  local module=$1 folder
  folder=$CACHE/bin/monitoring-$module-$(digest "$here/$module" "$here/build.sh" -- "$(go env GOVERSION GOARCH)")
  mkdir -p "$CACHE/bin"
  # Two callers may want it: the second one waits and finds it built.
  exec 8>"$CACHE/bin/monitoring-$module.lock"
  flock 8
  [[ -d $folder ]] || build "$module" "$folder"
  exec 8>&-
  printf '%s\n' "$folder"
}

case ${1:-} in
  prometheus | operator) provide "$1" ;;
  *) fail "usage: build.sh prometheus|operator" ;;
esac
