package show

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/screen"
)

var began = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// at a step, with a reason and a message; the steps before are done.
func at(step, reason, message string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo", UID: "u"}}
	run.Status.Phase = v1alpha1.PhaseQueued
	for _, name := range readout.Steps {
		c := metav1.Condition{Type: name, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(began)}
		if name == step {
			c.Status, c.Reason, c.Message = metav1.ConditionFalse, reason, message
			run.Status.Conditions = append(run.Status.Conditions, c)
			break
		}
		run.Status.Conditions = append(run.Status.Conditions, c)
	}
	return run
}

func ended(run *v1alpha1.BenchmarkRun, conditions ...metav1.Condition) *v1alpha1.BenchmarkRun {
	run.Status.Phase, run.Status.Conditions = v1alpha1.PhaseFailed, conditions
	return run
}

// The condition that decides is named, with who is to act.
func TestWhy(t *testing.T) {
	failed := ended(at("", "", ""), metav1.Condition{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonVersionNotInCatalogue, Message: "no MySQL 1.0"})
	trial := ended(at("", "", ""), metav1.Condition{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonDeadlineExceeded, Message: "late"})
	trial.Status.Trials = []v1alpha1.TrialStatus{{Index: 3, Target: "db", State: v1alpha1.TrialFailed, Reason: "ToolFailed", Message: "exit code 1"}}
	invalid := ended(at("", "", ""), metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue},
		metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonNoUsableTrial, Message: "none counts"})
	passed := ended(at("", "", ""), metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue})
	suspended := at(v1alpha1.ConditionPlaced, v1alpha1.ReasonSuspended, "spec.suspend holds the run back")
	suspended.Status.Conditions = append(suspended.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSuspended, Message: "spec.suspend is true"})
	unseen := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo"}}
	for name, tt := range map[string]struct {
		run  *v1alpha1.BenchmarkRun
		says []string
	}{
		"in the queue": {at(v1alpha1.ConditionPlaced, v1alpha1.ReasonQueued, "queued: position 2, after ns/b; node n1 is held by ns/a"),
			[]string{"ns/demo: Queued", "Placed: Queued, for 4 min", "position 2, after ns/b; node n1 is held by ns/a", "who acts: nobody", "kubectl assay explain Queued"}},
		"it was refused":      {failed, []string{"Failed: VersionNotInCatalogue", "no MySQL 1.0", "who acts: "}},
		"a trial failed":      {trial, []string{"Failed: DeadlineExceeded", "trial 3 of db: ToolFailed\n  exit code 1"}},
		"nothing counts":      {invalid, []string{"Valid: NoUsableTrial", "none counts"}},
		"it has passed":       {passed, []string{"It waits for nothing."}},
		"somebody holds it":   {suspended, []string{"Suspended: Suspended", "spec.suspend is true"}},
		"nobody has seen it":  {unseen, []string{"no manager has seen the run yet"}},
		"a reason of a later": {at(v1alpha1.ConditionPlaced, "NotKnownHere", "?\x1b[2J"), []string{"Placed: NotKnownHere", "?\uFFFD[2J"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := whyOf(tt.run)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := tellWhy(contract.CleanWriter{To: &out}, doc.Why, began.Add(4*time.Minute)); err != nil {
				t.Fatal(err)
			}
			for _, says := range tt.says {
				if !strings.Contains(out.String(), says) {
					t.Errorf("it does not say %q:\n%s", says, out.String())
				}
			}
		})
	}
}

// Pods of the run that are not ready are named with what they wait for, those of others are not.
func TestPendingPods(t *testing.T) {
	run := at(v1alpha1.ConditionTargetsReady, v1alpha1.ReasonProgressing, "starting")
	pod := func(name, uid string, status corev1.PodStatus) client.Object {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{v1alpha1.LabelRunUID: uid}}, Status: status}
	}
	waiting := []corev1.ContainerStatus{{Name: "server", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}}}}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		pod("a", "u", corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available"}}}),
		pod("b", "u", corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: waiting}),
		pod("c", "u", corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "server", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}),
		pod("d", "u", corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "server", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}),
		pod("e", "u", corev1.PodStatus{Phase: corev1.PodSucceeded}),
		pod("f", "other", corev1.PodStatus{Phase: corev1.PodPending}),
		pod("g", "u", corev1.PodStatus{Phase: corev1.PodPending}),
	).Build()
	doc, err := whyOf(run)
	if err != nil {
		t.Fatal(err)
	}
	doc.addPods(t.Context(), api, run)
	var got []string
	for _, p := range doc.Pods {
		got = append(got, p.Name+": "+p.Message)
	}
	want := []string{"a: 0/1 nodes are available", "b: container server: ImagePullBackOff no such image", "c: container server runs and is not ready", "g: it is not started yet"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The phase of a failed run is its outcome, and stands there once.
func TestWhySaysFailedOnce(t *testing.T) {
	for outcome, want := range map[string]string{"Failed": "ns/a: Failed\n", "Invalid": "ns/a: Failed, Invalid\n"} {
		var out strings.Builder
		if err := tellWhy(&out, output.Why{Namespace: "ns", Name: "a", Phase: "Failed", Outcome: outcome}, time.Now()); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%v: %q, want %q", err, out.String(), want)
		}
	}
}

// What a run waits for is read on every terminal.
func TestWhyFitsTheTerminal(t *testing.T) {
	run := at(v1alpha1.ConditionTargetsReady, v1alpha1.ReasonProgressing, "the server of target mysql does not accept a login yet, and its pod was restarted twice; the log of the server is in the events of the pod")
	doc, err := whyOf(run)
	if err != nil {
		t.Fatal(err)
	}
	doc.Pods = []output.PendingPod{{Name: "demo-mysql-db-0", Message: "container server: ImagePullBackOff the registry has no such image, or does not let this namespace read it, as of a private one"}}
	doc.PodsUnknown = "pods is forbidden: the user of this context may not list the pods of the namespace in which the run is, and needs the role view"
	none := output.Why{Namespace: "a-namespace-with-a-name", Name: "a-run-that-nobody-has-taken-up"}
	screen.Wrapped(t, func(out io.Writer) {
		for _, one := range []output.Why{doc.Why, none} {
			if err := tellWhy(out, one, began.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
