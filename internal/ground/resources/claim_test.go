package resources

import (
	"testing"

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
