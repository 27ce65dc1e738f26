#!/usr/bin/env bash
# Everything that a release does (hack/release.sh), but into a registry beside the local cluster. Then what somebody does who installs it:
# the signatures are verified by the commands of docs/guide/install.md, Helm installs the chart out of the registry into a namespace of
# its own, the nodes pull from there, and `helm test` passes; then `helm upgrade`, and the test again. Another Assay in the cluster is left alone. Nothing stays.
#
# The registry is a container on the network of the nodes. It has the same address everywhere, so that references by digest hold
# on this machine and on the nodes: here by a published port, there by a Service with a port on every node. Clients of registries
# take 127.0.0.1 for plain HTTP, so no node is configured.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$REPO/hack/kind/cluster.sh"

cd "$REPO"
PORT=30500
VERSION=$(sed -n 's/^version: //p' charts/assay/Chart.yaml)
REPOSITORY=127.0.0.1:$PORT/assay
export VERSION REPOSITORY
namespace=assay-dry-run
registry=assay-registry

# clean_up removes what this script makes, also what one that was killed has left.
clean_up() {
  local name owner node
  helm uninstall "$namespace" --namespace "$namespace" --wait --timeout 1m >/dev/null 2>&1 || true # there may be none
  # CRDs outlive a release, and these would belong to one that is gone.
  while read -r name owner; do
    [[ $owner != "$namespace" ]] || kubectl_ delete crd "$name" >/dev/null
  done < <(kubectl_ get crd -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.annotations.meta\.helm\.sh/release-namespace}{"\n"}{end}')
  kubectl_ delete namespace "$namespace" --ignore-not-found --wait=false >/dev/null
  docker rm --force --volumes "$registry" >/dev/null 2>&1 || true
  for node in "${NODES[@]}"; do
    docker exec "$node" sh -c "ctr --namespace=k8s.io images ls -q | grep '^127.0.0.1:$PORT/' | xargs -r ctr --namespace=k8s.io images rm" >/dev/null
  done
  rm -rf "$CACHE/release.dry-run" "$REPO/out/release"
  wait_until 60 gone || fail "namespace $namespace does not go"
}

gone() { ! kubectl_ get namespace "$namespace"; }

