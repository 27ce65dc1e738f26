package resources

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Who uses a volume is read as it was written; anything else is nobody.
func TestUserOf(t *testing.T) {
	user := VolumeUser{RunName: "nightly.2026", RunUID: "uid", StatefulSet: "nightly.2026-db-db"}
	tests := map[string]struct {
		annotation string
		want       VolumeUser
		known      bool
	}{
		"written": {user.String(), user, true}, "nothing": {"", VolumeUser{}, false}, "a name": {"nightly", VolumeUser{}, false},
		"no UID": {"nightly//set", VolumeUser{}, false}, "too much": {"a/b/c/d", VolumeUser{}, false},
		"given up":       {user.String() + "/given-up", VolumeUser{RunName: user.RunName, RunUID: user.RunUID, StatefulSet: user.StatefulSet, GivenUp: true}, true},
		"given up twice": {user.String() + "/given-up/given-up", VolumeUser{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := UserOf(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.AnnotationUsedBy: tt.annotation}}})
			if got != tt.want || known != tt.known || known && got.String() != tt.annotation {
				t.Errorf("%+v %v, want %+v %v", got, known, tt.want, tt.known)
			}
		})
	}
	if diff := cmp.Diff("nightly.2026-db-db-0", user.Pod()); diff != "" {
		t.Error(diff)
	}
}

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
		"far longer": {map[string]string{v1alpha1.AnnotationWrittenBy: strings.Repeat("x", 1000) + "/uid/2026-11-27T19:00:00Z"}, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := WriterOf(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: tt.annotations}})
			if got != tt.want || known != tt.known {
				t.Errorf("%q %v, want %q %v", got, known, tt.want, tt.known)
			}
		})
	}
}
