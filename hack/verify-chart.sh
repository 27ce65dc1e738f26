#!/usr/bin/env bash
# Fails when the chart or a kustomization is broken: renders each way to install Assay. What the objects say is checked
# by test/unit/chart, whether an API server takes the samples by test/envtest/samples.
# Usage: verify-chart.sh [directory]   (another checkout, for verify.sh)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

helm=$(tool helm)/helm
kustomize=$(tool kustomize)/kustomize
cd "${1:-$REPO}"

lint() { "$helm" lint --strict --quiet charts/assay --kube-version 1.34.0 "$@"; }

step "verify: chart and kustomizations"
lint
lint --set rbac.scope=Namespaced --set 'watchNamespaces={a,b}'
lint --set part=Cluster --set 'rbac.managers[0].namespace=a'
lint --set part=Team --set 'watchNamespaces={a,b}'
lint --set networkPolicy.enabled=true --set metrics.serviceMonitor.enabled=true
lint --set metrics.serviceMonitor.enabled=true --set metrics.certificate.secret=metrics --set admission.policy.enabled=false
lint --set metrics.serviceMonitor.enabled=true --set metrics.secure=false --set shapes.inline=Deny --set 'shapes.allowedAnnotations={a/*}'
lint --set crds.install=false --set rbac.create=false --set serviceAccount.create=false --set metrics.enabled=false
for folder in config/*/kustomization.yaml config/gitops/flux/*/kustomization.yaml; do
  "$kustomize" build "${folder%/*}" >/dev/null || fail "${folder%/*} cannot be built"
done
step_done
