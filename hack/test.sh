#!/usr/bin/env bash
# Runs the Go tests of one kind. A package belongs to envtest when its tests use test/helpers/apiserver or
# test/helpers/objectstore; the suites in a cluster, test/e2e and test/bench, belong to neither.
# Usage: test.sh unit|envtest [flags for go test...]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kind=${1:?unit or envtest}
shift
cd "$REPO"
mapfile -t envtest < <(go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... |
  awk '/ .*\/test\/helpers\/(apiserver|objectstore)/ {print $1}')
case $kind in
  unit)
    mapfile -t packages < <(go list ./... | grep -vE '/test/(e2e|bench)$' | grep -vxFf <(printf '%s\n' "${envtest[@]:-none}"))
    ;;
  envtest)
    ((${#envtest[@]})) || { say "no package has tests against an API server"; exit; }
    packages=("${envtest[@]}")
    KUBEBUILDER_ASSETS=$("$REPO/hack/envtest-assets.sh")
    ASSAY_VERSITYGW=$("$REPO/hack/tool.sh" versitygw)/versitygw
    export KUBEBUILDER_ASSETS ASSAY_VERSITYGW
    ;;
  *) fail "usage: test.sh unit|envtest" ;;
esac
((${#packages[@]})) || fail "no packages found: go list failed" # and go test without a package would mean "here"
step "$kind tests"
go test -timeout=20m "$@" "${packages[@]}"
step_done
