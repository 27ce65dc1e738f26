package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// calls are combinations of drivers of two languages: mysql has no batch, and mariadb has. Of one row there is no batch either.
func calls(blocks int) Layout {
	p := planOf(blocks, 1, "a")
	p.Axes, p.Cells, p.Trials = []string{"language"}, []plan.Cell{{"language": intstr.FromString("Node")}, {"language": intstr.FromString("Go")}}, nil
	for n := range int32(blocks * 2) {
		p.Trials = append(p.Trials, plan.Trial{Index: n, Block: n / 2, Cell: n % 2})
	}
	l := Layout{Plan: p}
	for _, text := range []string{
		"mysql InsertText SingleRow 100", "mysql InsertText SingleRow 1", "mysql InsertTexts SingleRow 100",
		"mariadb InsertText SingleRow 100", "mariadb InsertText Batch 100", "mariadb InsertTexts Batch 100", "go InsertText Batch 100",
	} {
		words := strings.Fields(text)
		of := map[string]string{"driver": words[0], "operation": words[1], "scheme": words[2], "rows": words[3]}
		one := Combination{Labels: of, Factors: maps.Clone(of), Axes: map[string]string{"language": "Node"}}
		one.Factors["session"] = "Dedicated" // the usual session is no label
		if words[0] == "go" {
			one.Axes = map[string]string{"language": "Go"}
		}
		l.Combinations = append(l.Combinations, one)
	}
	return l
}

// rates of the combinations of calls, in operations per second.
var rates = []float64{47.1, 4135.5, 40, 50, 2449.5, 200, 1000}

// measuredCalls of so many blocks: throughputs, those of rows, what a tool made of them, and a latency.
func measuredCalls(blocks int) Input {
	in := Input{Layout: calls(blocks), Names: []string{"throughput", "throughput.rows", "speedup", "latency.avg"}, Limit: 100}
	for _, at := range in.Layout.Plan.Trials {
		rec := contract.Record{Final: true, Index: at.Index, Block: at.Block, Cell: at.Cell, Target: "a", State: contract.Succeeded, Valid: new(true)}
		for i, one := range in.Layout.Combinations {
			if !one.in(in.Layout.Plan.Cells[at.Cell]) {
				continue
			}
			v := rates[i] * (1 + 0.001*float64(int(at.Block)*(i+3)%7))
			add := func(name, unit string, better contract.Direction, v float64) {
				rec.Values = append(rec.Values, contract.RecordedValue{Name: name, Unit: unit, Direction: better, Labels: one.Labels, Value: v})
			}
			add("throughput", "ops/s", contract.HigherIsBetter, v)
			add("throughput.rows", "rows/s", contract.HigherIsBetter, v*100)
			add("speedup", "1", contract.HigherIsBetter, 1)
			add("latency.avg", "ms", contract.LowerIsBetter, 1000/v)
		}
		in.Records = append(in.Records, rec)
	}
	return in
}

func exclusion(pairs ...string) v1alpha1.Exclusion {
	out := v1alpha1.Exclusion{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = intstr.FromString(pairs[i+1])
	}
	return out
}

// batchOver is what a published comparison did: the batch of each driver against the single rows of mysql.
func batchOver(change func(*v1alpha1.Comparison)) v1alpha1.Comparison {
	c := v1alpha1.Comparison{Factor: "driver", Baseline: value(intstr.FromString("mysql")), Within: exclusion("scheme", "Batch"), BaselineWithin: exclusion("scheme", "SingleRow")}
	if change != nil {
		change(&c)
	}
	return c
}

// rowsOver compares numbers of rows, with sides that are unlike in the rest.
func rowsOver(measurements ...string) v1alpha1.Comparison {
	c := v1alpha1.Comparison{
		Factor: "rows", Baseline: value(intstr.FromInt(1)), Within: exclusion("driver", "mariadb", "scheme", "Batch", "operation", "InsertText"),
		BaselineWithin: exclusion("driver", "mysql", "scheme", "SingleRow"),
	}
	for _, name := range measurements {
		c.Measurements = append(c.Measurements, v1alpha1.MeasurementRef{Name: name})
	}
	return c
}

