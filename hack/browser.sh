#!/usr/bin/env bash
# Looks at the pages in headless Chromium: see test/browser. axe-core is the pinned one of test/browser/package-lock.json.
# Usage: browser.sh [flags for go test...]     ASSAY_PICTURES=FOLDER keeps pictures of the pages and the printed one
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
command -v chromium >/dev/null || command -v google-chrome >/dev/null || hack/install-debian.sh browser
command -v npm >/dev/null || hack/install-debian.sh node
# Unpacked once for each lock, in the cache: nothing of it is in the tree.
axe=$CACHE/axe-$(sha256sum test/browser/package-lock.json | cut -c1-12)
if [[ ! -f $axe/node_modules/axe-core/axe.min.js ]]; then
  step "axe-core"
  rm -rf "$axe.new" && mkdir -p "$axe.new"
  cp test/browser/package.json test/browser/package-lock.json "$axe.new"
  npm ci --prefix "$axe.new" --ignore-scripts --no-audit --no-fund >&2
  rm -rf "$axe" && mv "$axe.new" "$axe"
fi
step "pages in a browser"
ASSAY_AXE=$axe/node_modules/axe-core go test -timeout=10m "$@" ./test/browser
step_done
