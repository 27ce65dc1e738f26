package claims

import (
	"math"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
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

// ratioOf a claim in one run.
func ratioOf(t *testing.T, c Claim, run Run) float64 {
	t.Helper()
	r := Row{Claim: c}
	if err := r.take([]Run{run}); err != nil {
		t.Fatal(err)
	}
	return r.Ratio
}

// The ratio of both sides of a claim in a recorded run is the one that its own analysis has stored.
func TestMeasureRecordedRuns(t *testing.T) {
	python := func(transaction string) map[string]string {
		return map[string]string{
			"operation": "Insert", "scheme": "Prepared", "rows": "1000", "transaction": transaction, "target": "mariadb", "driver": "mysql-connector-python-pure",
		}
	}
	node := func(driver string) map[string]string {
		return map[string]string{"operation": "SelectWide", "scheme": "Prepared", "driver": driver, "target": "mariadb"}
	}
	tests := map[string]struct {
		run   string
		claim Claim
		// factor and value of the comparison that the run has stored, and its labels.
		factor, value string
		labels        map[string]string
		leftOut       int
	}{
		"a transaction": {
			"s2-python", Claim{Says: "c", Measurement: "throughput", Of: python("One"), To: python("Autocommit")},
			"transaction", "One", map[string]string{"rows": "1000"}, 1, // a block was disturbed
		},
		"a driver": {
			"s3-node", Claim{Says: "c", Measurement: "throughput", Of: node("mariadb"), To: node("mysql2")},
			"driver", "mariadb", map[string]string{"operation": "SelectWide"}, 0,
		},
		"a server": {
			"s1-ycsb", Claim{Says: "c", Measurement: "throughput", Of: map[string]string{"target": "myrocks"}, To: map[string]string{"target": "innodb"}},
			"target", "myrocks", nil, 0,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := recorded(t, tt.run)
			got := Measure([]Claim{tt.claim}, run)
			if len(got.Sides) != 2 || got.NoVerdict != "" || got.LeftOut != tt.leftOut || got.Trials != len(run.Plan.Trials) {
				t.Fatalf("%+v", got)
			}
			ratio := ratioOf(t, tt.claim, got)
			want := storedRatio(t, run, tt.factor, tt.value, tt.labels)
			if math.Abs(ratio/want-1) > 1e-3 {
				t.Errorf("ratio %.4f, the run has stored %.4f", ratio, want)
			}
		})
	}
}

// A cell of a sweep has its labels from its axes, and only the blocks count that were not disturbed: of the six of this cell one was. What
// the run does not have has a side without values, and what cannot be had has none.
func TestMeasureACellOfASweep(t *testing.T) {
	cell := func(delay string) map[string]string {
		return map[string]string{"target": "mysql", "delay": delay, "test": "oltp_write_only", "skipTrx": "false", "threads": "8"}
	}
	c := Claim{Says: "c", Measurement: "queries", Of: cell("2ms"), To: cell("4ms")}
	missing := Claim{Says: "other", Measurement: "queries", Of: cell("2ms"), To: cell("nothing")}
	got := Measure([]Claim{c, missing, {Says: "not", Not: "no", Measurement: "queries", Of: cell("a"), To: cell("b")}}, recorded(t, "s4-sweep"))
	if got.NoVerdict != "" || len(got.Sides) != 3 {
		t.Fatalf("%+v", got)
	}
	for _, delay := range []string{"2ms", "4ms"} {
		if side, _ := got.side("queries", cell(delay)); len(side.Values) < stats.MinBlocks || len(side.Values) > Blocks {
			t.Errorf("%s: %d blocks, want %d to %d", delay, len(side.Values), stats.MinBlocks, Blocks)
		}
	}
	if side, asked := got.side("queries", cell("nothing")); !asked || len(side.Values) != 0 {
		t.Errorf("%v, %+v", asked, side)
	}
	if side, _ := got.side("queries", cell("2ms")); side.Unit != "queries/s" {
		t.Errorf("%+v", side)
	}
}

