package plan

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// axis has values as they stand in the spec: integers and strings.
func axis(name string, values ...any) v1alpha1.Axis {
	a := v1alpha1.Axis{Name: name}
	for _, v := range values {
		switch v := v.(type) {
		case int:
			a.Values = append(a.Values, intstr.FromInt32(int32(v)))
		case string:
			a.Values = append(a.Values, intstr.FromString(v))
		}
	}
	return a
}

// numbers is an axis with the values 0 to n-1.
func numbers(name string, n int) v1alpha1.Axis {
	a := v1alpha1.Axis{Name: name}
	for i := range n {
		a.Values = append(a.Values, intstr.FromInt32(int32(i)))
	}
	return a
}

func spec(order v1alpha1.TrialOrder, blocks int32, targets string, matrix ...v1alpha1.Axis) v1alpha1.BenchmarkRunSpec {
	s := v1alpha1.BenchmarkRunSpec{
		Design: v1alpha1.Design{Blocks: blocks, Order: order, Seed: new(int64(42)), DataReset: v1alpha1.ResetPerRun},
		Matrix: matrix,
	}
	for _, name := range strings.Fields(targets) {
		s.Targets = append(s.Targets, v1alpha1.Target{Name: name})
	}
	return s
}

func mustNew(t testing.TB, s v1alpha1.BenchmarkRunSpec) *Plan {
	t.Helper()
	p, err := New(s, nil, Largest())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var allOrders = []v1alpha1.TrialOrder{v1alpha1.OrderRandomizedBlocks, v1alpha1.OrderABBA, v1alpha1.OrderSequential}

// The plan of a spec must never change: a manager of another version goes on with
// the runs of this one. Never update a golden file without a new name of the order.
func TestPlansAreTheGoldenBytes(t *testing.T) {
	for _, order := range allOrders {
		t.Run(string(order), func(t *testing.T) {
			s := spec(order, 3, "innodb myrocks", axis("threads", 1, 16, 64), axis("test", "oltp_read_only", "oltp_write_only"))
			s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1), "test": intstr.FromString("oltp_write_only")}}
			s.Design.DataReset = v1alpha1.ResetPerBlock
			got := mustNew(t, s).Canonical()
			golden := filepath.Join("testdata", string(order)+".golden.json")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) {
				t.Errorf("plan (-want +got):\n%s", cmp.Diff(string(want), string(got)))
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRunSpec)
		want   string
	}{
		"a run without targets": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Targets = nil }, "spec.targets: ",
		},
		"a run without blocks": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Blocks = 0 }, "spec.design.blocks: 0 is too few",
		},
		"an order that it does not know": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = "Random" }, `spec.design.order: "Random" is not known`,
		},
		"a reset that it does not know": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Design.DataReset = "" }, `spec.design.dataReset: "" is not known`,
		},
		"an axis that decides what is loaded": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = append(s.Matrix, axis("tables", 1, 10)) },
			"spec.matrix[2]: tables decides what is loaded, and a run loads one data set: make one run per value",
		},
		"two axes of one name": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = append(s.Matrix, axis("threads", 9)) }, "spec.matrix[2]: a second axis has the name threads",
		},
		"an axis without values": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix[1].Values = nil }, "spec.matrix[1]: test has no values",
		},
		"a value twice, once as a number and once as text": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix[0] = axis("threads", 64, "64") }, "spec.matrix[0]: threads has the value 64 twice",
		},
		"an exclusion of no axis": {
			func(s *v1alpha1.BenchmarkRunSpec) {
				s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1), "thread": intstr.FromInt32(1)}}
			},
			"spec.exclude[0]: thread is no axis of spec.matrix: use one of [threads test]",
		},
		"an exclusion of a value that the axis lacks": {
			func(s *v1alpha1.BenchmarkRunSpec) {
				s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1), "test": intstr.FromString("a")}, {"threads": intstr.FromInt32(2)}}
			},
			"spec.exclude[1]: the axis threads has no value 2: it has [1 64]",
		},
		"an exclusion without values": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Exclude = []v1alpha1.Exclusion{{}} }, "spec.exclude[0]: the entry is empty",
		},
		"an exclusion that changes nothing": {
			func(s *v1alpha1.BenchmarkRunSpec) {
				s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1)}, {"threads": intstr.FromInt32(1), "test": intstr.FromString("a")}}
			},
			"spec.exclude[1]: it excludes no cell",
		},
		"an exclusion without a matrix": {
			func(s *v1alpha1.BenchmarkRunSpec) {
				s.Matrix = nil
				s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1)}}
			},
			"spec.exclude[0]: threads is no axis",
		},
		"the exclusion of everything": {
			func(s *v1alpha1.BenchmarkRunSpec) {
				s.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(1)}, {"threads": intstr.FromInt32(64)}}
			},
			"spec.exclude: every cell of spec.matrix is excluded",
		},
		"more exclusions than the API allows": {
			func(s *v1alpha1.BenchmarkRunSpec) { s.Exclude = make([]v1alpha1.Exclusion, 65) }, "spec.exclude: 65 entries are too many",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := spec(v1alpha1.OrderABBA, 2, "a b", axis("threads", 1, 64), axis("test", "a", "b"))
			tt.change(&s)
			p, err := New(s, []string{"tables", "tableSize"}, Largest())
			if err == nil || !strings.Contains(err.Error(), tt.want) || p != nil {
				t.Errorf("New = %v, %v, want an error with %q", p, err, tt.want)
			}
		})
	}
}

