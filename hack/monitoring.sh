#!/usr/bin/env bash
# Tests the chart's monitoring with the real Prometheus, which is built from Go modules (hack/monitoring).
#   rules   every recording rule and alert of the chart, by promtool, without a cluster
#   crds    the kinds of the Prometheus Operator that the chart has objects of, into the cluster
#   e2e     Prometheus Operator and Prometheus in the cluster: targets, rules, alerts and the queries of the dashboards
# Usage: monitoring.sh rules|crds|e2e [flags for go test...]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"

rules() {
  local promtool folder=$REPO/out/monitoring
  step "rules of the chart"
  promtool=$(hack/monitoring/build.sh prometheus)/promtool
  mkdir -p "$folder"
  "$(tool helm)/helm" template assay charts/assay --kube-version 1.34.0 --set metrics.rules.enabled=true --show-only templates/monitoring-rules.yaml |
    awk 'inside {sub(/^  /, ""); print} /^spec:$/ {inside = 1}' >"$folder/rules.yaml"
  cp test/monitoring/rules_test.yaml "$folder/"
  "$promtool" check rules --lint=all --lint-fatal "$folder/rules.yaml" >&2
  "$promtool" test rules "$folder/rules_test.yaml" >&2
  step_done
}

# crds of the operator come before a chart that has objects of them.
crds() {
  local folder file
  step "CRDs of the Prometheus Operator"
  folder=$(cd hack/monitoring/operator && GOFLAGS=-mod=mod GOWORK=off go list -m -f '{{.Dir}}' github.com/prometheus-operator/prometheus-operator)
  for file in podmonitors prometheusrules servicemonitors; do
    KUBECONFIG=$REPO/out/kubeconfig "$(tool kubernetes)/kubectl" apply --server-side --force-conflicts \
      -f "$folder/example/prometheus-operator-crd/monitoring.coreos.com_$file.yaml" >&2
  done
  step_done
}

case ${1:-} in
  rules) rules ;;
  crds) crds ;;
  e2e)
    shift
    rules
    hack/images.sh tool-monitoring && hack/images.sh load core # the list of images then has both
    hack/e2e.sh monitoring "$@"
    ;;
  *) fail "usage: monitoring.sh rules|crds|e2e" ;;
esac
