#!/usr/bin/env bash
# Holds every driver harness against the protocol, on the driver null and on real servers, and the rights of accounts on the page of managed
# databases against the tools: see test/conformance.
# Usage: conformance.sh [flags for go test...]     ASSAY_CONFORMANCE_ONLY=Go,Ruby: those languages alone
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
step "a MariaDB and a MySQL on loopback"
trap 'hack/test-server.sh down mariadb; hack/test-server.sh down mysql' EXIT
hack/test-server.sh up mariadb
hack/test-server.sh up mysql
step "conformance of the harnesses"
ASSAY_CONFORMANCE_IMAGES=$REPO/out/images.txt ASSAY_CONFORMANCE_SERVERS=MariaDB=127.0.0.1:23310,MySQL=127.0.0.1:23397 \
  go test -count=1 -timeout=60m "$@" ./test/conformance
step_done
