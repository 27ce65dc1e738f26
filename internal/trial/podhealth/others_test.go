package podhealth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOthers(t *testing.T) {
	at := func(minutes int) *metav1.Time {
		return &metav1.Time{Time: start.Add(time.Duration(minutes) * time.Minute)}
	}
	// The window is from minute 10 to minute 20. A pod is taken up in minute 0 and runs.
	other := func(change ...func(*corev1.Pod)) corev1.Pod {
		p := pod(append([]func(*corev1.Pod){on, phase(corev1.PodRunning, ""), func(p *corev1.Pod) {
			p.Namespace, p.Status.StartTime = "theirs", at(0)
		}}, change...)...)
		return *p
	}
	ended := func(minute int) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			phase(corev1.PodSucceeded, "")(p)
			exited(corev1.ContainerStateTerminated{FinishedAt: *at(minute)})(p)
		}
	}
	owner := func(kind string, controller bool) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "X"}, {Kind: kind, Controller: &controller}}
		}
	}
	ofRun := func(uid string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Labels = map[string]string{"assay.dev/run-uid": uid} }
	}
	unseenEnd := func(minute int) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			ended(0)(p)
			p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.Time{}
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, LastTransitionTime: *at(minute)})
		}
	}
	tests := map[string]struct {
		pod  corev1.Pod
		want bool
	}{
		"a pod that runs":                            {other(), true},
		"a pod on another node":                      {other(func(p *corev1.Pod) { p.Spec.NodeName = "m" }), false},
		"a pod of the run":                           {other(ofRun("u")), false},
		"a pod of another run":                       {other(ofRun("v")), true},
		"a pod of a DaemonSet":                       {other(owner("DaemonSet", true)), false},
		"a pod that a DaemonSet owns but not rules":  {other(owner("DaemonSet", false)), true},
		"a pod of a Deployment":                      {other(owner("ReplicaSet", true)), true},
		"a static pod by its owner":                  {other(owner("Node", true)), false},
		"a static pod by its annotation":             {other(func(p *corev1.Pod) { p.Annotations = map[string]string{"kubernetes.io/config.mirror": "h"} }), false},
		"a pod of the cluster":                       {other(func(p *corev1.Pod) { p.Namespace = "kube-system" }), false},
		"a pod that ended before":                    {other(ended(9)), false},
		"a pod that ended within":                    {other(ended(11)), true},
		"a pod that ended after":                     {other(ended(30)), true},
		"a pod that began within":                    {other(func(p *corev1.Pod) { p.Status.StartTime = at(19) }), true},
		"a pod that began after":                     {other(func(p *corev1.Pod) { p.Status.StartTime = at(21) }), false},
		"a pod that its node has not taken up":       {other(func(p *corev1.Pod) { p.Status.StartTime = nil }), false},
		"a pod whose image is pulled":                {other(phase(corev1.PodPending, "")), true},
		"a pod that its node refused":                {other(phase(corev1.PodFailed, "OutOfcpu")), false},
		"a pod whose end nobody saw, ready till 9":   {other(unseenEnd(9)), false},
		"a pod whose end nobody saw, ready till 11":  {other(unseenEnd(11)), true},
		"a pod whose first containers ended earlier": {other(ended(9), func(p *corev1.Pod) { p.Status.InitContainerStatuses = p.Status.ContainerStatuses; ended(12)(p) }), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Others([]corev1.Pod{tt.pod}, "u", "n", at(10).Time, at(20).Time)
			if (len(got) == 1) != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	b, a := other(func(p *corev1.Pod) { p.Name = "b" }), other(func(p *corev1.Pod) { p.Name = "a" })
	got := Others([]corev1.Pod{b, a}, "u", "n", at(10).Time, at(20).Time)
	if diff := cmp.Diff([]string{"theirs/a", "theirs/b"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