func TestTheNumberOfTrialsIsBounded(t *testing.T) {
	largest := make([]v1alpha1.Axis, 8)
	for i := range largest {
		largest[i] = numbers(string(rune('a'+i)), 64)
	}
	tests := map[string]struct {
		blocks  int32
		targets string
		matrix  []v1alpha1.Axis
		exclude []v1alpha1.Exclusion
		want    *TooManyError
	}{
		"exactly 20,000 are allowed":      {blocks: 100, targets: "a b c d e", matrix: []v1alpha1.Axis{numbers("x", 40)}},
		"one cell more is not":            {blocks: 100, targets: "a b c d e", matrix: []v1alpha1.Axis{numbers("x", 41)}, want: &TooManyError{Blocks: 100, Targets: 5, Cells: 41}},
		"what is excluded does not count": {blocks: 100, targets: "a b c d e", matrix: []v1alpha1.Axis{numbers("x", 41)}, exclude: []v1alpha1.Exclusion{{"x": intstr.FromInt32(7)}}},
		"the largest matrix of the API":   {blocks: 100, targets: "a b c d e f g h", matrix: largest, want: &TooManyError{Blocks: 100, Targets: 8, Cells: 1 << 48}},
		"the largest matrix with an exclusion": {
			blocks: 1, targets: "a", matrix: largest, exclude: []v1alpha1.Exclusion{{"a": intstr.FromInt32(7)}},
			want: &TooManyError{Blocks: 1, Targets: 1, Cells: 1 << 48, BeforeExclude: true},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := spec(v1alpha1.OrderABBA, tt.blocks, tt.targets, tt.matrix...)
			s.Exclude = tt.exclude
			_, err := New(s, nil, Largest())
			var got *TooManyError
			if errors.As(err, &got) != (err != nil) {
				t.Fatalf("New = %v, want a TooManyError or none", err)
			}
			if tt.want != nil {
				tt.want.Limits = Largest()
				for _, axis := range tt.matrix {
					tt.want.Axes = append(tt.want.Axes, len(axis.Values))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTooManyErrorShowsTheArithmetic(t *testing.T) {
	err := &TooManyError{Blocks: 10, Targets: 2, Cells: 1001, Limits: Largest()}
	if want := "10 blocks x 2 targets x 1001 cells are 20020 trials, and a run has at most 20000: "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Error() = %q, want it to begin with %q", err, want)
	}
	err = &TooManyError{Blocks: 1 << 40, Targets: 1 << 40, Cells: 1, BeforeExclude: true}
	if got := err.Trials(); got != 1<<63-1 {
		t.Errorf("Trials() = %d, want the largest number", got)
	}
	if !strings.Contains(err.Error(), "before spec.exclude") {
		t.Errorf("Error() = %q does not say that nothing was excluded yet", err)
	}
}

// The number of cells has a limit of its own, which may be lower.
func TestTheNumberOfCellsIsBounded(t *testing.T) {
	s := spec(v1alpha1.OrderABBA, 1, "a", numbers("x", 20), numbers("y", 9), numbers("z", 9), numbers("w", 9))
	_, err := New(s, nil, Limits{Cells: 2000, Trials: MaxTrials})
	const want = "spec.matrix: axes with 20 x 9 x 9 x 9 values make 14580 cells, and a run has at most 2000 (limits.cells of the operator)"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if p, err := New(s, nil, Limits{Cells: 14580, Trials: MaxTrials}); err != nil || len(p.Cells) != 14580 {
		t.Errorf("as many cells as allowed: %v", err)
	}
}

func TestCellsAreTheProductWithoutTheExcluded(t *testing.T) {
	s := spec(v1alpha1.OrderSequential, 1, "a", axis("threads", 1, 64), axis("test", "r", "w"), axis("skipTrx", "true", "false"))
	s.Exclude = []v1alpha1.Exclusion{
		{"threads": intstr.FromString("64"), "skipTrx": intstr.FromString("true")},
		{"test": intstr.FromString("w"), "skipTrx": intstr.FromString("false")},
	}
	cell := func(threads int32, test, skip string) Cell {
		return Cell{"threads": intstr.FromInt32(threads), "test": intstr.FromString(test), "skipTrx": intstr.FromString(skip)}
	}
	want := []Cell{cell(1, "r", "true"), cell(1, "r", "false"), cell(1, "w", "true"), cell(64, "r", "false")}
	if diff := cmp.Diff(want, mustNew(t, s).Cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestWithoutAMatrixThereIsOneCell(t *testing.T) {
	p := mustNew(t, spec(v1alpha1.OrderABBA, 2, "a b"))
	want := &Plan{
		Seed: 42, Order: v1alpha1.OrderABBA, Targets: []string{"a", "b"}, Cells: []Cell{{}},
		Trials: []Trial{{Index: 0}, {Index: 1, Target: 1}, {Index: 2, Block: 1, Target: 1}, {Index: 3, Block: 1}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestDescribe(t *testing.T) {
	p := mustNew(t, spec(v1alpha1.OrderABBA, 4, "innodb myrocks", axis("threads", 1, 64), axis("test", "oltp_read_only")))
	tests := map[string]struct {
		plan  *Plan
		trial Trial
		want  string
	}{
		"the axes in the order of the matrix": {p, Trial{Block: 3, Cell: 1}, "innodb threads=64 test=oltp_read_only block 3"},
		"no matrix":                           {mustNew(t, spec(v1alpha1.OrderABBA, 4, "innodb")), Trial{}, "innodb block 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.plan.Describe(tt.trial); got != tt.want {
				t.Errorf("Describe = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDuration(t *testing.T) {
	tests := map[string]struct {
		trials         int
		cell, cooldown time.Duration
		want           time.Duration
	}{
		"pauses are between the trials": {3, 330 * time.Second, 10 * time.Second, 3*330*time.Second + 2*10*time.Second},
		"no trials":                     {0, time.Hour, time.Hour, 0},
		"beyond what a duration holds":  {20000, 1 << 55, 0, 1<<63 - 1},
		"beyond it in the sum":          {20000, 1 << 48, 1 << 48, 1<<63 - 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (&Plan{Trials: make([]Trial, tt.trials)}).Duration([]time.Duration{tt.cell}, tt.cooldown); got != tt.want {
				t.Errorf("Duration = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSHA256TellsPlansApart(t *testing.T) {
	a, b := mustNew(t, spec(v1alpha1.OrderABBA, 2, "a b")), mustNew(t, spec(v1alpha1.OrderABBA, 3, "a b"))
	if a.SHA256() == b.SHA256() || len(a.SHA256()) != 64 {
		t.Errorf("hashes %s and %s: want two different ones of 64 digits", a.SHA256(), b.SHA256())
	}
}

// What somebody else measured is no target of the plan.
func TestPublishedTargetsAreNotMeasured(t *testing.T) {
	s := spec(v1alpha1.OrderSequential, 2, "ours quoted theirs", axis("threads", 1, 2))
	s.Targets[1].Published = &v1alpha1.PublishedTarget{}
	p := mustNew(t, s)
	if diff := cmp.Diff([]string{"ours", "theirs"}, p.Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if len(p.Trials) != 8 {
		t.Errorf("%d trials, want 2 blocks x 2 targets x 2 cells", len(p.Trials))
	}
	s.Targets = s.Targets[1:2]
	if _, err := New(s, nil, Largest()); err == nil || !strings.Contains(err.Error(), "spec.targets: a run needs at least one target to measure") {
		t.Errorf("error %v", err)
	}
}
