#!/bin/sh
# Compiles the harness with the jars of a folder and lays it out as it is in the image:
# build.sh FETCHED OUT makes OUT/lib, the class path of the harness, and OUT/drivers, which it loads drivers from.
set -eu
here=$(dirname "$0")
fetched=$1
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/lib" "$out/drivers"
for jar in "$fetched"/*.jar; do
  case $jar in
    */mysql-connector-* | */mariadb-java-client-*) cp "$jar" "$out/drivers/" ;;
    *) cp "$jar" "$out/lib/" ;;
  esac
done
# Class files of Gson name annotations of a library that nobody needs to use it.
compile() { javac --release 21 -Xlint:all,-classfile -Werror "$@"; }
compile -cp "$out/lib/*" -d "$work/main" $(find "$here/src" -name '*.java')
compile -d "$work/bench" "$here/bench/Loop.java"
jar --create --file "$out/lib/assay-harness.jar" --date=2020-01-01T00:00:00Z -C "$work/main" .
jar --create --file "$out/lib/assay-bench.jar" --date=2020-01-01T00:00:00Z -C "$work/bench" .
