package hostile

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// runsAtOnce is a number of runs that one tenant creates at once; 1000 takes minutes.
var runsAtOnce = flag.Int("hostile.runs", 150, "runs that are created at once")

// neighbourhood is a namespace of somebody whose runs are normal, with nodes of their own.
type neighbourhood struct {
	namespace string
	runs      int
	// alone is how long a run takes without hostile neighbours.
	alone time.Duration
}

// run is another normal one.
func (n *neighbourhood) run() *v1alpha1.BenchmarkRun {
	n.runs++
	return newRun(n.namespace, n.namespace, func(r *v1alpha1.BenchmarkRun) { r.Name = fmt.Sprint("normal-", n.runs) })
}

// logBeside says how long a run took beside hostile ones: that it ended is what is asserted.
func (n *neighbourhood) logBeside(t *testing.T, took time.Duration) {
	t.Helper()
	t.Logf("the normal run took %.1f s, %.1f times as long as alone", took.Seconds(), took.Seconds()/n.alone.Seconds())
}

// TestHostile keeps one manager through all that is hostile, so that what adds up is seen. Each part
// has a namespace and nodes of its own.
func TestHostile(t *testing.T) {
	calm := &neighbourhood{namespace: server.Namespace(t)}
	parts := []struct {
		name string
		play func(t *testing.T, m manager, calm *neighbourhood, namespace string)
	}{
		{"specs", hostileSpecs}, {"results", hostileResults}, {"a run deleted while it is planned", deletedWhilePlanned},
		{"metadata that grows", growingMetadata}, {"a journal that is edited", editedJournal}, {"schedules", hostileSchedules}, {"many runs", manyRuns},
	}
	namespaces := []string{calm.namespace}
	for range parts {
		namespaces = append(namespaces, server.Namespace(t))
	}
	for _, ns := range namespaces {
		makeNodes(t, ns)
	}
	m := startManager(t, namespaces...)
	play(t, &kubelet.Kubelet{Namespace: calm.namespace})
	begun(t, calm.run())() // the first pass of a manager is slower than any other
	calm.alone = begun(t, calm.run())()
	t.Logf("alone a run takes %.1f s; the manager took %d MiB", calm.alone.Seconds(), m.peak(t)>>20)
	for i, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			part.play(t, m, calm, namespaces[i+1])
			t.Logf("the manager took %d MiB at most", m.peak(t)>>20)
		})
	}
	if peak := m.peak(t); peak > memoryLimit {
		t.Errorf("the manager took %d MiB, and the chart gives it %d", peak>>20, memoryLimit>>20)
	}
	if log := m.log.String(); strings.Contains(log, "too large") || strings.Contains(log, "panic") {
		t.Error("the log of the manager has an error that no run may cause")
	}
}

// hostileSpecs are all there at once, four of each, half of them suspended.
func hostileSpecs(t *testing.T, _ manager, calm *neighbourhood, namespace string) {
	if err := server.API.Create(t.Context(), deep(t, newRun(namespace, namespace, custom))); err == nil || !strings.Contains(err.Error(), "spec.workload.custom.parameters") {
		t.Errorf("a deep parameter: %v", err)
	}
	runs := map[string][]*v1alpha1.BenchmarkRun{}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		s := specs[name]
		for i := range 4 {
			run := newRun(namespace, namespace, s.change, func(r *v1alpha1.BenchmarkRun) {
				r.Name, r.Spec.Suspend = fmt.Sprint(name, "-", i), i%2 == 0
			})
			err := server.API.Create(t.Context(), run)
			if s.refused == "" && err != nil || s.refused != "" && (err == nil || !strings.Contains(err.Error(), s.refused)) {
				t.Fatalf("%s: the API server says %v, want %q", name, shorten(fmt.Sprint(err)), s.refused)
			}
			if err == nil {
				runs[name] = append(runs[name], run)
			}
		}
	}
	// As large as may be, four times: they are planned in many passes.
	for i := range 4 {
		create(t, newRun(namespace, namespace, weighing(axes(1, 25, 20), 8, 4000), func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Spec.Suspend = fmt.Sprint("largest-", i), true
		}))
	}
	calm.logBeside(t, begun(t, calm.run())())
	for name, all := range runs {
		for _, run := range all {
			failsWith(t, run, specs[name].reason)
		}
	}
	for i := range 4 {
		run := newRun(namespace, namespace, func(r *v1alpha1.BenchmarkRun) { r.Name = fmt.Sprint("largest-", i) })
		// Accepted, or waiting for the room that the results of the others may need.
		now, ok := await(t, run, func(r *v1alpha1.BenchmarkRun) bool {
			return r.Status.SpecHash != "" || condition(r, v1alpha1.ConditionAccepted).Reason == v1alpha1.ReasonQueued
		})
		if !ok {
			t.Errorf("a large run that is allowed is not accepted: %s", shorten(condition(now, v1alpha1.ConditionAccepted).Message))
		}
	}
	forget(t, namespace)
}