func declaredCalls(t *testing.T, all ...v1alpha1.Comparison) Declaration {
	t.Helper()
	spec := specOf(1, analysisOf(all...))
	spec.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{}}
	d, err := Declare(spec, measuredCalls(1).Names)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The sides of a comparison differ in what it declares, and in nothing else: each pair is of one operation and number of rows.
func TestUnlikeSides(t *testing.T) {
	checkSides(t, map[string]sidesCase{
		"the batch of others over single rows, in all languages": {batchOver(nil), []string{
			"mariadb InsertText Batch 100 / mysql InsertText SingleRow 100", "mariadb InsertTexts Batch 100 / mysql InsertTexts SingleRow 100", "go InsertText Batch 100 / mysql InsertText SingleRow 100",
		}, ""},
		"of one operation": {batchOver(func(c *v1alpha1.Comparison) { c.Within["operation"] = intstr.FromString("InsertTexts") }),
			[]string{"mariadb InsertTexts Batch 100 / mysql InsertTexts SingleRow 100"}, ""},
		"the first driver is the baseline where none is named": {batchOver(func(c *v1alpha1.Comparison) {
			c.Baseline, c.Within["operation"] = nil, intstr.FromString("InsertTexts")
		}), []string{"mariadb InsertTexts Batch 100 / mysql InsertTexts SingleRow 100"}, ""},
		"another driver with another scheme": {v1alpha1.Comparison{
			Factor: "scheme", Baseline: value(intstr.FromString("SingleRow")), Within: exclusion("driver", "mariadb"), BaselineWithin: exclusion("driver", "mysql"),
		}, []string{"mariadb InsertText Batch 100 / mysql InsertText SingleRow 100", "mariadb InsertTexts Batch 100 / mysql InsertTexts SingleRow 100"}, ""},
		"other rows, by the measurement that means the same": {batchOver(func(c *v1alpha1.Comparison) {
			c.Within["operation"] = intstr.FromString("InsertText")
			c.Within["rows"], c.BaselineWithin["rows"], c.Measurements = intstr.FromInt(100), intstr.FromInt(1), []v1alpha1.MeasurementRef{{Name: "throughput.rows"}}
		}), []string{"mariadb InsertText Batch 100 / mysql InsertText SingleRow 1", "go InsertText Batch 100 / mysql InsertText SingleRow 1"}, ""},
		"other rows by operations": {batchOver(func(c *v1alpha1.Comparison) {
			c.Within["rows"], c.BaselineWithin["rows"] = intstr.FromInt(100), intstr.FromInt(1)
		}), nil, ".baselineWithin: throughput is about whole operations, and those of other rows are other work: set measurements: [{name: throughput.rows}]"},
		"rows as the factor, by operations": {rowsOver(), nil, ".baselineWithin: throughput is about whole operations, and those of other rows are other work: set measurements: [{name: throughput.rows}]"},
		"rows as the factor, by rows":       {rowsOver("throughput.rows"), []string{"mariadb InsertText Batch 100 / mysql InsertText SingleRow 1"}, ""},
		"what has no side of the baseline is not left out without a word": {batchOver(func(c *v1alpha1.Comparison) {
			c.Within["rows"], c.BaselineWithin["rows"], c.Measurements = intstr.FromInt(100), intstr.FromInt(1), []v1alpha1.MeasurementRef{{Name: "throughput.rows"}}
		}), nil, `.baselineWithin: the baseline "mysql" has no such side for 1 part of this run, such as driver mariadb, operation InsertTexts, rows 100, scheme Batch, session Dedicated: measure that too, or name in within what has one`},
		"a driver of another language, which nothing would name": {v1alpha1.Comparison{
			Factor: "scheme", Baseline: value(intstr.FromString("SingleRow")), Within: exclusion("driver", "go"), BaselineWithin: exclusion("driver", "mysql"),
		}, nil, ".baselineWithin: go and mysql differ in their language too, which nothing would name: use drivers of one language, or compare them with factor: driver"},
		"a driver of another language, which the factor names": {v1alpha1.Comparison{
			Factor: "language", Baseline: value(intstr.FromString("Node")), Within: exclusion("driver", "go"), BaselineWithin: exclusion("driver", "mariadb"),
		}, []string{"go InsertText Batch 100 / mariadb InsertText Batch 100"}, ""},
		"a speed-up over a baseline of its own": {batchOver(func(c *v1alpha1.Comparison) {
			c.Measurements = []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: "speedup"}}
		}), nil, ".baselineWithin: the speedup of each side is over a baseline of its own: compare throughput"},
	})
}

