package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// limitOfRow is how long the run of a row may take.
const limitOfRow = 10 * time.Minute

// apiAway: nobody can write for a minute, the kubelets included. It costs time, not a trial.
func apiAway(t *testing.T, c *tally) {
	c.suffer(t, c.create(t, "api", 6, 4*time.Second, ""), limitOfRow, []*fault{
		{name: "API server", do: func(t *testing.T, _ *fault) { stopAPIServer(t, time.Minute) }},
	}, nil)
}

// apiServerRestarted: its process dies in the middle of trials, at once or in an orderly way, and the kubelet starts another one, the
// first time at once and then after a back-off. Every watch and every request under way ends. It costs time, not a trial: the manager,
// the scheduler and the controllers of Kubernetes end without it, and start again after back-offs of up to minutes.
func apiServerRestarted(t *testing.T, c *tally) {
	freshManager(t) // a manager ends when it cannot renew its lease, and starts again after a back-off that earlier rows would have made long
	var away []time.Duration
	restart := func(signal string) *fault {
		return &fault{name: "API server, by SIG" + signal, do: func(t *testing.T, _ *fault) { away = append(away, restartAPIServer(t, signal)) }}
	}
	c.suffer(t, c.create(t, "restarts", 5, 4*time.Second, ""), 2*limitOfRow, []*fault{restart("KILL"), restart("TERM"), restart("KILL"), restart("TERM")}, nil)
	var times []string
	for _, d := range away {
		times = append(times, fmt.Sprintf("%.0f s", d.Seconds()))
	}
	c.Note = "SIGKILL and SIGTERM in turn; from the signal to the first answer of the next process: " + strings.Join(times, ", ")
}

func resultDeleted(t *testing.T, c *tally) {
	c.suffer(t, c.create(t, "deleted", 5, 4*time.Second, ""), limitOfRow, []*fault{deletedResult(c.ns), deletedResult(c.ns), deletedResult(c.ns)}, nil)
}

// deletedResult takes the place for a result away while it is measured.
func deletedResult(ns string) *fault {
	return &fault{name: "result", want: []string{v1alpha1.ReasonResultMissing}, shows: hasFailed, do: func(t *testing.T, f *fault) {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: contract.ResultName(f.job, 0)}}
		if err := cluster.API.Delete(t.Context(), cm); err != nil {
			t.Errorf("deleting the result: %v", err)
		}
	}}
}

func hasFailed(r contract.Record) string {
	if r.State != contract.Failed {
		return "the attempt did not fail"
	}
	return ""
}

// isNoGoodValue: the attempt failed, or its value is marked, and not only for what others did on the machine of the tests.
func isNoGoodValue(r contract.Record) string {
	marked := slices.ContainsFunc(r.Findings, func(f contract.RecordedFinding) bool {
		return (f.Severity == string(validity.Invalid) || f.Severity == string(validity.Disturbed)) && !cluster.ByTheMachine(f.Check)
	})
	if r.State != contract.Failed && !marked {
		return "the value passes for a good one"
	}
	return ""
}

// nodeLost: a node does nothing for 75 s, longer than it takes until it counts as lost, and comes back.
func nodeLost(t *testing.T, c *tally) {
	const away = 75 * time.Second
	lost := []string{
		v1alpha1.ReasonNodeLost, v1alpha1.ReasonInterrupted, v1alpha1.ReasonConnectionLost, v1alpha1.ReasonTargetUnreachable, v1alpha1.ReasonDeadlineExceeded,
		v1alpha1.ReasonClientLost, v1alpha1.ReasonResultContradictory,
	}
	c.suffer(t, c.create(t, "node", 5, 4*time.Second, ""), limitOfRow, []*fault{
		{name: "node of the database", want: lost, shows: isNoGoodValue, do: func(t *testing.T, f *fault) { freeze(t, f.targetNode, away) }},
		{name: "node of the client", want: lost, shows: isNoGoodValue, do: func(t *testing.T, f *fault) { freeze(t, f.clientNode, away) }},
	}, nil)
}

func freeze(t *testing.T, node string, d time.Duration) {
	t.Helper()
	docker(t, "pause", node)
	time.Sleep(d)
	docker(t, "unpause", node)
}

