#!/usr/bin/env bash
# Installs Assay into the cluster and runs a benchmark of two real databases to its end.
# Usage: demo.sh [deploy]     with deploy: only install.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
kubectl=$(tool kubernetes)/kubectl
namespace=assay-demo
run=demo-$(date +%H%M%S)

deploy() {
  step "install the chart"
  install_chart --set leaderElection.enabled=true --wait --timeout 3m
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

# table aligns columns that are separated by tabs. Long decimals are shown with six digits; they are stored whole.
table() {
  awk -F '\t' '
    function shown(text,  ends) {
      if (split(text, ends, /\.\./) == 2) return shown(ends[1]) ".." shown(ends[2])
      return text ~ /^[0-9]+\.[0-9]+$/ && length(text) > 8 ? sprintf("%.6g", text) : text
    }
    {for (i = 1; i <= NF; i++) {$i = cell[NR, i] = shown($i); if (length($i) > width[i]) width[i] = length($i)}; columns[NR] = NF}
    END {for (n = 1; n <= NR; n++) for (i = 1; i <= columns[n]; i++)
      printf "%-" (i < columns[n] ? width[i] + 2 : 0) "s%s", cell[n, i], i < columns[n] ? "" : "\n"}'
}

# labels writes those of JSONPath, {"p":"95"}, as p=95: a percentile says which one it is.
labels() { sed -E 's/\{"([^}]*)"\}/\1/; s/":"/=/g; s/","/ /g'; }

# grouped counts lines of severity, check, target, trial and message that differ only in trial and message, and quotes
# the last one of each group. A finding about a server has no trial.
grouped() {
  awk -F '\t' '
    NF < 5 {next}
    {
      key = $1 ": " $2 ($3 == "" ? "" : " (" $3 ")")
      if (!(key in n)) order[++groups] = key
      n[key]++; trial[key] = $4; message[key] = $5
    }
    END {
      for (g = 1; g <= groups; g++) {
        key = order[g]; where = trial[key] == "" ? "" : "trial " trial[key] ": "
        if (n[key] == 1) print key ": " where message[key]
        else print n[key] " x " key ": such as " where message[key]
      }
    }'
}

show() {
  step "the result: a smoke comparison on slices of a CPU"
  "$kubectl" -n "$namespace" get benchmarkruns
  echo
  printf 'TARGET\tSERVER\tNODE\tLOAD (s)\tROWS/s\n%s' "$(field '{range .status.targets[*]}{.name}{"\t"}{.serverVersion}{"\t"}{.nodeName}{"\t"}{.load[?(@.name=="time.load")].value}{"\t"}{.load[?(@.name=="throughput.rows")].value}{"\n"}{end}')" | table
  echo
  echo "The last trials:"
  printf 'TRIAL\tBLOCK\tTARGET\tSTATE\tVALID\tDISTURBED\tLIMITED BY\tTHROUGHPUT (tx/s)\tLATENCY avg (ms)\tCLIENT NODE\n%s' \
    "$(field '{range .status.trials[*]}{.index}{"\t"}{.block}{"\t"}{.target}{"\t"}{.state}{"\t"}{.valid}{"\t"}{.disturbed}{"\t"}{.limitedBy[*].by}{"\t"}{.values[?(@.name=="throughput")].value}{"\t"}{.values[?(@.name=="latency.avg")].value}{"\t"}{.clientNodeNames[*]}{"\n"}{end}')" | table
  echo
  echo "Of each target: N of the PLANNED trials are behind a median; the interval holds the true one with 95 % or more."
  printf 'TARGET\tMEASUREMENT\tMEDIAN\tUNIT\tINTERVAL\tMIN\tMAX\tN\tPLANNED\tLEFT OUT\tLIMITED BY\n%s' \
    "$(field '{range .status.summary[*]}{.target}{"\t"}{.name} {.labels}{"\t"}{.median}{"\t"}{.unit}{"\t"}{.intervalLow}..{.intervalHigh}{"\t"}{.min}{"\t"}{.max}{"\t"}{.trialCount}{"\t"}{.plannedTrialCount}{"\t"}{range .leftOut[*]}{.trialCount} {.reason}, {end}{"\t"}{range .limitedBy[*]}{.by} in {.trialCount}, {end}{"\n"}{end}' |
      labels | sed -E 's/\t\.\.\t/\t-\t/; s/, (\t|$)/\1/g')" | table
  echo
  echo "What was declared before the data: N of the PLANNED blocks count on both sides, and the error rate of 5 % holds for"
  echo "all of them together. Those that were not declared, and are hints for another run, are in status.comparisons too."
  printf 'VERDICT\tN\tPLANNED\tCOMPARISON\n%s' \
    "$(field '{range .status.comparisons[?(@.family=="Primary")]}{.verdict}{"\t"}{.blockCount}{"\t"}{.plannedBlockCount}{"\t"}{.text}{"\n"}{end}')" | table
  echo
  echo "Planned: $(field '{.status.conditions[?(@.type=="Accepted")].message}')"
  echo "Verdict: $(field '{.status.verdict}')"
  echo
  field '{range .status.summary[*]}{.caveat}{"\t"}{.target} {.name} {.labels}{"\n"}{end}' | labels | awk -F '\t' '$1 != "" {print "caveat: " $2 ": " $1}'
  field '{range .status.findings[*]}{.severity}{"\t"}{.check}{"\t"}{.target}{"\t"}{.trial}{"\t"}{.message}{"\n"}{end}' | grouped
  cat <<EOF
Every number, the server's variables and the verbatim output of sysbench are in ConfigMaps (docs/guide/read-the-result.md):
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
step "the same as a page, for a browser"
out/bin/kubectl-assay -n "$namespace" report "$run" -o out/demo.html
step_done
