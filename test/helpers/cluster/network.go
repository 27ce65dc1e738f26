package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Images with bash: one that the nodes of a cluster have whose node image was built here, and
// one for any other cluster.
const (
	shellBuilt  = "docker.io/library/assay-debian:built"
	shellPulled = "docker.io/library/debian:bookworm-slim"
)

// OpenDatabases lets every pod of a namespace connect to the databases of its runs: those of
// other runs, and those that a test starts by hand. The policies of a run let only its own
// clients.
func OpenDatabases(t testing.TB, namespace string) {
	t.Helper()
	policy := &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "open-databases"},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelRole: v1alpha1.RoleTarget}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}},
		},
	}
	if err := API.Create(t.Context(), policy); err != nil {
		t.Fatalf("opening the databases of the namespace: %v", err)
	}
}

// Connects tries TCP connections from a pod, and looks up names, until the wanted number of attempts has worked, a minute at
// most, and five seconds more: what is blocked has failed by then, and has to be given up. It returns what worked, in the order of
// the attempts: "host:port", or "name" alone. The pod gets another container for that, which stays until the pod ends.
func Connects(t testing.TB, pod *corev1.Pod, wanted int, attempts ...string) []string {
	t.Helper()
	var script strings.Builder
	script.WriteString("cd /tmp 2>/dev/null; : >/dev/termination-log\n")
	for i, a := range attempts {
		try := fmt.Sprintf("getent hosts %s", a)
		if host, port, found := strings.Cut(a, ":"); found {
			try = fmt.Sprintf("bash -c 'exec 3<>/dev/tcp/%s/%s'", host, port)
		}
		fmt.Fprintf(&script, "(timeout 60 %s && echo %d >>/dev/termination-log) >/dev/null 2>&1 &\n", try, i)
	}
	fmt.Fprintf(&script, "for _ in $(seq 60); do [ $(wc -l </dev/termination-log) -ge %d ] && break; sleep 1; done\nsleep 5\n", wanted)
	name := fmt.Sprintf("probe-%d", len(pod.Spec.EphemeralContainers))
	change := pod.DeepCopy()
	change.Spec.EphemeralContainers = append(change.Spec.EphemeralContainers, corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: name, Image: ShellOn(t, pod.Spec.NodeName), ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{"bash", "-c", script.String()},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				RunAsNonRoot: new(true), RunAsUser: new(int64(10001)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
		},
	})
	if err := API.SubResource("ephemeralcontainers").Update(t.Context(), change); err != nil {
		t.Fatalf("adding a container to pod %s: %v", pod.Name, err)
	}
	for deadline := time.Now().Add(hang.Limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err := API.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			t.Fatalf("reading pod %s: %v", pod.Name, err)
		}
		for _, s := range pod.Status.EphemeralContainerStatuses {
			if s.Name == name && s.State.Terminated != nil {
				return worked(attempts, s.State.Terminated.Message)
			}
		}
	}
	t.Fatalf("the probe in pod %s has not ended: %+v", pod.Name, pod.Status.EphemeralContainerStatuses)
	return nil
}

// worked are the attempts whose numbers are in the message.
func worked(attempts []string, message string) []string {
	out := []string{}
	lines := strings.Fields(message)
	for i, a := range attempts {
		for _, line := range lines {
			if line == fmt.Sprint(i) {
				out = append(out, a)
			}
		}
	}
	return out
}

// ShellOn is an image with bash for a node.
func ShellOn(t testing.TB, node string) string {
	t.Helper()
	n := &corev1.Node{}
	if err := API.Get(t.Context(), client.ObjectKey{Name: node}, n); err != nil {
		t.Fatal(err)
	}
	for _, i := range n.Status.Images {
		if slices.Contains(i.Names, shellBuilt) {
			return shellBuilt
		}
	}
	return shellPulled
}