// networkCut: no answer reaches the client for 10 s, in the middle of its window.
func networkCut(t *testing.T, c *tally) {
	cut := func() *fault {
		return &fault{
			name: "network of the client", shows: isNoGoodValue,
			want: []string{v1alpha1.ReasonConnectionLost, v1alpha1.ReasonTargetUnreachable, v1alpha1.ReasonToolFailed, v1alpha1.ReasonDeadlineExceeded},
			do: func(t *testing.T, f *fault) {
				pod := clientPod(t, c.ns, f.job)
				if pod != nil {
					cutNetwork(t, pod, 10*time.Second)
				}
			},
		}
	}
	c.suffer(t, c.create(t, "network", 6, 4*time.Second, ""), limitOfRow, []*fault{cut(), cut(), cut()}, nil)
}

// clientPod is the one pod of a Job.
func clientPod(t *testing.T, ns, job string) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{"batch.kubernetes.io/job-name": job}); err != nil || len(pods.Items) != 1 {
		t.Errorf("the pod of %s: %v, %d pods", job, err, len(pods.Items))
		return nil
	}
	return &pods.Items[0]
}

// diskFull: another one fills the volume of the database during a window, and empties it 8 s later. The volume is a tmpfs,
// because a volume of this cluster has no size of its own.
func diskFull(t *testing.T, c *tally) {
	target := strings.Replace(cluster.MariaDB, "storage: {size: 1Gi}", "storage: {medium: Memory, size: 512Mi}", 1)
	text := cluster.RunYAML("disk", target, "  design: {blocks: 5, warmup: 0s, duration: 4s, onTrialFailure: Retry, maxRetries: 5}\n")
	// The next attempt may begin while the volume is still full.
	c.explained = []string{v1alpha1.ReasonStorageFailed, v1alpha1.ReasonToolFailed}
	// Inserts need new pages.
	run := c.apply(t, "disk", 5, strings.Replace(text, "oltp_read_write", "oltp_insert", 1))
	c.suffer(t, run, limitOfRow, []*fault{{
		name: "volume of the database", shows: isNoGoodValue,
		want: []string{v1alpha1.ReasonStorageFailed, v1alpha1.ReasonTargetCrashed, v1alpha1.ReasonToolFailed, v1alpha1.ReasonServerCrashed},
		do: func(t *testing.T, f *fault) {
			pod := &corev1.Pod{}
			if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: c.ns, Name: "disk-mariadb-db-0"}, pod); err != nil {
				t.Fatal(err)
			}
			fill := fmt.Sprintf(`cd /var/lib/kubelet/pods/%s/volumes/kubernetes.io~empty-dir
				for v in *; do if mountpoint -q $v && ls $v/* | grep -q ibdata; then data=$v; fi; done
				dd if=/dev/zero of=$data/filler bs=1M 2>/dev/null || true
				df -h $data | tail -1; sleep 8; rm $data/filler`, pod.UID)
			t.Log(onNodeOf(t, f.targetNode, "sh", "-c", fill))
		},
	}}, nil)
}

// etcdFull: etcd gets a quota that its database has nearly reached, and somebody fills the rest. Half a minute later it is
// cleaned up, as an administrator does it.
func etcdFull(t *testing.T, c *tally) {
	c.suffer(t, c.create(t, "etcd", 8, 4*time.Second, ""), limitOfRow, []*fault{
		{name: "etcd", want: []string{v1alpha1.ReasonDeliveryFailed, v1alpha1.ReasonResultMissing}, do: func(t *testing.T, _ *fault) { fillEtcd(t, c.ns, 30*time.Second) }},
	}, nil)
}

