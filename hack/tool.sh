#!/usr/bin/env bash
# Builds pinned tools out of hack/tools/<module>/go.mod into the cache, once per content of the module and Go version,
# links them into bin/ and prints the directory that holds each module's commands.
# Usage: tool.sh MODULE...
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Some programs know their version only when the linker tells them.
linker_flags() {
  local version
  version=$(tool_version "$1")
  case $1 in
    kubernetes)
      local package=k8s.io/component-base/version
      printf '%s' "-X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${version:3:2}"
      ;;
    helm) printf '%s' "-X helm.sh/helm/v3/internal/version.version=$version" ;;
    coredns) printf '%s' "-X github.com/coredns/coredns/coremain.GitCommit=" ;;
  esac
}

build() {
  local module=$1 directory=$2 partial=$2.partial.$$ begun output
  begun=$(now_ms)
  say "building $module $(tool_version "$module") from Go modules"
  mkdir -p "$partial"
  # A module with one command is named after its folder (etcd's own would be "server"); several share one compilation.
  output=$partial/$module
  (($(tool_count "$module") == 1)) || output=$partial/
  # The caller's GOFLAGS are for the project, not for these; the tools are static, so that they run in any image.
  (cd "$REPO/hack/tools/$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 \
      go build -trimpath -ldflags "-s -w $(linker_flags "$module")" -o "$output" tool) 2>&1 | { grep -v '^go: downloading' || true; } >&2
  rm -rf "$directory"
  mv "$partial" "$directory"
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
