package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/store/s3"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// createSchedule of the spec of a run, with more of its spec as YAML. It starts a run at once.
func createSchedule(t *testing.T, ns, name, run, more string) *unstructured.Unstructured {
	t.Helper()
	var template, spec map[string]any
	for text, into := range map[string]*map[string]any{run: &template, more: &spec} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	spec["runTemplate"] = map[string]any{"spec": template["spec"]}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkSchedule", "spec": spec}}
	o.SetNamespace(ns)
	o.SetName(name)
	o.SetAnnotations(map[string]string{v1alpha1.AnnotationRunNow: "1"})
	if err := cluster.API.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return o
}

// mergePatch merges a patch into the schedule.
func mergePatch(t *testing.T, o client.Object, patch string) {
	t.Helper()
	if err := cluster.API.Patch(t.Context(), o, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// checkMissed: a run that waits for nodes lets the next time of its schedule pass. With the schedule its metrics and its alert go.
func (p *prometheus) checkMissed(t *testing.T, late client.Object) {
	labels := map[string]string{"namespace": late.GetNamespace(), "schedule": "late", "severity": "warning"}
	p.fires(t, "AssayScheduleMissed", labels)
	selector := fmt.Sprintf(`{namespace=%q, schedule="late"}`, late.GetNamespace())
	if got := p.query(t, "assay_schedule_missed_total"+selector); len(got) != 1 || got[0].number() == "0" {
		t.Errorf("missed: %v", got)
	}
	if got := p.query(t, "assay_schedule_active_runs"+selector+" == 1"); len(got) != 1 {
		t.Errorf("active: %v", got)
	}
	if err := cluster.API.Delete(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() string {
		if got := p.query(t, `{__name__=~"assay_schedule_.*", namespace="`+late.GetNamespace()+`", schedule="late"}`); len(got) > 0 {
			return fmt.Sprint("the schedule is gone, and Prometheus has ", got)
		}
		return ""
	})
	p.silent(t, "AssayScheduleMissed", labels)
}

// checkRegressed: a run of a schedule has a part of the CPU of the run that became the baseline. It does not pass its gate. Once
// the schedule has an alarm, the schedule has the alert, and the run has none of its own.
func (p *prometheus) checkRegressed(t *testing.T, fast *v1alpha1.BenchmarkRun) {
	s := newShell(t, fast.Namespace)
	script := fmt.Sprintf("kubectl assay baseline promote %s --name release --reason monitoring -o baseline.yaml && kubectl create -f baseline.yaml", fast.Name)
	if out, err := s.run(script); err != nil {
		t.Fatalf("promoting: %v: %s", err, out)
	}
	slow := strings.Replace(cluster.MariaDB, "{name: kind-target}", "{inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}", 1)
	run := cluster.RunYAML("x", slow, "  matrix: [{name: threads, values: [1, 2]}]\n  design: {blocks: 3, warmup: 0s, duration: 3s}\n  gate: {baseline: release, threshold: 50%}\n")
	schedule := createSchedule(t, fast.Namespace, "story", run, `schedule: "@yearly"`)
	var last *v1alpha1.EndedRun
	for try := 1; ; try++ { // other work on this machine may disturb all trials
		last = awaitSchedule(t, schedule, 5*time.Minute, "seen the end of its run", func(s v1alpha1.BenchmarkScheduleStatus) bool {
			return s.RunNow == fmt.Sprint(try) && len(s.Active) == 0 && s.LastRun != nil && (last == nil || s.LastRun.Name != last.Name)
		}).LastRun
		if last.Reason == v1alpha1.ReasonSlower {
			break
		}
		if try == 3 {
			t.Fatalf("run %s ended with %s: %s", last.Name, last.Reason, last.Message)
		}
		t.Logf("once more: run %s ended with %s: %s", last.Name, last.Reason, last.Message)
		mergePatch(t, schedule, fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, v1alpha1.AnnotationRunNow, try+1))
	}
	ofRun := map[string]string{"namespace": fast.Namespace, "run": last.Name, "reason": v1alpha1.ReasonSlower, "severity": "warning"}
	p.fires(t, "AssayRunRegressed", ofRun)
	mergePatch(t, schedule, `{"spec":{"alarm":{"confirm":0}}}`)
	p.fires(t, "AssayScheduleRegressed", map[string]string{"namespace": fast.Namespace, "schedule": "story", "severity": "warning"})
	p.silent(t, "AssayRunRegressed", ofRun)
}

// checkStoreAway: nothing answers at the address of the store, which nobody needs at the time.
func (p *prometheus) checkStoreAway(t *testing.T) {
	ns := cluster.Namespace(t)
	nothing := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "store"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}}}
	credentials := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: managerNamespace, Name: storeSecret},
		Data:       map[string][]byte{s3.FileAccessKey: []byte("assay"), s3.FileSecretKey: []byte("not-a-secret")},
	}
	if err := client.IgnoreNotFound(cluster.API.Delete(t.Context(), credentials.DeepCopy())); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{nothing, credentials} {
		if err := cluster.API.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := cluster.API.Delete(context.Background(), credentials); err != nil {
			t.Errorf("deleting Secret %s: %v", storeSecret, err)
		}
	})
	changeValues(t, fmt.Sprintf("results:\n  store: {endpoint: \"https://store.%s.svc\", bucket: %s, cluster: kind, credentialsSecret: %s}\n", ns, bucket, storeSecret))
	p.fires(t, "AssayStoreUnreachable", map[string]string{"severity": "critical"})
}

// fires waits until an alert fires with these labels.
func (p *prometheus) fires(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	eventually(t, 2*time.Minute, func() string {
		firing, all := p.firing(t, name, labels)
		if firing == nil {
			return fmt.Sprintf("%s %v does not fire: %v", name, labels, all)
		}
		if !strings.HasSuffix(firing.Annotations["runbook_url"], "/"+name+".md") {
			return fmt.Sprint("the alert has no runbook: ", firing.Annotations)
		}
		t.Logf("fires: %s", firing.Annotations["summary"])
		return ""
	})
}

// silent waits until an alert that fired with these labels does not any more.
func (p *prometheus) silent(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	eventually(t, time.Minute, func() string {
		if firing, _ := p.firing(t, name, labels); firing != nil {
			return fmt.Sprintf("%s %v still fires", name, labels)
		}
		return ""
	})
}

// alert as Prometheus tells it.
type alert struct {
	Labels, Annotations map[string]string
	State               string
}

// firing is the alert that fires with these labels, nil for none, and all that there are.
func (p *prometheus) firing(t *testing.T, name string, labels map[string]string) (*alert, []alert) {
	t.Helper()
	var found struct{ Alerts []alert }
	p.get(t, "/api/v1/alerts", nil, &found)
	for _, a := range found.Alerts {
		same := a.Labels["alertname"] == name && a.State == "firing"
		for k, v := range labels {
			same = same && a.Labels[k] == v
		}
		if same {
			return &a, found.Alerts
		}
	}
	return nil, found.Alerts
}
