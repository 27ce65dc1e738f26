#!/usr/bin/env bash
# Runs the tests of the driver harnesses that need no server. Those of Go and Rust run with the compiler that builds them; the
# others in the stage "build" of their image, where their runtime and their drivers are, and without a network.
# Usage: harness-test.sh [language...]      default: all that have an image
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The folder of the language, as it is in this tree, is /build/LANGUAGE there.
declare -A in_stage=(
  [c]='make -C /build/c OUT=/tmp/out test'
  [java]='/build/java/test.sh /build/harness'
  [node]='cd /build/node && NODE_PATH=/build/fetched/node_modules /build/fetched/node --test --test-concurrency=1'
  [php]='php /build/php/tests/run.php'
  [python]='cd /build/python && PYTHONPATH=/build/site python3 -B -m unittest discover -s tests'
  [ruby]='ruby3.3 /build/ruby/tests/run.rb'
)

test_go() { (cd harness/go && GOFLAGS=-mod=readonly GOWORK=off go test ./...); }
test_rust() { harness/rust/fetch.sh test; }

# test_in_stage LANGUAGE IMAGE
test_in_stage() {
  docker run --rm --network none --volume "$REPO/harness/$1:/build/$1:ro" "$2" sh -c "${in_stage[$1]}"
}

# languages are those whose harness has an image.
languages() { sed -nE 's/^- \{name: runner-drivers-([a-z]+),.*/\1/p' hack/images/images.yaml; }

cd "$REPO"
(($#)) || mapfile -t wanted < <(languages)
(($# == 0)) || wanted=("$@")
names=()
for language in "${wanted[@]}"; do
  if [[ -n ${in_stage[$language]:-} ]]; then
    names+=("runner-drivers-$language")
  elif ! declare -F "test_$language" >/dev/null; then
    fail "no tests of the harness of $language are known here: add them to hack/harness-test.sh"
  fi
done
declare -A stages=()
if ((${#names[@]})); then
  step "harness tests: the build stages of ${names[*]}"
  listed=$(hack/images.sh stage "${names[@]}")
  while read -r name id; do stages[${name#runner-drivers-}]=$id; done <<<"$listed"
fi
failed=()
for language in "${wanted[@]}"; do
  step "harness tests: $language"
  if [[ -n ${stages[$language]:-} ]]; then
    test_in_stage "$language" "${stages[$language]}" || failed+=("$language")
  else
    "test_$language" || failed+=("$language")
  fi
done
step_done
((!${#failed[@]})) || fail "tests of the harnesses of: ${failed[*]}"
