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

# signed signs a reference: signed FLAG... REFERENCE. What cosign says is shown when it fails.
signed() {
  cosign sign --yes "${sign_with[@]}" "$@" >out/sign.log 2>&1 || fail "${!#} could not be signed: $(cat out/sign.log)"
  say "signed ${!#}"
}

sign() {
  local image
  while read -r _ image; do signed --recursive "$image"; done <out/published.txt
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

site() { hack/site.sh build "v$VERSION" && hack/site.sh pack "v$VERSION"; }

changelog() { go run ./hack/release changelog CHANGELOG.md "$VERSION"; }

step=${1:-}
shift || true
case $step in
  check | plugin | site | changelog) "$step" ;;
  images | index | sign | chart | sign-chart)
    : "${REPOSITORY:?where to}"
    [[ $step == images ]] || PATH=$(tool oci):$PATH # crane and cosign
    [[ $step != chart ]] || PATH=$(tool helm):$PATH
    "${step/-/_}" "$@"
    ;;
  *) fail "usage: release.sh check|images|index|sign|chart|sign-chart|plugin|site|changelog" ;;
esac
