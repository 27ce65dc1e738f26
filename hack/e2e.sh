#!/usr/bin/env bash
# Runs the end-to-end stories in the cluster: the core ones, or with `full` all of them; `chaos` is the matrix of faults,
# of which each row leaves its counts in out/chaos (`-run TestChaos/etcd_full` plays one row). The others are benchmarks
# (test/bench), and want a quiet machine: `trials` of the operator itself, `fidelity` against tools that are called by
# hand, and `live` of what a scrape of live figures costs the tool.
# `cpus` is the story of CPUs of their own, in a cluster with the static CPU policy (make cluster CPUS=static).
# `monitoring` needs Prometheus and its operator, which hack/monitoring.sh brings.
# Usage: e2e.sh [core|full|gitops|chaos|monitoring|cpus|trials|fidelity|live] [flags for go test...]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
stories=${1:-core}
shift || true
package=./test/e2e
# Each benchmark is one measurement of many trials.
benchmarks=(-run '^$' -benchtime=1x -bench)
case $stories in
  # Three of the stories that share the nodes have room there at a time.
  core) flags=(-v -short -parallel=3) ;;
  full) flags=(-v -parallel=3) ;;
  gitops) flags=(-v -run '^TestFlux') ;;
  chaos) flags=(-v -run '^TestChaos$' -chaos -chaos-report "$REPO/out/chaos") ;;
  monitoring) flags=(-v -run '^TestMonitoring' -monitoring) ;;
  cpus) flags=(-v -run '^TestExclusiveCPUs$' -static-cpus) ;;
  trials) flags=("${benchmarks[@]}" '^Benchmark(StartSkew|DeadTime|FirstQuery|Reset)$') package=./test/bench ;;
  fidelity) flags=("${benchmarks[@]}" '^BenchmarkFidelity$') package=./test/bench ;;
  live) flags=("${benchmarks[@]}" '^BenchmarkLiveFigures$') package=./test/bench ;;
  *) fail "no such stories: $stories (core, full, gitops, chaos, monitoring, cpus, trials, fidelity or live)" ;;
esac

step "install the chart with short timeouts"
# Errors of a pull are borne for two minutes in production, and the lease of a manager that another pod replaces for 15 s;
# the stories have no time for either. The matrix of faults kills managers as they are installed: with the lease. A disk
# that a story fills is the one of this machine, so the limit is low.
elect=false
more=()
[[ $stories != chaos ]] || elect=true
# Each alert fires in seconds here.
[[ $stories != monitoring ]] || more=(
  --set metrics.serviceMonitor.enabled=true --set metrics.serviceMonitor.labels.release=e2e --set metrics.serviceMonitor.interval=5s
  --set metrics.rules.enabled=true --set metrics.rules.labels.release=e2e --set metrics.rules.queuedTooLongSeconds=5
  --set metrics.rules.managerDownFor=10s --set metrics.podMonitor.enabled=true --set metrics.podMonitor.labels.release=e2e
  --set metrics.podMonitor.interval=5s --set metrics.dashboards.enabled=true
  --set-json 'metrics.podMonitor.from=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"assay-monitoring"}}}]'
)
[[ $stories != live ]] || more=(--set metrics.podMonitor.enabled=true)
# The chart has objects of the Prometheus Operator then.
[[ $stories != monitoring && $stories != live ]] || hack/monitoring.sh crds
install_chart "${more[@]}" --set leaderElection.enabled=$elect --set timeouts.imagePull=10s --set pods.disk.client.limit=2Gi --wait --timeout 3m
"$(tool kubernetes)/kubectl" apply -f config/samples/shapes.yaml

if [[ $package == ./test/e2e ]]; then
  step "$stories end-to-end stories"
  underway_done # the stories say themselves what they do
else
  step "$stories benchmarks"
fi
PATH=$(tool kubernetes):$PATH go test "$package" -count=1 -timeout=150m "${flags[@]}" "$@"
step_done
