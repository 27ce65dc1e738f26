#!/usr/bin/env bash
# Builds go-tpc from the pinned module (go.mod, go.sum) into the cache, once per content of this folder and Go version,
# and prints the folder that holds it. One file is added to its main package: it takes the password from the
# environment (password/password.go). Another one, which results/results.patch calls, prints what each query of TPC-H took and returned
# (results/result.go). Static, so that the image needs nothing else. The images of tpcc and tpch are both made of it.
source "$(dirname "${BASH_SOURCE[0]}")/../../../hack/lib.sh"

module=$REPO/runners/tpcc/image
gotpc=github.com/pingcap/go-tpc
package=$gotpc/cmd/go-tpc

build() {
  local partial=$1.partial.$$ start
  start=$(now_ms)
  say "building go-tpc"
  mkdir -p "$partial"
  cp -r "$module" "$partial/source"
  # Sources in the cache of modules are never changed: those of a vendor directory may be.
  (cd "$partial/source" && export GOWORK=off CGO_ENABLED=0 GOOS=linux &&
    GOFLAGS=-mod=readonly go mod vendor && cp password/password.go "vendor/$package/" &&
    cp results/result.go "vendor/$gotpc/tpch/" && GIT_CEILING_DIRECTORIES=$partial git apply --directory "vendor/$gotpc" results/results.patch &&
    grep -q printResult "vendor/$gotpc/tpch/check.go" && # git passes over a patch of files that it takes for those of another repository
    GOFLAGS='-mod=vendor -buildvcs=false' nice go build -trimpath -ldflags '-s -w' -o ../go-tpc "$package") 2>&1 |
    { grep -v '^go: downloading' || true; } >&2
  rm -rf "$partial/source"
  mv "$partial" "$1"
  say "built go-tpc in $(since "$start")"
}

folder=$CACHE/tpcc/go-tpc-$(digest "$module" -- "$(go env GOVERSION GOARCH)")
mkdir -p "$CACHE/tpcc"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/tpcc/lock"
flock 8
[[ -d $folder ]] || build "$folder"
exec 8>&-
printf '%s\n' "$folder"
