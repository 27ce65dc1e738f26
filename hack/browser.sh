#!/usr/bin/env bash
# Looks at the pages in headless Chromium: see test/browser. axe-core and xterm.js are the pinned ones of
# test/browser/package-lock.json.
# Usage: browser.sh [flags for go test...]     ASSAY_PICTURES=FOLDER keeps pictures of the pages and the printed one
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
command -v chromium >/dev/null || command -v google-chrome >/dev/null || hack/install-debian.sh browser
command -v npm >/dev/null || hack/install-debian.sh node
[[ -f /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]] || hack/install-debian.sh browser
# Unpacked once for each lock, in the cache: nothing of it is in the tree.
modules=$CACHE/browser-$(sha256sum test/browser/package-lock.json | cut -c1-12)
if [[ ! -d $modules/node_modules ]]; then
  step "axe-core and xterm.js"
  rm -rf "$modules.new" && mkdir -p "$modules.new"
  cp test/browser/package.json test/browser/package-lock.json "$modules.new"
  npm ci --prefix "$modules.new" --ignore-scripts --no-audit --no-fund >&2
  rm -rf "$modules" && mv "$modules.new" "$modules"
fi
step "pages in a browser"
ASSAY_MODULES=$modules/node_modules go test -timeout=10m "$@" ./test/browser
step_done
