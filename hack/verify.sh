#!/usr/bin/env bash
# Fails when something derived differs from what is in the tree, and says how. Never changes the tree.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

copy=$(mktemp -d "$CACHE/verify.XXXXXX")
trap 'rm -rf "$copy"' EXIT

step "verify: generated files"
cd "$REPO"
# What Git knows and what it would take, as it lies in the tree now.
mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard)
for file in "${files[@]}"; do [[ ! -f $file ]] || printf '%s\0' "$file"; done | tar --null -T - -c | tar -x -C "$copy"
cp -r "$copy" "$copy.before"
trap 'rm -rf "$copy" "$copy.before"' EXIT
"$REPO/hack/generate.sh" "$copy"
diff -ru "$copy.before" "$copy" || fail "generated files are out of date: run make generate and commit"

step_done
"$REPO/hack/verify-chart.sh"
step "verify: documents"
go run -trimpath ./hack/check-docs
step_done

step "verify: the manifest for krew"
"$REPO/hack/plugin.sh" check
step_done

step "verify: go.mod"
go mod tidy -diff || fail "go.mod is not tidy: run go mod tidy and commit"
step_done
