#!/usr/bin/env bash
# The archives of `kubectl assay` for a release, and the manifest by which krew installs it.
# Usage: plugin.sh archives VERSION   out/plugin/kubectl-assay_VERSION_OS_ARCH.tar.gz of each platform, their digests in
#                                     out/plugin/checksums.txt, and out/plugin/assay.yaml, which krew's validator accepts
#        plugin.sh stamp [VERSION]    what the linker writes into the program, for `kubectl assay version`
#        plugin.sh check              the manifest of empty archives, by krew's validator
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)

# manifest VERSION FOLDER: of the archives in the folder.
manifest() {
  local validate
  validate=$(tool krew)/krew
  go run -trimpath ./hack/plugin krew "$1" "$2" >"$2/assay.yaml"
  "$validate" -skip-install -manifest "$2/assay.yaml" >"$2/validate.log" 2>&1 || fail "krew refuses the manifest: $(cat "$2/validate.log")"
}

# stamp [VERSION]: flags of the linker with the version and the commit.
stamp() {
  local package=github.com/assay-bench/assay/internal/cli
  printf -- '-X %s.release=%s -X %s.commit=%s' "$package" "${1:-}" "$package" "$(git rev-parse HEAD 2>/dev/null || true)"
}

# archive VERSION OS ARCH FOLDER: the same bytes from the same commit. It has the licenses of others' parts, and a list of them (SPDX).
archive() {
  local program=kubectl-assay name=kubectl-assay_$1_$2_$3 stage
  [[ $2 != windows ]] || program="kubectl-assay.exe"
  stage=$(mktemp -d "$4/stage.XXXXXX")
  CGO_ENABLED=0 GOOS=$2 GOARCH=$3 GOGC=200 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags "-s -w $(stamp "$1")" -o "$stage/$program" ./cmd/kubectl-assay
  cp LICENSE "$stage/"
  cp -r docs/man "$stage/man"
  SOURCE_DATE_EPOCH=$(commit_date) go run -trimpath ./hack/third-party program "$name" "$1" "$stage/kubectl-assay" "$stage/$program"
  pack "$stage" . "$4/$name.tar.gz"
  rm -rf "$stage"
}

case ${1:-} in
  archives)
    version=${2:?which version} folder=out/plugin
    rm -rf "$folder"
    mkdir -p "$folder"
    for platform in "${platforms[@]}"; do
      step "kubectl assay for $platform"
      archive "$version" "${platform%/*}" "${platform#*/}" "$folder"
      step_done
    done
    (cd "$folder" && sha256sum ./*.tar.gz | sed 's,\./,,' >checksums.txt)
    manifest "$version" "$folder"
    ;;
  stamp) stamp "${2:-}" ;;
  check)
    folder=$(mktemp -d "$CACHE/plugin.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    for platform in "${platforms[@]}"; do : >"$folder/kubectl-assay_0.0.1_${platform/\//_}.tar.gz"; done
    manifest 0.0.1 "$folder"
    ;;
  *) fail "usage: plugin.sh archives VERSION | plugin.sh stamp [VERSION] | plugin.sh check" ;;
esac
