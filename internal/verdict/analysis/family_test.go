package analysis

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"
)

var names = []string{"throughput", "latency.avg", "latency.percentile", "time.setup"}

// planOf has the trials of all blocks in the order block, cell, target; cells are numbers of threads.
func planOf(blocks, cells int, targets ...string) *plan.Plan {
	p := &plan.Plan{Targets: targets, Axes: []string{"threads"}}
	for c := range cells {
		threads := 1 << c
		if cells > 30 {
			threads = 1 + c
		}
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(threads)})
	}
	if cells == 1 {
		p.Axes, p.Cells = nil, []plan.Cell{{}}
	}
	for b := range blocks {
		for c := range cells {
			for t := range targets {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: int32(b), Cell: int32(c), Target: int32(t)})
			}
		}
	}
	return p
}

func specOf(targets int, a *v1alpha1.Analysis) v1alpha1.BenchmarkRunSpec {
	s := v1alpha1.BenchmarkRunSpec{Analysis: a, Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{}}}
	for i := range targets {
		s.Targets = append(s.Targets, v1alpha1.Target{Name: string(rune('a' + i)), MySQL: &v1alpha1.MySQLTarget{}})
	}
	s.Design.Starts = v1alpha1.StartsPerBlock // one start is a reason of its own: TestOneStartIsNamed
	s.SetDefaults()
	return s
}

func value(v intstr.IntOrString) *intstr.IntOrString { return &v }

// analysisOf comparisons, with the defaults of the API.
func analysisOf(all ...v1alpha1.Comparison) *v1alpha1.Analysis {
	return &v1alpha1.Analysis{Comparisons: all, MinimumEffect: "2%", ErrorRate: "5%"}
}

// shown are the contrasts of a family, such as "throughput: b threads=2 against a threads=2".
func shown(l Layout, contrasts []Contrast) (out []string) {
	of := func(u Unit) string {
		text := l.Plan.Targets[u.Target]
		for _, axis := range l.Plan.Axes {
			v := l.Plan.Cells[u.Cell][axis]
			text += " " + axis + "=" + v.String()
		}
		if c := l.combinations()[u.Combination]; c.Factors != nil {
			text += fmt.Sprint(" ", c.Factors["driver"], "/", c.Factors["session"])
		}
		return text
	}
	for _, c := range contrasts {
		out = append(out, c.Measurement.Name+": "+of(c.Value)+" against "+of(c.Baseline))
	}
	return out
}

// drivers of two languages, with one session or two.
func drivers() Layout {
	p := planOf(6, 1, "a")
	p.Axes = []string{"language"}
	p.Cells = []plan.Cell{{"language": intstr.FromString("Node")}, {"language": intstr.FromString("Go")}}
	one := func(driver, session, language string) Combination {
		c := Combination{Labels: map[string]string{"driver": driver}, Factors: map[string]string{"driver": driver, "session": session}, Axes: map[string]string{"language": language}}
		if session != "Dedicated" {
			c.Labels["session"] = session
		}
		return c
	}
	return Layout{Plan: p, Combinations: []Combination{one("x", "Dedicated", "Node"), one("x", "Pool", "Node"), one("y", "Dedicated", "Node"), one("g", "Dedicated", "Go")}}
}

