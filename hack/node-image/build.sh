#!/usr/bin/env bash
# Builds the kind node image without any image registry: Debian packages below, Kubernetes from Go modules on top, and
# every image that kubeadm asks for inside. Prints the image's name; does nothing when it is there.
# Usage: build.sh [name]   ("name" only prints the name)
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

here=$REPO/hack/node-image
version=$(module_version kubernetes k8s.io/kubernetes)
pause=registry.k8s.io/pause:$PAUSE_TAG
# The name says what is inside: a change of any input gives another name, and so another image.
inputs=("$here" "$REPO/hack/policy-agent" "$REPO/hack/versions.sh" "$REPO/hack/tool.sh")
for module in kubernetes local-path-provisioner kind; do inputs+=("$REPO/hack/tools/$module"); done
key=$(digest "${inputs[@]}" -- "$(go env GOVERSION GOARCH)")
image=assay-node:$version-$key
debian=assay-node-debian:$(digest "$here/debian.sh" "$REPO/hack/versions.sh")

has() { docker image inspect "$1" >/dev/null 2>&1; }

# tree lays out paths in a folder, SOURCE=PATH each, and prints it as a tar.
as_tar() {
  local root pair
  root=$(mktemp -d "$work/root.XXXXXX")
  for pair in "$@"; do
    mkdir -p "$root/$(dirname "${pair#*=}")"
    ln "${pair%%=*}" "$root/${pair#*=}" 2>/dev/null || cp "${pair%%=*}" "$root/${pair#*=}"
  done
  tar -C "$root" --owner=0 --group=0 --numeric-owner -c .
}

# from_binary makes an image of nothing but one static program: from_binary IMAGE PROGRAM.
from_binary() {
  local name=${2##*/}
  as_tar "$2=usr/local/bin/$name" |
    docker import --change "ENTRYPOINT [\"/usr/local/bin/$name\"]" - "$1" >/dev/null
}

# from_debian puts one program, or none, on the Debian base: from_debian IMAGE [PROGRAM].
from_debian() {
  local context
  context=$(mktemp -d "$work/context.XXXXXX")
  printf 'FROM %s\n' "$debian" >"$context/Dockerfile"
  if (($# > 1)); then
    cp "$2" "$context/"
    printf 'COPY %s /usr/local/bin/\n' "${2##*/}" >>"$context/Dockerfile"
  fi
  docker build -q -t "$1" "$context" >/dev/null 2>"$work/build.log" || fail "$(cat "$work/build.log")"
}

# inner builds the images that the cluster itself runs, and remembers their names.
inner=()
build_inner() {
  local kubernetes=$1 name
  for name in kube-apiserver kube-controller-manager kube-scheduler; do
    from_binary "registry.k8s.io/$name:$version" "$kubernetes/$name"
    inner+=("registry.k8s.io/$name:$version")
  done
  from_debian "registry.k8s.io/kube-proxy:$version" "$kubernetes/kube-proxy"
  from_binary "registry.k8s.io/etcd:$ETCD_TAG" "$kubernetes/etcd"
  from_binary "registry.k8s.io/coredns/coredns:$COREDNS_TAG" "$kubernetes/coredns"
  from_binary local-path-provisioner:built "$(tool local-path-provisioner)/local-path-provisioner"
  from_debian assay-debian:built
  # The flags of the Makefile: the manager is compiled from the same packages.
  (cd "$REPO" && CGO_ENABLED=0 GOOS=linux GOGC=200 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false \
    -ldflags '-s -w' -o "$work" ./hack/policy-agent ./hack/policy-agent/cni)
  from_debian assay-policy-agent:built "$work/policy-agent"
  (cd "$here/pause" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags '-s -w' -o "$work/pause" .)
  from_binary "$pause" "$work/pause"
  inner+=("registry.k8s.io/kube-proxy:$version" "registry.k8s.io/etcd:$ETCD_TAG" "$pause"
    "registry.k8s.io/coredns/coredns:$COREDNS_TAG" local-path-provisioner:built assay-debian:built assay-policy-agent:built)
}

build_outer() {
  local kubernetes=$1 name files context=$work/node
  files=$(cd "$REPO/hack/tools/kind" && GOFLAGS=-mod=readonly go list -m -f '{{.Dir}}' sigs.k8s.io/kind)/images/base/files
  mkdir -p "$context/kubernetes"
  # Module caches are read-only and know no executable bits.
  cp -r --no-preserve=mode "$files" "$context/kind"
  cp -r "$here/files" "$here/Dockerfile" "$here"/default-*.yaml "$context/"
  chmod 755 "$context"/kind/kind/bin/* "$context"/kind/usr/local/bin/* "$context"/files/usr/local/bin/*
  mkdir -p "$context/files/usr/lib/cni"
  cp "$work/cni" "$context/files/usr/lib/cni/policy-agent"
  for name in kubeadm kubelet kubectl; do cp "$kubernetes/$name" "$context/kubernetes/"; done
  docker build -t "$image-empty" --build-arg BASE="$debian" --build-arg PAUSE="$pause" \
    --build-arg VERSION="$version" "$context" >"$work/build.log" 2>&1 || fail "$(tail -n 20 "$work/build.log")"
}

# The content goes into containerd's store unpacked by nobody yet, so no mount and no privilege is needed here, and
# each node unpacks only what it runs.
container=''
fill() {
  container=$(docker run -d --entrypoint sleep "$image-empty" infinity)
  docker exec -d "$container" containerd
  wait_until 60 docker exec "$container" ctr version || fail "containerd does not start in the node image"
  docker save "${inner[@]}" |
    docker exec -i "$container" ctr --namespace=k8s.io images import --all-platforms --no-unpack - >/dev/null
  docker exec "$container" sh -ec 'pkill -x containerd; while pgrep -x containerd >/dev/null; do sleep 0.1; done
    rm -rf /run/containerd'
  docker commit --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' "$container" "$image" >/dev/null
}

if [[ ${1:-} == name ]] || has "$image"; then
  printf '%s\n' "$image"
  exit
fi

"$REPO/hack/install-debian.sh" image
work=$(mktemp -d "$CACHE/node-image.XXXXXX")
trap '[[ -z $container ]] || docker rm -f "$container" >/dev/null; rm -rf "$work"' EXIT

step "node image: Debian packages and Kubernetes $version (both at once)"
# One waits for the network, the other for the processor.
debian_job=''
if ! has "$debian"; then
  (
    underway "Debian packages for the nodes" "$work/debian.log"
    "$here/debian.sh" "$debian" >"$work/debian.log" 2>&1
    underway_done
  ) &
  debian_job=$!
fi
"$REPO/hack/tool.sh" kubernetes local-path-provisioner kind >/dev/null
[[ -z $debian_job ]] || wait "$debian_job" || fail "$(tail -n 20 "$work/debian.log")"
kubernetes=$(tool kubernetes)

step "node image: the images that the cluster runs"
build_inner "$kubernetes"
step "node image: $image"
build_outer "$kubernetes"
fill
# What is inside now is not needed beside it.
docker rm -f "$container" >/dev/null && container=''
docker rmi "${inner[@]}" "$image-empty" >/dev/null 2>&1 || true
step_done
printf '%s\n' "$image"
