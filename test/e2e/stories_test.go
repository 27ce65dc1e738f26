package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

const (
	short = "  design: {blocks: 1, warmup: 0s, duration: 2s}\n"
	// shared may run beside others: a run that is retained keeps its nodes.
	shared = short + "  exclusive: false\n"
)

// Two real servers, side by side on one node, are measured from another node.
func TestMariaDBAndMySQLFromAnotherNode(t *testing.T) {
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, cluster.RunYAML("both", cluster.MariaDB+"\n"+cluster.MySQL, "  design: {blocks: 3, warmup: 1s, duration: 4s, starts: PerBlock, cpus: Apart}\n"))
	got := cluster.AwaitRun(t, run, 5*time.Minute)
	cluster.Complete(t, got)

	versions := map[string]string{"mariadb": "10.11", "mysql": "9.7"}
	typeOf := map[string]string{}
	for _, n := range got.Status.Nodes {
		typeOf[n.Name] = n.InstanceType
	}
	for _, target := range got.Status.Targets {
		if !strings.HasPrefix(target.ServerVersion, versions[target.Name]) {
			t.Errorf("target %s answers as %q", target.Name, target.ServerVersion)
		}
		if typeOf[target.NodeName] != "kind.target" || target.ImageID == "" {
			t.Errorf("target %s is not described: %+v", target.Name, target)
		}
	}
	if len(got.Status.Trials) != 6 {
		t.Fatalf("%d trials, want 6", len(got.Status.Trials))
	}
	for _, trial := range got.Status.Trials {
		if len(trial.ClientNodeNames) != 1 || trial.ClientNodeNames[0] == got.Status.Targets[0].NodeName || trial.TargetNodeName != got.Status.Targets[0].NodeName {
			t.Errorf("trial %d ran on the node of the targets", trial.Index)
		}
		checkStored(t, ns, inStatus(trial), 3)
	}
	for _, s := range got.Status.Summary {
		// Errors and reconnects may have been none, and so may flushed pages and what a window began with; a debt may have been paid.
		// Anything else is more than nothing.
		mayBeNone := slices.Contains([]string{contract.NameErrorRate, contract.NameReconnects, costs.Flushed, costs.Debt, levels.Log, levels.Pages, levels.History}, s.Name)
		value, all := accounted(s, 3)
		if v, err := strconv.ParseFloat(value, 64); err != nil || v < 0 && s.Name != costs.Debt || v == 0 && !mayBeNone || !all {
			t.Errorf("summary %+v", s)
		}
	}
	// The result of both, and of nobody else, in one line.
	if !regexp.MustCompile(`^mariadb [0-9.-]+ .*\| mysql [0-9.-]+ .*tx/s`).MatchString(got.Status.Headline) {
		t.Errorf("headline %q", got.Status.Headline)
	}
	for _, target := range got.Status.Targets {
		if len(target.Load) < 3 || target.Load[0].Name != contract.NameLoadTime || target.Load[1].Name != contract.NameRowsLoaded {
			t.Errorf("loading target %s took %+v", target.Name, target.Load)
		}
	}
	startedAgain(t, got)
	apart(t, got)
	eventually(t, time.Minute, func() string {
		left := slices.DeleteFunc(leftovers(t, ns), func(s string) bool {
			return strings.Contains(s, "*v1.ConfigMap") || strings.Contains(s, "BenchmarkRun")
		})
		return strings.Join(left, ", ")
	})
}

// apart: server and tool ran on cores of their own, of the one machine that all nodes are. With one core there are none.
func apart(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	for _, trial := range run.Status.Trials {
		res := cluster.Stored(t, run.Namespace, contract.TrialName(run.Name, trial.Index, 0), 0)
		if *res.Client.Machine.CPUs < 2 {
			t.Logf("trial %d: one CPU", trial.Index)
			return
		}
		server, tool := contract.CPUList(res.Target.Limits.CPUSet), contract.CPUList(res.Client.Limits.CPUSet)
		if len(server) == 0 || len(tool) == 0 || slices.ContainsFunc(tool, func(cpu int) bool { return slices.Contains(server, cpu) }) {
			t.Errorf("trial %d of %s: the server may run on the CPUs %v, the tool on %v", trial.Index, trial.Target, server, tool)
		}
	}
}

