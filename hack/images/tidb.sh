#!/usr/bin/env bash
# Builds the TiDB server of engines/tidb/image/go.mod into the cache, once per content of that module and Go version,
# and prints the folder that holds it. Ten minutes on two processors; everybody else on the machine goes first.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

module=$REPO/engines/tidb/image
package=github.com/pingcap/tidb/cmd/tidb-server

# stamp tells the server the commit it is made from, which its module version ends with. Its release it does not know:
# between two releases it calls itself a placeholder, and so it stays.
stamp() {
  local version
  version=$(sed -nE 's/^require github.com\/pingcap\/tidb (v.*)$/\1/p' "$module/go.mod")
  [[ $version == *-*-* ]] || fail "engines/tidb/image/go.mod names no commit of github.com/pingcap/tidb"
  printf '%s' "-X github.com/pingcap/tidb/pkg/util/versioninfo.TiDBGitHash=${version##*-}"
}

build() {
  local partial=$1.partial.$$ start
  start=$(now_ms)
  say "building TiDB from Go modules; this takes a while"
  mkdir -p "$partial"
  # Static, so that the image needs nothing else; one compilation at a time, because its packages take a gigabyte each.
  (cd "$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0 GOOS=linux \
      nice -n 15 go build -p 1 -trimpath -ldflags "-s -w $(stamp)" -o "$partial/tidb-server" "$package") 2>&1 |
    { grep -v '^go: downloading' || true; } >&2
  mv "$partial" "$1"
  say "built TiDB in $(since "$start")"
}

folder=$CACHE/bin/tidb-$(digest "$module/go.mod" "$module/go.sum" "${BASH_SOURCE[0]}" -- "$(go env GOVERSION GOARCH)")
mkdir -p "$CACHE/bin"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/bin/tidb.lock"
flock 8
[[ -d $folder ]] || build "$folder"
exec 8>&-
printf '%s\n' "$folder"
