package claims

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// recorded is a run of the gallery.
func recorded(t *testing.T, name string) *stored.Run {
	t.Helper()
	b, err := bundle.Open("../../../../docs/gallery/" + name + ".assay.tar")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	run, err := stored.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// The ratio of both sides of a claim in a recorded run is the one that its own analysis has stored.
func TestMeasureRecordedRuns(t *testing.T) {
	tests := map[string]struct {
		run   string
		claim Claim
		place string
		unit  string
		// factor and value of the comparison that the run has stored, and its labels.
		factor, value string
		labels        map[string]string
	}{
		"a transaction": {
			"s2-python-drivers", Claim{
				Says: "c", Measurement: "throughput",
				Of: map[string]string{"operation": "Insert", "scheme": "Prepared", "rows": "1000", "transaction": "One"},
				To: map[string]string{"operation": "Insert", "scheme": "Prepared", "rows": "1000", "transaction": "Autocommit"},
			}, "mariadb, mysql-connector-python-pure", "ops/s", "transaction", "One", map[string]string{"rows": "1000"},
		},
		"a driver, without what it need not say": {
			"s3-node-drivers", Claim{
				Says: "c", Measurement: "throughput", Of: map[string]string{"operation": "Do", "scheme": "SingleRow", "driver": "mysql2"},
				To: map[string]string{"operation": "Do", "scheme": "SingleRow", "driver": "mysql"},
			}, "mariadb, mysql2", "ops/s", "driver", "mysql2", map[string]string{"operation": "Do"},
		},
		"a server": {
			"s1-ycsb-engines", Claim{Says: "c", Measurement: "throughput", Of: map[string]string{"target": "myrocks"}, To: map[string]string{"target": "innodb"}},
			"myrocks", "ops/s", "target", "myrocks", nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := recorded(t, tt.run)
			got, err := Measure(one, []Claim{tt.claim}, run)
			if err != nil || len(got.Measured) != 1 || got.NoVerdict != "" || got.LeftOut != 0 || got.Trials != len(run.Plan.Trials) {
				t.Fatalf("%v, %+v", err, got)
			}
			m := got.Measured[0]
			compared, err := stats.ComparePaired(m.Of, m.To)
			if err != nil || m.Place != tt.place || m.Unit != tt.unit {
				t.Fatalf("%v, %+v", err, m)
			}
			want := storedRatio(t, run, tt.factor, tt.value, tt.labels)
			if math.Abs(compared.Ratio/want-1) > 1e-3 {
				t.Errorf("ratio %.4f, the run has stored %.4f", compared.Ratio, want)
			}
		})
	}
}

// A cell of a sweep has its labels from its axes, and only the blocks count that were not disturbed: of the six of this cell one was.
func TestMeasureACellOfASweep(t *testing.T) {
	cell := func(target string) map[string]string {
		return map[string]string{"target": target, "test": "oltp_write_only", "skipTrx": "false", "threads": "64"}
	}
	c := Claim{Says: "c", Measurement: "queries", Of: cell("pool"), To: cell("threads")}
	got, err := Measure(one, []Claim{c, {Says: "other", Measurement: "queries", Of: cell("pool"), To: cell("nothing")}, {Says: "not", Not: "no", Measurement: "queries", Of: cell("pool"), To: cell("threads")}}, recorded(t, "s4-threads-sweep"))
	if err != nil || got.LeftOut != 2 || len(got.Measured) != 1 {
		t.Fatalf("%v, %+v", err, got)
	}
	m := got.Measured[0]
	if len(m.Of) != 5 || len(m.To) != 5 || m.Unit != "queries/s" || m.Says != "c" {
		t.Errorf("%+v", m)
	}
}

// A trial that failed at first and was repeated counts; one that was disturbed leaves its pair out: the last of the second load.
func TestMeasureLeavesOut(t *testing.T) {
	run, err := stored.Read(t.Context(), finished.New(t, finished.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	side := func(target, threads string) map[string]string {
		return map[string]string{"target": target, "threads": threads}
	}
	got, err := Measure(one, []Claim{
		{Says: "low", Measurement: "throughput", Of: side("b", "2"), To: side("a", "2")}, {Says: "high", Measurement: "throughput", Of: side("b", "64"), To: side("a", "64")},
	}, run)
	if err != nil || len(got.Measured) != 2 {
		t.Fatalf("%v, %+v", err, got)
	}
	if low, high := len(got.Measured[0].Of), len(got.Measured[1].Of); got.LeftOut != 2 || low != finished.Blocks || high != finished.Blocks-1 {
		t.Errorf("%d left out, %d and %d blocks", got.LeftOut, low, high)
	}
	run.Plan = nil
	if _, err := Measure(one, nil, run); err == nil {
		t.Error("a run without a plan is measured")
	}
}

// storedRatio of the one comparison of a factor with these labels.
func storedRatio(t *testing.T, run *stored.Run, factor, value string, labels map[string]string) float64 {
	t.Helper()
	for _, e := range run.Summary.Comparisons {
		same := string(e.Factor) == factor && string(e.Value) == value && e.Name == "throughput"
		for name, v := range labels {
			same = same && e.Labels[name] == v
		}
		if same {
			ratio, ok := figure.Decimal(string(e.Ratio))
			if !ok {
				t.Fatalf("ratio %q", e.Ratio)
			}
			return ratio
		}
	}
	t.Fatalf("the run has no comparison of %s %s %v", factor, value, labels)
	return 0
}

func TestSame(t *testing.T) {
	have := map[string]string{"operation": "Insert", "scheme": "SingleRow", "rows": "1", "transaction": "Autocommit", "driver": "d", "target": "t"}
	tests := map[string]struct {
		want map[string]string
		same bool
	}{
		"no target and no driver":   {map[string]string{"operation": "Insert", "scheme": "SingleRow"}, true},
		"what need not be said":     {map[string]string{"operation": "Insert", "scheme": "SingleRow", "rows": "1", "transaction": "Autocommit"}, true},
		"another driver":            {map[string]string{"operation": "Insert", "scheme": "SingleRow", "driver": "e"}, false},
		"this driver":               {map[string]string{"operation": "Insert", "scheme": "SingleRow", "driver": "d"}, true},
		"another number of rows":    {map[string]string{"operation": "Insert", "scheme": "SingleRow", "rows": "100"}, false},
		"a label that is not there": {map[string]string{"operation": "Insert", "scheme": "SingleRow", "session": "Pool"}, false},
		"a label that is not named": {map[string]string{"operation": "Insert"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := same(have, tt.want); got != tt.same {
				t.Errorf("%v, want %v", got, tt.same)
			}
		})
	}
	if diff := cmp.Diff(12346.0, digits(12345.678)); diff != "" {
		t.Errorf("digits (-want +got):\n%s", diff)
	}
}
