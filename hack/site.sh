#!/usr/bin/env bash
# The documentation site. Versions lie side by side in out/site, and each is a folder that needs nothing but a web server.
# Usage: site.sh [build [VERSION]]   docs into out/site/VERSION (dev without one), beside the versions that are there. A link or a
#                                    heading that is not there fails, and so does a page that loads something from elsewhere
#        site.sh pack VERSION        what was built, as out/site/archives/assay-site_VERSION.tar.gz: a release keeps it
#        site.sh collect FOLDER      one site of what was built and of all archives in out/site/archives, as it is published
#        site.sh check               collects two versions, and checks them in headless Chromium (test/browser)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
work=$REPO/out/site
archives=$work/archives

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

build() {
  local version=$1 programs
  step "the documentation site: version $version"
  programs=$(generator)
  mkdir -p "$work"
  go run -trimpath ./hack/site prepare "$work" "$version"
  go run -trimpath ./hack/gallery site "$work/docs/gallery"
  # As a module: the scripts of the folder name the one that it was made in.
  (cd "$work" && "$programs/python" -m zensical build --strict --clean)
  go run -trimpath ./hack/site check "$work" "$version"
  go run -trimpath ./hack/site versions "$work"
  step_done
  say "python3 -m http.server --bind 127.0.0.1 --directory out/site 8000"
}

pack_site() {
  [[ -f $work/$1/index.html ]] || fail "out/site/$1 has no page: make docs VERSION=$1"
  mkdir -p "$archives"
  pack "$work" "$1" "$archives/assay-site_$1.tar.gz"
}

# collect takes from an archive the folder that it is named after, and no other one.
collect() {
  local folder=$1 page archive version
  rm -rf "$folder"
  mkdir -p "$folder"
  for page in "$work"/*/index.html; do
    [[ ! -f $page || $page == "$work/latest/"* ]] || cp -r "${page%/*}" "$folder/"
  done
  for archive in "$archives"/assay-site_*.tar.gz; do
    [[ -f $archive ]] || continue # without any, the pattern stands for itself
    version=${archive##*/assay-site_}
    version=${version%.tar.gz}
    rm -rf "${folder:?}/$version"
    tar -C "$folder" -xzf "$archive" "$version"
  done
  go run -trimpath ./hack/site versions "$folder"
}

# check builds two releases of what is in the tree: the menu and the banner need an earlier one.
check() {
  build v0.0.1
  build v0.0.2
  collect out/site-check
  rm -rf "$work"/v0.0.[12]
  ASSAY_SITE=$REPO/out/site-check hack/browser.sh -count=1 -run '^TestTheSite'
}

case ${1:-build} in
  build) build "${2:-dev}" ;;
  pack) pack_site "${2:?which version}" ;;
  collect) collect "${2:?into which folder}" ;;
  check) check ;;
  *) fail "usage: site.sh [build [VERSION]] | check | pack VERSION | collect FOLDER" ;;
esac
