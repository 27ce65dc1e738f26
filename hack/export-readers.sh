#!/usr/bin/env bash
# Reads what `kubectl assay export` writes with the programs that it is written for: HdrHistogram and the schema of
# JUnit, from PyPI. benchstat reads its format in the unit tests.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

files=$REPO/internal/show/export/testdata
here=$REPO/hack/export-readers

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