func TestFamily(t *testing.T) {
	driverSpec := specOf(1, nil)
	driverSpec.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{}}
	tests := map[string]struct {
		layout   Layout
		targets  int
		analysis *v1alpha1.Analysis
		primary  []string
		control  []string
		wantErr  string
	}{
		"by default every target against the first, in two measurements": {
			layout: Layout{Plan: planOf(6, 1, "a", "b", "c")}, targets: 3,
			primary: []string{"throughput: b against a", "throughput: c against a", "latency.percentile: b against a", "latency.percentile: c against a"},
		},
		"one target compares nothing": {layout: Layout{Plan: planOf(6, 2, "a")}, targets: 1},
		"an axis, with two targets": {
			layout: Layout{Plan: planOf(6, 3, "a", "b")}, targets: 2,
			analysis: analysisOf(v1alpha1.Comparison{Factor: "threads", Baseline: value(intstr.FromInt(2)), Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}),
			primary: []string{
				"throughput: a threads=1 against a threads=2", "throughput: b threads=1 against b threads=2",
				"throughput: a threads=4 against a threads=2", "throughput: b threads=4 against b threads=2",
			},
		},
		"two baselines, one of them within a part": {
			layout: Layout{Plan: planOf(6, 2, "a", "b", "c")}, targets: 3,
			analysis: analysisOf(
				v1alpha1.Comparison{Factor: "target", Baseline: value(intstr.FromString("c")), Within: v1alpha1.Exclusion{"threads": intstr.FromInt(2)}, Measurements: []v1alpha1.MeasurementRef{{Name: "latency.avg"}}},
				v1alpha1.Comparison{Factor: "threads", Within: v1alpha1.Exclusion{"target": intstr.FromString("b")}, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}),
			primary: []string{
				"latency.avg: a threads=2 against c threads=2", "latency.avg: b threads=2 against c threads=2", "throughput: b threads=2 against b threads=1",
			},
		},
		"drivers of several languages": {
			layout: drivers(), targets: 1, analysis: analysisOf(v1alpha1.Comparison{Factor: "driver", Baseline: value(intstr.FromString("x")), Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}),
			primary: []string{"throughput: a language=Node y/Dedicated against a language=Node x/Dedicated", "throughput: a language=Go g/Dedicated against a language=Node x/Dedicated"},
		},
		"sessions of a driver": {
			layout: drivers(), targets: 1, analysis: analysisOf(v1alpha1.Comparison{Factor: "session", Baseline: value(intstr.FromString("Dedicated")), Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}),
			primary: []string{"throughput: a language=Node x/Pool against a language=Node x/Dedicated"},
		},
		"the control is in no comparison of targets": {
			layout: Layout{Plan: planOf(6, 1, "a", "b", "control")}, targets: 2, analysis: &v1alpha1.Analysis{Control: true, MinimumEffect: "2%", ErrorRate: "5%"},
			primary: []string{"throughput: b against a", "latency.percentile: b against a"},
			control: []string{"throughput: control against a", "latency.percentile: control against a"},
		},
		"a factor that is none": {
			layout: Layout{Plan: planOf(6, 2, "a", "b")}, targets: 2, analysis: analysisOf(v1alpha1.Comparison{Factor: "driver"}),
			wantErr: `spec.analysis.comparisons[0].factor: "driver" is no factor of this run: use one of target, threads`,
		},
		"a baseline that is none": {
			layout: Layout{Plan: planOf(6, 2, "a", "b")}, targets: 2, analysis: analysisOf(v1alpha1.Comparison{Factor: "threads", Baseline: value(intstr.FromInt(3))}),
			wantErr: `spec.analysis.comparisons[0].baseline: "3" is no value of threads: use one of 1, 2`,
		},
		"the control as a baseline": {
			layout: Layout{Plan: planOf(6, 1, "a", "b", "control")}, targets: 2,
			analysis: &v1alpha1.Analysis{Control: true, MinimumEffect: "2%", ErrorRate: "5%", Comparisons: []v1alpha1.Comparison{{Factor: "target", Baseline: value(intstr.FromString("control"))}}},
			wantErr:  `spec.analysis.comparisons[0].baseline: "control" is no value of target: use one of a, b`,
		},
		"a part that there is not": {
			layout: Layout{Plan: planOf(6, 2, "a", "b")}, targets: 2, analysis: analysisOf(v1alpha1.Comparison{Factor: "target", Within: v1alpha1.Exclusion{"threads": intstr.FromInt(64)}}),
			wantErr: `spec.analysis.comparisons[0].within: "64" is no value of threads: use one of 1, 2`,
		},
		"a measurement that there is not": {
			layout: Layout{Plan: planOf(6, 1, "a", "b")}, targets: 2, analysis: analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "speed"}}}),
			wantErr: `spec.analysis.comparisons[0].measurements[0].name: the records of this tool have no speed: use one of throughput, latency.avg, latency.percentile, time.setup`,
		},
		"a factor of one value": {
			layout: Layout{Plan: planOf(6, 1, "a")}, targets: 1, analysis: analysisOf(v1alpha1.Comparison{Factor: "target"}),
			wantErr: `spec.analysis.comparisons[0]: it compares nothing`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := Declare(specOf(tc.targets, tc.analysis), names)
			if err != nil {
				t.Fatal(err)
			}
			f, err := FamilyOf(tc.layout, d, names, 10000)
			if (err != nil) != (tc.wantErr != "") || err != nil && !strings.HasPrefix(err.Error(), tc.wantErr) {
				t.Fatalf("error %v, want %q", err, tc.wantErr)
			}
			if diff := cmp.Diff(tc.primary, shown(tc.layout, f.Primary)); diff != "" {
				t.Errorf("primary (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.control, shown(tc.layout, f.Control)); diff != "" {
				t.Errorf("control (-want +got):\n%s", diff)
			}
		})
	}
}

// A family is bounded, and by fewer comparisons where each has many blocks.
func TestFamilyIsBounded(t *testing.T) {
	d, err := Declare(specOf(2, nil), names)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ blocks, cells, limit, want int }{{2, 2000, 10000, 0}, {2, 2000, 3999, 3999}, {100, 500, 10000, 838}} {
		p := planOf(1, 1, "a", "b")
		p.Axes, p.Cells = []string{"threads"}, nil
		for c := range tc.cells {
			p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(c)})
		}
		p.Trials = append(p.Trials, plan.Trial{Block: int32(tc.blocks - 1)})
		_, err := FamilyOf(Layout{Plan: p}, d, names, tc.limit)
		var many *TooManyError
		if errors.As(err, &many) != (tc.want > 0) || tc.want > 0 && (many.Limit != tc.want || many.Comparisons != 2*tc.cells) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

// The blocks that the issue of the families names: 25 comparisons need 10, 100 need 12.
func TestForesee(t *testing.T) {
	for _, tc := range []struct {
		blocks, cells, needed int
		enough                bool
	}{{10, 1, 7, true}, {6, 1, 7, false}, {12, 50, 12, true}, {10, 12, 10, true}} {
		l := Layout{Plan: planOf(tc.blocks, tc.cells, "a", "b")}
		d, err := Declare(specOf(2, nil), names)
		if err != nil {
			t.Fatal(err)
		}
		f, err := FamilyOf(l, d, names, 10000)
		if err != nil {
			t.Fatal(err)
		}
		got := Foresee(f, l, d)
		if got.Comparisons != 2*tc.cells || got.Needed != tc.needed || got.Enough() != tc.enough || got.Pilot != 0 {
			t.Errorf("%+v: %+v", tc, got)
		}
	}
}
