#!/usr/bin/env bash
# Builds every image of the project, tagged by the content it is made from, and loads them into the kind cluster.
# Needs no registry; where one is there, the base images come from it. What is there already is left alone.
# Usage: images.sh [build|load|prune|clean] [name...]   default: build, load and prune all
#   build   images that are missing, then out/values-local.yaml, which names them for Helm
#   load    built images into the nodes that lack them: the manager into all, the others into the workers
#   prune   old images: the newest few of each name stay, so that a run in progress keeps its agent
#   clean   all images and bases; the next build starts from fresh Debian packages
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

CLUSTER=${ASSAY_CLUSTER:-assay}
binaries=$REPO/out/bin/linux # filled by make build
values=$REPO/out/values-local.yaml
keep=3

# One line per image: name, folder of its Dockerfile, prefix of its tag, base image or -, files it takes from binaries.
catalogue() {
  cat <<'TABLE'
manager         cmd/manager             -      -                     manager
agent           cmd/agent               -      -                     agent
runner-sysbench runners/sysbench/image  -      debian:bookworm-slim  agent
mariadb         engines/mariadb/image   10.11  debian:bookworm-slim
mysql           engines/mysql/image     9.7    debian:sid-slim
TABLE
}

declare -A folder prefix base inputs tag
names=()