// together: server and tool took turns on one CPU of the one machine that all nodes are.
func together(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	for _, trial := range run.Status.Trials {
		res := cluster.Stored(t, run.Namespace, contract.TrialName(run.Name, trial.Index, 0), 0)
		if !res.Target.OneCPU(res.Client.Environment) {
			t.Errorf("trial %d of %s: the server may run on the CPUs %q, the tool on %q", trial.Index, trial.Target, res.Target.Limits.CPUSet, res.Client.Limits.CPUSet)
		}
	}
}

// startedAgain: each server was started for each block, and then read its buffer pool in before anything was measured.
func startedAgain(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	for _, trial := range run.Status.Trials {
		res := cluster.Stored(t, run.Namespace, contract.TrialName(run.Name, trial.Index, 0), 0)
		if res.Data == nil || res.Data.Restart == nil || trial.RestartSeconds == "" {
			t.Errorf("trial %d: no restart: %+v", trial.Index, res.Data)
			continue
		}
		again := res.Data.Restart
		if !strings.Contains(again.Pool, "completed") || again.StoppedSeconds <= 0 || res.Times.Ready == nil || res.Times.Ready.Before(again.Ended) {
			t.Errorf("trial %d: %+v, and the client was ready at %v", trial.Index, again, res.Times.Ready)
		}
		t.Logf("trial %d of %s: started again in %s s, without a server for %.2f s, its buffer pool filled for %.2f s", trial.Index, trial.Target, trial.RestartSeconds, again.StoppedSeconds, again.PoolSeconds)
	}
}

// recorded is what the status or the journal says of a trial.
type recorded struct {
	index         int32
	result, value string
}

func inStatus(t v1alpha1.TrialStatus) recorded {
	return recorded{t.Index, t.Result, t.Values[0].Value}
}

// checkStored compares a trial in the status with its stored result, which has at
// least so many intervals, and with what sysbench printed.
func checkStored(t *testing.T, ns string, trial recorded, intervals int) {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: trial.result}, cm); err != nil {
		t.Fatalf("trial %d: %v", trial.index, err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		t.Fatalf("trial %d: %v", trial.index, err)
	}
	throughput, ok := res.Find(contract.NameThroughput, nil)
	if !ok || throughput.Value == nil || len(throughput.Intervals) < intervals {
		t.Fatalf("trial %d: no throughput with its intervals: %+v", trial.index, throughput)
	}
	stdout := string(untar(t, cm.BinaryData[contract.KeyRaw])["run/stdout.txt"])
	printed := fmt.Sprintf("(%.2f per sec.)", *throughput.Value)
	if !strings.Contains(stdout, printed) {
		t.Errorf("trial %d: sysbench did not print %s:\n%s", trial.index, printed, stdout)
	}
	if want := strconv.FormatFloat(*throughput.Value, 'f', -1, 64); trial.value != want {
		t.Errorf("trial %d: it is recorded with %s, the result says %s", trial.index, trial.value, want)
	}
	if res.Server == nil || len(res.Server.Variables) < 300 {
		t.Errorf("trial %d: the server's variables are missing", trial.index)
	}
}

