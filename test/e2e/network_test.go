package e2e

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// customTool is a run whose tool is a command of bash.
func customTool(t *testing.T, name, command string) string {
	t.Helper()
	return `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: ` + name + `}
spec:
  targets:
` + cluster.MariaDB + `
  clients: {shape: {name: kind-client}}
  workload:
    custom:
      image: ` + cluster.ShellOn(t, clientNode(t)) + `
      run: {command: [bash, -c, "` + command + `"]}
      format: Result
  design: {blocks: 1, warmup: 0s, duration: 120s}
  exclusive: false
  deadline: 10m
`
}

// clientNode is the node of the clients.
func clientNode(t *testing.T) string {
	t.Helper()
	var nodes corev1.NodeList
	err := cluster.API.List(t.Context(), &nodes, client.MatchingLabels{corev1.LabelInstanceTypeStable: "kind.client"})
	if err != nil || len(nodes.Items) == 0 {
		t.Fatalf("no node for clients: %v", err)
	}
	return nodes.Items[0].Name
}

// Two runs side by side, one of them with a tool that Assay does not know. Their pods connect to
// what they need, and to nothing else of what a pod without a policy reaches.
func TestPodsConnectOnlyToWhatTheyNeed(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	other := cluster.Apply(t, ns, cluster.RunYAML("other", "", "  design: {blocks: 1, warmup: 0s, duration: 120s}\n  exclusive: false\n"))
	run := cluster.Apply(t, ns, customTool(t, "custom", "sleep 120"))
	for _, r := range []*v1alpha1.BenchmarkRun{other, run} {
		cluster.AwaitState(t, r, 4*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	}
	tool, database := podOf(t, ns, "custom", v1alpha1.RoleClient), podOf(t, ns, "custom", v1alpha1.RoleTarget)
	foreign, free := podOf(t, ns, "other", v1alpha1.RoleTarget), unrestricted(t, ns, tool.Spec.NodeName)

	own := database.Status.PodIP
	ownDatabase, ownAgent := net.JoinHostPort(own, "3306"), net.JoinHostPort(own, "8306")
	foreignDatabase, foreignAgent := net.JoinHostPort(foreign.Status.PodIP, "3306"), net.JoinHostPort(foreign.Status.PodIP, "8306")
	api := "kubernetes.default.svc:443"
	// The kubelet of the databases' node, and a port of the DNS servers that is not DNS.
	kubelet, metrics := net.JoinHostPort(database.Status.HostIP, "10250"), net.JoinHostPort(dnsPod(t).Status.PodIP, "9153")
	name := contract.TargetName("custom", "mariadb") + "." + ns + ".svc"
	attempts := []string{name, api, ownDatabase, ownAgent, foreignDatabase, foreignAgent, kubelet, metrics}

	tests := []struct {
		what string
		pod  *corev1.Pod
		want []string
	}{
		// Without this one the others would prove nothing.
		{"a pod without a policy", free, []string{name, api, kubelet, metrics}},
		{"the client of a custom tool", tool, []string{name, api, ownDatabase, ownAgent}},
		{"a client of sysbench", podOf(t, ns, "other", v1alpha1.RoleClient), []string{name, api, foreignDatabase, foreignAgent}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, cluster.Connects(t, tt.pod, len(tt.want), attempts...)); diff != "" {
			t.Errorf("%s connects to (-want +got):\n%s", tt.what, diff)
		}
	}
	// Its own ports a database always reaches, and its own node: those are not asked for. The
	// address of the API server stands for its name, which a database cannot look up.
	service := net.JoinHostPort(serviceIP(t), "443")
	away := []string{name, service, foreignDatabase, foreignAgent, metrics, net.JoinHostPort(tool.Status.HostIP, "10250")}
	if got := cluster.Connects(t, database, 0, away...); len(got) > 0 {
		t.Errorf("a database connects to %v", got)
	}
	if got := cluster.Connects(t, free, 2, away[1], away[5]); len(got) != 2 {
		t.Errorf("a pod without a policy connects to %v only: the attempts of the database prove nothing", got)
	}
}

// A pod that a policy restricts connects to nothing, also in the first second of its life.
func TestPodsAreRestrictedFromTheirStart(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	deny := &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "deny", Namespace: ns},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"app": "restricted"}}, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		},
	}
	if err := cluster.API.Create(t.Context(), deny); err != nil {
		t.Fatal(err)
	}
	// A server on another node: a pod's own node always reaches it.
	dns := dnsPod(t)
	attempt := fmt.Sprintf("for i in 1 2 3 4 5; do timeout 0.2 bash -c 'exec 3<>/dev/tcp/%s/9153' && exit 0; done; exit 1", dns.Status.PodIP)
	for _, app := range []string{"restricted", "free"} {
		pod := shellPod(t, ns, app, clientNode(t), attempt)
		pod.Labels = map[string]string{"app": app}
		if err := cluster.API.Create(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		want := corev1.PodSucceeded // without this one the other would prove nothing
		if app == "restricted" {
			want = corev1.PodFailed
		}
		eventually(t, time.Minute, func() string {
			if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				return err.Error()
			}
			if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
				return "pod " + app + " is " + string(pod.Status.Phase)
			}
			return ""
		})
		if pod.Status.Phase != want {
			t.Errorf("pod %s is %s, want %s", app, pod.Status.Phase, want)
		}
	}
}