// Sides that differ in anything else are refused, and each refusal says what would be right.
func TestRefusedSides(t *testing.T) {
	checkSides(t, map[string]sidesCase{
		"the factor itself": {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("driver", "mysql") }), nil,
			".baselineWithin: driver is the factor itself: say its value on this side in baseline"},
		"no factor": {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("threads", "8") }), nil,
			`.baselineWithin: "threads" is no factor of this run: use one of target, language, driver, operation, rows, scheme, session`},
		"no value of it": {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("scheme", "Text") }), nil,
			`.baselineWithin: "Text" is no value of scheme: use one of SingleRow, Batch`},
		"another operation": {batchOver(func(c *v1alpha1.Comparison) {
			c.Within["operation"], c.BaselineWithin["operation"] = intstr.FromString("InsertText"), intstr.FromString("InsertTexts")
		}), nil, ".baselineWithin: operation has to be equal on both sides: only how a driver does an operation may differ (driver, scheme, transaction, session, concurrency, rows)"},
		"another cell":         {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("language", "Go") }), nil, ".baselineWithin: language has to be equal on both sides"},
		"another target":       {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("target", "a") }), nil, ".baselineWithin: target has to be equal on both sides"},
		"one side is not said": {batchOver(func(c *v1alpha1.Comparison) { c.Within = nil }), nil, ".baselineWithin: scheme is not in within: say there which value the compared side has"},
		"both sides are alike": {batchOver(func(c *v1alpha1.Comparison) { c.BaselineWithin = exclusion("scheme", "Batch") }), nil, ".baselineWithin: scheme is Batch on both sides: leave it out, or name another value"},
		"nothing is compared": {batchOver(func(c *v1alpha1.Comparison) { c.Baseline = value(intstr.FromString("go")) }), nil,
			`: it compares nothing: no two parts of this run differ in driver and scheme alone, with the baseline "go" on one side (its values here: mariadb, go)`},
	})
}

// sidesCase is a comparison with the pairs that it makes, or the beginning of the error behind its field.
type sidesCase struct {
	comparison v1alpha1.Comparison
	want       []string
	wantErr    string
}

func checkSides(t *testing.T, tests map[string]sidesCase) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := calls(12)
			f, err := FamilyOf(l, declaredCalls(t, tc.comparison), measuredCalls(1).Names, 100)
			if tc.wantErr != "" {
				if err == nil || !strings.HasPrefix(err.Error(), "spec.analysis.comparisons[0]"+tc.wantErr) {
					t.Fatalf("error %v, want %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			of := func(u Unit) string {
				f := l.Combinations[u.Combination].Factors
				return fmt.Sprint(f["driver"], " ", f["operation"], " ", f["scheme"], " ", f["rows"])
			}
			var got []string
			for _, c := range f.Primary {
				got = append(got, of(c.Value)+" / "+of(c.Baseline))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
		})
	}
}

