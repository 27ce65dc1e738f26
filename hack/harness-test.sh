#!/usr/bin/env bash
# Runs the tests of the driver harnesses, of YCSB's binding and of what is changed in go-tpc that need no server. Those of Go, Rust and
# go-tpc run with the compiler that builds them, those of .NET with the SDK of this machine; the others in the stage "build" of their image, where their
# runtime and their libraries are, and without a network. The drivers of YCSB are played there too, against servers that refuse.
# Usage: harness-test.sh [language...|ycsb|tpcc]      default: all whose image builds them
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The folder of the language, as it is in this tree, is /build/LANGUAGE there; the binding is in /build/java.
declare -A in_stage=(
  [c]='make -C /build/c OUT=/tmp/out test'
  [java]='/build/java/test.sh /build/harness'
  [node]='cd /build/node && NODE_PATH=/build/fetched/node_modules /build/fetched/node --test --test-concurrency=1'
  [php]='php /build/php/tests/run.php'
  [python]='cd /build/python && PYTHONPATH=/build/site python3 -B -m unittest discover -s tests'
  [ruby]='ruby3.3 /build/ruby/tests/run.rb'
  [ycsb]='/build/java/test.sh "/build/lib/*"'
)
image_of() { case $1 in ycsb) echo runner-ycsb ;; *) echo "runner-drivers-$1" ;; esac }
folder_of() { case $1 in ycsb) echo runners/ycsb/java ;; *) echo "harness/$1" ;; esac }

test_go() { (cd harness/go && GOFLAGS=-mod=readonly GOWORK=off go test ./...); }
test_dotnet() { dotnet run --project harness/dotnet/tests/tests.csproj; }
test_rust() { harness/rust/fetch.sh test; }
test_tpcc() { runners/tpcc/image/fetch.sh test; }

# test_in_stage LANGUAGE IMAGE
test_in_stage() {
  local folder
  folder=$(folder_of "$1")
  docker run --rm --network none --volume "$REPO/$folder:/build/${folder##*/}:ro" "$2" sh -c "${in_stage[$1]}"
}

# refusals IMAGE: the tests of YCSB's adapter that start Java, with Java and the jars as the image has them, and with the driver
# that it lacks. They are compiled here: the stage has no Go.
refusals() {
  local informix tests status=0
  informix=$(hack/maven.sh test-informix) || return
  tests=$(mktemp -d)
  CGO_ENABLED=0 go test -c -o "$tests/ycsb.test" ./runners/ycsb &&
    docker run --rm --network none --volume "$REPO:/build/repository:ro" --volume "$tests:/build/tests:ro" --volume "$informix:/build/informix:ro" \
      --workdir /build/repository/runners/ycsb --env PATH=/build/java-runtime/bin:/usr/bin:/bin \
      --env ASSAY_TEST_YCSB_JARS=/build/lib --env ASSAY_TEST_INFORMIX_JARS=/build/informix \
      "$1" /build/tests/ycsb.test -test.v -test.run '^(TestRealDriversAreRefused|TestADriverThatTheImageLacks)$' || status=1
  rm -rf "$tests"
  return $status
}

# languages are those whose harness is built for its image, ycsb, and tpcc, whose go-tpc is that of tpch, too.
languages() { sed -nE '/ archive: /d; s/^- \{name: runner-(drivers-([a-z]+)|(ycsb|tpcc)),.*/\2\3/p' hack/images/images.yaml; }

cd "$REPO"
(($#)) || mapfile -t wanted < <(languages)
(($# == 0)) || wanted=("$@")
names=()
for language in "${wanted[@]}"; do
  if [[ -n ${in_stage[$language]:-} ]]; then
    names+=("$(image_of "$language")")
  elif ! declare -F "test_$language" >/dev/null; then
    fail "no tests of the harness of $language are known here: add them to hack/harness-test.sh"
  fi
done
declare -A stages=()
if ((${#names[@]})); then
  step "harness tests: the build stages of ${names[*]}"
  listed=$(hack/images.sh stage "${names[@]}")
  while read -r name id; do stages[$name]=$id; done <<<"$listed"
fi
failed=()
for language in "${wanted[@]}"; do
  step "harness tests: $language"
  stage=${stages[$(image_of "$language")]:-}
  if [[ -n $stage ]]; then
    test_in_stage "$language" "$stage" || failed+=("$language")
    [[ $language != ycsb ]] || refusals "$stage" || failed+=("ycsb against servers that refuse")
  else
    "test_$language" || failed+=("$language")
  fi
done
step_done
((!${#failed[@]})) || fail "tests of the harnesses of: ${failed[*]}"
