#!/usr/bin/env bash
# A database server of the project's own images on loopback, for trying a driver harness and for `make bench-harness`.
# Usage: test-server.sh up|down mariadb|mysql     (127.0.0.1:23310 and 127.0.0.1:23397; schema, user and password: assay)
# The server offers TLS; the authority of its certificate is out/test-server/ca.pem.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

action=${1:?up or down} flavor=${2:?mariadb or mysql}
name=assay-test-$flavor
folder=$REPO/out/test-server
case $flavor in
  mariadb) image=mariadb:10.11 port=23310 ;;
  mysql) image=mysql:9.7 port=23397 ;;
  *) fail "usage: test-server.sh up|down mariadb|mysql" ;;
esac

# certificates of a throw-away authority, made once.
certificates() {
  [[ ! -f $folder/server.pem ]] || return 0
  mkdir -p "$folder"
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=assay-test-authority \
    -keyout "$folder/ca-key.pem" -out "$folder/ca.pem" 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$folder/server-key.pem" -out "$folder/server.csr" 2>/dev/null
  openssl x509 -req -in "$folder/server.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca-key.pem" -CAcreateserial -days 3650 \
    -extfile <(printf 'subjectAltName=DNS:localhost,IP:127.0.0.1') -out "$folder/server.pem" 2>/dev/null
  chmod 644 "$folder"/*.pem
}

# script starts the server inside the container; the account is made before it listens.
script() {
  cat <<'SCRIPT'
set -e
cat >/tmp/init.sql <<SQL
CREATE DATABASE IF NOT EXISTS assay;
CREATE USER IF NOT EXISTS assay@'%' IDENTIFIED BY 'assay';
GRANT ALL ON *.* TO assay@'%' WITH GRANT OPTION;
SQL
if [ -x /usr/sbin/mariadbd ]; then
  mariadb-install-db --no-defaults --datadir=/tmp/data --auth-root-authentication-method=normal --skip-test-db >/dev/null
  server="mariadbd --no-defaults --skip-name-resolve"
else
  mysqld --no-defaults --initialize-insecure --datadir=/tmp/data
  server="mysqld --no-defaults --skip-name-resolve --mysqlx=OFF"
fi
exec $server --datadir=/tmp/data --socket=/tmp/s.sock --bind-address=127.0.0.1 --port="$PORT" --init-file=/tmp/init.sql \
  --ssl-ca=/tls/ca.pem --ssl-cert=/tls/server.pem --ssl-key=/tls/server-key.pem --max-prepared-stmt-count=100000
SCRIPT
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") && docker logs "$name" 2>&1 | grep -q "ready for connections.*port: $port\|port: $port"; }

up() {
  local reference
  "$REPO/hack/engine.sh" up
  if [[ $(docker container inspect --format '{{.State.Running}}' "$name" 2>/dev/null) == true ]]; then return; fi
  docker rm --force "$name" >/dev/null 2>&1 || true
  reference=$(awk -v name="$image" '$1 == name {print $2}' "$REPO/out/images.txt" 2>/dev/null) || true
  [[ -n $reference ]] || fail "there is no image $image yet: run make images first"
  certificates
  docker run --detach --name "$name" --network host --tmpfs /dev/shm --env "PORT=$port" \
    --volume "$folder:/tls:ro" --entrypoint sh "${reference#docker.io/library/}" -c "$(script)" >/dev/null
  wait_until 60 answers || { docker logs "$name" >&2; fail "the test server $flavor does not answer on port $port"; }
}

case $action in
  up) up && say "$flavor answers on 127.0.0.1:$port" ;;
  down) docker rm --force --volumes "$name" >/dev/null 2>&1 || true ;;
  *) fail "usage: test-server.sh up|down mariadb|mysql" ;;
esac
