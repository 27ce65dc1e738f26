#!/bin/sh
# Compiles the binding with the jars of a folder and writes the jar: build.sh LIB OUT.jar
set -eu
here=$(dirname "$0")
lib=$1
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac --release 17 -Xlint:all -Werror -cp "$lib/*" -d "$work" $(find "$here/src" -name '*.java')
jar --create --file "$out" --date=2020-01-01T00:00:00Z -C "$work" .
