#!/usr/bin/env bash
# Brings up the local cluster: kind, one control plane and two workers. Seconds when it is up already.
# ASSAY_NODE_IMAGE names a node image to use as it is (one with a kindnet of its own); ASSAY_IMAGES a set of images that
# are needed next, which are built meanwhile where the node image has to be built too. CPUS=static gives its kubelets the
# static CPU policy.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$REPO/hack/kind/cluster.sh"

config=$REPO/hack/kind/cluster.yaml

# Prints the node image: kind's own where a registry answers, otherwise the one built here.
node_image() {
  local built
  built=$("$REPO/hack/node-image/build.sh" name)
  if [[ -n ${ASSAY_NODE_IMAGE:-} ]]; then
    printf '%s\n' "$ASSAY_NODE_IMAGE"
  elif docker image inspect "$KIND_NODE_IMAGE" >/dev/null 2>&1; then
    printf '%s\n' "$KIND_NODE_IMAGE"
  elif docker image inspect "$built" >/dev/null 2>&1; then
    printf '%s\n' "$built"
  elif timeout 60 docker manifest inspect "$KIND_NODE_IMAGE" >/dev/null 2>&1 && docker pull "$KIND_NODE_IMAGE" >&2; then
    printf '%s\n' "$KIND_NODE_IMAGE"
  else
    say "no registry has $KIND_NODE_IMAGE for this machine: building the node image from packages. Kubernetes is compiled: some 8 minutes on 2 CPUs, once"
    "$REPO/hack/node-image/build.sh"
  fi
}

there_is_a_node_image() {
  local name
  for name in "${ASSAY_NODE_IMAGE:-}" "$KIND_NODE_IMAGE" "$("$REPO/hack/node-image/build.sh" name)"; do
    [[ -z $name ]] || ! docker image inspect "$name" >/dev/null 2>&1 || return 0
  done
  return 1
}

# build_images makes what the caller of this script needs next: the images of a set, and Helm. The cluster goes first.
build_images() {
  nice -n 5 make -C "$REPO" build >&2
  # No cluster: one that is there has another node image, and is deleted meanwhile.
  ASSAY_CLUSTER=none nice -n 5 "$REPO/hack/images.sh" build "$ASSAY_IMAGES"
  nice -n 5 "$REPO/hack/tool.sh" helm >/dev/null
}

# The configuration of kind: the committed one, and what only some machines need.
kind_config() {
  if [[ -n ${CPUS:-} ]]; then
    # Into the KubeletConfiguration, behind its last line.
    sed "/^  evictionHard:/r $REPO/hack/kind/cpus-static.yaml" "$config"
  else
    cat "$config"
  fi
  # Without all capabilities a node is much like one in a user namespace: sysctls and limits may be out of reach.
  if [[ -n $("$REPO/hack/engine/runc-bounded" missing) ]]; then
    printf 'featureGates:\n  KubeletInUserNamespace: true\n'
  fi
}

# check_cpus refuses what no kubelet of this machine could start with, or give away. Each node sees all CPUs of the machine.
check_cpus() {
  local has
  case ${CPUS:-} in
    '') return ;;
    static) ;;
    *) fail "CPUS is $CPUS: use static, or leave it out" ;;
  esac
  has=$(getconf _NPROCESSORS_ONLN)
  grep -q '^  evictionHard: {.*}$' "$config" || fail "$config has no evictionHard in one line, behind which hack/kind/cpus-static.yaml goes: the kubelets would not have the policy"
  ((has >= 2)) || fail "CPUS=static needs 2 CPUs: the kubelet of each node keeps 1 for what shares it, and gives the others away. This machine has $has"
}

# identity prints what a cluster is made of and when each of its nodes began to run.
identity() {
  printf '%s %s' "$image" "$(kind_config | sha256sum | cut -c1-12)"
  docker inspect "${NODES[@]}" -f ' {{.Name}} {{.State.StartedAt}}' 2>/dev/null | tr -d '\n'
}

# unusable says why the cluster cannot be used as it is, or nothing. A node that was stopped is not trusted, even if
# Docker started it again: after a killed engine its processes, addresses and volumes are in whatever state the kill
# left, the API goes on calling nodes Ready for a while, and a new cluster is there in half a minute.
unusable() {
  local node
  for node in "${NODES[@]}"; do
    [[ $(docker inspect "$node" -f '{{.State.Running}}' 2>/dev/null) == true ]] ||
      { printf '%s does not run' "$node" && return; }
  done
  [[ $(docker exec "${NODES[0]}" cat /kind/assay-identity 2>/dev/null) == "$(identity)" ]] ||
    { printf 'other image, other configuration, or restarted since' && return; }
  wait_until 60 all_ready || printf 'its nodes are not Ready'
}

