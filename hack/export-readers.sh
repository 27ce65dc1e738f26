#!/usr/bin/env bash
# Reads what `kubectl assay export` writes with the programs that it is written for: pyarrow, HdrHistogram,
# prometheus_client, pytest-benchmark and the schema of JUnit, from PyPI, and promtool where "promtool" is the
# argument (the first time, building it takes 15 minutes). benchstat reads its format in the unit tests.
# Usage: export-readers.sh [promtool]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

files=$REPO/internal/export/testdata
here=$REPO/hack/export-readers

if [[ ${1:-} == promtool ]]; then
  tools=$("$REPO/hack/monitoring/build.sh" prometheus)
  say 'promtool check metrics'
  # It reads Prometheus's text format, whose times are in milliseconds, and here nothing depends on them.
  sed -E 's/ [0-9.]+e\+[0-9]+$//; /^# EOF$/d' "$files/openmetrics.om" | "$tools/promtool" check metrics
  say 'promtool tsdb create-blocks-from openmetrics'
  blocks=$(mktemp -d)
  trap 'rm -rf "$blocks"' EXIT
  "$tools/promtool" tsdb create-blocks-from openmetrics "$files/openmetrics.om" "$blocks"
  found=$("$tools/promtool" tsdb dump --match='assay_result_throughput_tx_per_second{statistic="median"}' "$blocks" | wc -l)
  ((found == 4)) || fail "promtool read $found medians of the throughput, and there are 4"
  exit
fi

# Once per content of the requirements; what is half made has another name.
readers=$CACHE/export-readers-$(digest "$here/requirements.txt")
if [[ ! -d $readers ]]; then
  say 'installing the readers of exported files from PyPI'
  partial=$readers.partial.$$
  mkdir -p "$CACHE"
  python3 -m venv "$partial"
  "$partial/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  # The schema of JUnit is in the sources of pytest.
  "$partial/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$partial/sources" \
    "$(grep '^pytest==' "$here/requirements.txt")"
  tar --extract --gzip --file "$partial"/sources/pytest-*.tar.gz --directory "$partial" --wildcards --strip-components=3 '*/junit-10.xsd'
  rm -rf "$partial/sources"
  mv "$partial" "$readers"
fi
"$readers/bin/python" "$here/check.py" "$files" "$readers/junit-10.xsd"
