package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// standIn starts a MariaDB that Assay does not know, as config/samples/service-mariadb.yaml does: with the names and labels of the MariaDB operator,
// and a server of the catalogue on the node of the targets. It is small, and keeps its data when its pod goes. More SQL is for further accounts
// and tables, a statement a line.
func standIn(t *testing.T, ns string, sql ...string) {
	t.Helper()
	labels := map[string]string{"app.kubernetes.io/name": "mariadb", "app.kubernetes.io/instance": "shop"}
	named := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: ns, Name: name, Labels: labels}
	}
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("768Mi")}
	pod := fromCatalogue(t, corev1.PodSpec{
		NodeSelector: map[string]string{corev1.LabelInstanceTypeStable: "kind.target"},
		Containers: []corev1.Container{{
			Name: "mariadb", Image: "docker.io/library/mariadb:11.8", Ports: []corev1.ContainerPort{{ContainerPort: 3306}},
			Env: []corev1.EnvVar{
				{Name: "MARIADB_DATABASE", Value: "assay"}, {Name: "MARIADB_USER", Value: "bench"}, {Name: "MARIADB_PASSWORD", Value: "change-me"},
				{Name: "MORE_SQL", Value: strings.Join(sql, "\n")},
			},
			Resources:      corev1.ResourceRequirements{Requests: size, Limits: size},
			VolumeMounts:   []corev1.VolumeMount{{Name: "storage", MountPath: "/data", SubPath: "data"}},
			ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(3306)}}},
		}},
	})
	for _, object := range []client.Object{
		&corev1.Secret{ObjectMeta: named("shop-bench"), StringData: map[string]string{"username": "bench", "password": "change-me"}},
		&corev1.Service{ObjectMeta: named("shop-primary"), Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app.kubernetes.io/instance": "shop", appsv1.StatefulSetPodNameLabel: "shop-0"},
			Ports:    []corev1.ServicePort{{Name: "mariadb", Port: 3306}},
		}},
		&appsv1.StatefulSet{ObjectMeta: named("shop"), Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(1)), ServiceName: "shop-internal", Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "storage"}, Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			}}},
		}},
	} {
		if err := cluster.API.Create(t.Context(), object); err != nil {
			t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
		}
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		set := &appsv1.StatefulSet{}
		if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "shop"}, set); err != nil {
			t.Fatal(err)
		}
		if set.Status.ReadyReplicas == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server is not ready: %+v", set.Status)
		}
	}
}

// shopTarget is the stand-in, as a target.
const shopTarget = "  - name: shop\n    external: {serviceRef: {name: shop-primary}, credentials: {name: shop-bench}, tls: Disabled, insecureSkipVerify: true}"

// A database that an operator runs is measured behind its Service: what runs there is recorded, its node is the run's, and no client is on it.
func TestDatabaseOfAnOperator(t *testing.T) {
	ns := cluster.Namespace(t)
	standIn(t, ns)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("shop", shopTarget, short)), 4*time.Minute)
	cluster.Complete(t, got)
	pod := &corev1.Pod{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "shop-0"}, pod); err != nil {
		t.Fatal(err)
	}
	found := got.Status.Resolved.Targets[0].Service
	if found == nil || len(found.Pods) != 1 {
		t.Fatalf("found %+v", found)
	}
	p := found.Pods[0]
	if p.UID != string(pod.UID) || p.NodeName != pod.Spec.NodeName || p.Container != "mariadb" || p.CPULimit != "500m" || p.MemoryLimit != "768Mi" ||
		p.QOSClass != "Guaranteed" || p.ImageID == "" || p.RestartCount == nil || p.Labels["instance"] != "shop" {
		t.Errorf("found the pod %+v", p)
	}
	place := got.Status.Placement
	if !slices.Equal(place.ServiceNodeNames, []string{pod.Spec.NodeName}) || slices.Contains(place.ClientNodeNames, pod.Spec.NodeName) {
		t.Errorf("placement %+v, with the server on %s", place, pod.Spec.NodeName)
	}
	if st := got.TargetStatus("shop"); st.NodeName != pod.Spec.NodeName || st.ImageID != p.ImageID || !strings.HasPrefix(st.ServerVersion, "10.11") {
		t.Errorf("status of the target %+v", st)
	}
	for _, rec := range cluster.Records(t, got) {
		if rec.TargetNodeName != pod.Spec.NodeName || slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == "service-pods-changed" }) {
			t.Errorf("trial %d on %q, findings %+v", rec.Index, rec.TargetNodeName, rec.Findings)
		}
	}
}

// A pod that is deleted during a trial is named by the trial, and what follows is measured on the pod that takes its place.
func TestDatabaseOfAnOperatorLosesItsPod(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	standIn(t, ns)
	run := cluster.Apply(t, ns, cluster.RunYAML("shop", shopTarget, "  design: {blocks: 3, warmup: 0s, duration: 10s, onTrialFailure: Retry, maxRetries: 5}\n"))
	cluster.AwaitState(t, run, 3*time.Minute, "begun its second trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.Done == 1 && r.Status.Progress.CurrentTrial != nil
	})
	time.Sleep(5 * time.Second) // its clients are at work by then, or come to a server that is away; both are told
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "shop-0"}}
	if err := cluster.API.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	got := cluster.AwaitRun(t, run, 5*time.Minute)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("not complete: %+v", got.Status.Conditions)
	}
	told := slices.ContainsFunc(cluster.Records(t, got), func(rec contract.Record) bool {
		return strings.Contains(rec.Message, "behind Service shop-primary: ") ||
			slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == "service-pods-changed" })
	})
	if !told {
		t.Errorf("no trial says that the pod behind the Service is another: %+v", cluster.Records(t, got))
	}
}

// The name of a managed database leads to another server after a failover. Both have the same data, and which one is older says nothing: the first
// trial on the other one tells it by what the server calls itself, and the ones after it no more.
func TestANameMovesToAnotherServer(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns, other := cluster.Namespace(t), cluster.Namespace(t)
	standIn(t, other, slices.Concat(tablesForAReader, []string{"SET GLOBAL server_id = 2;"})...)
	standIn(t, ns, tablesForAReader...)
	name := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "endpoint"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: theServer(ns) + ".cluster.local"},
	}
	account := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "reader"}, StringData: map[string]string{"username": "reader", "password": "change-me"}}
	for _, object := range []client.Object{name, account} {
		if err := cluster.API.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	run := cluster.Apply(t, ns, strings.Replace(cluster.RunYAML("moving",
		"  - name: cloud\n    external: {host: endpoint."+ns+".svc, database: assay, credentials: {name: reader}, data: Existing, tls: Disabled, insecureSkipVerify: true}",
		"  design: {blocks: 8, warmup: 0s, duration: 5s, cooldown: 5s}\n"), "oltp_read_write", "oltp_read_only", 1))
	cluster.AwaitState(t, run, 3*time.Minute, "ended two trials", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done >= 2 })
	name.Spec.ExternalName = theServer(other) + ".cluster.local"
	if err := cluster.API.Update(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	got := cluster.AwaitRun(t, run, 5*time.Minute)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("not complete: %+v", got.Status.Conditions)
	}
	var told []string
	for _, rec := range cluster.Records(t, got) {
		for _, f := range rec.Findings {
			if f.Check == "server-changed" {
				told = append(told, fmt.Sprintf("trial %d: %s", rec.Index, f.Message))
			}
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "hostname shop-0, port 3306, server_id 2") {
		t.Errorf("told %q", told)
	}
}