all_ready() {
  [[ $(kubectl_ get nodes --no-headers 2>/dev/null | awk '$2 == "Ready"' | wc -l) == "${#NODES[@]}" ]]
}

# Pod network of the node image built here: each node learns every node's pod network; see pod-routes.
connect_pods() {
  local node routes
  wait_until 60 networks_assigned || fail "the nodes have no pod networks"
  routes=$(kubectl_ get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR}{"\n"}{end}')
  for node in "${NODES[@]}"; do
    docker exec -i "$node" sh -ec 'cat >/etc/pod-routes; systemctl restart pod-routes' <<<"$routes"
  done
}

networks_assigned() {
  [[ $(kubectl_ get nodes -o jsonpath='{.items[*].spec.podCIDR}' | wc -w) == "${#NODES[@]}" ]]
}

create() {
  local text
  text=$(kind_config)
  "$kind" create cluster --name "$CLUSTER" --image "$image" --config - --kubeconfig "$KUBECONFIG" <<<"$text" >&2 ||
    { "$kind" delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG" >&2; fail "kind could not create the cluster"; }
  if [[ $image == assay-node:* ]]; then connect_pods; fi
  wait_until 120 all_ready || fail "the nodes do not become Ready: $(kubectl_ get nodes 2>&1)"
  # DNS would take a part of the CPUs of a node that is measured, and there would be no room for two clients of a CPU each.
  kubectl_ -n kube-system patch deployment coredns --type merge \
    --patch '{"spec": {"template": {"spec": {"nodeSelector": {"node-role.kubernetes.io/control-plane": ""}}}}}' >&2
  wait_until 120 addons_ready || fail "DNS or the storage provisioner does not start"
  # Last: a cluster that was not finished has no identity, and is made anew.
  docker exec -i "${NODES[0]}" sh -c 'cat >/kind/assay-identity' < <(identity)
}

addons_ready() {
  local look=2s # of many
  # kindnet comes from a registry only; the node image built here has connect_pods and an agent for policies in its place.
  [[ $image != assay-node:* ]] || kubectl_ -n kube-system rollout status daemonset/policy-agent --timeout="$look" || return 1
  kubectl_ -n local-path-storage rollout status deployment/local-path-provisioner --timeout="$look" &&
    kubectl_ -n kube-system rollout status deployment/coredns --timeout="$look"
}

# Each change of its inputs leaves a node image of a gigabyte behind. Those in use stay: no force here.
prune_node_images() {
  docker image ls assay-node --format '{{.Repository}}:{{.Tag}}' | tail -n +3 | xargs -r docker rmi >/dev/null 2>&1 || true
}

# On a new machine most of the time goes into compiling, which waits for the processor, and into packages, which wait
# for the network. So both are done at the same time.
step "cluster $CLUSTER"
check_cpus
"$REPO/hack/tool.sh" kind kubernetes >/dev/null & tools=$!
"$REPO/hack/engine.sh" up
images=''
if [[ -n ${ASSAY_IMAGES:-} ]] && ! there_is_a_node_image; then build_images & images=$!; fi
image=$(node_image)
wait "$tools" || fail "kind or Kubernetes could not be built"
kind=$(tool kind)/kind
mkdir -p "${KUBECONFIG%/*}"

if "$kind" get clusters 2>/dev/null | grep -qx "$CLUSTER"; then
  # A fresh clone of the repository finds the cluster of the one before.
  "$kind" get kubeconfig --name "$CLUSTER" >"$KUBECONFIG" 2>/dev/null || true
  reason=$(unusable)
  if [[ -z $reason ]]; then
    say "is up: $image"
    step_done
    exit
  fi
  step "cluster $CLUSTER: making it anew ($reason)"
  "$kind" delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG" >&2
fi
step "cluster $CLUSTER: creating it with $image"
create
prune_node_images
[[ -z $images ]] || wait "$images" || fail "the images of the set $ASSAY_IMAGES could not be built"
step_done
kubectl_ get nodes -L node.kubernetes.io/instance-type,assay.dev/role >&2
say "export KUBECONFIG=$KUBECONFIG"
