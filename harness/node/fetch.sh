#!/usr/bin/env bash
# Fetches the pinned drivers, and the pinned Node.js that runs them, from the npm registry into the cache, once per
# content of the lock file, and prints the folder that holds node_modules and node. The registry is the one that npm's
# own configuration names; the lock file has the checksum of every package.
source "$(dirname "${BASH_SOURCE[0]}")/../../hack/lib.sh"

here=$REPO/harness/node
folder=$CACHE/drivers/node-$(digest "$here/package.json" "$here/package-lock.json" "${BASH_SOURCE[0]}" -- "$(uname -m)")
declare -A names=([x86_64]=x64 [aarch64]=arm64)
partial=''
trap '[[ -z $partial ]] || rm -rf "$partial"' EXIT

fetch() {
  local start log=$CACHE/drivers/node.log runtime
  start=$(now_ms)
  command -v npm >/dev/null || fail "npm is not there: install Node.js with npm"
  partial=$(mktemp -d "$folder.partial.XXXXXX")
  cp "$here/package.json" "$here/package-lock.json" "$partial/"
  # No package needs its install script.
  (cd "$partial" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund) >"$log" 2>&1 </dev/null || {
    tail -n 20 "$log" >&2
    fail "npm could not fetch the drivers (whole log: $log)"
  }
  runtime=$partial/node_modules/node-linux-${names[$(uname -m)]:-$(uname -m)}
  [[ -x $runtime/bin/node ]] || fail "npm has brought no Node.js for $(uname -m) (whole log: $log)"
  mv "$runtime/bin/node" "$partial/node"
  mv "$runtime/LICENSE" "$partial/node.LICENSE"
  # Types are for compilers, and the rest of Node.js is npm and headers: no driver loads them.
  rm -rf "$runtime" "$partial/node_modules/@types" "$partial/node_modules/.bin"
  chmod 755 "$partial"
  mv "$partial" "$folder"
  partial=''
  say "drivers for Node.js: fetched in $(since "$start")"
}

mkdir -p "$CACHE/drivers"
# Two callers may want it: the second one waits and finds it.
exec 8>"$CACHE/drivers/node.lock"
flock 8
[[ -d $folder ]] || fetch
exec 8>&-
printf '%s\n' "$folder"