// A tool that fills the disk of its node is stopped at the limit, with a reason of its own.
func TestClientThatFillsItsDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	// 3 GiB where hack/e2e.sh allows 2: fallocate takes no time, and writes nothing.
	run := cluster.Apply(t, ns, customTool(t, "full", "fallocate -l 3G /tmp/full; sleep 120"))
	got := cluster.AwaitRun(t, run, 5*time.Minute)
	failedWith(t, got, v1alpha1.ReasonDiskLimitExceeded)
}

// podOf a run with a role: the one that runs, or that begins to.
func podOf(t *testing.T, ns, run, role string) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	eventually(t, time.Minute, func() string {
		var pods corev1.PodList
		labels := client.MatchingLabels{v1alpha1.LabelRun: run, v1alpha1.LabelRole: role}
		if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), labels); err != nil {
			return err.Error()
		}
		for _, p := range pods.Items {
			loads := p.Labels[v1alpha1.LabelPhase] == string(contract.PhasePrepare) // its pod may go at any time
			if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil && !loads {
				found = &p
				return ""
			}
		}
		return "run " + run + " has no running " + role
	})
	if found == nil {
		t.FailNow() // eventually has said why
	}
	return found
}

// unrestricted is a pod that belongs to no run, on a node.
func unrestricted(t *testing.T, ns, node string) *corev1.Pod {
	t.Helper()
	pod := shellPod(t, ns, "unrestricted", node, "sleep 300")
	if err := cluster.API.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() string {
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err.Error()
		}
		if pod.Status.Phase != corev1.PodRunning {
			return "pod unrestricted is " + string(pod.Status.Phase)
		}
		return ""
	})
	return pod
}

// shellPod runs a command of bash on a node.
func shellPod(t *testing.T, ns, name, node, command string) *corev1.Pod {
	t.Helper()
	// No CPU: the clients of two runs may have asked for all of a node.
	few := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("32Mi")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns},
		Spec: cluster.Restricted(corev1.PodSpec{
			NodeName: node, TerminationGracePeriodSeconds: new(int64(0)), RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name: "bash", Image: cluster.ShellOn(t, node), Command: []string{"bash", "-c", command}, Resources: corev1.ResourceRequirements{Requests: few, Limits: few},
			}},
		}),
	}
}

// dnsPod is one of the DNS servers of the cluster.
func dnsPod(t *testing.T) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := cluster.API.List(t.Context(), &pods, client.InNamespace(metav1.NamespaceSystem), client.MatchingLabels{"k8s-app": "kube-dns"}); err != nil || len(pods.Items) == 0 {
		t.Fatalf("no DNS server: %v", err)
	}
	return &pods.Items[0]
}

// serviceIP is the address of the API server for pods.
func serviceIP(t *testing.T) string {
	t.Helper()
	service := &corev1.Service{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: "kubernetes"}, service); err != nil {
		t.Fatal(err)
	}
	return service.Spec.ClusterIP
}
