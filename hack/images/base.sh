#!/usr/bin/env bash
# Provides the Debian image that a FROM line names, under that very name, so that the Dockerfiles stay ordinary ones:
# what the engine has is used, else a registry is asked, else the image is made from Debian's packages.
# Usage: base.sh debian:SUITE-slim...
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

for image in "$@"; do
  [[ $image == debian:*-slim ]] || fail "no recipe for a base image $image"
  if docker image inspect "$image" >/dev/null 2>&1; then continue; fi
  start=$(now_ms)
  if timeout "$pull_seconds" docker pull --quiet "$image" >/dev/null 2>&1; then
    say "$image: pulled in $(since "$start")"
  else
    make_base "$image"
    say "$image: made from Debian packages in $(since "$start")"
  fi
done