// An entry names what its sides differ in, with both values. It is a comparison of the family like any other, and what means something
// else on each side is not explored either.
func TestEntriesOfUnlikeSides(t *testing.T) {
	conclude := func(c ...v1alpha1.Comparison) []v1alpha1.ComparisonEntry {
		in := measuredCalls(12)
		in.Declaration = declaredCalls(t, c...)
		out, err := Conclude(in)
		if err != nil {
			t.Fatal(err)
		}
		return out.Entries
	}
	of := func(all []v1alpha1.ComparisonEntry, family v1alpha1.ComparisonFamily) (out []v1alpha1.ComparisonEntry) {
		for _, e := range all {
			if e.Family == family {
				out = append(out, e)
			}
		}
		return out
	}
	alike := v1alpha1.Comparison{Factor: "driver", Baseline: value(intstr.FromString("mysql")), Within: exclusion("scheme", "SingleRow")}
	all := conclude(alike, batchOver(nil))
	primary := of(all, v1alpha1.FamilyPrimary)
	if len(primary) != 4 || primary[0].Unlike != nil || primary[0].AdjustedP == "" {
		t.Fatalf("got %+v", primary)
	}
	want := []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
	for _, e := range primary[1:] {
		if diff := cmp.Diff(want, e.Unlike); diff != "" || e.Baseline != "mysql" || e.Labels["scheme"] != "Batch" || e.Verdict != v1alpha1.VerdictFaster || e.BlockCount != 12 {
			t.Errorf("%s (-want +got): %+v", diff, e)
		}
	}
	if e := primary[1]; !strings.HasPrefix(e.Ratio, "52.") && !strings.HasPrefix(e.Ratio, "51.") {
		t.Errorf("the published +5,101.9 %% is %s here", e.Ratio)
	}
	// Four comparisons share one error rate, whatever their sides are.
	if alone := of(conclude(batchOver(nil)), v1alpha1.FamilyPrimary); len(alone) != 3 || alone[0].P != primary[1].P || alone[0].AdjustedP == primary[1].AdjustedP {
		t.Errorf("of three: %+v, of four: %+v", alone[0], primary[1])
	}
	explored := func(all []v1alpha1.ComparisonEntry) (names []string) {
		for _, e := range of(all, v1alpha1.FamilyExploratory) {
			if len(e.Unlike) > 0 && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
		return names
	}
	if got := explored(all); !slices.Equal(got, []string{"throughput.rows", "latency.avg"}) {
		t.Errorf("explored %q", got)
	}
	rows := conclude(batchOver(func(c *v1alpha1.Comparison) {
		c.Within["operation"] = intstr.FromString("InsertText")
		c.Within["rows"], c.BaselineWithin["rows"], c.Measurements = intstr.FromInt(100), intstr.FromInt(1), []v1alpha1.MeasurementRef{{Name: "throughput.rows"}}
	}))
	want = []v1alpha1.UnlikeFactor{{Factor: "rows", Value: "100", Baseline: "1"}, want[0]}
	if diff := cmp.Diff(want, rows[0].Unlike); diff != "" || len(explored(rows)) > 0 {
		t.Errorf("unlike rows (-want +got):\n%s explored %q", diff, explored(rows))
	}
	if rows = conclude(rowsOver("throughput.rows")); len(rows) == 0 || len(explored(rows)) > 0 {
		t.Errorf("rows as the factor explored %q", explored(rows))
	}
}

// Which sides a run compares is part of what it measured, so that runs with others are not one experiment.
func TestOtherSidesAreAnotherDeclaration(t *testing.T) {
	x, y := Comparison{Factor: "driver", Within: map[string]string{"scheme": "Batch"}}, Comparison{Factor: "driver", Within: map[string]string{"scheme": "Batch"}}
	if y.BaselineWithin = map[string]string{"scheme": "SingleRow"}; alikeDeclared(x, y) {
		t.Error("sides that differ are taken for sides that are alike")
	}
}

func TestSidesAreNamed(t *testing.T) {
	two := []v1alpha1.UnlikeFactor{{Factor: "rows", Value: "100", Baseline: "1"}, {Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
	for _, tc := range []struct {
		unlike          []v1alpha1.UnlikeFactor
		value, baseline string
	}{{nil, "mariadb", "mysql"}, {two[1:], "mariadb with scheme Batch", "mysql with scheme SingleRow"}, {two, "mariadb with rows 100 and scheme Batch", "mysql with rows 1 and scheme SingleRow"}} {
		if v, b := SideOfValue("mariadb", tc.unlike), SideOfBaseline("mysql", tc.unlike); v != tc.value || b != tc.baseline {
			t.Errorf("got %q and %q, want %q and %q", v, b, tc.value, tc.baseline)
		}
	}
}