func untar(t *testing.T, gz []byte) map[string][]byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// What the operator costs: its writes, and the time between two trials, from the end of one measured window to the start of the next.
// The control of that time are Jobs that do nothing, in the same cluster just after: a trial has a Job too, whose start and end overlap
// with what the operator does, so that it takes no longer. Seconds are only logged: they are those of this machine.
func TestWhatTheOperatorCosts(t *testing.T) {
	ns := cluster.Namespace(t)
	before := managerWrites(t)
	run := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("dead", "", "  design: {blocks: 6, warmup: 0s, duration: 1s}\n")), 5*time.Minute)
	cluster.Complete(t, run)
	writes := (managerWrites(t) - before) / 6
	t.Logf("writes of the manager for each of 6 trials, those of the run and of its end so far included: %.1f", writes)
	// By make bench-scale, 44 of a run and 12 of each trial, of which the agents do two.
	if writes > 25 {
		t.Errorf("the manager writes %.1f times for a trial", writes)
	}
	standing := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("stand", "", "  design: {blocks: 6, warmup: 0s, duration: 1s, clientPods: Standing, cpus: Together}\n")), 5*time.Minute)
	cluster.Complete(t, standing)
	together(t, standing)
	if pods := clientPodsOf(t, standing); pods != 1 {
		t.Errorf("%d client pods measured while they stood, want 1", pods)
	}
	control := summaryOf(t, bareJobs(t, run, 5))
	// A Job that does nothing takes two or three looks of the kubelet, one a second, and a trial as many, or one more or less: no ratio near 1
	// is right on every machine. Clients that stand wait for none.
	for _, of := range []struct {
		name string
		run  *v1alpha1.BenchmarkRun
		most float64
	}{{"with new clients", run, 2}, {"with clients that stand", standing, 0.4}} {
		dead := summaryOf(t, cluster.DeadTimes(cluster.Records(t, of.run), 0))
		ratio := dead.Median / control.Median
		t.Logf("dead time between trials %s: median %.2f s, min %.2f s, max %.2f s, n=%d; a bare Job: median %.2f s, min %.2f s, max %.2f s, n=%d; ratio %.2f",
			of.name, dead.Median, dead.Min, dead.Max, dead.N, control.Median, control.Min, control.Max, control.N, ratio)
		if ratio > of.most {
			t.Errorf("the dead time between two trials %s (%.2f s) is more than %g of a Job that does nothing (%.2f s)", of.name, dead.Median, of.most, control.Median)
		}
	}
}

// clientPodsOf is how many pods measured in a run, by the claims on their results.
func clientPodsOf(t *testing.T, run *v1alpha1.BenchmarkRun) int {
	t.Helper()
	pods := map[string]bool{}
	for _, rec := range cluster.Records(t, run) {
		var cm corev1.ConfigMap
		if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: rec.Result}, &cm); err != nil {
			t.Fatal(err)
		}
		pod, _, _ := strings.Cut(cm.Annotations[v1alpha1.AnnotationClaimedBy], "/")
		pods[pod] = true
	}
	return len(pods)
}

func summaryOf(t *testing.T, sample []float64) stats.Summary {
	t.Helper()
	s, err := stats.Summarize(sample)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bareJobs is how long Jobs take, one after the other, that do nothing: on the node of the clients, from the image of the tool.
func bareJobs(t *testing.T, run *v1alpha1.BenchmarkRun, n int) (took []float64) {
	t.Helper()
	for i := range n {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: fmt.Sprintf("bare-%d", i)}}
		job.Spec.BackoffLimit = new(int32(0))
		job.Spec.Template.Spec = cluster.Restricted(corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, NodeName: run.Status.Trials[0].ClientNodeNames[0],
			Containers: []corev1.Container{{Name: "nothing", Image: string(run.Status.Resolved.RunnerImage), Command: []string{"sysbench", "--version"}}},
		})
		began := time.Now()
		if err := cluster.API.Create(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		for job.Status.Succeeded == 0 {
			if time.Since(began) > time.Minute || job.Status.Failed > 0 {
				t.Fatalf("a Job that does nothing: %+v", job.Status)
			}
			time.Sleep(20 * time.Millisecond)
			if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(job), job); err != nil {
				t.Fatal(err)
			}
		}
		took = append(took, time.Since(began).Seconds())
		if err := cluster.API.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
			t.Fatal(err)
		}
		// The next one is not to begin beside its end.
		eventually(t, time.Minute, func() string {
			if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(job), job); !apierrors.IsNotFound(err) {
				return fmt.Sprintf("%s is still there (%v)", job.Name, err)
			}
			return ""
		})
	}
	return took
}

func TestMissingImageEndsTyped(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	target := strings.Replace(cluster.MariaDB, `version: "10.11"`, "image: registry.invalid/nothing:1", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("noimage", target, short))), 2*time.Minute)
	failedWith(t, got, v1alpha1.ReasonImagePullFailed)
}

