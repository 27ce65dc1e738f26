#!/usr/bin/env bash
# Installs Assay into the local cluster and runs a benchmark of two real servers to its end.
# Usage: demo.sh [deploy|servers [NAME...]|record]     default: everything, as `make demo` does
#   deploy   only install
#   servers  images of further servers, such as mysql:8.0: build and load them, and add them to the catalogue
#   record   store the demo that has run for the documents, which show it (hack/demo-docs)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
kubectl=$(tool kubernetes)/kubectl
namespace=assay-demo
sample=config/samples/demo.yaml
bundle=docs/evidence/demo.assay.tar

deploy() {
  step "install the chart"
  install_chart --set leaderElection.enabled=true --wait --timeout 3m
  "$kubectl" apply -f config/samples/shapes.yaml
}

# servers adds images to those of the demo, and their versions to the catalogue of the chart.
servers() {
  hack/images.sh demo "$@" || fail "these images are not there. Versions of the chart's catalogue that are not built here come from a registry: a run that names them needs no image of yours"
  deploy
  step "what runs may name"
  grep -E '^[a-z]+:[0-9]' out/images.txt | cut -d' ' -f1
}

assay() { out/bin/kubectl-assay --namespace "$namespace" "$@"; }

# prepare the namespace. The last demo goes, its results with it; other runs stay.
prepare() {
  namespace_for_runs "$namespace"
  if "$kubectl" -n "$namespace" get benchmarkrun demo >/dev/null 2>&1; then
    say "the run demo of before is deleted, with its results; other runs stay"
    "$kubectl" -n "$namespace" delete benchmarkrun demo --wait=false >/dev/null
  fi
}

# run_demo follows the run to its end. An inconclusive verdict is a result; a run that failed is none.
run_demo() {
  local code=0
  "$kubectl" -n "$namespace" wait --for=delete benchmarkrun/demo --timeout=60s >/dev/null
  step "kubectl assay run -f $sample: two MariaDB servers on one node, sysbench on another"
  underway_done # it says itself how far it is, on a terminal with a bar
  assay run -f "$sample" --interval 500ms || code=$?
  step_done
  case $code in
    0) ;;
    3) say "No number counts: most often because other work used the CPUs of this machine. Close it, and repeat make demo." ;;
    *) fail "the run did not succeed: out/bin/kubectl-assay --namespace $namespace why demo says what to do" ;;
  esac
}

show() {
  step "kubectl assay report demo: the same as a page, for a browser"
  assay report demo -o out/demo.html
  step_done
  cat <<TEXT

Open $REPO/out/demo.html in a browser: every trial as a point, the environment, and how to repeat it.
What the verdict says, word by word: docs/guide/read-a-verdict.md. To look at the run yourself, and to compare two versions
of your own (docs/guide/try-it.md):
  export KUBECONFIG=$REPO/out/kubeconfig PATH=$REPO/out/bin:$REPO/bin:\$PATH
  kubectl assay get demo -n $namespace -m all
  kubectl assay ui -n $namespace
TEXT
}

case ${1:-} in
  deploy)
    deploy
    ;;
  servers)
    servers "${@:2}"
    ;;
  record)
    mkdir -p "${bundle%/*}"
    assay verify demo
    assay export demo --bundle -o "$bundle"
    say "$bundle: make generate writes it into README.md and the guide"
    ;;
  '')
    # The program is compiled while the cluster works.
    make --no-print-directory plugin & plugin=$!
    prepare
    deploy
    wait "$plugin" || fail "kubectl-assay could not be built"
    run_demo
    show
    ;;
  *)
    fail "demo.sh $1: use deploy, servers or record, or nothing"
    ;;
esac
step_done
