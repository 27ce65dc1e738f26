#!/usr/bin/env bash
# Proves on the running cluster what a benchmark depends on: pods of two nodes talk to each other under their own
# addresses, names resolve, volumes are on disk and survive their pod, limits of memory and CPU hold, and
# so does a NetworkPolicy.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$REPO/hack/kind/cluster.sh"

namespace=assay-cluster-check

# An image with bash that the nodes have: the provisioner's helper where we built the node image.
image=docker.io/library/assay-debian:built
[[ $(docker inspect "${NODES[0]}" -f '{{.Config.Image}}') == assay-node:* ]] || image=docker.io/library/debian:bookworm-slim

in_pod() { kubectl_ -n "$namespace" exec "$1" -- bash -ec "$2"; }

# expect says what was proven, or ends the check.
expect() {
  local claim=$1 got=$2 want=$3
  [[ $got == "$want" ]] || fail "$claim: got '$got', want '$want'"
  say "ok: $claim"
}

manifest() {
  cat <<EOF
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 64Mi}}
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec:
  selector: {app: server}
  ports: [{port: 80, targetPort: 8080}]
---
apiVersion: v1
kind: Pod
metadata: {name: server, labels: {app: server}}
spec:
  nodeSelector: {assay.dev/role: target}
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: $image
    imagePullPolicy: IfNotPresent
    # Answers each connection with the address it came from, as a database would log it.
    command: [perl, -MIO::Socket::INET, -e]
    args: ['\$s = IO::Socket::INET->new(Listen => 9, LocalPort => 8080, ReuseAddr => 1) or die; while (\$c = \$s->accept) { print \$c \$c->peerhost, "\n"; close \$c }']
    resources:
      requests: {cpu: 100m, memory: 64Mi}
      limits: {cpu: 100m, memory: 64Mi}
    volumeMounts: [{name: disk, mountPath: /disk}]
  volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  nodeSelector: {assay.dev/role: client}
  terminationGracePeriodSeconds: 0
  containers:
  - {name: main, image: $image, imagePullPolicy: IfNotPresent, command: [sleep, "600"]}
---
apiVersion: v1
kind: Pod
metadata: {name: hungry}
spec:
  nodeSelector: {assay.dev/role: target}
  restartPolicy: Never
  containers:
  - name: main
    image: $image
    imagePullPolicy: IfNotPresent
    command: [perl, -e, '\$x = "x" x (256 << 20); sleep 5']
    resources: {limits: {cpu: 100m, memory: 64Mi}}
EOF
}

ended() {
  [[ -n $(kubectl_ -n "$namespace" get pod "$1" -o jsonpath='{.status.containerStatuses[0].state.terminated}') ]]
}

clean() { kubectl_ delete namespace "$namespace" --ignore-not-found --wait=false >/dev/null 2>&1 || true; }

step "checking cluster $CLUSTER"
kubectl_ get --raw /readyz >/dev/null || fail "the API server does not answer; see make cluster"
clean
kubectl_ wait --for=delete "namespace/$namespace" --timeout=60s --request-timeout=70s >/dev/null
trap clean EXIT
kubectl_ create namespace "$namespace" >/dev/null
wait_until 60 kubectl_ -n "$namespace" get serviceaccount default || fail "no service account appears"
manifest | kubectl_ -n "$namespace" apply -f - >/dev/null
kubectl_ -n "$namespace" wait pod/server pod/client --for=condition=Ready --timeout=90s --request-timeout=100s >/dev/null ||
  fail "the pods do not start: $(kubectl_ -n "$namespace" get events 2>&1 | tail -n 5)"

address=$(kubectl_ -n "$namespace" get pod client -o jsonpath='{.status.podIP}')
server=$(kubectl_ -n "$namespace" get pod server -o jsonpath='{.status.podIP}')
expect "pods of two nodes talk, under their own addresses" \
  "$(in_pod client "cat </dev/tcp/$server/8080")" "$address"
expect "a service has a name and leads to its pod" \
  "$(in_pod client "cat </dev/tcp/server.$namespace.svc.cluster.local/80")" "$address"

in_pod server 'echo kept >/disk/file'
volume=$(kubectl_ -n "$namespace" get pvc disk -o jsonpath='{.spec.volumeName}')
file=$(docker exec "${NODES[1]}" find /var/local-path-provisioner -path "*$volume*" -name file)
expect "a volume lies on the node" "$(docker exec "${NODES[1]}" cat "$file")" kept
medium=$(docker exec "${NODES[1]}" stat -f -c %T "$file")
[[ $medium != tmpfs ]] || fail "volumes are in memory, not on a disk"
say "ok: volumes are on disk ($medium)"

expect "a memory limit holds" \
  "$(wait_until 60 ended hungry; kubectl_ -n "$namespace" get pod hungry \
    -o jsonpath='{.status.containerStatuses[0].state.terminated.reason}')" OOMKilled
# 0.1 CPU for two seconds of work: the kernel must have throttled it.
# shellcheck disable=SC2016 # the pod expands it
throttled=$(in_pod server 'end=$((SECONDS + 2)); while ((SECONDS < end)); do :; done
  cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2>/dev/null | sed -n "s/^nr_throttled //p"')
((throttled > 0)) || fail "a CPU limit does not hold"
say "ok: a CPU limit holds (throttled in $throttled periods)"

# The policy lets nobody in.
policy='{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: closed},
  spec: {podSelector: {matchLabels: {app: server}}, policyTypes: [Ingress]}}'
open() { in_pod client "timeout 2 bash -c 'cat </dev/tcp/$server/8080'"; }
closed() { ! open; }
kubectl_ -n "$namespace" apply -f - >/dev/null <<<"$policy"
wait_until 60 closed || fail "a NetworkPolicy does not hold"
kubectl_ -n "$namespace" delete networkpolicy closed >/dev/null
wait_until 60 open || fail "a NetworkPolicy holds after it was deleted"
say "ok: a NetworkPolicy holds while it is there"
step_done