read_catalogue() {
  local name dir series from files
  while read -r name dir series from files; do
    names+=("$name")
    folder[$name]=$dir prefix[$name]=${series#-} base[$name]=${from#-} inputs[$name]=$files
  done < <(catalogue)
}

# The tag says what an image was asked to be made of, so every machine derives the same one: the folder with its
# Dockerfile (versions are pinned there), the binaries it takes, and the recipe of its base.
set_tags() {
  local name file paths hash
  for name in "$@"; do
    paths=("$REPO/${folder[$name]}/Dockerfile")
    [[ ${folder[$name]} == cmd/* ]] || paths=("$REPO/${folder[$name]}")
    [[ -z ${base[$name]} ]] || paths+=("$REPO/hack/images/base.sh")
    for file in ${inputs[$name]}; do
      [[ -f $binaries/$file ]] || fail "image $name needs ${binaries#"$REPO"/}/$file: run make build first"
      paths+=("$binaries/$file")
    done
    hash=$(digest "${paths[@]}" -- "${base[$name]}")
    tag[$name]=assay-$name:${prefix[$name]:+${prefix[$name]}-}$hash
  done
}

# local_tags prints what the engine has of the catalogue's images, newest first.
local_tags() { docker image ls "${names[@]/#/--filter=reference=assay-}" --format '{{.Repository}}:{{.Tag}}'; }

has_line() { grep -qxF -- "$2" <<<"$1"; }

build_image() {
  local name=$1 context=$REPO/${folder[$1]} log=$CACHE/images/$1.log start
  start=$(now_ms)
  [[ -z ${inputs[$name]} ]] || context=$binaries
  # The host's network: the bridge of an engine inside a virtual machine may have no way out.
  docker build --force-rm --network=host --file "$REPO/${folder[$name]}/Dockerfile" --tag "${tag[$name]}" "$context" \
    >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "could not build image $name (whole log: $log)"
  }
  say "${tag[$name]}: $(docker image inspect --format '{{.Size}}' "${tag[$name]}" |
    awk '{printf "%.1f MB", $1 / 1e6}') in $(since "$start")"
}

# The images of one base, one after another: one Debian's downloads overlap with another's unpacking.
build_chain() {
  local from=$1 name
  shift
  [[ -z $from ]] || "$REPO/hack/images/base.sh" "$from"
  for name in "$@"; do build_image "$name"; done
}

build() {
  local present name from jobs=() job failed=0
  declare -A chain=()
  present=$(local_tags)
  for name in "$@"; do
    # A key must not be empty, so images without a base go under "scratch".
    has_line "$present" "${tag[$name]}" || chain[${base[$name]:-scratch}]+=" $name"
  done
  ((${#chain[@]})) || return 0
  step "images: building${chain[*]}"
  "$REPO/hack/install-debian.sh" image # before the chains start: two must not run apt at once
  choose_builder
  for from in "${!chain[@]}"; do
    # shellcheck disable=SC2086 # names are words
    build_chain "${from#scratch}" ${chain[$from]} &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || failed=1; done
  ((!failed)) || fail "some image could not be built"
  step_done
}

# A client without BuildKit's plugin still has the classic builder; the Dockerfiles work with both.
choose_builder() {
  export BUILDX_NO_DEFAULT_ATTESTATIONS=1
  docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0
}

write_values() {
  mkdir -p "$(dirname "$values")"
  local at=docker.io/library
  cat >"$values.tmp" <<VALUES
# Written by hack/images.sh: the images that were built here and loaded into the nodes.
image: {repository: $at/assay-manager, tag: "${tag[manager]#*:}", pullPolicy: IfNotPresent}
agent: {image: "$at/${tag[agent]}"}
runners: {sysbench: {image: "$at/${tag[runner-sysbench]}"}}
engines:
  MySQL: {"9.7": {image: "$at/${tag[mysql]}"}}
  MariaDB: {"10.11": {image: "$at/${tag[mariadb]}"}}
# Off the nodes that are measured: there the manager would be a second workload.
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
VALUES
  mv "$values.tmp" "$values"
}

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

# load_node NODE TAG... loads what the node lacks and removes from it what the engine has pruned.
load_node() {
  local node=$1 there image lacking=() start
  shift
  start=$(now_ms)
  there=$(node_ctr "$node" ls --quiet)
  for image in "$@"; do
    has_line "$there" "docker.io/library/$image" || lacking+=("$image")
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
    has_line "$here" "${image#docker.io/library/}" || node_ctr "$node" rm "$image" >/dev/null </dev/null
  done < <(grep -E "^docker\.io/library/assay-($(IFS='|' && echo "${names[*]}")):" <<<"$there" || true)
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

# The engine lists the newest images first. Layers of build stages are kept for a day: they make rebuilds fast.
prune() {
  local present name image count
  present=$(local_tags)
  for name in "$@"; do
    count=0
    while read -r image; do
      if [[ $image == "${tag[$name]}" ]] || ((++count < keep)); then continue; fi
      docker image rm "$image" >/dev/null && say "removed $image"
    done < <(grep "^assay-$name:" <<<"$present" || true)
  done
  docker image prune --force --filter label=dev.assay.stage=build --filter until=24h >/dev/null
}

clean() {
  local images
  mapfile -t images < <(local_tags; catalogue | awk '$4 ~ /:/ {print $4}' | sort -u)
  step "images: removing all"
  docker image rm --force "${images[@]}" >/dev/null 2>&1 || true
  docker image prune --force --filter label=dev.assay.stage=build >/dev/null
  step_done
}

main() {
  local action=all name
  read_catalogue
  case ${1:-} in build | load | prune | clean) action=$1 && shift ;; esac
  local chosen=("$@")
  (($#)) || chosen=("${names[@]}")
  for name in "${chosen[@]}"; do [[ -v folder[$name] ]] || fail "no image $name (known: ${names[*]})"; done
  "$REPO/hack/engine.sh" up
  mkdir -p "$CACHE/images"
  exec 9>"$CACHE/images.lock" && flock 9 # colleagues and CI jobs share one engine
  if [[ $action == clean ]]; then clean && return; fi
  set_tags "${chosen[@]}"
  if [[ $action == all || $action == build ]]; then build "${chosen[@]}"; fi
  if [[ ${#chosen[@]} == "${#names[@]}" ]]; then write_values; fi
  if [[ $action == all || $action == prune ]]; then prune "${chosen[@]}"; fi
  if [[ $action == all || $action == load ]]; then load "${chosen[@]}"; fi # after prune: nodes follow it
}

main "$@"
