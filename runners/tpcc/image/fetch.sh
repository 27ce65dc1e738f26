#!/usr/bin/env bash
# Builds go-tpc from the pinned module (go.mod, go.sum) into the cache, once per content of this folder and Go version,
# and prints the folder that holds it. One file is added to its main package: it takes the password from the
# environment (password/password.go). Others, which results/results.patch calls, print what each query of TPC-H took and returned
# (results/result.go), and end those of CH-benCHmark with the load (results/interrupt.go). Static, so that the image needs nothing else. The images of tpcc and tpch are both made of it.
#   fetch.sh test   runs the tests of what is changed (results/*_test.go) on the same sources instead, and prints nothing
source "$(dirname "${BASH_SOURCE[0]}")/../../../hack/lib.sh"

module=$REPO/runners/tpcc/image
gotpc=github.com/pingcap/go-tpc
package=$gotpc/cmd/go-tpc

# sources FOLDER: those of go-tpc and of all that it needs, with what is changed in it. Those in the cache of modules are never
# changed: those of a vendor directory may be.
sources() {
  cp -r "$module" "$1"
  (cd "$1" && GOWORK=off GOFLAGS=-mod=readonly go mod vendor && cp password/password.go "vendor/$package/" &&
    cp results/*.go "vendor/$gotpc/tpch/" && GIT_CEILING_DIRECTORIES=${1%/*} git apply --directory "vendor/$gotpc" results/results.patch &&
    grep -q ReadResult "vendor/$gotpc/tpch/check.go") # git passes over a patch of files that it takes for those of another repository
}

# quietly drops the lines about what is downloaded.
quietly() { "$@" 2>&1 | { grep -v '^go: downloading' || true; } >&2; }

compile() {
  sources "$1/source" &&
    (cd "$1/source" && export GOWORK=off CGO_ENABLED=0 GOOS=linux &&
      GOFLAGS='-mod=vendor -buildvcs=false' nice go build -trimpath -ldflags '-s -w' -o ../go-tpc "$package")
}

build() {
  local partial=$1.partial.$$ start
  start=$(now_ms)
  say "building go-tpc"
  mkdir -p "$partial"
  quietly compile "$partial"
  rm -rf "$partial/source"
  mv "$partial" "$1"
  say "built go-tpc in $(since "$start")"
}

tests() {
  sources "$1/source" &&
    (cd "$1/source" && GOWORK=off GOFLAGS='-mod=vendor -buildvcs=false' nice go test -count=1 "$gotpc/tpch")
}

if [[ ${1:-} == test ]]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  quietly tests "$scratch"
  exit
fi
folder=$CACHE/tpcc/go-tpc-$(digest "$module" -- "$(go env GOVERSION GOARCH)")
mkdir -p "$CACHE/tpcc"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/tpcc/lock"
flock 8
[[ -d $folder ]] || build "$folder"
exec 8>&-
printf '%s\n' "$folder"