func fillEtcd(t *testing.T, ns string, d time.Duration) {
	t.Helper()
	node := controlPlane(t)
	size := fmt.Sprint(mustEtcd(t, node, "maintenance/status", "{}")["dbSize"])
	const manifest, aside = "/etc/kubernetes/manifests/etcd.yaml", "/etc/kubernetes/etcd.yaml.aside"
	onNodeOf(t, node, "sh", "-ec", fmt.Sprintf(`cp %s %s; sed -i "s/^\( *\)- etcd$/&\n\1- --quota-backend-bytes=$((%s + 4194304))/" %s; grep quota %s`, manifest, aside, size, manifest, manifest))
	t.Cleanup(func() {
		if _, err := onNode(node, "test", "-e", aside); err == nil {
			onNodeOf(t, node, "mv", aside, manifest)
			awaitAPI(t)
		}
	})
	time.Sleep(5 * time.Second)
	awaitAPI(t)
	filled := false
	for i := 0; i < 200 && !filled; i++ {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprintf("filler-%d", i), Labels: map[string]string{"filler": "true"}}}
		cm.BinaryData = map[string][]byte{"x": []byte(strings.Repeat("x", 600<<10))}
		err := cluster.API.Create(t.Context(), cm)
		filled = err != nil && strings.Contains(err.Error(), "database space exceeded")
	}
	if !filled {
		t.Error("etcd did not become full")
	}
	time.Sleep(d)
	if err := cluster.API.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace(ns), client.MatchingLabels{"filler": "true"}); err != nil {
		t.Errorf("deleting what fills etcd: %v", err)
	}
	header, _ := mustEtcd(t, node, "maintenance/status", "{}")["header"].(map[string]any)
	mustEtcd(t, node, "kv/compaction", fmt.Sprintf(`{"revision": %q, "physical": true}`, header["revision"]))
	mustEtcd(t, node, "maintenance/defragment", "{}")
	// An alarm goes away only for the member that raised it.
	mustEtcd(t, node, "maintenance/alarm", fmt.Sprintf(`{"action": "DEACTIVATE", "alarm": "NOSPACE", "memberID": %q}`, header["member_id"]))
	if left := mustEtcd(t, node, "maintenance/alarm", `{"action": "GET"}`); left["alarms"] != nil {
		t.Errorf("etcd still has alarms: %v", left)
	}
	onNodeOf(t, node, "mv", aside, manifest)
	time.Sleep(5 * time.Second)
	awaitAPI(t)
}

// clockStep: the clock of the database's agent is stepped by half a minute while the run goes on. The nodes of this
// cluster share one clock, so that the agent is one whose linker set a step. Rates and latencies use one clock each, so
// that no trial fails; that the clocks differ is a finding of every trial after the step.
func clockStep(t *testing.T, c *tally) {
	steppingAgent(t, "30s@45s")
	run := c.create(t, "clock", 10, 2*time.Second, "")
	c.Injected++
	c.suffer(t, run, limitOfRow, nil, nil)
	if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
		t.Fatal(err)
	}
	var marked, good int
	for _, rec := range cluster.Records(t, run) {
		if slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == "clock-offset" }) {
			marked++
		} else if good++; marked > 0 {
			c.Wrong++
			t.Errorf("trial %d does not say that the clocks differ, and one before it does: %+v", rec.Index, rec.Findings)
		}
	}
	c.Note = fmt.Sprintf("%d trials before the step, and %d after it, which have the finding", good, marked)
	if good == 0 || marked == 0 {
		t.Errorf("%s: the step was not within the run", c.Note)
	}
}

// steppingAgent has the chart hand out an agent whose clock is stepped, until the test ends.
func steppingAgent(t *testing.T, step string) {
	t.Helper()
	const image = "docker.io/library/assay-agent:stepped"
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", dir+"/agent",
		"-ldflags", "-s -w -X github.com/assay-bench/assay/internal/agent/clock.step="+step, "../../cmd/agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	pack := exec.Command("docker", "build", "-q", "-t", image, "-f", "../../cmd/agent/Dockerfile", dir)
	helm := func(more ...string) *exec.Cmd {
		return exec.Command("../../bin/helm", append([]string{
			"upgrade", "assay", "../../charts/assay", "--namespace", managerNamespace, "--reuse-values", "--wait", "--timeout", "3m",
		}, more...)...)
	}
	do := func(cmd *exec.Cmd) {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", cmd, err, out)
		}
	}
	do(build)
	do(pack)
	var nodes corev1.NodeList
	if err := cluster.API.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		do(exec.Command("sh", "-c", "docker save "+image+" | docker exec -i "+node.Name+" ctr --namespace k8s.io images import -"))
	}
	before, err := exec.Command("../../bin/helm", "get", "values", "assay", "--namespace", managerNamespace, "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var values struct{ Agent struct{ Image string } }
	if err := json.Unmarshal(before, &values); err != nil {
		t.Fatal(err)
	}
	do(helm("--set", "agent.image="+image))
	t.Cleanup(func() { do(helm("--set", "agent.image="+values.Agent.Image)) })
}
