# Shared by every script in hack/: paths, loud steps with timings, tools built on demand. Source it; it runs nothing.
# shellcheck shell=bash
set -euo pipefail

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Everything expensive and derived lives here; deleting it costs time only.
CACHE=${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}
# shellcheck source=hack/versions.sh
source "$REPO/hack/versions.sh"
mkdir -p "$CACHE"

step_name=''
step_start=0

# step says what begins now, and how long the step before it took. While it lasts, the heartbeat says so.
step() {
  step_done
  step_name=$1
  step_start=$(now_ms)
  printf '\n==> [%s] %s\n' "$(date +%H:%M:%S)" "$step_name" >&2
  heartbeat
  underway "$step_name"
}

# step_done closes the last step of a script.
step_done() {
  [[ -z $step_name ]] || printf '<== %s: %s\n' "$step_name" "$(since "$step_start")" >&2
  step_name=''
  underway_done
}

say() { printf '    %s\n' "$*" >&2; }

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# heartbeat says every ten seconds what is under way, here and in the scripts that this one starts: one line for all
# files in the folder ASSAY_PROGRESS. Only the outermost script has one. It ends with the script, because it reads from
# a pipe that nobody else writes to; a program that outlives the script must not inherit that (6>&-).
heartbeat() {
  [[ -z ${ASSAY_PROGRESS:-} ]] || return 0
  ASSAY_PROGRESS=$(mktemp -d "$CACHE/progress.XXXXXX")
  export ASSAY_PROGRESS
  exec 6> >(exec >&2; beat)
}

beat() {
  local code line
  trap '' INT # the pipe's end decides
  while true; do
    code=0
    read -r -t 10 line || code=$?
    ((code > 128)) || break # the end of the pipe; after a timeout it is more
    line=$(in_progress)
    [[ -z $line ]] || printf '    ... %s\n' "$line"
  done
  rm -rf "$ASSAY_PROGRESS"
}

