#!/usr/bin/env bash
# The steps of a release. .github/workflows/release.yaml calls them one by one, and hack/release-dry-run.sh all of them.
# Usage: release.sh STEP
#   check           the chart and the changelog have the version
#   images ARCH     the images for this machine's architecture, pushed; out/published-ARCH.txt lists them
#   index ARCH...   one image out of those of the architectures; out/published.txt lists them by digest
#   sign            each of them, and the images in it
#   chart           the chart, which names every image by digest, packaged and pushed; out/push.txt has what Helm says of it
#   sign-chart      the chart
#   plugin          kubectl assay for each platform, with digests and the manifest for krew, in out/plugin
#   third-party ARCH...  what others have a part in of each image: lists (SPDX) and notices with licenses, packed, in out/third-party
#   sign-files      those of the two steps before, which go into out/files, each beside its signature and its provenance (SLSA)
#   site            the documents of the version as a site, packed, in out/site/archives
#   changelog       prints the section of the version
# VERSION is that of the release, and REPOSITORY where everything goes: REGISTRY/OWNER. One on 127.0.0.1 is a dry run: plain HTTP
# will do, and what this machine cannot make is left out with a line in capitals. A release refuses it.
# ASSAY_SIGN_WITH has further words for cosign, such as a key. Without them it signs by the identity of the workflow.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
mkdir -p out
: "${VERSION:?which version}" "${REPOSITORY:=}"
read -ra sign_with <<<"${ASSAY_SIGN_WITH:-}"

is_dry() { [[ $REPOSITORY == 127.0.0.1:* ]]; }

plain_http() { if is_dry; then echo --plain-http; fi; }

check() {
  local field
  for field in version appVersion; do
    grep -qx "$field: $VERSION" charts/assay/Chart.yaml || fail "charts/assay/Chart.yaml has no line \"$field: $VERSION\""
  done
  changelog >/dev/null
}

images() {
  make build
  if docker buildx version >/dev/null 2>&1; then
    hack/images.sh publish "$REPOSITORY" "$VERSION-$1" core
  else
    is_dry || fail "docker buildx is missing: the images would have neither lists of packages nor provenance"
    say "THIS ENGINE HAS NO BUILDKIT: THE IMAGES HAVE NEITHER LISTS OF PACKAGES NOR PROVENANCE"
    hack/images.sh publish-built "$REPOSITORY" "$VERSION-$1" core
  fi
  mv out/published.txt "out/published-$1.txt"
}

index() {
  local lists=("${@/#/out/published-}")
  go run ./hack/release index "$VERSION" out/published.txt "${lists[@]/%/.txt}"
}

# by_cosign COMMAND WHAT FLAG... What cosign says is shown when it fails.
by_cosign() {
  cosign "$1" --yes "${sign_with[@]}" "${@:3}" "$2" >out/sign.log 2>&1 || fail "cosign $1 $2: $(cat out/sign.log)"
}

signed() {
  by_cosign sign "$@"
  say "signed $1"
}

# describe LIST: what an image is made of, for each of a list and each architecture.
describe() {
  local name image architecture
  while read -r name image; do
    for architecture in "${@:2}"; do
      crane export --platform "linux/$architecture" "$image" - </dev/null |
        "$work/third-party" image "assay-$name" "$VERSION" "$folder/assay-${name}_${VERSION}_linux_$architecture"
      say "assay-$name for $architecture: $(grep -c '"purl"' "$folder/assay-${name}_${VERSION}_linux_$architecture.spdx.json") packages"
    done
  done <"$1"
}

third_party() {
  local work=out/third-party folder module
  folder=$work/assay-third-party_$VERSION
  rm -rf "$work"
  mkdir -p "$folder"
  # Licenses of Go modules are read where Go keeps them.
  for module in . harness/go runners/tpcc/image; do (cd "$module" && GOFLAGS=-mod=readonly GOWORK=off go mod download); done
  go build -trimpath -o "$work/third-party" ./hack/third-party
  SOURCE_DATE_EPOCH=$(commit_date)
  export SOURCE_DATE_EPOCH
  describe out/published.txt "$@"
  pack "$work" "${folder##*/}" "$folder.tar.gz"
}

sign() {
  local image
  while read -r _ image; do signed "$image" --recursive; done <out/published.txt
}

# chart works on a copy: the chart of the tree keeps its tags.
chart() {
  local folder=out/release pin='pin' registry=()
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -r charts/assay "$folder/assay"
  if is_dry; then pin='pin-known'; fi
  go run ./hack/release "$pin" "$folder/assay/values.yaml" out/published.txt
  helm package "$folder/assay" --destination "$folder"
  [[ ! -f $HOME/.docker/config.json ]] || registry=(--registry-config "$HOME/.docker/config.json")
  # shellcheck disable=SC2046 # nothing, or one word
  helm push "$folder/assay-$VERSION.tgz" "oci://$REPOSITORY/charts" "${registry[@]}" $(plain_http) 2>&1 | tee out/push.txt
}

sign_chart() {
  local digest
  digest=$(sed -nE 's/^Digest: (sha256:[0-9a-f]{64})$/\1/p' out/push.txt)
  signed "$REPOSITORY/charts/assay@${digest:?helm named no digest}"
}

plugin() { hack/plugin.sh archives "$VERSION"; }

sign_files() {
  local folder=out/files file
  rm -rf "$folder"
  mkdir -p "$folder"
  go run ./hack/release provenance >out/provenance.json
  for file in out/plugin/*.tar.gz out/plugin/checksums.txt out/plugin/assay.yaml out/third-party/*.tar.gz; do
    cp "$file" "$folder/"
    file=$folder/${file##*/}
    by_cosign sign-blob "$file" --bundle "$file.sigstore.json"
    by_cosign attest-blob "$file" --type slsaprovenance1 --predicate out/provenance.json --bundle "$file.provenance.sigstore.json"
    say "signed ${file##*/}"
  done
}

site() { hack/site.sh build "v$VERSION" && hack/site.sh pack "v$VERSION"; }

changelog() { go run ./hack/release changelog CHANGELOG.md "$VERSION"; }

step=${1:-}
shift || true
case $step in
  check | plugin | site | changelog) "$step" ;;
  images | index | sign | chart | sign-chart | third-party | sign-files)
    : "${REPOSITORY:?where to, such as registry.example.com/assay}"
    [[ $step == images ]] || PATH=$(tool oci):$PATH # crane and cosign
    [[ $step != chart ]] || PATH=$(tool helm):$PATH
    "${step/-/_}" "$@"
    ;;
  *) fail "usage: release.sh check|images|index|sign|chart|sign-chart|plugin|third-party|sign-files|site|changelog" ;;
esac
