#!/usr/bin/env bash
# Builds pinned tools out of hack/tools/<module>/go.mod into the cache, once per content of the module and Go version,
# links them into bin/ and prints the directory that holds each module's commands.
#
# Compilations are shared where packages have the same versions: Kubernetes, etcd and CoreDNS are one module; the
# provisioner of volumes has Kubernetes's versions (one module will not do: it spells a package's path otherwise), and
# Helm those of go.mod, because the manager is built from the same packages.
# Usage: tool.sh MODULE...
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Some programs know their version only when the linker tells them.
linker_flags() {
  case $1 in
    kubernetes)
      local package=k8s.io/component-base/version version
      version=$(module_version kubernetes k8s.io/kubernetes)
      printf '%s' "-X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${version:3:2}"
      ;;
    helm) printf '%s' "-X helm.sh/helm/v3/internal/version.version=$(module_version helm helm.sh/helm/v3)" ;;
  esac
}

# packages prints the commands that a module names.
packages() { sed -nE -e 's/^tool ([^( ]+)$/\1/p' -e '/^tool \(/,/^\)/s/^\t([^ ]+)$/\1/p' "$REPO/hack/tools/$1/go.mod"; }

build() {
  local module=$1 directory=$2 partial=$2.partial.$$ log=$CACHE/bin/$1.log begun output
  begun=$(now_ms)
  say "building $module from Go modules: $(packages "$module" | sed -E 's,(/v[0-9]+)?$,,; s,.*/,,' | paste -sd ' ')"
  heartbeat
  underway "building $module" "$log"
  mkdir -p "$partial"
  # A module with one command is named after its folder; several are named by themselves.
  output=$partial/$module
  (($(packages "$module" | wc -l) == 1)) || output=$partial/
  # The caller's GOFLAGS are for the project, not for these; the tools are static, so that they run in any image. -v
  # names each package in the log, for the heartbeat. What the linker strips need not be compiled (-dwarf=false), and a
  # compiler that collects garbage half as often needs a fifth less of the processor.
  (cd "$REPO/hack/tools/$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 GOGC=200 go build -v -trimpath \
      -gcflags=all=-dwarf=false -ldflags "-s -w $(linker_flags "$module")" -o "$output" tool) >"$log" 2>&1 || {
    grep -vE '^(go: downloading .*|[a-zA-Z0-9._/~-]+)$' "$log" | head -n 30 >&2 # not the names of packages
    fail "could not build $module (whole log: $log)"
  }
  rm -rf "$directory"
  mv "$partial" "$directory"
  underway_done
  say "built $module in $(since "$begun")"
}

tool() {
  local module=$1 directory command
  [[ -f $REPO/hack/tools/$module/go.mod ]] || fail "no such tool: $module (see hack/tools)"
  directory=$CACHE/bin/$module-$(digest "$REPO/hack/tools/$module" "$REPO/hack/tool.sh" -- "$(go env GOVERSION GOOS GOARCH)")
  mkdir -p "$CACHE/bin" "$REPO/bin"
  # Two callers may want the same tool: the second one waits and finds it built.
  exec 9>"$CACHE/bin/$module.lock"
  flock 9
  [[ -d $directory ]] || build "$module" "$directory"
  exec 9>&-
  for command in "$directory"/*; do
    ln -sfn "$command" "$REPO/bin/${command##*/}"
  done
  printf '%s\n' "$directory"
}

for module in "$@"; do tool "$module"; done