# start_registry from nothing but the program of hack/tools/registry.
start_registry() {
  local image node
  image=$registry:$(digest "$REPO/hack/tools/registry" "$REPO/hack/tool.sh" -- "$(declare -f start_registry)")
  if ! docker image inspect "$image" >/dev/null 2>&1; then
    cp "$(tool registry)/registry" "$work/registry"
    printf '%s\n' 'version: 0.1' 'log: {level: warn, accesslog: {disabled: true}}' 'http: {addr: ":5000"}' \
      'storage: {filesystem: {rootdirectory: /data}}' >"$work/config.yaml"
    tar -C "$work" --owner=0 --group=0 -c registry config.yaml |
      docker import --change 'ENTRYPOINT ["/registry", "serve", "/config.yaml"]' --change 'VOLUME /data' - "$image" >/dev/null
  fi
  docker run --detach --name "$registry" --network kind --publish "127.0.0.1:$PORT:5000" "$image" >/dev/null
  wait_until 60 curl -fsS "http://127.0.0.1:$PORT/v2/" || fail "the registry does not answer: $(docker logs "$registry" 2>&1 | tail -n 3)"
  kubectl_ create namespace "$namespace" >/dev/null
  kubectl_ apply -f - <<YAML >/dev/null
apiVersion: v1
kind: Service
metadata: {name: registry, namespace: $namespace}
spec: {type: NodePort, ports: [{name: http, port: 5000, nodePort: $PORT}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: registry, namespace: $namespace, labels: {kubernetes.io/service-name: registry}}
addressType: IPv4
ports: [{name: http, port: 5000}]
endpoints: [{addresses: ["$(docker inspect "$registry" --format '{{.NetworkSettings.Networks.kind.IPAddress}}')"], conditions: {ready: true}}]
YAML
  for node in "${NODES[@]}"; do
    wait_until 60 docker exec "$node" curl -fsS "http://127.0.0.1:$PORT/v2/" || fail "node $node does not reach the registry"
  done
}

# make_key for this run alone. Nothing goes to a public log, and nothing is asked of one.
make_key() {
  export COSIGN_PASSWORD='' ASSAY_SIGN_WITH="--key $work/cosign.key --signing-config $work/signing.json"
  cosign generate-key-pair --output-key-prefix "$work/cosign" 2>/dev/null
  cosign generate-key-pair --output-key-prefix "$work/other" 2>/dev/null
  cosign signing-config create --out "$work/signing.json"
}

# name_the_builder of the files, who on GitHub is the workflow: the variables that a workflow has. Signed with the key of this run.
name_the_builder() {
  export GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=assay-bench/assay GITHUB_REF=refs/tags/v$VERSION GITHUB_EVENT_NAME=dry-run \
    GITHUB_WORKFLOW_REF=assay-bench/assay/hack/release-dry-run.sh@refs/tags/v$VERSION GITHUB_RUN_ID=0 GITHUB_RUN_ATTEMPT=1 RUNNER_ENVIRONMENT=dry-run
  GITHUB_SHA=$(git rev-parse HEAD)
  export GITHUB_SHA
}

# block N of the commands in the section of the guide about verifying.
block() {
  sed -n '/^## Verify a release/,/^## Images without/p' docs/guide/install.md |
    awk -v wanted="$1" '/^```/ {inside = $0 == "```sh"; n += inside; next} inside && n == wanted'
}

# verify runs the commands of the guide in the folder of the files, with a key in place of the workflow's identity: verify KEY BLOCK, where
# the first block says who signs, the second has the images, and the fourth the files.
verify() {
  local signer commands
  signer=$(block 1 | sed -E -e "s#^VERSION=.*#VERSION=$VERSION#" -e "s#--certificate-oidc-issuer .*#--key $1 --insecure-ignore-tlog#" \
    -e '/--certificate-identity /d')
  commands=$(block "$2" | sed -E "s#ghcr\.io/assay-bench/#$REPOSITORY/#")
  [[ $(grep -c -- "--key $1" <<<"$signer") == 1 && $(grep -cE '^ *cosign verify' <<<"$commands") == 2 ]] ||
    fail "docs/guide/install.md: not the commands that this script knows:"$'\n'"$signer"$'\n'"$commands"
  (cd out/files && bash -euo pipefail -c "$signer"$'\n'"$commands") >"$work/verify.log" 2>&1
}

# refuses fails unless the commands of a block refuse a key, for the reason that it signed nothing here: refuses KEY BLOCK.
refuses() {
  ! verify "$1" "$2" || fail "block $2 of the guide takes the signatures for those of another key"
  grep -qE 'no matching (attestations|signatures)|invalid signature|could not verify' "$work/verify.log" ||
    fail "another key was refused for another reason: $(cat "$work/verify.log")"
}

# check_files: each that is attached has its signature and its provenance, and one that was changed is refused.
check_files() {
  local file files=(out/files/*.tar.gz out/files/checksums.txt out/files/assay.yaml)
  ((${#files[@]} == 9)) || fail "nine files were to be signed, and there are: ${files[*]}"
  for file in "${files[@]}"; do
    cosign verify-blob --key "$work/cosign.pub" --insecure-ignore-tlog --bundle "$file.sigstore.json" "$file" >"$work/verify.log" 2>&1 ||
      fail "$file: $(cat "$work/verify.log")"
    cosign verify-blob-attestation --key "$work/cosign.pub" --insecure-ignore-tlog --type slsaprovenance1 \
      --bundle "$file.provenance.sigstore.json" "$file" >"$work/verify.log" 2>&1 || fail "$file: $(cat "$work/verify.log")"
  done
  ! cosign verify-blob-attestation --key "$work/other.pub" --insecure-ignore-tlog --type slsaprovenance1 \
    --bundle "$file.provenance.sigstore.json" "$file" >"$work/verify.log" 2>&1 || fail "$file: its provenance is taken for that of another key"
  cp out/files/checksums.txt "$work/checksums.txt"
  echo >>out/files/checksums.txt
  ! verify "$work/cosign.pub" 4 || fail "checksums.txt was changed, and the guide's commands did not see it"
  cp "$work/checksums.txt" out/files/checksums.txt
  say "${#files[@]} files, each signed and with its provenance"
}

# check_chart: the chart in the registry names images of ours by digest alone, and each of them is signed.
check_chart() {
  local values images image
  values=$(helm show values "oci://$REPOSITORY/charts/assay" --version "$VERSION" --plain-http 2>/dev/null)
  mapfile -t images < <(grep -oE "$REPOSITORY/assay-[a-z-]+@sha256:[0-9a-f]{64}" <<<"$values"
    printf '%s@%s\n' "$(sed -nE 's/^  repository: (.*)/\1/p' <<<"$values")" "$(sed -nE 's/^  digest: "(.*)"/\1/p' <<<"$values")")
  ((${#images[@]} == $(wc -l <out/published.txt))) || fail "the chart names ${#images[@]} images, and $(wc -l <out/published.txt) were published"
  for image in "${images[@]}"; do
    cosign verify --key "$work/cosign.pub" --insecure-ignore-tlog "$image" >"$work/verify.log" 2>&1 || fail "$image: $(cat "$work/verify.log")"
  done
  say "${#images[@]} images, each by digest and signed"
}

# release_ installs or upgrades Assay beside any other one: it has its own namespace only, and their CRDs.
release_() {
  helm "$@" --namespace "$namespace" --wait --timeout 3m >/dev/null 2>"$work/helm.log" ||
    fail "helm $1: $(cat "$work/helm.log" && kubectl_ -n "$namespace" get pods,events)"
}

# beside prints the values for that.
beside() {
  local crds=true
  ! kubectl_ get crd benchmarkruns.assay.dev >/dev/null 2>&1 || crds=false
  printf '%s\n' "crds.install=$crds,rbac.scope=Namespaced,watchNamespaces={$namespace}"
}

# manager prints fields of the manager's pod, when it is the only one.
manager() {
  wait_until 60 one_manager || fail "not one manager: $(kubectl_ -n "$namespace" get pods)"
  kubectl_ -n "$namespace" get pods -l app.kubernetes.io/component=manager -o jsonpath="{.items[0].spec.containers[0].image} {.items[0].status.containerStatuses[0].imageID}"
}

one_manager() { [[ $(kubectl_ -n "$namespace" get pods -l app.kubernetes.io/component=manager -o name | wc -l) == 1 ]]; }

# check_pods: what runs came from the registry, by the digest that was signed.
check_pods() {
  local want is
  want=$(sed -n 's/^manager //p' out/published.txt)
  is=$(manager)
  [[ ${is% *} == "$want" && ${is#* } == "$REPOSITORY/assay-manager@sha256:"* ]] || fail "the manager runs $is, want $want"
  kubectl_ -n "$namespace" get events -o jsonpath='{range .items[?(@.reason=="Pulled")]}{.message}{"\n"}{end}' | grep -m 1 "Successfully pulled image \"$want\"" >&2 ||
    fail "no node pulled $want"
}

step "release: dry run of $VERSION into $REPOSITORY"
hack/engine.sh up
PATH=$(tool oci):$(tool helm):$PATH
clean_up
trap clean_up EXIT
work=$CACHE/release.dry-run
mkdir -p "$work"
start_registry
prepare_builder --driver-opt network=host
make_key
hack/release.sh check
architecture=$(go env GOARCH)
say "ONE ARCHITECTURE, $architecture: the workflow builds each on a machine of its own"
step "release: images"
hack/release.sh images "$architecture"
hack/release.sh index "$architecture"
step "release: signatures and chart"
hack/release.sh sign
hack/release.sh chart
hack/release.sh sign-chart
step "release: files"
hack/release.sh plugin
hack/release.sh third-party "$architecture"
name_the_builder
hack/release.sh sign-files
hack/release.sh site
hack/release.sh changelog >"$work/notes.md"
say "the release's text: $(wc -l <"$work/notes.md") lines"
step "release: verified as docs/guide/install.md says"
for commands in 2 4; do
  verify "$work/cosign.pub" "$commands" || fail "$(cat "$work/verify.log")"
  refuses "$work/other.pub" "$commands"
done
check_chart
check_files
chart=(oci://"$REPOSITORY/charts/assay" --version "$VERSION" --plain-http)
step "release: a bundle, signed as docs/reference/bundle.md says"
ASSAY_COSIGN=required go test "$REPO/internal/cli" -run '^TestASignedBundle$' -count=1 >&2
step "release: installed from ${chart[0]}"
release_ install "$namespace" "${chart[@]}" --set "$(beside)"
check_pods
helm test "$namespace" --namespace "$namespace" --timeout 3m --hide-notes >&2
step "release: upgraded from ${chart[0]}"
release_ upgrade "$namespace" "${chart[@]}" --reset-then-reuse-values
check_pods
helm test "$namespace" --namespace "$namespace" --timeout 3m --hide-notes >&2
step "release: cleaning up"
trap - EXIT
clean_up
step_done
