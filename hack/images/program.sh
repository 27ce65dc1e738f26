#!/usr/bin/env bash
# Builds the server of a Go module into the cache, once per content of the module's folder and Go version, and prints the
# folder that holds it. Usage: program.sh FOLDER. The folder has go.mod, go.sum and program.sh, which sets `package`, the
# package of the program, and may set `ldflags`, `tags`, and cgo=1 for a program with parts in C. Everybody else on the
# machine goes first.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

module=$REPO/$1 ldflags='' tags='' cgo=0 package=''
# shellcheck source=/dev/null # it takes that path for this script, which would source itself for minutes
source "$module/program.sh"
[[ $package ]] || fail "$1/program.sh names no package"
name=${package##*/}
if ((cgo)); then
  command -v "${CC:-gcc}" >/dev/null || fail "$name has parts in C: install gcc and libc6-dev"
  # Static as well: the names of hosts and users by Go's own code, not by that of glibc, which has to be shared.
  tags+=,netgo,osusergo ldflags+=" -linkmode external -extldflags -static"
fi

build() {
  local partial=$1.partial.$$ start
  start=$(now_ms)
  say "building $name from Go modules; this takes a while"
  mkdir -p "$partial"
  # Static, so that the image needs nothing else; one compilation at a time, because its packages take a gigabyte each.
  (cd "$module" &&
    GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=$cgo GOOS=linux \
      nice -n 15 go build -p 1 -trimpath -tags "$tags" -ldflags "-s -w $ldflags" -o "$partial/$name" "$package") 2>&1 |
    { grep -v '^go: downloading' || true; } >&2
  mv "$partial" "$1"
  say "built $name in $(since "$start")"
}

folder=$CACHE/bin/$name-$(digest "$module/go.mod" "$module/go.sum" "$module/program.sh" "${BASH_SOURCE[0]}" -- "$(go env GOVERSION GOARCH)")
mkdir -p "$CACHE/bin"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/bin/$name.lock"
flock 8
[[ -d $folder ]] || build "$folder"
exec 8>&-
printf '%s\n' "$folder"
