#!/usr/bin/env bash
# Plays the runs of docs/gallery in the cluster, one after the other, and keeps each as a bundle beside its manifest: without raw
# output and most results, which stay in out/gallery. A run of which more than a tenth was disturbed, or that has failed, is played
# once more, and the better of the two is kept. One that fails does not stop the others, and leaves the bundle that is there. Wants
# a quiet machine for half an hour.
# Usage: gallery.sh [s0 s3 ...]     the experiments; default: all
#        BLOCKS=2 gallery.sh s4     a try in small: so many blocks, once, and its bundle stays in out/gallery
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
export KUBECONFIG=$REPO/out/kubeconfig
kubectl=$(tool kubernetes)/kubectl
assay=out/bin/kubectl-assay
namespace="assay-gallery"
small=${BLOCKS:-}
# The longest takes ten minutes. A run that hangs must not take the time of the others.
readonly LIMIT=20m
# More than this is too much for a repository that everybody clones.
readonly MOST_BYTES=524288

prepare() {
  step "install the chart"
  install_chart --set leaderElection.enabled=true --wait --timeout 3m
  "$kubectl" apply -f config/samples/shapes.yaml
  namespace_for_runs "$namespace"
  mkdir -p out/gallery
}

# clear removes a run with everything that belongs to it: its name is needed again.
clear() { timeout 3m "$kubectl" -n "$namespace" delete benchmarkrun "$1" --ignore-not-found --cascade=foreground --wait >/dev/null; }

# field prints one field of a run, or nothing.
field() { "$kubectl" -n "$namespace" get benchmarkrun "$1" -o "jsonpath=$2" 2>/dev/null || true; }

# spoilt counts the trials of a run that say nothing.
spoilt() {
  local n sum=0
  for n in disturbed failed invalid; do
    n=$(field "$1" "{.status.progress.$n}")
    sum=$((sum + ${n:-0}))
  done
  printf '%d' "$sum"
}

# play runs an experiment and exports it: play NAME FILE. It fails where there is no bundle.
play() {
  local name=$1 file=$2 manifest=out/gallery/$1.yaml code=0
  clear "$name" || return 1
  sed -E "${small:+s/(design: \\{blocks: )[0-9]+/\\1$small/}" "docs/gallery/$name.yaml" >"$manifest"
  timeout --signal=INT --kill-after=30s "$LIMIT" "$assay" -n "$namespace" run -f "$manifest" >"out/gallery/$name.txt" || code=$?
  if [[ $(field "$name" '{.status.phase}') != Complete ]]; then
    say "$name has not come to its end (exit code $code): $(field "$name" '{.status.conditions[?(@.type=="Failed")].message}')"
    return 1
  fi
  "$assay" -n "$namespace" export "$name" --bundle -o "$file" && "$assay" verify "$file" >/dev/null
}

# experiment plays one, twice where more than a tenth of the first time says nothing, and keeps the better bundle.
experiment() {
  local name=$1 try n best='' least=''
  for try in 1 2; do
    step "$name, try $try"
    if play "$name" "out/gallery/$name-$try.assay.tar"; then
      n=$(spoilt "$name")
      say "$name: $(field "$name" '{.status.progress.text}'), of which $n say nothing; $(wc -c <"out/gallery/$name-$try.assay.tar") bytes"
      if [[ -z $least ]] || ((n < least)); then least=$n best=out/gallery/$name-$try.assay.tar; fi
      ((n * 10 > $(field "$name" '{.status.progress.planned}'))) || break
    fi
    [[ -z $small ]] || break
  done
  clear "$name" || say "$name is still in the cluster"
  [[ -n $best ]] || { say "$name: no bundle"; return 1; }
  go run -trimpath ./hack/gallery reduce "$best" "out/gallery/$name.assay.tar" || return 1
  if (($(wc -c <"out/gallery/$name.assay.tar") > MOST_BYTES)); then
    say "$name: out/gallery/$name.assay.tar is larger than $MOST_BYTES bytes"
    return 1
  fi
  [[ -n $small ]] || cp "out/gallery/$name.assay.tar" "docs/gallery/$name.assay.tar"
}

mapfile -t names < <(cd docs/gallery && printf '%s\n' s*.yaml | sed 's/\.yaml$//')
chosen=()
for name in "${names[@]}"; do
  if (($# == 0)) || [[ " $* " == *" ${name%%-*} "* || " $* " == *" $name "* ]]; then chosen+=("$name"); fi
done
((${#chosen[@]})) || fail "no such experiment: $* (${names[*]})"
[[ -x $assay ]] || fail "$assay is not there: make plugin"

prepare
lost=()
for name in "${chosen[@]}"; do
  experiment "$name" || lost+=("$name")
done
step_done
((${#lost[@]} == 0)) || fail "without a new bundle: ${lost[*]} (hack/gallery.sh ${lost[0]%%-*} plays one again)"
say "now: make gallery, look at out/gallery, and commit docs/gallery"
