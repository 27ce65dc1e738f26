# Which images the nodes of the kind cluster have, and how they get them. Sourced by hack/images.sh, whose variables
# (CLUSTER, registry, names, repositories, tag) and functions it uses.
# shellcheck shell=bash disable=SC2154

# nodes prints "name role" for every node of the cluster.
nodes() {
  docker ps --filter "label=io.x-k8s.kind.cluster=$CLUSTER" \
    --format '{{.Names}} {{.Label "io.x-k8s.kind.role"}}'
}

node_ctr() {
  local node=$1
  shift
  docker exec --interactive "$node" ctr --namespace=k8s.io images "$@"
}

# present_everywhere prints the images that all workers have, or without a cluster the engine.
present_everywhere() {
  local all node role
  all=$(nodes)
  if [[ -z $all ]]; then
    local_tags
    return
  fi
  while read -r node role; do
    [[ $role == worker || $all != *' worker'* ]] || continue
    node_ctr "$node" ls --quiet </dev/null | sed -n "s|^$registry/||p"
  done <<<"$all" | sort | uniq -c | awk -v nodes="$(grep -c ' worker$' <<<"$all" || true)" \
    '$1 >= nodes {print $2}'
}

# load_node NODE TAG... loads what the node lacks and removes from it what the engine has pruned.
load_node() {
  local node=$1 there image lacking=() start
  shift
  start=$(now_ms)
  there=$(node_ctr "$node" ls --quiet)
  for image in "$@"; do
    has_line "$there" "$registry/$image" || lacking+=("$image")
  done
  ((${#lacking[@]})) || return 0
  docker save "${lacking[@]}" |
    node_ctr "$node" import --all-platforms --digests --snapshotter=overlayfs - >/dev/null
  say "$node: ${lacking[*]} in $(since "$start")"
  remove_from_node "$node" "$there"
}

remove_from_node() {
  local node=$1 there=$2 here image
  here=$(local_tags)
  while read -r image; do
    has_line "$here" "${image#"$registry/"}" || node_ctr "$node" rm "$image" >/dev/null </dev/null
  done < <(grep -E "^$registry/($(IFS='|' && echo "${!repositories[*]}")):" <<<"$there" || true)
}

load() {
  local all node role job jobs=() failed=0 workers name images
  all=$(nodes)
  if [[ -z $all ]]; then
    say "no kind cluster '$CLUSTER' runs: nothing to load into"
    return
  fi
  workers=$(grep -c ' worker$' <<<"$all" || true)
  while read -r node role; do
    images=()
    for name in "$@"; do
      # Databases and clients never run on the control plane, unless it is the only node.
      if [[ $role == worker || $workers == 0 || $name == manager ]]; then images+=("${tag[$name]}"); fi
    done
    ((${#images[@]})) || continue
    load_node "$node" "${images[@]}" &
    jobs+=($!)
  done <<<"$all"
  for job in "${jobs[@]}"; do wait "$job" || failed=1; done
  ((!failed)) || fail "some node could not be loaded"
}
