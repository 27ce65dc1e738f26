#!/usr/bin/env bash
# Builds the harness of the drivers of Go, and bench/ beside it, from pinned modules (go.mod, go.sum) into the cache, once
# per content of this folder and Go version, and prints the folder that holds them. Static, so that the image needs
# nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/../../hack/lib.sh"

module=$REPO/harness/go

build() {
  local partial=$1.partial.$$ start
  start=$(now_ms)
  say "building the harness of the drivers of Go"
  mkdir -p "$partial"
  (cd "$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 GOOS=linux \
      nice go build -trimpath -ldflags '-s -w' -o "$partial/" . ./bench) 2>&1 |
    { grep -v '^go: downloading' || true; } >&2
  mv "$partial/go" "$partial/harness"
  mv "$partial" "$1"
  say "built the harness of the drivers of Go in $(since "$start")"
}

folder=$CACHE/drivers/go-$(digest "$module" -- "$(go env GOVERSION GOARCH)")
mkdir -p "$CACHE/drivers"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/drivers/go.lock"
flock 8
[[ -d $folder ]] || build "$folder"
exec 8>&-
printf '%s\n' "$folder"
