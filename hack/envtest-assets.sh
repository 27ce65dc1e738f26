#!/usr/bin/env bash
# Puts API server, etcd and kubectl into one folder, as envtest wants them, and prints it. They are those of the local cluster, and then
# bin/envtest is a link to them; or the API server is the oldest or the newest one that the chart is tested on (hack/apiservers), with the
# same etcd and kubectl.
# Usage: envtest-assets.sh [oldest|newest]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# api_server builds one of hack/apiservers, once per content of its module and Go version, and prints its folder. tool.sh does not: the
# image of the cluster's nodes has a digest of that file in its name, and these are no part of it.
api_server() {
  local module=$REPO/hack/apiservers/$1 directory log=$CACHE/bin/kube-apiserver-$1.log package=k8s.io/component-base/version version begun
  version=$(version_of "$1")
  directory=$CACHE/bin/kube-apiserver-$1-$(digest "$module" -- "$(go env GOVERSION GOOS GOARCH)")
  mkdir -p "$CACHE/bin"
  # Two callers may want the same one: the second one waits and finds it built.
  exec 9>"$CACHE/bin/kube-apiserver-$1.lock"
  flock 9
  if [[ ! -d $directory ]]; then
    begun=$(now_ms)
    say "building kube-apiserver $version from Go modules"
    heartbeat
    underway "building kube-apiserver $version" "$log"
    # The flags are those of tool.sh. An API server knows its version only when the linker tells it.
    (cd "$module" &&
      GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 GOGC=200 go build -v -trimpath -gcflags=all=-dwarf=false \
        -ldflags "-s -w -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${version:3:2}" \
        -o "$directory.partial/kube-apiserver" tool) >"$log" 2>&1 || {
      grep -vE '^(go: downloading .*|[a-zA-Z0-9._/~-]+)$' "$log" | head -n 30 >&2 # not the names of packages
      fail "could not build kube-apiserver $version (whole log: $log)"
    }
    [[ $("$directory.partial/kube-apiserver" --version) == "Kubernetes $version" ]] || fail "it does not know that it is $version"
    mv "$directory.partial" "$directory"
    underway_done
    say "built kube-apiserver $version in $(since "$begun")"
  fi
  exec 9>&-
  printf '%s\n' "$directory"
}

version_of() { module_version "../apiservers/$1" k8s.io/kubernetes; }

kubernetes=$(tool kubernetes)
server=$kubernetes
case ${1:-} in
  '') ;;
  oldest | newest) server=$(api_server "$1") ;;
  *) fail "usage: envtest-assets.sh [oldest|newest]" ;;
esac
assets=$CACHE/envtest-$(digest -- "${kubernetes##*/}" "${server##*/}")
mkdir -p "$assets" "$REPO/bin"
ln -sfn "$server/kube-apiserver" "$assets/kube-apiserver"
ln -sfn "$kubernetes/kubectl" "$assets/kubectl"
ln -sfn "$kubernetes/etcd" "$assets/etcd"
[[ -n ${1:-} ]] || ln -sfn "$assets" "$REPO/bin/envtest"
printf '%s\n' "$assets"
