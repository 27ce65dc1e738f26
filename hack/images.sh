#!/usr/bin/env bash
# Builds the images of the project, tagged by the content they are made from, and loads them into the kind cluster.
# Needs no registry; where one is there, the base images come from it. What is there already is left alone.
# Usage: images.sh [build|load|prune|clean] [demo|core|full|name...]   default: build, prune and load the core set
#   build   images that are missing
#   load    built images into the nodes that lack them: the manager into all, the others into the workers
#   prune   old images: the newest few of each name stay, so that a run in progress keeps its agent
#   clean   all images and bases; the next build starts from fresh Debian packages
#   demo    what `make demo` needs; core: what the core stories need beside it; full: all, for `make e2e-full`
# With a set, out/values-local.yaml names for Helm what the cluster has, and out/images.txt lists it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=hack/images/nodes.sh
source "$REPO/hack/images/nodes.sh"

CLUSTER=${ASSAY_CLUSTER:-assay}
binaries=$REPO/out/bin/linux # filled by make build
values=$REPO/out/values-local.yaml
keep=3
registry=docker.io/library # what containerd makes of a name without one

# One line per image: name and series, the smallest set that has it, folder of its Dockerfile, base image or -, what its build takes beside
# the folder. The latter makes up the build context:
#   agent, manager   the binary of that name
#   jars             jars/: the image's lines of hack/images/maven.txt
#   tidb             tidb-server, as hack/images/tidb.sh builds it
#   fetched          fetched/: what fetch.sh beside the Dockerfile brings
#   a/path           the folder of the repository, under its last name
catalogue() {
  cat <<'TABLE'
manager          demo  cmd/manager                -                     manager
agent            demo  cmd/agent                  -                     agent
runner-sysbench  demo  runners/sysbench/image     debian:bookworm-slim  agent
mariadb:10.11    demo  engines/mariadb/image      debian:bookworm-slim
mysql:9.7        demo  engines/mysql/image        debian:sid-slim
runner-ycsb      core  runners/ycsb/image         debian:trixie-slim    agent jars runners/ycsb/java
runner-tpcc      core  runners/tpcc/image         debian:bookworm-slim  agent fetched
runner-drivers-node    core  harness/node    debian:trixie-slim   agent fetched harness/node harness/image.sh
runner-drivers-python  core  harness/python  debian:trixie-slim   agent fetched harness/python harness/image.sh
runner-drivers-go      core  harness/go      debian:bookworm-slim agent fetched harness/go harness/image.sh
runner-drivers-java    core  harness/java    debian:trixie-slim   agent fetched harness/java harness/image.sh
runner-drivers-rust    core  harness/rust    debian:sid-slim      agent fetched harness/rust harness/image.sh
runner-drivers-c       core  harness/c       debian:trixie-slim   agent harness/c harness/image.sh
runner-drivers-php     core  harness/php     debian:trixie-slim   agent harness/php harness/image.sh
runner-drivers-ruby    core  harness/ruby    debian:trixie-slim   agent harness/ruby harness/image.sh
mariadb:11.8     full  engines/mariadb/image      debian:trixie-slim
mysql:8.0        full  engines/mysql/image-maven  debian:bookworm-slim  jars
mysql:5.7        full  engines/mysql/image-maven  debian:bookworm-slim  jars
tool-mysqlslap   full  hack/images/tool-mysqlslap debian:bookworm-slim
tidb:8.5         full  engines/tidb/image         debian:bookworm-slim  tidb
TABLE
}

declare -A folder part base inputs tag repositories
names=()
declare -A rank=([demo]=1 [core]=2 [full]=3)

# members prints the images of a set.
members() {
  local name
  for name in "${names[@]}"; do ((rank[${part[$name]}] > rank[$1])) || printf '%s\n' "$name"; done
}

