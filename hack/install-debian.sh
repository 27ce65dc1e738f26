#!/usr/bin/env bash
# Installs the Debian packages the project needs, and says which. The only script here that changes the machine.
# Usage: install-debian.sh [group...]   groups: engine, image, maven, lint (default: these), browser, node
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

declare -A packages=(
  [engine]="docker.io containerd runc iptables iproute2 procps jq" # a container engine for kind
  [image]="mmdebstrap jq"                                          # Debian root file systems without a registry
  [maven]="maven"                                                  # pinned jars for some images
  [lint]="shellcheck"
  [browser]="chromium fonts-dejavu-core"                           # the pages of reports, looked at
  [node]="npm"                                                     # to fetch axe-core
)

engine_runs() { timeout 60 docker info >/dev/null 2>&1; }

wanted() {
  local group
  for group in "$@"; do
    [[ -n ${packages[$group]:-} ]] || fail "no such group of packages: $group (known: ${!packages[*]})"
    # An engine that runs, however it was installed, is left alone.
    if [[ $group == engine ]] && engine_runs; then
      printf 'jq\n'
    else
      tr ' ' '\n' <<<"${packages[$group]}"
    fi
  done | sort -u
}

missing() {
  local package
  while read -r package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done
}

(($#)) || set -- engine image maven lint
mapfile -t todo < <(wanted "$@" | missing)
((${#todo[@]})) || exit 0

command -v apt-get >/dev/null || fail "this machine has no apt-get; please install: ${todo[*]}"
step "Debian packages: ${todo[*]}"
install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" </dev/null >"$log" 2>&1
}
log=$CACHE/apt.log
# Two must not run apt at once: the second one waits.
exec 7>"$CACHE/apt.lock" && flock 7
# Lists may be absent or old, so a failed install gets fresh lists and a second try. One source that cannot be reached
# makes `apt-get update` fail although all others are fresh: only the install decides.
if ! install "${todo[@]}"; then
  as_root apt-get update >&2 || say "some package list could not be read; going on with the others"
  install "${todo[@]}" || {
    tail -n 20 "$log" >&2
    fail "could not install ${todo[*]} (whole log: $log)"
  }
fi
step_done