# in_progress prints what has been under way for ten seconds or more: "30 s NAME: last line of its log; 12 s NAME".
in_progress() {
  local file start what log seconds last text=''
  for file in "$ASSAY_PROGRESS"/*; do
    # Whatever is under way may end between two looks, and without any the pattern stands for itself.
    { read -r start && read -r what && read -r log; } 2>/dev/null <"$file" || continue
    seconds=$((($(now_ms) - start) / 1000))
    ((seconds >= 9)) || continue
    last=''
    [[ ! -f $log ]] || last=$(tail -c 2000 "$log" | sed 's/\x1b\[[0-9;]*m//g' | tr -c '[:print:]\n' ' ' | grep -v '^ *$' | tail -n 1 | cut -c 1-100)
    text+="${text:+; }$seconds s $what${last:+: $last}"
  done
  printf '%s' "$text"
}

# underway puts something on the heartbeat until underway_done is called: underway WHAT [LOG], whose last line is shown too. A
# script, or a subshell of it, has one such thing at a time.
underway() {
  [[ -z ${ASSAY_PROGRESS:-} ]] || printf '%s\n%s\n%s\n' "$(now_ms)" "$1" "${2:-}" >"$ASSAY_PROGRESS/$BASHPID"
}

underway_done() { [[ -z ${ASSAY_PROGRESS:-} ]] || rm -f "$ASSAY_PROGRESS/$BASHPID"; }

now_ms() { date +%s%3N; }

# since prints the seconds that passed after a now_ms value.
since() {
  local ms=$(($(now_ms) - $1))
  printf '%d.%01d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# digest prints the first 12 hex digits of a hash over the names and bytes of files, and over further words after --. Tests of
# Go are left out: nothing is built of them.
digest() {
  local file
  {
    while (($#)) && [[ $1 != -- ]]; do
      while IFS= read -r file; do
        printf '%s\n' "${file#"$REPO"/}"
        sha256sum <"$file"
      done < <(find "$1" -type f ! -name '*_test.go' | LC_ALL=C sort)
      shift
    done
    printf '%s\n' "$@"
  } | sha256sum | cut -c1-12
}

# commit_date prints the seconds of the commit that is built: what is made of it bears no other date.
commit_date() { git -C "$REPO" log -1 --format=%ct; }

# pack a file or folder with the same bytes each time: pack FOLDER WHAT ARCHIVE.
pack() {
  tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 -cf - "$2" | gzip -n >"$3"
}

# wait_until retries a command for so many seconds: wait_until SECONDS COMMAND...
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.5
  done
}

# as_root runs a command as root, by sudo where the caller is somebody else; CI has nobody to ask for a password.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo ${CI:+-n} "$@"; fi
}

# tool builds a tool module when needed and prints the directory of its commands.
tool() { "$REPO/hack/tool.sh" "$1"; }

# install_chart installs Assay, or brings it up to date: install_chart FLAGS of helm... An upgrade that was killed leaves the
# release locked: it is taken back first.
install_chart() {
  local helm
  helm=$(tool helm)/helm
  case $("$helm" status assay --namespace assay-system --output json 2>/dev/null | grep -o '"status":"pending-[a-z]*"') in
    *pending-install*) "$helm" uninstall assay --namespace assay-system --wait >/dev/null ;;
    *pending*) "$helm" rollback assay --namespace assay-system --wait >/dev/null ;;
  esac
  "$helm" upgrade --install assay charts/assay --namespace assay-system --create-namespace --values out/values-local.yaml "$@" >/dev/null
}

# namespace_for_runs makes a namespace whose pods must be restricted, as those of a run are: namespace_for_runs NAME.
namespace_for_runs() {
  local kubectl
  kubectl=$(tool kubernetes)/kubectl
  "$kubectl" create namespace "$1" --dry-run=client -o yaml | "$kubectl" apply -f - >/dev/null
  "$kubectl" label namespace "$1" --overwrite pod-security.kubernetes.io/enforce=restricted >/dev/null
}

# play_runs installs the chart, clears a namespace of what an interrupted play left, and runs a program of test/cmd that plays runs in it
# and says itself what it does: play_runs NAMESPACE PROGRAM [ARGUMENT...]. FOR is the time in which its last run has to end. One plays at a
# time.
play_runs() {
  local namespace=$1 program=$2 bin
  shift 2
  mkdir -p out
  exec 8>out/play.lock
  flock -n 8 || fail "another program plays runs in this cluster: wait for its end"
  [[ -x out/bin/kubectl-assay ]] || fail "there is no out/bin/kubectl-assay, which plays the runs: make plugin"
  export KUBECONFIG=$REPO/out/kubeconfig
  bin=$(tool kubernetes)
  step "install the chart"
  install_chart --set leaderElection.enabled=true --wait --timeout 3m
  "$bin/kubectl" apply -f config/samples/shapes.yaml >/dev/null
  namespace_for_runs "$namespace"
  "$bin/kubectl" -n "$namespace" delete benchmarkrun --all --cascade=foreground --wait >/dev/null
  step "build $program"
  go build -o out/bin/ "./test/cmd/$program"
  step "runs"
  underway_done
  PATH=$bin:$PATH "out/bin/$program" -for "${FOR:-30m}" "$@"
  step_done
}

# module_version prints the version of a module that a tool is built from: module_version TOOL MODULE.
module_version() {
  sed -nE "s#^(require )?\\t?${2//./\\.} (v[^ ]+)( // indirect)?\$#\\2#p" "$REPO/hack/tools/$1/go.mod"
}

# prepare_builder gives BuildKit, where it is there, a builder with the image of the workflow, because the engine's own one cannot attest
# what images are made of: prepare_builder FLAG... for docker buildx create
prepare_builder() {
  docker buildx version >/dev/null 2>&1 || return 0
  export BUILDX_BUILDER=assay-release
  docker buildx inspect "$BUILDX_BUILDER" >/dev/null 2>&1 ||
    docker buildx create --name "$BUILDX_BUILDER" --driver docker-container "$@" \
      --driver-opt "$(sed -nE 's/^ +driver-opts: (image=.*)/\1/p' "$REPO/.github/workflows/release.yaml" | head -n 1)" >/dev/null
}
