#!/usr/bin/env bash
# Runs the end-to-end stories in the cluster: the core ones, or with `full` all of them; `chaos` is the long form of the
# story of faults alone, `bench` the benchmarks of the operator itself, `fidelity` the comparison with tools that are
# called by hand, and `reproductions` the published comparisons of drivers; the last three want a quiet machine.
# Usage: e2e.sh [core|full|chaos|bench|fidelity|reproductions] [flags for go test...]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
stories=${1:-core}
shift || true
flags=()
case $stories in
  core) flags+=(-short) ;;
  full) ;;
  chaos) flags+=(-run '^TestChaos$') ;;
  bench) flags+=(-run '^TestBench'); export ASSAY_BENCH=1 ;;
  fidelity) flags+=(-run '^TestFidelity$'); export ASSAY_BENCH=1 ;;
  reproductions) flags+=(-run '^TestReproductions$'); export ASSAY_BENCH=1 ;;
  *) fail "no such stories: $stories (core, full, chaos, bench, fidelity or reproductions)" ;;
esac

step "install the chart with short limits"
# Errors of a pull are borne for two minutes in production, and a killed manager's lease for 15 s; the stories have no
# time for either.
"$(tool helm)/helm" upgrade --install assay charts/assay --namespace assay-system --create-namespace \
  --values out/values-local.yaml --set leaderElection.enabled=false --set limits.imagePull=10s --wait --timeout 3m >/dev/null
"$(tool kubernetes)/kubectl" apply -f config/samples/shapes.yaml

step "$stories end-to-end stories"
PATH=$(tool kubernetes):$PATH go test ./test/e2e -count=1 -v -timeout=150m "${flags[@]}" "$@"
step_done
