package trial

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// The digest of the image decides whether the server is that which wrote a volume.
func TestSameServer(t *testing.T) {
	volume := &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid", Target: "db", ImageID: "a.example/mysql@sha256:feed"}
	tests := map[string]struct {
		from    *v1alpha1.ResolvedVolume
		imageID string
		want    decision.State
		says    string
	}{
		"a volume of its own":        {nil, "", decision.Done{}, ""},
		"not known yet":              {volume, "", decision.Waiting{}, "waiting for the digest"},
		"the same":                   {volume, "a.example/mysql@sha256:feed", decision.Done{}, ""},
		"the same, from elsewhere":   {volume, "b.example/mysql@sha256:feed", decision.Done{}, ""},
		"a tag that was moved since": {volume, "a.example/mysql@sha256:beef", decision.Failed{}, "is sha256:beef by now, and the files of the volume were written with sha256:feed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "a.example/mysql:1", Retained: tt.from}}}
			run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ImageID: tt.imageID}}
			switch got := SameServer(Input{Run: run}, "db").(type) {
			case decision.Done:
				if _, is := tt.want.(decision.Done); !is {
					t.Error("done")
				}
			case decision.Waiting:
				if _, is := tt.want.(decision.Waiting); !is || !strings.Contains(got.Message, tt.says) {
					t.Error(got)
				}
			case decision.Failed:
				if _, is := tt.want.(decision.Failed); !is || got.Reason != v1alpha1.ReasonRetainedVolumeUnfit || !strings.Contains(got.Message, tt.says) {
					t.Error(got)
				}
			}
		})
	}
}
