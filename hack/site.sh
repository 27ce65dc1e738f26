#!/usr/bin/env bash
# Builds the documentation site from docs into out/site/VERSION, beside the versions that are there, and checks it: a link or a
# heading that is not there fails, and so does a page that loads something from elsewhere. `make docs` calls it.
# Usage: site.sh [VERSION]     dev without one
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
version=${1:-dev}
work=$REPO/out/site

# generator prints the folder of the generator's programs, made once per content of the pinned packages.
generator() {
  local directory
  directory=$CACHE/bin/site-$(digest hack/site/requirements.txt -- "$(python3 --version)")
  mkdir -p "$CACHE/bin"
  exec 9>"$CACHE/bin/site.lock"
  flock 9
  if [[ ! -d $directory ]]; then
    rm -rf "$directory.partial"
    python3 -m venv "$directory.partial" || fail "python3 -m venv is needed: apt-get install python3-venv"
    "$directory.partial/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --requirement hack/site/requirements.txt >&2
    mv "$directory.partial" "$directory"
  fi
  exec 9>&-
  printf '%s\n' "$directory/bin"
}

step "the documentation site: version $version"
programs=$(generator)
mkdir -p "$work"
go run -trimpath ./hack/site prepare "$work" "$version"
go run -trimpath ./hack/gallery site "$work/docs/gallery"
# As a module: the scripts of the folder name the one that it was made in.
(cd "$work" && "$programs/python" -m zensical build --strict --clean)
go run -trimpath ./hack/site check "$work" "$version"
go run -trimpath ./hack/site versions "$work" "$version"
step_done
