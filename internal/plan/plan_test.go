package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestNew(t *testing.T) {
	tests := map[string]struct {
		targets []string
		blocks  int32
		want    []Trial
	}{
		"one target is repeated once per block": {
			targets: []string{"a"}, blocks: 3,
			want: []Trial{{0, 0, "a"}, {1, 1, "a"}, {2, 2, "a"}},
		},
		"each block measures every target once, in the order of the spec": {
			targets: []string{"b", "a"}, blocks: 2,
			want: []Trial{{0, 0, "b"}, {1, 0, "a"}, {2, 1, "b"}, {3, 1, "a"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.BenchmarkRunSpec{Design: v1alpha1.Design{Blocks: tt.blocks}}
			for _, n := range tt.targets {
				spec.Targets = append(spec.Targets, v1alpha1.Target{Name: n})
			}
			if diff := cmp.Diff(tt.want, New(spec)); diff != "" {
				t.Errorf("plan differs (-want +got):\n%s", diff)
			}
		})
	}
}
