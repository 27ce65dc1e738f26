package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

// onNode runs a command on a node of the cluster, which is a container, and returns what it printed.
func onNode(node string, command ...string) (string, error) {
	out, err := exec.Command("docker", append([]string{"exec", node}, command...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s on %s: %w: %s", strings.Join(command, " "), node, err, out)
	}
	return string(out), nil
}

// onNodeOf runs a command that must not fail.
func onNodeOf(t *testing.T, node string, command ...string) string {
	t.Helper()
	out, err := onNode(node, command...)
	if err != nil {
		t.Error(err)
	}
	return out
}

// docker runs a command of the engine, such as pause.
func docker(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("docker", args...).CombinedOutput(); err != nil {
		t.Errorf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// controlPlane is the node of the control plane.
func controlPlane(t *testing.T) string {
	t.Helper()
	var nodes corev1.NodeList
	if err := cluster.API.List(t.Context(), &nodes, client.HasLabels{"node-role.kubernetes.io/control-plane"}); err != nil || len(nodes.Items) != 1 {
		t.Fatalf("finding the control plane: %v, %d nodes", err, len(nodes.Items))
	}
	return nodes.Items[0].Name
}

// stopAPIServer takes the manifest of its static pod away for a while: the kubelet
// stops it, and starts it again.
func stopAPIServer(t *testing.T, d time.Duration) {
	t.Helper()
	node := controlPlane(t)
	const manifest, aside = "/etc/kubernetes/manifests/kube-apiserver.yaml", "/etc/kubernetes/kube-apiserver.yaml.aside"
	onNodeOf(t, node, "mv", manifest, aside)
	time.Sleep(d)
	onNodeOf(t, node, "mv", aside, manifest)
	awaitAPI(t)
}

// restartAPIServer ends the process of the API server, and waits until the kubelet has started another one that answers. Out: how long
// that took.
func restartAPIServer(t *testing.T, signal string) time.Duration {
	t.Helper()
	node := controlPlane(t)
	process := func() string {
		return strings.TrimSpace(onNodeOf(t, node, "sh", "-c", "pgrep -x kube-apiserver || true"))
	}
	before, began := process(), time.Now()
	if before == "" {
		t.Fatal("no process of the API server on " + node)
	}
	onNodeOf(t, node, "kill", "-"+signal, before)
	// An orderly end takes as long as the requests under way, and then there is the back-off of the kubelet.
	for after := before; after == "" || after == before; after = process() {
		if time.Since(began) > 3*time.Minute {
			t.Fatalf("no other process of the API server; there was %s, and there is %q", before, after)
		}
		time.Sleep(200 * time.Millisecond)
	}
	awaitAPI(t)
	return time.Since(began)
}

func awaitAPI(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		if cluster.API.List(t.Context(), &corev1.NodeList{}) == nil {
			return
		}
	}
	t.Fatal("the API server did not come back")
}

// relaxBackOff lets the kubelet of a node start a container that was killed again after a second, instead of up to five
// minutes, until the test ends. The back-off of the kubelet is none of Assay's time.
func relaxBackOff(t *testing.T, node string) {
	t.Helper()
	const config, aside = "/var/lib/kubelet/config.yaml", "/var/lib/kubelet/config.yaml.aside"
	onNodeOf(t, node, "sh", "-ec", `test -e `+aside+` || cp `+config+` `+aside+`
		cp `+aside+` `+config+`
		sed -i -e 's/^crashLoopBackOff: {}/crashLoopBackOff: {maxContainerRestartPeriod: 1s}/' `+config+`
		if grep -q '^featureGates:' `+config+`; then
			sed -i 's/^featureGates:/featureGates:\n  KubeletCrashLoopBackOffMax: true/' `+config+`
		else
			printf 'featureGates:\n  KubeletCrashLoopBackOffMax: true\n' >>`+config+`
		fi
		grep -q maxContainerRestartPeriod `+config+`
		systemctl restart kubelet`)
	t.Cleanup(func() {
		onNodeOf(t, node, "sh", "-ec", "mv "+aside+" "+config+"; systemctl restart kubelet")
	})
}

// sigkill the process of the manager; false when there was none to kill.
func sigkill(t *testing.T, node string, which ...string) bool {
	t.Helper()
	err := exec.Command("docker", append([]string{"exec", node, "pkill", "-KILL", "-x", "manager"}, which...)...).Run()
	return err == nil
}

// cutNetwork keeps the answers of all others from a pod for a while.
func cutNetwork(t *testing.T, pod *corev1.Pod, d time.Duration) {
	t.Helper()
	node, ip := pod.Spec.NodeName, pod.Status.PodIP
	route := strings.Fields(onNodeOf(t, node, "ip", "-4", "route", "show", ip))
	if len(route) == 0 {
		t.Errorf("%s has no route to %s", node, ip)
		return
	}
	onNodeOf(t, node, "ip", "route", "replace", "blackhole", ip)
	time.Sleep(d)
	onNodeOf(t, node, append([]string{"ip", "route", "replace"}, route...)...)
}

// etcd asks the API of the etcd of the control plane.
func etcd(node, path, body string) (map[string]any, error) {
	const pki = "/etc/kubernetes/pki/etcd/"
	text, err := onNode(node, "curl", "-sS", "--fail-with-body", "--max-time", "60", "--cacert", pki+"ca.crt", "--cert", pki+"healthcheck-client.crt",
		"--key", pki+"healthcheck-client.key", "https://127.0.0.1:2379/v3/"+path, "-d", body)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("etcd answers %q to %s: %w", text, path, err)
	}
	return out, nil
}

func mustEtcd(t *testing.T, node, path, body string) map[string]any {
	t.Helper()
	out, err := etcd(node, path, body)
	if err != nil {
		t.Error(err)
	}
	return out
}
