#!/usr/bin/env bash
# Provides the Debian images that FROM lines name, under those names without the digest, so that the Dockerfiles stay
# ordinary ones. What the engine has pulled by that digest is used, or what was made here; else a registry is asked for the
# digest; else the image is made from Debian's packages, whose checksums are in lists that Debian signs.
# Usage: base.sh debian:SUITE-slim[@sha256:DIGEST]...   (the digest of images.yaml is taken where none is given)
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# A registry that is there answers within this time; one that is not must not cost more.
pull_seconds=60

# Like the image of that name in registries: essential packages and apt, without manuals and translations. The
# settings stay in the image, for its own apt: a mirror's copy of an unstable release may be older than it promises.
make_base() {
  local suite=${1#debian:}
  suite=${suite%-slim}
  "$REPO/hack/install-debian.sh" image
  mmdebstrap --quiet --variant=minbase \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --aptopt='Acquire::Check-Valid-Until "false"' \
    "$suite" - | docker import --change 'CMD ["bash"]' - "$1" >/dev/null
}

# usable tells whether the engine has an image that may stand for a pinned one: pulled by this digest, or from no registry.
usable() {
  local name=$1 digest=$2 pulled
  pulled=$(docker image inspect "$name" --format '{{join .RepoDigests " "}}' 2>/dev/null) || return
  [[ -z $pulled || " $pulled " == *"@$digest "* ]]
}

for wanted in "$@"; do
  name=${wanted%@*}
  [[ $name == debian:*-slim ]] || fail "no recipe for a base image $name"
  [[ $wanted == *@* ]] || wanted=$(grep -oE "^- $name@sha256:[0-9a-f]{64}" "$REPO/hack/images/images.yaml" | cut -c 3-) ||
    fail "hack/images/images.yaml has no digest for $name"
  if usable "$name" "${wanted#*@}"; then continue; fi
  start=$(now_ms)
  if timeout "$pull_seconds" docker pull --quiet "$wanted" >/dev/null 2>&1; then
    docker tag "$wanted" "$name"
    say "$name: pulled by its digest in $(since "$start")"
  else
    say "$name: no registry has ${wanted#*@} for this machine: making it from Debian packages"
    make_base "$name"
    say "$name: made from Debian packages in $(since "$start")"
  fi
done
