package resources

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Who wrote into a volume is said in words, and what cannot be read is no writer.
func TestWriterOf(t *testing.T) {
	since := time.Date(2026, 11, 27, 20, 0, 0, 0, time.FixedZone("", 3600))
	written := VolumeUser{RunName: "nightly", RunUID: "uid", StatefulSet: "nightly-db-db"}.WrittenBy(since)
	tests := map[string]struct {
		annotations map[string]string
		want        string
		known       bool
	}{
		"nobody":     {nil, "", true},
		"written":    {map[string]string{v1alpha1.AnnotationWrittenBy: written}, "run nightly (uid) from 2026-11-27T19:00:00Z on", true},
		"nothing":    {map[string]string{v1alpha1.AnnotationWrittenBy: ""}, "", false},
		"no time":    {map[string]string{v1alpha1.AnnotationWrittenBy: "nightly/uid/then"}, "", false},
		"no UID":     {map[string]string{v1alpha1.AnnotationWrittenBy: "nightly//2026-11-27T19:00:00Z"}, "", false},
		"no name":    {map[string]string{v1alpha1.AnnotationWrittenBy: "../uid/2026-11-27T19:00:00Z"}, "", false},
		"far longer": {map[string]string{v1alpha1.AnnotationWrittenBy: strings.Repeat("x", 1000) + "/uid/2026-11-27T19:00:00Z"}, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := WriterOf(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: tt.annotations}})
			if got.String() != tt.want || known != tt.known {
				t.Errorf("%q %v, want %q %v", got, known, tt.want, tt.known)
			}
		})
	}
}

// A writer that failed by its server has left what nobody knows. One that failed by its client, goes on or is another of its name has not.
func TestBroke(t *testing.T) {
	ended := func(uid types.UID, condition string, status metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "w", UID: uid}}
		run.Status.Conditions = []metav1.Condition{{Type: condition, Status: status, Reason: reason}}
		return run
	}
	writer := VolumeWriter{RunName: "w", RunUID: "v"}
	const broke = "run w, which was let write into it, failed with TargetOOMKilled, so that nobody knows what its server left there: load again"
	for name, tt := range map[string]struct {
		run  *v1alpha1.BenchmarkRun
		want string
	}{
		"by its server":       {ended("v", v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonTargetOOMKilled), broke},
		"by its client":       {ended("v", v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonToolFailed), ""},
		"it goes on":          {ended("v", v1alpha1.ConditionFailed, metav1.ConditionUnknown, v1alpha1.ReasonTargetOOMKilled), ""},
		"complete":            {ended("v", v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonTargetOOMKilled), ""},
		"another of its name": {ended("x", v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonTargetOOMKilled), ""},
		"not looked at yet":   {&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "w", UID: "v"}}, ""},
	} {
		if got := writer.Broke(tt.run); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
