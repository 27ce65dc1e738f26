#!/usr/bin/env bash
# Builds the harness of Rust's drivers, and the loop it is compared with, into the cache, once per content, and prints
# the folder that holds them. Everybody else on the machine goes first.
#   fetch.sh test               runs the tests of the harness instead, with the same compiler, and prints nothing
#   ASSAY_CARGO=container   builds in a container even where cargo is new enough
source "$(dirname "${BASH_SOURCE[0]}")/../../hack/lib.sh"

here=$REPO/harness/rust
# In a container the compiler is that of this Debian, whose C library is also the one of the image.
base=debian:sid-slim
needed=$(sed -nE 's/^rust-version = "([0-9.]+)".*/\1/p' "$here/Cargo.toml")
sources=("$here/Cargo.toml" "$here/Cargo.lock" "$here/build.rs" "$here/src" "$here/bench" "${BASH_SOURCE[0]}")

# host_builds tells whether the cargo of this machine can build the harness, and says why if it cannot.
host_builds() {
  local version
  if [[ ${ASSAY_CARGO:-} == container ]]; then
    say "ASSAY_CARGO asks for a build in a container"
  elif ! version=$(cargo --version 2>/dev/null); then
    say "THERE IS NO CARGO ON THIS MACHINE: the harness of Rust is built by Debian's, in a container"
  else
    version=$(awk '{print $2}' <<<"$version")
    printf '%s\n' "$needed" "${version%%-*}" | sort --version-sort --check=quiet && return
    say "CARGO $version OF THIS MACHINE IS OLDER THAN $needed: the harness of Rust is built by Debian's, in a container"
  fi
  return 1
}

# What either cargo does. Without --locked cargo would quietly take newer packages. Of those of the lock, the program has the ones
# that its machine and its features need: the second command names them.
# shellcheck disable=SC2016 # for the shell that runs it to expand
cargo_step='cargo build --quiet --release --locked && cargo tree --quiet --locked --edges normal --prefix none --format "{p}|{l}" >"$CARGO_TARGET_DIR/crates"'
[[ ${1:-} != test ]] || cargo_step='cargo test --quiet --release --locked --bin harness'

build_on_host() {
  (cd "$here" && CARGO_TARGET_DIR=$1 CARGO_BUILD_JOBS=${CARGO_BUILD_JOBS:-2} nice -n 15 bash -c "$cargo_step") >&2
}

# build_in_container hands the container what makes the host's cargo find its registry: the configuration, read-only,
# and the environment, certificates included.
build_in_container() {
  local target=$1 file name arguments=()
  mkdir -p "$target/packages"
  for file in config.toml config; do
    file=${CARGO_HOME:-$HOME/.cargo}/$file
    [[ ! -f $file ]] || arguments+=(--volume "$file:/cargo/${file##*/}:ro")
  done
  while read -r name; do arguments+=(--env "$name"); done < <(
    compgen -e | grep -E '^(CARGO_(HTTP|NET|REGISTRIES|REGISTRY|SOURCE)_.*|(http|https|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY)$' || true
  )
  file=${CARGO_HTTP_CAINFO:-${SSL_CERT_FILE:-}}
  # Behind the others, so that it wins: the path of the host is none in there.
  [[ ! -f $file ]] || arguments+=(--volume "$file:/certificates.pem:ro" --env CARGO_HTTP_CAINFO=/certificates.pem)
  "$REPO/hack/images/base.sh" "$base"
  docker run --rm --network host --volume "$here:/source:ro" --volume "$target:/target" \
    --volume "$target/packages:/cargo/registry" --env CARGO_HOME=/cargo --env CARGO_TARGET_DIR=/target \
    --env "CARGO_BUILD_JOBS=${CARGO_BUILD_JOBS:-2}" --env OWNER="$(id -u):$(id -g)" --workdir /source "${arguments[@]}" \
    "$base" sh -c "
      export DEBIAN_FRONTEND=noninteractive
      { apt-get update && apt-get install -y --no-install-recommends cargo gcc libc6-dev ca-certificates; } >/tmp/apt.log 2>&1 ||
        { tail -n 20 /tmp/apt.log; exit 1; }
      nice -n 15 sh -c '$cargo_step'; code=\$?
      chown -R \"\$OWNER\" /target
      exit \$code" >&2
}

# keep_licenses LIST SOURCES FOLDER: of each crate that cargo lists, a line with name, version and license, and what its source has as
# texts. hack/third-party reads both in the image.
keep_licenses() {
  local name version license found
  mkdir -p "$3"
  while read -r name version license; do
    found=("$2"/*/"$name-$version")
    [[ -d ${found[0]} ]] || fail "the source of the crate $name $version is not in $2"
    printf '%s %s %s\n' "$name" "$version" "${license:--}" >>"$3/list.txt" # some have a text alone
    mkdir "$3/$name-$version"
    find "${found[0]}" -maxdepth 1 -type f -iregex '.*/\(\(un\)?licen[cs]e\|copying\|copyright\|notice\)[^/]*' -exec cp -t "$3/$name-$version" {} +
  done < <(sed -nE 's/^([^ ]+) v([^ |]+)[^|]*\|(.*)$/\1 \2 \3/p' "$1" | sed 's/ (\*)$//' | grep -v '^assay-' | sort -u)
  [[ -s $3/list.txt ]] || fail "cargo names no crate that the harness is made of"
}

build() {
  local folder=$1 way=$2 partial=$1.partial.$$ target=$CACHE/drivers/rust-target-$2 start registry
  start=$(now_ms)
  say "building the harness of Rust's drivers; this takes a few minutes"
  "build_$way" "$target" || fail "the harness of Rust could not be built; what is wrong stands above"
  mkdir -p "$partial"
  cp "$target/release/harness" "$target/release/bench" "$partial/"
  registry=${CARGO_HOME:-$HOME/.cargo}/registry
  [[ $way == on_host ]] || registry=$target/packages
  keep_licenses "$target/crates" "$registry/src" "$partial/crates"
  mv "$partial" "$folder"
  say "built the harness of Rust in $(since "$start")"
}

way=in_container compiler=$base
if host_builds; then way=on_host compiler=$(rustc --version); fi
folder=$CACHE/drivers/rust-$(digest "${sources[@]}" -- "$compiler" "$(uname -m)")
mkdir -p "$CACHE/drivers"
# Two callers may want it: the second one waits and finds it built.
exec 8>"$CACHE/drivers/rust.lock"
flock 8
if [[ ${1:-} == test ]]; then
  "build_$way" "$CACHE/drivers/rust-target-$way" || fail "the tests of the harness of Rust failed; what is wrong stands above"
  exit
fi
[[ -d $folder ]] || build "$folder" "$way"
exec 8>&-
printf '%s\n' "$folder"
