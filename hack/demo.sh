#!/usr/bin/env bash
# Installs Assay into the cluster and runs a benchmark of two real databases to its end.
# Usage: demo.sh [deploy]     with deploy: only install.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
kubectl=$(tool kubernetes)/kubectl
helm=$(tool helm)/helm
namespace=assay-demo
run=demo-$(date +%H%M%S)

deploy() {
  step "install the chart"
  "$helm" upgrade --install assay charts/assay --namespace assay-system --create-namespace \
    --values out/values-local.yaml --set leaderElection.enabled=true --wait --timeout 3m >/dev/null
  "$kubectl" apply -f config/samples/shapes.yaml
}

# field prints one field of the run.
field() { "$kubectl" -n "$namespace" get benchmarkrun "$run" -o "jsonpath=$1"; }

start_run() {
  step "kubectl apply: MariaDB 10.11 and MySQL 9.7 on one node, sysbench on another"
  "$kubectl" create namespace "$namespace" --dry-run=client -o yaml | "$kubectl" apply -f - >/dev/null
  "$kubectl" label namespace "$namespace" --overwrite pod-security.kubernetes.io/enforce=restricted >/dev/null
  # Earlier runs of this demo go, their results with them.
  "$kubectl" -n "$namespace" delete benchmarkruns --all --wait=false >/dev/null
  sed "s/^  name: demo$/  name: $run/" config/samples/demo.yaml | "$kubectl" -n "$namespace" apply -f -
}

# follow prints a line whenever the run has come further, until it has ended.
follow() {
  local line last='' deadline=$((SECONDS + 600))
  while ((SECONDS < deadline)); do
    line=$(field '{.status.phase}  {.status.progress.text}  {.status.conditions[?(@.type=="Reconciling")].message}')
    [[ $line == "$last" ]] || say "$line"
    last=$line
    [[ $line != Complete* && $line != Failed* ]] || return 0
    sleep 0.5
  done
  fail "the run did not end within 10 minutes: kubectl -n $namespace describe bmr $run"
}

# table aligns columns that are separated by tabs.
table() {
  awk -F '\t' '
    {for (i = 1; i <= NF; i++) {cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i)}; columns[NR] = NF}
    END {for (n = 1; n <= NR; n++) for (i = 1; i <= columns[n]; i++)
      printf "%-" (i < columns[n] ? width[i] + 2 : 0) "s%s", cell[n, i], i < columns[n] ? "" : "\n"}'
}

show() {
  step "the result"
  "$kubectl" -n "$namespace" get benchmarkruns
  echo
  printf 'TARGET\tSERVER\tNODE\n%s' "$(field '{range .status.targets[*]}{.name}{"\t"}{.serverVersion}{"\t"}{.node.name} ({.node.instanceType}){"\n"}{end}')" | table
  echo
  printf 'TRIAL\tBLOCK\tTARGET\tSTATE\tTHROUGHPUT (tx/s)\tLATENCY avg (ms)\tCLIENT NODE\n%s' \
    "$(field '{range .status.trials[*]}{.index}{"\t"}{.block}{"\t"}{.target}{"\t"}{.state}{"\t"}{.values[?(@.name=="throughput")].value}{"\t"}{.values[?(@.name=="latency.avg")].value}{"\t"}{.nodes[*]}{"\n"}{end}')" | table
  echo
  printf 'TARGET\tMEASUREMENT\tMEDIAN\tUNIT\tMIN\tMAX\tN\n%s' \
    "$(field '{range .status.summary[*]}{.target}{"\t"}{.name}{"\t"}{.median}{"\t"}{.unit}{"\t"}{.min}{"\t"}{.max}{"\t"}{.n}{"\n"}{end}')" | table
  echo
  # Findings about a server have no trial.
  field '{range .status.findings[*]}{.severity}: trial {.trial} ({.target}): {.check}: {.message}{"\n"}{end}' | sed 's/: trial  (\([^)]*\)):/: \1:/'
  cat <<EOF
Every number, the server's variables and the verbatim output of sysbench are in ConfigMaps (docs/results.md):
  export KUBECONFIG=\$PWD/out/kubeconfig PATH=\$PWD/bin:\$PATH
  kubectl -n $namespace get configmaps -l assay.dev/run=$run,assay.dev/role=result
  kubectl -n $namespace get configmap $run-trial-00000-result-0 -o jsonpath='{.binaryData.raw\.tar\.gz}' | base64 -d | tar -xzO run/stdout.txt
EOF
}

deploy
if [[ ${1:-} == deploy ]]; then
  step_done
  exit
fi
start_run
step "the run"
follow
show
step_done
[[ $(field '{.status.phase}') == Complete ]] || fail "the run failed: $(field '{.status.conditions[?(@.type=="Failed")].message}')"