// A recorded run tells the versions of its server and its drivers, and the images of both.
func TestVersionsAndImages(t *testing.T) {
	got := Measure(nil, recorded(t, "s3-node"))
	want := []string{"mariadb 10.11.19-MariaDB-0+deb12u1 Debian 12", "mariadb drivers Node.js v24.21.0; promise-mysql 5.0.3; mysql2 2.2.5; mariadb 3.0.1"}
	if diff := cmp.Diff(want, got.Versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	for _, image := range got.Images {
		if !regexp.MustCompile(`^mariadb sha256:[0-9a-f]{64}$`).MatchString(image) {
			t.Errorf("image %q", image)
		}
	}
	if len(got.Images) != 2 {
		t.Errorf("images %q, want those of the server and of its client", got.Images)
	}
}

// A trial that failed at first and was repeated counts; one that was disturbed leaves its pair out: the last of the second load. A run of
// which too few blocks are left is good for nothing.
func TestMeasureLeavesOut(t *testing.T) {
	run, err := stored.Read(t.Context(), finished.New(t, finished.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	side := func(target, threads string) map[string]string {
		return map[string]string{"target": target, "threads": threads}
	}
	low := Claim{Says: "low", Measurement: "throughput", Of: side("b", "2"), To: side("a", "2")}
	high := Claim{Says: "high", Measurement: "throughput", Of: side("b", "64"), To: side("a", "64")}
	run.Object.Status.Phase = v1alpha1.PhaseComplete
	got := Measure([]Claim{low, high}, run)
	values := func(c Claim) int {
		side, _ := got.side(c.Measurement, c.Of)
		return len(side.Values)
	}
	if a, b := values(low), values(high); got.LeftOut != 2 || a != finished.Blocks || b != finished.Blocks-1 {
		t.Errorf("%d left out, %d and %d blocks", got.LeftOut, a, b)
	}
	if want := "disturbances left 5 of 6 blocks, and a verdict needs 6"; got.NoVerdict != want {
		t.Errorf("%q, want %q", got.NoVerdict, want)
	}
	longer, err := stored.Read(t.Context(), finished.New(t, finished.Options{Blocks: 7}))
	if err != nil {
		t.Fatal(err)
	}
	longer.Object.Status.Phase = v1alpha1.PhaseComplete
	if got := Measure([]Claim{low, high}, longer); got.LeftOut != 2 || got.NoVerdict != "" {
		t.Errorf("%d left out of 7 blocks: %q", got.LeftOut, got.NoVerdict)
	}
	run.Plan = nil
	if got := Measure(nil, run); got.NoVerdict == "" {
		t.Error("a run without a plan is good")
	}
}

// One sample are runs of one manifest, machine and versions. The last one that is whole decides, or else that of the last good run.
func TestSample(t *testing.T) {
	a := Run{Play: 1, Manifest: "m", Machine: "2 cores, c, Linux 6.1.4-x1", Versions: []string{"v"}, Images: []string{"i"}}
	change := func(play int, change func(*Run)) Run {
		r := a
		r.Play = play
		change(&r)
		return r
	}
	same := func(*Run) {}
	other := func(r *Run) { r.Machine = "another" }
	tests := map[string]struct {
		runs []Run
		want []int
	}{
		"none":                          {nil, nil},
		"all":                           {[]Run{a, change(2, same)}, []int{1, 2}},
		"a failed one":                  {[]Run{a, change(2, func(r *Run) { r.NoVerdict, r.Versions = "failed", nil }), change(3, same)}, []int{1, 3}},
		"another manifest":              {[]Run{a, change(2, func(r *Run) { r.Manifest = "n" })}, []int{2}},
		"another machine":               {[]Run{a, change(2, func(r *Run) { r.Machine = "2 cores, d, Linux 6.1.4-x1" }), change(3, same)}, []int{1, 3}},
		"another server or driver":      {[]Run{a, change(2, func(r *Run) { r.Versions = []string{"w"} })}, []int{2}},
		"another kernel":                {[]Run{a, change(2, func(r *Run) { r.Machine = "2 cores, c, Linux 6.1.4-x2" })}, []int{2}},
		"another build of Assay":        {[]Run{a, change(2, func(r *Run) { r.Images = []string{"j"} })}, []int{1, 2}},
		"a whole one before":            {[]Run{a, change(2, same), change(3, same), change(4, other)}, []int{1, 2, 3}},
		"a whole one after it":          {[]Run{a, change(2, same), change(3, same), change(4, other), change(5, other), change(6, other)}, []int{4, 5, 6}},
		"a whole one of another server": {[]Run{a, change(2, same), change(3, same), change(4, func(r *Run) { r.Versions = []string{"w"} })}, []int{1, 2, 3}},
		"a whole one of something else": {[]Run{a, change(2, same), change(3, same), change(4, func(r *Run) { r.Manifest = "n" })}, []int{4}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, r := range Sample(tt.runs, 3) {
				got = append(got, r.Play)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plays (-want +got):\n%s", diff)
			}
		})
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

func TestKey(t *testing.T) {
	plain := Key("throughput", map[string]string{"operation": "Insert", "driver": "d"})
	tests := map[string]struct {
		labels map[string]string
		same   bool
	}{
		"the same":               {map[string]string{"driver": "d", "operation": "Insert"}, true},
		"what need not be said":  {map[string]string{"operation": "Insert", "driver": "d", "rows": "1", "transaction": "Autocommit", "language": "Go"}, true},
		"another driver":         {map[string]string{"operation": "Insert", "driver": "e"}, false},
		"another number of rows": {map[string]string{"operation": "Insert", "driver": "d", "rows": "100"}, false},
		"one label more":         {map[string]string{"operation": "Insert", "driver": "d", "session": "Pool"}, false},
		"one label less":         {map[string]string{"operation": "Insert"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Key("throughput", tt.labels) == plain; got != tt.same {
				t.Errorf("%v, want %v", got, tt.same)
			}
		})
	}
	if diff := cmp.Diff(12346.0, digits(12345.678)); diff != "" {
		t.Errorf("digits (-want +got):\n%s", diff)
	}
}
