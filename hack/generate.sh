#!/usr/bin/env bash
# Derives everything that is derived. Usage: generate.sh [directory]   (another checkout, for verify.sh)
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

controller_gen=$(tool controller-gen)/controller-gen
cd "${1:-$REPO}"
step "generating deepcopy functions, CRDs and RBAC"
"$controller_gen" object paths=./api/...
"$controller_gen" crd paths=./api/... output:crd:dir=config/crd/bases
"$controller_gen" rbac:roleName=assay-manager paths=./controllers/... output:rbac:dir=config/rbac
step_done
