#!/usr/bin/env bash
# Brings the pinned Python packages into the cache, once per content of their lists, and prints the folder that holds
# them. pip fetches, so that the index, proxies and logins of its settings hold, and it refuses what differs from the
# checksums in the lists.
source "$(dirname "${BASH_SOURCE[0]}")/../../hack/lib.sh"

here=$REPO/harness/python
lists=("$here/requirements.txt" "$here/requirements-source.txt" "$here/requirements-build.txt")
target=3.13 # Debian trixie's Python
pip=(python3 -m pip --disable-pip-version-check --quiet)
partial=''
trap '[[ -z $partial ]] || rm -rf "$partial"' EXIT

# wheels for the image's Python and C library, whatever this machine has.
wheels() {
  local machine tag platforms=()
  machine=$(uname -m)
  for tag in manylinux_2_34 manylinux_2_28 manylinux_2_26 manylinux_2_17 manylinux2014; do
    platforms+=(--platform "${tag}_$machine")
  done
  "${pip[@]}" download --require-hashes --no-deps --only-binary=:all: --implementation cp --python-version "$target" \
    "${platforms[@]}" --dest "$1" --requirement "${lists[0]}" --requirement "${lists[2]}"
}

# sources asks pip for source packages. pip lets each tell its name and version, and for that they want the C library,
# which only the image's build stage has: variables and a stand-in answer instead. Nothing is compiled here.
# A failed step has to end it by itself: the caller's || switches errexit off in here.
sources() {
  local tools=$1/tools
  "${pip[@]}" install --require-hashes --no-index --find-links "$1" --target "$tools" --requirement "${lists[2]}" ||
    return
  # shellcheck disable=SC2016 # for the stand-in to expand
  printf '#!/bin/sh\ncase $1 in --cc_version) echo 3.4.0 ;; *) echo /nowhere ;; esac\n' >"$tools/mariadb_config"
  chmod +x "$tools/mariadb_config"
  PYTHONPATH=$tools MARIADB_CONFIG=$tools/mariadb_config MYSQLCLIENT_CFLAGS=-Inowhere MYSQLCLIENT_LDFLAGS=-lnowhere \
    "${pip[@]}" download --require-hashes --no-deps --no-binary=:all: --no-build-isolation \
    --dest "$1" --requirement "${lists[1]}" || return
  rm -rf "$tools"
}

fetch() {
  local start log=$CACHE/drivers/python.log
  start=$(now_ms)
  partial=$(mktemp -d "$1.partial.XXXXXX")
  { wheels "$partial" && sources "$partial"; } >"$log" 2>&1 </dev/null || {
    tail -n 10 "$log" >&2
    fail "pip could not fetch the packages of the Python drivers (whole log: $log)"
  }
  chmod 755 "$partial"
  mv "$partial" "$1" && partial=''
  say "Python drivers: $(find "$1" -type f | wc -l) files in $(since "$start")"
}

folder=$CACHE/drivers/python-$(digest "${lists[@]}" "${BASH_SOURCE[0]}" -- "$(uname -m)")
mkdir -p "$CACHE/drivers"
# Two callers may want the same files: the second one waits and finds them.
exec 9>"$CACHE/drivers/python.lock"
flock 9
[[ -d $folder ]] || fetch "$folder"
exec 9>&-
printf '%s\n' "$folder"
