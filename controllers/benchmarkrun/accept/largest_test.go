package accept

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/bounds"
)

// settingsOf so many values each, of names of settings.
func settingsOf(values map[string]int) (matrix []v1alpha1.Axis) {
	for _, name := range []string{
		"sort_buffer_size", "join_buffer_size", "read_buffer_size", "tmp_table_size", "innodb_io_capacity", "lock_wait_timeout", "net_read_timeout",
	} {
		axis := v1alpha1.Axis{Name: "config." + name}
		for i := range max(values[name], 1) {
			axis.Values = append(axis.Values, intstr.FromInt(4096*(i+1)))
		}
		matrix = append(matrix, axis)
	}
	// A text of the most length, which each of the cells has.
	return append(matrix, v1alpha1.Axis{Name: "config.init_connect", Values: []intstr.IntOrString{intstr.FromString("SET @a = '" + strings.Repeat("x", 501) + "'")}})
}

// targets of a run, each on a server like the first.
func targets(n int) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		first := s.Targets[0]
		s.Targets = nil
		for i := range n {
			t := *first.DeepCopy()
			t.Name = fmt.Sprintf("t%d", i)
			s.Targets = append(s.Targets, t)
		}
	})
}

// unlimited are limits at the most that can be configured.
func unlimited(w *world) {
	l := &w.in.Catalogue.Config.Limits
	l.Cells, l.Trials, l.Comparisons, l.WorkBytes = config.MaxTrials, config.MaxTrials, config.MaxTrials, resource.MustParse("1Gi")
	w.in.Catalogue.Config.Results.Budget.Run = resource.MustParse("16Gi")
	w.others.Namespace.Limit, w.others.Cluster.Limit = 1<<40, 1<<40
	w.in.Turn = true
}

// A matrix of 1250 cells of settings on the most targets, of the most trials, is planned in parts, and the status does not grow with it. How
// large a part may be: internal/experiment.TestAPlanAtTheBoundOfItsConfigMap.
func TestTheLargestMatrixOfSettings(t *testing.T) {
	mostTargets := bounds.Most(t, "spec.targets")
	for name, tt := range map[string]struct {
		targets, blocks int
		values          map[string]int
		cells           int32
	}{
		"the most targets": {mostTargets, 2, map[string]int{"sort_buffer_size": 50, "join_buffer_size": 5, "read_buffer_size": 5}, 1250},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(targets(tt.targets), unlimited, spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Matrix, s.Design.Blocks, s.Deadline.Duration = settingsOf(tt.values), int32(tt.blocks), 720*time.Hour
			}))
			got := w.decide(t)
			for range 2000 { // some cells in each pass
				if _, waits := got.State.(decision.Waiting); !waits {
					break
				}
				w.in.Planned = got.Planned
				got = w.decide(t)
			}
			if state := words(got.State); !strings.HasPrefix(state, "done") || len(state) > 1024 {
				t.Fatalf("%.2000s", state)
			}
			var parts [][]byte
			for _, action := range got.Actions {
				if do, is := action.(decision.Create); is {
					data := do.Object.(*corev1.ConfigMap).BinaryData[contract.KeyPlan]
					parts = append(parts, data)
				}
			}
			p, err := journal.JoinPlan(parts)
			if err != nil {
				t.Fatal(err)
			}
			st := got.Status.Plan
			if st.TrialCount != config.MaxTrials || st.CellCount != tt.cells || p.SHA256() != st.SHA256 || int(st.ConfigMapCount) != len(parts) {
				t.Errorf("the plan is %+v, and the stored one in %d parts has %s", st, len(parts), p.SHA256())
			}
			if data, err := json.Marshal(got.Status); err != nil || len(data) > 32<<10 {
				t.Errorf("the status has %d bytes, %v", len(data), err)
			}
		})
	}
}

// A run measures on the most volumes of an earlier one: each is pinned, and said.
func TestTheMostVolumesAreMeasuredAgain(t *testing.T) {
	mostTargets := bounds.Most(t, "spec.targets")
	first := kept(t)
	db, resolved, st := first.Spec.Targets[0], first.Status.Resolved.Targets[0], first.Status.Targets[0]
	first.Spec.Targets, first.Status.Resolved.Targets, first.Status.Targets = nil, nil, nil
	for i := range mostTargets {
		one, at, now := *db.DeepCopy(), *resolved.DeepCopy(), *st.DeepCopy()
		one.Name, at.Name, now.Name = fmt.Sprintf("t%d", i), fmt.Sprintf("t%d", i), fmt.Sprintf("t%d", i)
		first.Spec.Targets, first.Status.Resolved.Targets, first.Status.Targets = append(first.Spec.Targets, one), append(first.Status.Resolved.Targets, at), append(first.Status.Targets, now)
	}
	w := newWorld(again(first), targets(mostTargets), func(w *world) {
		for _, of := range first.Spec.Targets {
			claim := resources.Volume{Of: resources.Primary(first, of)}.Claim()
			claim.UID = "uid-claim"
			w.objects[decision.Named[*corev1.PersistentVolumeClaim](claim.Name)] = claim
		}
	}, spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline = metav1.Duration{Duration: 10 * time.Hour} }))
	got := w.decide(t)
	if state := words(got.State); !strings.HasPrefix(state, "done") {
		t.Fatal(state)
	}
	claims, said := map[string]bool{}, 0
	for i, rt := range got.Status.Resolved.Targets {
		if rt.Retained == nil || rt.Retained.Target != fmt.Sprintf("t%d", i) {
			t.Fatalf("target %s measures on %+v", rt.Name, rt.Retained)
		}
		claims[rt.Retained.ClaimName] = true
	}
	for _, f := range got.Findings {
		if f.Check == "data-existing" {
			said++
		}
	}
	if len(claims) != mostTargets || said != mostTargets {
		t.Errorf("%d volumes, and %d findings about data that exists, want %d of each", len(claims), said, mostTargets)
	}
}
