#!/usr/bin/env bash
# Makes sure that a container engine runs: uses the one that is there, or starts dockerd with settings of its own.
# Usage: engine.sh [up|down]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

state=$CACHE/engine
pid_file=$state/dockerd.pid
log=$state/dockerd.log
mkdir -p "$state"

runs() { timeout 60 docker info >/dev/null 2>&1; }

# is says whether a process id belongs to a living program of that name: ids in stale files are reused by others.
is() { [[ -n ${1:-} && $(cat "/proc/$1/comm" 2>/dev/null) == "$2" ]]; }

# Killed engines leave pid files; dockerd takes any process with that id for itself and refuses to start or waits.
remove_stale() {
  local file program
  for file in "$pid_file:dockerd" /run/docker.pid:dockerd /run/docker/containerd/containerd.pid:containerd; do
    program=${file##*:} file=${file%:*}
    [[ ! -f $file ]] || is "$(cat "$file")" "$program" || as_root rm -f "$file"
  done
}

# A killed engine leaves the bridges of its networks; when it forgets one of them, the next network of that name gets
# a second bridge with the same IPv6 prefix, and the nodes do not reach each other. The engine makes those it knows anew.
remove_bridges() {
  local bridge
  for bridge in /sys/class/net/br-*; do
    bridge=${bridge##*/}
    [[ $bridge =~ ^br-[0-9a-f]{12}$ ]] || continue
    say "removing $bridge, which an engine left behind"
    as_root ip link delete "$bridge" || true # gone already is as good
  done
}

# The configuration is the engine's own: the machine's /etc/docker stays as it is.
configure() {
  local missing wrapper=$state/runc-bounded
  install -m 755 "$REPO/hack/engine/runc-bounded" "$wrapper" # a copy: the engine outlives this checkout
  missing=$("$wrapper" missing | paste -sd ' ')
  if [[ -z $missing ]]; then
    jq -n '{"storage-driver": "overlay2"}'
  else
    say "root lacks $missing here: containers get runc behind a wrapper that never asks for it"
    jq -n --arg path "$wrapper" \
      '{"storage-driver": "overlay2", "default-runtime": "bounded", runtimes: {bounded: {path: $path}}}'
  fi >"$state/daemon.json"
}

# kind nodes run many watchers each; the defaults of most machines are for one desktop user.
raise_limits() {
  local wanted limit
  for wanted in max_user_instances=8192 max_user_watches=524288; do
    limit=/proc/sys/fs/inotify/${wanted%=*}
    (($(cat "$limit" 2>/dev/null || echo 0) >= ${wanted#*=})) || as_root sysctl -q -w "fs.inotify.$wanted" 2>/dev/null ||
      say "could not raise fs.inotify.${wanted%=*}; many pods may fail with 'too many open files'"
  done
}

up() {
  raise_limits
  if runs; then return; fi
  "$REPO/hack/install-debian.sh" engine
  step "container engine: starting dockerd (log: $log)"
  remove_stale
  configure
  remove_bridges
  # A session of its own, and none of the caller's descriptors: the engine outlives the shell that started it.
  as_root setsid --fork nohup dockerd --config-file "$state/daemon.json" --pidfile "$pid_file" \
    </dev/null >>"$log" 2>&1 6>&- # 6: the heartbeat ends with the script
  wait_until 60 runs || {
    tail -n 20 "$log" >&2
    fail "dockerd does not answer (whole log: $log)"
  }
  say "$(docker version -f 'Docker {{.Server.Version}}, client {{.Client.Version}}')"
  step_done
}

# Only what up started is stopped.
down() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null || true)
  if ! is "$pid" dockerd; then
    say "no container engine of ours runs"
    return
  fi
  step "container engine: stopping dockerd ($pid)"
  as_root kill "$pid"
  wait_until 60 gone "$pid" || fail "dockerd ($pid) does not stop; see $log"
  step_done
}

gone() { ! is "$1" dockerd; }

case ${1:-up} in
  up) up ;;
  down) down ;;
  *) fail "usage: engine.sh [up|down]" ;;
esac
