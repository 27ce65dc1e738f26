#!/usr/bin/env bash
# What the driver harnesses cost: see test/cmd/harness. Wants a quiet machine.
# Usage: bench-harness.sh [flags of test/cmd/harness...]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
step "a MariaDB on loopback"
hack/test-server.sh up mariadb
# Server and client on a processor each: where they share one now and then, two equal runs differ by half.
docker update --cpuset-cpus 0 assay-test-mariadb >/dev/null
trap 'hack/test-server.sh down mariadb' EXIT
step "the driver null, and SELECT 1 through each harness against a loop by hand"
go run ./test/cmd/harness "$@"
step_done