read_catalogue() {
  local name set dir from takes
  while read -r name set dir from takes; do
    names+=("$name")
    folder[$name]=$dir part[$name]=$set base[$name]=${from#-} inputs[$name]=$takes
    repositories[assay-${name%%:*}]=1
  done < <(catalogue)
}

# series prints the part after the colon, or nothing.
series() { [[ $1 != *:* ]] || printf '%s' "${1#*:}"; }

# stem is what all tags of an image begin with: assay-NAME:SERIES- or assay-NAME:
stem() {
  local of
  of=$(series "$1")
  printf 'assay-%s:%s' "${1%%:*}" "${of:+$of-}"
}

# The tag says what an image was asked to be made of, so every machine derives the same one: the folder with its
# Dockerfile (versions are pinned there), what its build takes, and the recipe of its base.
set_tags() {
  local name input paths words
  for name in "$@"; do
    paths=("$REPO/${folder[$name]}/Dockerfile") words=("${base[$name]}")
    [[ ${folder[$name]} == cmd/* ]] || paths=("$REPO/${folder[$name]}")
    [[ -z ${base[$name]} ]] || paths+=("$REPO/hack/images/base.sh")
    for input in ${inputs[$name]}; do
      case $input in
        jars) words+=("$(awk -v image="${name/:/-}" '$1 == image {print $2, $3}' "$REPO/hack/images/maven.txt")") ;;
        tidb) paths+=("$REPO/hack/images/tidb.sh") ;;
        fetched) ;; # the script and what it pins are in the folder
        */*) paths+=("$REPO/$input") ;;
        *)
          [[ -f $binaries/$input ]] || fail "image $name needs ${binaries#"$REPO"/}/$input: run make build first"
          paths+=("$binaries/$input")
          ;;
      esac
    done
    tag[$name]=$(stem "$name")$(digest "${paths[@]}" -- "${words[@]}")
  done
}

# local_tags prints what the engine has of the catalogue's images, newest first.
local_tags() {
  local known=("${!repositories[@]}")
  docker image ls "${known[@]/#/--filter=reference=}" --format '{{.Repository}}:{{.Tag}}'
}

has_line() { grep -qxF -- "$2" <<<"$1"; }

# lay_context puts what the build of an image takes into a folder.
lay_context() {
  local name=$1 context=$2 input from
  for input in ${inputs[$name]}; do
    case $input in
      jars) from=$("$REPO/hack/maven.sh" "${name/:/-}") && cp -r "$from" "$context/jars" ;;
      tidb) from=$("$REPO/hack/images/tidb.sh") && cp "$from/tidb-server" "$context/" ;;
      fetched) from=$("$REPO/${folder[$name]}/fetch.sh") && cp -r "$from" "$context/fetched" ;;
      */*) cp -r "$REPO/$input" "$context/" ;;
      *) cp "$binaries/$input" "$context/" ;;
    esac || fail "image $name: no $input for its build"
  done
}

build_image() {
  local name=$1 context log=$CACHE/images/${1/:/-}.log start args=()
  start=$(now_ms)
  context=$(mktemp -d "$CACHE/images/context.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now; a chain is a subshell, so the trap is its own
  trap "rm -rf '$context'" EXIT
  lay_context "$name" "$context"
  # One Dockerfile may serve several series.
  [[ $name != *:* ]] || args+=(--build-arg "BASE=${base[$name]}" --build-arg "SERIES=$(series "$name")")
  # The host's network: the bridge of an engine inside a virtual machine may have no way out.
  docker build --force-rm --network=host "${args[@]}" --file "$REPO/${folder[$name]}/Dockerfile" \
    --tag "${tag[$name]}" "$context" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "could not build image $name (whole log: $log)"
  }
  rm -rf "$context"
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

# entries prints the values of a flavor's images that are there, "SERIES": {image: ...}.
entries() {
  local flavor=$1 name all=''
  shift
  for name in "$@"; do
    [[ $name != "$flavor:"* ]] || all+="${all:+, }\"$(series "$name")\": {image: \"$registry/${tag[$name]}\"}"
  done
  printf '{%s}' "$all"
}

# write_values names the images that were asked for, and of the others those that every worker has: one that is not
# there keeps its default of the chart, and a set built earlier is still found.
write_values() {
  local name present here=()
  present=$(present_everywhere)
  for name in "${names[@]}"; do
    if has_line "$(printf '%s\n' "$@")" "$name" || has_line "$present" "${tag[$name]}"; then here+=("$name"); fi
  done
  mkdir -p "$(dirname "$values")"
  cat >"$values.tmp" <<VALUES
# Written by hack/images.sh: the images that were built here and loaded into the nodes.
image: {repository: $registry/assay-manager, tag: "${tag[manager]#*:}", pullPolicy: IfNotPresent}
agent: {image: "$registry/${tag[agent]}"}
runners:
$(for name in "${here[@]}"; do
    [[ $name != runner-* ]] || printf '  %s: {image: "%s"}\n' "${name#runner-}" "$registry/${tag[$name]}"
  done)
engines:
  MySQL: $(entries mysql "${here[@]}")
  MariaDB: $(entries mariadb "${here[@]}")
  TiDB: $(entries tidb "${here[@]}")
# Off the nodes that are measured: there the manager would be a second workload.
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
VALUES
  mv "$values.tmp" "$values"
  for name in "${here[@]}"; do printf '%s %s\n' "$name" "$registry/${tag[$name]}"; done >"$REPO/out/images.txt.tmp"
  mv "$REPO/out/images.txt.tmp" "$REPO/out/images.txt"
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
    done < <(grep "^$(stem "$name")[0-9a-f]*\$" <<<"$present" || true)
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
  local set=${1:-core} chosen=("$@")
  case $set in
    demo | core | full) mapfile -t chosen < <(members "$set") ;;
    *) set='' ;;
  esac
  for name in "${chosen[@]}"; do [[ -v folder[$name] ]] || fail "no image $name (known: demo, core, full, ${names[*]})"; done
  "$REPO/hack/engine.sh" up
  mkdir -p "$CACHE/images"
  exec 9>"$CACHE/images.lock" && flock 9 # colleagues and CI jobs share one engine
  if [[ $action == clean ]]; then clean && return; fi
  set_tags "${chosen[@]}"
  if [[ $action == all || $action == build ]]; then build "${chosen[@]}"; fi
  if [[ $action == all || $action == prune ]]; then prune "${chosen[@]}"; fi
  if [[ $action == all || $action == load ]]; then load "${chosen[@]}"; fi # after prune: nodes follow it
  [[ -z $set ]] || { set_tags "${names[@]}" && write_values "${chosen[@]}"; }
}

main "$@"
