#!/usr/bin/env bash
# Asks the database of the Go project which known vulnerabilities the programs of a release call. A finding fails. What a module has
# and nobody calls does not: govulncheck follows the calls.
#
# Not every machine reaches the database. Then this says so in capitals and goes on; ASSAY_VULNERABILITIES=required fails instead, as
# the workflows have it. What finds nothing may be blind, so a vulnerability that is made up has to be found first, everywhere.
# GOVULNDB is another database, such as a mirror or file:///FOLDER, as for govulncheck itself.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$REPO"
database=${GOVULNDB:-https://vuln.go.dev}
# The programs, by the folder of their module: those of cmd, the harness of Go, and go-tpc.
programs=(". ./cmd/..." "harness/go ./..." "runners/tpcc/image github.com/pingcap/go-tpc/cmd/go-tpc")

# scan a module's packages for what a database has: scan DATABASE FOLDER PACKAGES... It ends with 3 when there is a finding.
scan() { (cd "$2" && GOFLAGS=-mod=readonly GOWORK=off govulncheck -db "$1" "${@:3}"); }

# make_up a vulnerability of a function of the standard library, and a program that calls it, in a folder.
make_up() {
  local when=2026-01-01T00:00:00Z
  mkdir -p "$1/index" "$1/ID" "$1/program"
  printf '{"modified": "%s"}\n' "$when" >"$1/index/db.json"
  printf '[{"path": "stdlib", "vulns": [{"id": "GO-2026-0000", "modified": "%s"}]}]\n' "$when" >"$1/index/modules.json"
  printf '{"schema_version": "1.3.1", "id": "GO-2026-0000", "modified": "%s", "published": "%s", "details": "Made up.", "database_specific": {"url": "https://pkg.go.dev/vuln/GO-2026-0000"}, "affected": [%s]}\n' "$when" "$when" \
    '{"package": {"name": "stdlib", "ecosystem": "Go"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}], "ecosystem_specific": {"imports": [{"path": "os", "symbols": ["Hostname"]}]}}' \
    >"$1/ID/GO-2026-0000.json"
  printf 'module madeup\n\ngo 1.26\n' >"$1/program/go.mod"
  printf 'package main\n\nimport "os"\n\nfunc main() { _, _ = os.Hostname() }\n' >"$1/program/main.go"
}

step "vulnerabilities: one that is made up is found"
PATH=$(tool govulncheck):$PATH
folder=$(mktemp -d "$CACHE/vulnerabilities.XXXXXX")
trap 'rm -rf "$folder"' EXIT
make_up "$folder"
code=0
scan "file://$folder" "$folder/program" . >"$folder/log" 2>&1 || code=$?
if ((code != 3)) || ! grep -q GO-2026-0000 "$folder/log"; then
  fail "govulncheck does not find it, and ended with $code: $(cat "$folder/log")"
fi

step "vulnerabilities: those that $database knows"
if ! curl --fail --silent --show-error --location --max-time 60 --output "$folder/db.json" "$database/index/db.json" 2>"$folder/log"; then
  [[ ${ASSAY_VULNERABILITIES:-} != required ]] || fail "$database does not answer: $(cat "$folder/log")"
  say "$database DOES NOT ANSWER HERE: NO PROGRAM WAS SEARCHED FOR KNOWN VULNERABILITIES: $(cat "$folder/log")"
  step_done
  exit
fi
say "the database is of $(grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}' "$folder/db.json" | head -n 1)"
for program in "${programs[@]}"; do
  read -ra words <<<"$program"
  say "${words[*]:1} of ${words[0]}/go.mod"
  scan "$database" "${words[@]}" >&2 || fail "known vulnerabilities in ${words[*]:1} of ${words[0]}/go.mod, or govulncheck failed: see above"
done
step_done