// forget deletes all runs of a namespace.
func forget(t *testing.T, namespace string) {
	t.Helper()
	if err := server.API.DeleteAllOf(t.Context(), &v1alpha1.BenchmarkRun{}, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
}

// story is what a client delivers, and how its run ends; an empty reason is success.
type story struct {
	client  func(contract.Trial) *contract.Result
	encode  func(contract.Result) ([]byte, error)
	clients int32
	reason  string
}

var (
	megabytes = strings.Repeat("the tool says so, and again. ", 2<<20/29)
	tooLarge  = v1alpha1.ReasonResultTooLarge
	stories   = map[string]story{
		"measurements":   {encode: encoder(many(`"measurements"`, `[`, `{"name":"a","unit":"b"}`, 1_400_000, `]`)), reason: tooLarge},
		"intervals":      {encode: encoder(many(`"measurements"`, `[{"name":"throughput","unit":"tx/s","value":1,"intervals":[`, `{"atSeconds":1,"value":2}`, 700_000, `]}]`)), reason: tooLarge},
		"labels":         {encode: encoder(many(`"measurements"`, `[{"name":"throughput","unit":"tx/s","value":1,"labels":{`, `"":""`, 2_050_000, `}}]`)), reason: tooLarge},
		"problems":       {encode: encoder(many(`"problems"`, `[`, `{"source":"a","line":1,"text":"b"}`, 300_000, `]`)), reason: tooLarge},
		"bomb":           {encode: encoder(func(contract.Result) ([]byte, error) { return zipped(strings.Repeat(" ", 256<<20)) }), reason: tooLarge},
		"depth":          {encode: encoder(many(`"problems"`, strings.Repeat("[", 100_000), `1`, 1, strings.Repeat("]", 100_000))), reason: tooLarge},
		"garbage":        {encode: encoder(func(contract.Result) ([]byte, error) { return []byte("garbage"), nil }), reason: v1alpha1.ReasonResultContradictory},
		"words":          {client: says(megabytes), encode: encoder(unchecked), reason: v1alpha1.ReasonToolFailed},
		"odd-names":      {client: oddNames},
		"random-labels":  {client: labelled(900, 900), reason: tooLarge},
		"clients-64":     {client: labelled(1500, 30), clients: 64, reason: tooLarge},
		"values-at-most": {client: labelled(2000, 60)},
	}
)

func hostileResults(t *testing.T, _ manager, calm *neighbourhood, namespace string) {
	byRun := func(trial contract.Trial) (out story) { return stories[named(t, namespace, trial.Ref.RunUID)] }
	play(t, &kubelet.Kubelet{
		Namespace: namespace,
		Client: func(trial contract.Trial) *contract.Result {
			if s := byRun(trial); s.client != nil {
				return s.client(trial)
			}
			return goodResult(trial)
		},
		Encode: func(res contract.Result) ([]byte, error) {
			if s := byRun(contract.Trial{Ref: res.Trial}); s.encode != nil {
				return s.encode(res)
			}
			return contract.Encode(res)
		},
	})
	var runs []*v1alpha1.BenchmarkRun
	for _, name := range slices.Sorted(maps.Keys(stories)) {
		run := newRun(namespace, namespace, custom, func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Spec.Clients.Count, r.Spec.Exclusive = name, max(stories[name].clients, 1), new(false)
		})
		create(t, run)
		runs = append(runs, run)
	}
	calm.logBeside(t, begun(t, calm.run())())
	for _, run := range runs {
		reason := stories[run.Name].reason
		if reason != "" {
			failsWith(t, run, reason)
			continue
		}
		now, _ := await(t, run, (*v1alpha1.BenchmarkRun).Finished)
		if condition(now, v1alpha1.ConditionComplete).Status != metav1.ConditionTrue {
			t.Errorf("%s is not complete: %s", run.Name, shorten(condition(now, v1alpha1.ConditionFailed).Message))
		}
	}
	forget(t, namespace)
}

