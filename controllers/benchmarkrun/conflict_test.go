package benchmarkrun

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestForeignObjectIsNotTouched(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: contract.TargetName("run", "db"), Namespace: ns},
		StringData: map[string]string{"mine": "yes"},
	}
	if err := server.API.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	run := newRun(t, ns)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonChildConflict)
	if m := message(got); !strings.Contains(m, foreign.Name) {
		t.Errorf("the message does not name the object: %s", m)
	}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil || string(foreign.Data["mine"]) != "yes" {
		t.Errorf("the foreign Secret was touched: %v %v", err, foreign.Data)
	}
}

// Whatever has the name of an object that a run needs, and belongs to somebody else, ends the run.
// It is not changed, not used and not deleted.
func TestForeignObjectsOfEveryKindAreLeftAlone(t *testing.T) {
	t.Parallel()
	db, clients, trial := contract.TargetName("run", "db"), contract.ClientName("run"), contract.TrialName("run", 0, 0)
	// A replaced object has the labels of the run: they make nobody its owner.
	named := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelRun: "run", v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}}
	}
	pod := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	// The played kubelet starts it as any other.
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{"node-client"}}}}},
	}}}
	set := *pod.DeepCopy()
	set.Spec.RestartPolicy = corev1.RestartPolicyAlways
	tests := map[string]client.Object{
		"Role":                  &rbacv1.Role{ObjectMeta: named(clients), Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}},
		"RoleBinding":           &rbacv1.RoleBinding{ObjectMeta: named(clients), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}},
		"ServiceAccount":        &corev1.ServiceAccount{ObjectMeta: named(clients)},
		"PodDisruptionBudget":   &policyv1.PodDisruptionBudget{ObjectMeta: named(clients)},
		"NetworkPolicy":         &networkingv1.NetworkPolicy{ObjectMeta: named(db)},
		"Service":               &corev1.Service{ObjectMeta: named(db), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}},
		"Secret":                &corev1.Secret{ObjectMeta: named(db)},
		"ConfigMap":             &corev1.ConfigMap{ObjectMeta: named(db)},
		"StatefulSet":           &appsv1.StatefulSet{ObjectMeta: named(db), Spec: appsv1.StatefulSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}, Template: set}},
		"Job":                   &batchv1.Job{ObjectMeta: named(trial), Spec: batchv1.JobSpec{Template: pod, Suspend: new(true)}},
		"ConfigMap of a plan":   &corev1.ConfigMap{ObjectMeta: named(contract.PlanName("run", 0))},
		"ConfigMap of a trial":  &corev1.ConfigMap{ObjectMeta: named(trial), Data: map[string]string{contract.KeyTrial: "{}"}},
		"ConfigMap of a result": &corev1.ConfigMap{ObjectMeta: named(contract.ResultName(trial, 0)), Data: map[string]string{"mine": "yes"}},
	}
	for name, foreign := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			foreign.SetNamespace(ns)
			if err := server.API.Create(t.Context(), foreign); err != nil {
				t.Fatal(err)
			}
			startManager(t, ns, nil)
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(9))})
			run := newRun(t, ns)
			create(t, run)
			got := failedWith(t, run, v1alpha1.ReasonChildConflict)
			if m := message(got); !strings.Contains(m, foreign.GetName()) {
				t.Errorf("the message does not name the object: %s", m)
			}
			now := foreign.DeepCopyObject().(client.Object)
			if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(foreign), now); err != nil || now.GetResourceVersion() != foreign.GetResourceVersion() {
				t.Errorf("it was touched: %v, version %s, before %s", err, now.GetResourceVersion(), foreign.GetResourceVersion())
			}
		})
	}
}

// Each write looks at the owner, whatever the rooms asked for.
func TestWritesLookAtTheOwner(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	run := newRun(t, ns)
	run.UID = "1"
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "foreign"}, Data: map[string]string{"mine": "yes"}}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "foreign"}, Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}
	for _, obj := range []client.Object{cm, set} {
		if err := server.API.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	changed := cm.DeepCopy()
	changed.Data["mine"] = "no"
	a := actor{client: server.API, live: server.API, now: time.Now(), run: run}
	for what, c := range map[string]struct {
		action decision.Action
		stops  bool
		err    bool
	}{
		"replace":             {decision.Replace{Object: changed}, true, false},
		"delete":              {decision.Delete{Object: cm}, false, false},
		"add data":            {decision.AddData{Name: "foreign", Key: "log.txt", Value: "x"}, false, false},
		"add data to nothing": {decision.AddData{Name: "gone", Key: "log.txt", Value: "x"}, false, false},
		"scale":               {decision.Scale{Name: "foreign", UID: "of-the-run-s-own", Replicas: 0}, false, true},
	} {
		out, err := a.perform(t.Context(), []decision.Action{c.action})
		if (out.stopped != nil) != c.stops || (err != nil) != c.err {
			t.Errorf("%s: stopped %+v, %v", what, out.stopped, err)
		}
	}
	for _, obj := range []client.Object{cm, set} {
		now := obj.DeepCopyObject().(client.Object)
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(obj), now); err != nil || now.GetResourceVersion() != obj.GetResourceVersion() {
			t.Errorf("%T was touched: %v", obj, err)
		}
	}
}

func message(run *v1alpha1.BenchmarkRun) string {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionFailed {
			return c.Message
		}
	}
	return ""
}

// A run that is applied again right after its deletion waits for the remains of
// the deleted one, and never takes them for its own.
func TestRunOfTheSameNameWaitsForTheOldOne(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns)
	owner := metav1.NewControllerRef(&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name, UID: "of-the-deleted-run"}},
		v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	old := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: contract.TargetName("run", "db"), Namespace: ns, OwnerReferences: []metav1.OwnerReference{*owner},
	}}
	if err := server.API.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	create(t, run)
	await(t, run, "waiting for the old one", func(r *v1alpha1.BenchmarkRun) bool {
		for _, c := range r.Status.Conditions {
			if c.Type == v1alpha1.ConditionTargetsReady && strings.Contains(c.Message, "earlier run of the same name") {
				return true
			}
		}
		return false
	})
	// The garbage collector, which is not here, deletes it in the end.
	if err := server.API.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
}
