#!/usr/bin/env bash
# Runs the Go tests of one kind. A package belongs to envtest when its tests use test/helpers/apiserver or
# test/helpers/objectstore; the suites in a cluster, test/e2e and test/bench, and test/browser belong to neither. Go keeps the outcome of
# a package whose code, files and variables did not change; `-count=1` runs it all the same.
# `versions` runs what depends on the version of the API server, on the oldest and on the newest one that the chart is tested on.
# Usage: test.sh unit|envtest|versions [flags for go test...]
#        eval "$(test.sh variables)"     what the tests of envtest need, to run one of them by go test
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# manager builds the program that some suites run, under a name with the digest of its content: by its name Go knows
# whether it is another one. The flags are those of the Makefile, so that nothing is compiled twice.
manager() {
  local folder=$REPO/out/test path
  mkdir -p "$folder"
  CGO_ENABLED=0 GOGC=200 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags "-s -w" -o "$folder/manager" ./cmd/manager
  path=$folder/manager-$(sha256sum "$folder/manager" | cut -c1-12)
  if [[ ! -x $path ]]; then
    find "$folder" -name 'manager-*' -mmin +60 -delete
    cp "$folder/manager" "$path.new" && mv "$path.new" "$path"
  fi
  printf '%s\n' "$path"
}

# crds prints the path of the folder with the CRDs of a Go module that a folder of hack pins. It is not compiled.
crds() {
  local pin=$REPO/hack/$1 module=$2 version folder
  version=$(sed -nE "s#^require $module (v.+)\$#\1#p" "$pin/go.mod")
  folder=$(cd "$pin" && GOFLAGS=-mod=readonly GOWORK=off go mod download -json "$module@$version" | sed -nE 's/^\t"Dir": "(.+)",$/\1/p')
  [[ -n $folder ]] || fail "no module $module@$version"
  printf '%s\n' "$folder/config/crd"
}

# versions runs, on another API server, the packages whose outcome that server decides: whether it takes the chart, the policies in CEL
# and each sample, and which calls the manager and its users need rights for. Of the controllers it runs what the CRDs refuse, which is
# CEL too. All else decides by what objects say, and every API server says that in the same way: the whole suite on each version
# takes 9 minutes, and shows nothing more.
versions() {
  local version flags
  for version in oldest newest; do
    # No test is called so. Go has one list of what a test has read for each set of flags, and that list is another one in each run of
    # a test that waits: with flags of its own, the run on one server leaves the kept outcomes on the others alone.
    flags=(-timeout=20m "-skip=^on-the-$version$" "$@")
    KUBEBUILDER_ASSETS=$("$REPO/hack/envtest-assets.sh" "$version")
    step "envtest on $("$KUBEBUILDER_ASSETS/kube-apiserver" --version), the $version that the chart is tested on"
    go test -p "$(($(nproc) + 1))" "${flags[@]}" ./test/envtest/{admission,install,permissions,samples,teams,upgrade}
    go test "${flags[@]}" -run '^(TestBad.*|TestSpecIsImmutable)$' ./controllers/benchmarkrun ./controllers/benchmarkbaseline
    step_done
  done
}

# variables exports what the tests of envtest need.
variables() {
  KUBEBUILDER_ASSETS=$("$REPO/hack/envtest-assets.sh")
  ASSAY_VERSITYGW=$("$REPO/hack/tool.sh" versitygw)/versitygw
  ASSAY_MANAGER=$(manager)
  ASSAY_AUTOSCALER_CRD=$(crds autoscaler k8s.io/autoscaler/cluster-autoscaler/apis)/autoscaling.x-k8s.io_provisioningrequests.yaml
  ASSAY_SNAPSHOT_CRDS=$(crds snapshotter github.com/kubernetes-csi/external-snapshotter/client/v8)
  export KUBEBUILDER_ASSETS ASSAY_VERSITYGW ASSAY_MANAGER ASSAY_AUTOSCALER_CRD ASSAY_SNAPSHOT_CRDS
}

kind=${1:?unit, envtest, versions or variables}
shift
cd "$REPO"
if [[ $kind == variables ]]; then
  variables
  declare -p KUBEBUILDER_ASSETS ASSAY_VERSITYGW ASSAY_MANAGER ASSAY_AUTOSCALER_CRD ASSAY_SNAPSHOT_CRDS
  exit
fi
if [[ $kind == versions ]]; then
  variables
  versions "$@"
  exit
fi
mapfile -t envtest < <(go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... |
  awk '/ .*\/test\/helpers\/(apiserver|objectstore)/ {print $1}')
case $kind in
  unit)
    mapfile -t packages < <(go list ./... | grep -vE '/test/(e2e|bench|browser)$' | grep -vxFf <(printf '%s\n' "${envtest[@]:-none}"))
    ;;
  envtest)
    ((${#envtest[@]})) || { say "no package has tests against an API server"; exit; }
    packages=("${envtest[@]}")
    variables
    ;;
  *) fail "usage: test.sh unit|envtest|versions|variables" ;;
esac
((${#packages[@]})) || fail "no packages found: go list failed" # and go test without a package would mean "here"
step "$kind tests"
# Those that take longest begin first. Most of them wait more than they use a processor.
mapfile -t packages < <(
  printf '%s\n' "${packages[@]}" | grep -E '/(internal/agent/client|controllers/benchmarkrun|test/hostile)$'
  printf '%s\n' "${packages[@]}" | grep -vE '/(internal/agent/client|controllers/benchmarkrun|test/hostile)$'
)
# The slowest suite takes 6 to 9 minutes, and took more than 20 beside an idle cluster on two CPUs of which the host took a part.
go test -timeout=60m -p "$(($(nproc) + 1))" "$@" "${packages[@]}"
step_done