// named finds the run of a UID.
func named(t *testing.T, namespace, uid string) string {
	var runs metav1.PartialObjectMetadataList
	runs.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRunList"))
	if err := server.API.List(context.Background(), &runs, client.InNamespace(namespace)); err != nil {
		t.Errorf("listing the runs: %v", err)
	}
	for _, r := range runs.Items {
		if string(r.UID) == uid {
			return r.Name
		}
	}
	return ""
}

// deletedWhilePlanned: the work for a run ends with the run.
func deletedWhilePlanned(t *testing.T, m manager, _ *neighbourhood, namespace string) {
	run := newRun(namespace, namespace, weighing(axes(1, 25, 20), 8, 4000), func(r *v1alpha1.BenchmarkRun) { r.Name = "short-lived" })
	create(t, run)
	await(t, run, func(r *v1alpha1.BenchmarkRun) bool { return len(r.Status.Conditions) > 0 })
	if err := server.API.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	// It comes to rest: two seconds in which it uses a quarter of a processor at most.
	for end := time.Now().Add(hang.Limit); ; {
		before := m.cpu(t)
		time.Sleep(2 * time.Second)
		used := m.cpu(t) - before
		if used <= 500*time.Millisecond {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the run is gone, and the manager goes on: %s of CPU in the last 2 s", used)
		}
	}
}

// growingMetadata: a run that is made too large for its own status, while it holds nodes, ends.
func growingMetadata(t *testing.T, _ manager, _ *neighbourhood, namespace string) {
	run := newRun(namespace, namespace, func(r *v1alpha1.BenchmarkRun) { r.Name = "growing" })
	create(t, run)
	now, _ := await(t, run, func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement != nil })
	before := now.DeepCopy()
	for i := range 3500 {
		metav1.SetMetaDataLabel(&now.ObjectMeta, fmt.Sprintf("example.com/%050d", i), strings.Repeat("v", 60))
	}
	if err := server.API.Patch(t.Context(), now, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	failsWith(t, run, v1alpha1.ReasonSpecTooLarge)
	forget(t, namespace)
}

// editedJournal: records that somebody edits end their run.
func editedJournal(t *testing.T, _ manager, _ *neighbourhood, namespace string) {
	play(t, &kubelet.Kubelet{Namespace: namespace})
	run := newRun(namespace, namespace, func(r *v1alpha1.BenchmarkRun) { r.Name, r.Spec.Design.Blocks = "edited", 50 })
	create(t, run)
	await(t, run, func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 0 })
	bomb, err := zipped(strings.Repeat(" ", 256<<20))
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: contract.RecordsName(run.Name, 0)}}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(cm), cm); err != nil {
		t.Fatal(err)
	}
	before := cm.DeepCopy()
	cm.BinaryData = map[string][]byte{contract.KeyRecords: bomb}
	if err := server.API.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	failsWith(t, run, v1alpha1.ReasonTampered)
	forget(t, namespace)
}

// manyRuns at once wait in the queue, and keep nobody else waiting.
func manyRuns(t *testing.T, _ manager, calm *neighbourhood, namespace string) {
	for i := range *runsAtOnce {
		create(t, newRun(namespace, namespace, weighing(axes(1, 40, 25), 4, 4000), func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Annotations = fmt.Sprint("many-", i), map[string]string{"big": strings.Repeat("a", 100<<10)}
		}))
	}
	calm.logBeside(t, begun(t, calm.run())())
	forget(t, namespace)
}
