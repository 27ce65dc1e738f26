#!/usr/bin/env bash
# Measures what 1, 10, 100 and 1,000 runs at once cost the manager, and 1,000 schedules of which 100 are due at once, and
# fails when a bar is missed (test/cmd/scale). SIZES=1,10,100 for a fast answer, SIZES=none for schedules alone;
# SCHEDULES=100/10 for fewer, SCHEDULES=none for runs alone; REST=11m for
# schedules at rest until all were looked at; VERBOSE=1 for the requests by kind; PROFILE=folder for profiles of the manager.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
step "manager and bench"
KUBEBUILDER_ASSETS=$("$REPO/hack/envtest-assets.sh")
export KUBEBUILDER_ASSETS
out=$REPO/out/scale
mkdir -p "$out"
overlay=()
args=(-manager="$out/manager" -crds=config/crd/bases -output=controllers/benchmarkrun/testdata/oltp_read_write.stdout)
if [[ -n ${PROFILE:-} ]]; then
  mkdir -p "$PROFILE"
  printf '{"Replace": {"%s": "%s"}}\n' "$REPO/cmd/manager/pprof.go" "$REPO/test/cmd/scale/testdata/pprof.go.txt" >"$out/overlay.json"
  overlay=(-overlay="$out/overlay.json")
  args+=(-profile="$PROFILE")
fi
# As in `make build`.
CGO_ENABLED=0 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags "-s -w" "${overlay[@]}" -o "$out/manager" ./cmd/manager
go build -o "$out/bench" ./test/cmd/scale
[[ -z ${SIZES:-} ]] || args+=(-sizes="$SIZES")
[[ -z ${SCHEDULES:-} ]] || args+=(-schedules="$SCHEDULES")
[[ -z ${WINDOW:-} ]] || args+=(-window="$WINDOW")
[[ -z ${REST:-} ]] || args+=(-rest="$REST")
[[ -z ${VERBOSE:-} ]] || args+=(-v)
step "runs and schedules at once"
"$out/bench" "${args[@]}"
step_done