func TestRefusedSettingEndsTyped(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	target := strings.Replace(cluster.MariaDB, "storage:", "config: {innodb_no_such_setting: \"1\"}, storage:", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("badsetting", target, short))), 2*time.Minute)
	failedWith(t, got, "ServerRefusedSetting")
	if !strings.Contains(cluster.Message(got, v1alpha1.ConditionFailed), "innodb_no_such_setting") {
		t.Error("the message does not name the setting")
	}
}

// An external server: the right password works and the tables are dropped after;
// a wrong password and a schema in use end typed.
func TestExternalServer(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	// The server is the target of another run, which is kept.
	host := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("host", "", short+"  retain: Always\n"))), 3*time.Minute)
	cluster.Complete(t, host)
	cluster.OpenDatabases(t, ns)
	address, _, _ := strings.Cut(host.Status.Targets[0].Address, ":")
	right := &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("host", "mariadb")}, right); err != nil {
		t.Fatal(err)
	}
	wrong := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "wrong", Namespace: ns},
		StringData: map[string]string{"username": "assay", "password": "not this"},
	}
	if err := cluster.API.Create(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	external := func(secret string) string {
		return "  - name: db\n    external: {host: " + address + ", tls: Disabled, insecureSkipVerify: true, credentials: {name: " + secret + "}}"
	}
	t.Run("a wrong password ends typed", func(t *testing.T) {
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("wrongpw", external("wrong"), short))), 2*time.Minute)
		failedWith(t, got, string(contract.ReasonCredentialsRejected))
	})
	t.Run("tables that are there already are not touched", func(t *testing.T) {
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("inuse", external(right.Name), short))), 2*time.Minute)
		failedWith(t, got, string(contract.ReasonSchemaNotEmpty))
	})
	t.Run("tables that exist are measured, and stay", func(t *testing.T) {
		existing := strings.Replace(external(right.Name), "external: {", "external: {data: Existing, ", 1)
		refused := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("mustnotwrite", existing, short))), 2*time.Minute)
		failedWith(t, refused, v1alpha1.ReasonInvalidSpec)
		for _, pods := range []v1alpha1.ClientPods{v1alpha1.ClientPodsPerTrial, v1alpha1.ClientPodsStanding} { // the first run dropped nothing
			readsWhatExists(t, ns, existing, pods)
		}
		larger := strings.Replace(strings.Replace(cluster.RunYAML("toolarge", existing, short), "oltp_read_write", "oltp_read_only", 1), "tableSize: ", "tableSize: 9", 1)
		failedWith(t, cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(larger)), 2*time.Minute), string(contract.ReasonDataDiffers))
	})
	t.Run("a server that is not there ends typed", func(t *testing.T) {
		if testing.Short() {
			t.Skip("the client tries for a minute: only in make e2e-full")
		}
		target := strings.Replace(external("wrong"), address, "nobody.invalid", 1)
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("nobody", target, short))), 3*time.Minute)
		failedWith(t, got, string(contract.ReasonTargetUnreachable))
	})
	t.Run("the right password works", func(t *testing.T) {
		dropTables(t, ns, address, "assay", right)
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("external", external(right.Name), short))), 2*time.Minute)
		cluster.Complete(t, got)
		if got.Status.Targets[0].CleanupResult == "" || len(got.Status.Findings) > 0 && got.Status.Findings[0].Check == "cleanup" {
			t.Errorf("the tables were not dropped: %+v", got.Status)
		}
		// They are really gone: the same run works again.
		cluster.Complete(t, cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("again", external(right.Name), short))), 2*time.Minute))
	})
}

// Deleting a run in the middle of a trial leaves nothing behind.
func TestDeleteLeavesNothing(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("gone", "", "  design: {blocks: 2, warmup: 0s, duration: 60s}\n")))
	cluster.AwaitState(t, run, 3*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	if err := cluster.API.Delete(t.Context(), run, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	eventually(t, 2*time.Minute, func() string { return strings.Join(leftovers(t, ns), ", ") })
}
