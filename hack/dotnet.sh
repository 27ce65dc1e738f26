#!/usr/bin/env bash
# What a machine with the SDK of .NET, and with neither Go nor a container engine, can show: that the harness of .NET can be built as its
# lock file says, passes its own tests, and does what the vectors of the protocol want on a MariaDB of this machine. .ci/run starts it
# there, and harness/dotnet/README.md says how the lock file is made.
# What passes is packed for machines with a cluster and without NuGet: make images DOTNET_HARNESS=FILE, in a checkout of the same sources.
# Needs the SDK 10 with NuGet (or a cache of its packages), Python 3 (python3), and MariaDB's programs (Debian: mariadb-server).
# Usage: dotnet.sh     leaves the harness in out/dotnet/published, that of .NET 8 in out/dotnet/published-net8.0, and the archives
#                      out/dotnet/harness-linux-x64.tar.gz and harness-linux-arm64.tar.gz, each with its digest beside it (.sha256).
#                      Copy them to elsewhere: the next time removes them first
#        dotnet.sh sources   prints the digest of what a harness is built of, its lock too. It needs no .NET
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# sources prints what an archive says of itself, and hack/images wants of it.
sources() {
  local built=() name
  for name in Directory.Build.props Main.cs ado core harness.csproj net10 packages.lock.json providers; do
    [[ -e $REPO/harness/dotnet/$name ]] || fail "there is no harness/dotnet/$name. An archive has the packages.lock.json that it was built by, and harness/dotnet/README.md says how one is made"
    built+=("$REPO/harness/dotnet/$name")
  done
  digest "${built[@]}"
}

[[ ${1:-} != sources ]] || { sources; exit; }

# Debian has mariadbd where only root looks.
PATH=$PATH:/usr/sbin
# What the SDK would leave running after its commands keeps the files of this script open.
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 UseSharedCompilation=false

case $(uname -m) in
  x86_64) rid=linux-x64 other=linux-arm64 ;;
  aarch64) rid=linux-arm64 other=linux-x64 ;;
  *) fail "the harness is built for x86_64 and aarch64, not for $(uname -m)" ;;
esac

port=23310
published=$REPO/out/dotnet/published
data=$(mktemp -d "$CACHE/dotnet.XXXXXX")
server=''
cleanup() {
  [[ -z $server ]] || { kill "$server" && wait "$server"; } || true
  rm -rf "$data"
}
trap cleanup EXIT

check_machine() {
  local command
  for command in dotnet python3 mariadbd mariadb-install-db; do
    command -v "$command" >/dev/null || fail "$command is not in the PATH: this needs the SDK of .NET 10, python3, and MariaDB's programs (Debian: mariadb-server)"
  done
  [[ -f harness/dotnet/packages.lock.json ]] || fail "there is no harness/dotnet/packages.lock.json: harness/dotnet/README.md says how it is made"
}

# publish FRAMEWORK RID FOLDER, after a restore, which is for all of both.
publish() {
  rm -rf "$3"
  dotnet publish harness/dotnet/harness.csproj --no-restore --configuration Release --framework "$1" --runtime "$2" --output "$3" 6>&-
}

# archive RID FOLDER packs a harness for hack/images, before it is started and may leave something beside itself: with what it was
# restored from, for whoever scans the image, and with the digest of its sources.
archive() {
  cp harness/dotnet/packages.lock.json "$2/"
  sources >"$2/sources"
  pack "$2" . "out/dotnet/harness-$1.tar.gz.new"
}

# passed RID gives an archive its name.
passed() {
  local name=harness-$1.tar.gz
  mv "out/dotnet/$name.new" "out/dotnet/$name"
  (cd out/dotnet && sha256sum "$name" | tee "$name.sha256") >&2
}

# A server of this machine's programs, with the account that the player has.
serve() {
  local log=$data/log
  cat >"$data/init.sql" <<'SQL'
CREATE DATABASE assay;
CREATE USER assay@'%' IDENTIFIED BY 'assay';
GRANT ALL ON *.* TO assay@'%';
SQL
  mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$data/data" --auth-root-authentication-method=normal --skip-test-db >"$log" 2>&1 ||
    { cat "$log" >&2; fail "mariadb-install-db made no data"; }
  mariadbd --no-defaults --user="$(id -un)" --datadir="$data/data" --socket="$data/s.sock" --bind-address=127.0.0.1 --port="$port" \
    --skip-name-resolve --init-file="$data/init.sql" >>"$log" 2>&1 6>&- &
  server=$!
  wait_until 60 grep -q 'ready for connections' "$log" || { cat "$log" >&2; fail "MariaDB does not answer on 127.0.0.1:$port"; }
}

cd "$REPO"
# Those of before are no sign that this time passed.
rm -f out/dotnet/harness-*.tar.gz*
check_machine
step "the harness of .NET, as its lock file says"
dotnet restore harness/dotnet/harness.csproj -p:RestoreLockedMode=true 6>&-
publish net10.0 "$rid" "$published"
step "archives of it, which get their names when it has passed; that for $other is built here and not run"
publish net10.0 "$other" "$published-$other"
archive "$rid" "$published"
archive "$other" "$published-$other"
step "its tests"
hack/harness-test.sh dotnet 6>&-
step "the same for .NET 8, and the driver null of it"
publish net8.0 "$rid" "$published-net8.0"
python3 test/conformance/play.py -- "$published-net8.0/harness"
step "a MariaDB of this machine"
serve
step "the vectors of the protocol"
python3 test/conformance/play.py --server "127.0.0.1:$port" -- "$published/harness"
passed "$rid"
passed "$other"
step_done
cat <<'LEFT'
Left out here:
  TLS, CPU time and whether a driver pipelines   conformance, the program that make conformance-binary makes elsewhere
  MySQL                                          test/conformance/play.py --server HOST:PORT, where there is one
  all of Assay but this harness                  .ci/run on a machine with Go
LEFT
