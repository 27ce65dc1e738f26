package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// resultOf a trial: 20 s of throughput after a warm-up of 5 s, with a stall in second 7, and 100,000 latencies.
func resultOf(rec contract.Record) contract.Result {
	res := contract.Result{Tool: contract.Tool{WarmupSeconds: new(5.0), WarmupCut: contract.WarmupSeparateProcess}}
	unit := rec.Values[0].Unit
	for second := range 5 {
		res.Warmup = append(res.Warmup[:0], contract.Measurement{Name: contract.NameThroughput, Unit: unit,
			Intervals: append(intervalsOf(res.Warmup), contract.Interval{AtSeconds: float64(second + 1), Value: new(10.0 * float64(second))})})
	}
	window := contract.Measurement{Name: contract.NameThroughput, Unit: unit}
	for second := range 20 {
		v := 100.0
		if second == 7 {
			v = 3
		}
		window.Intervals = append(window.Intervals, contract.Interval{AtSeconds: float64(second + 1), Value: &v})
	}
	h := contract.Histogram{Unit: "ms"}
	for i, n := range []int64{50_000, 40_000, 9_000, 900, 95, 5} {
		h.Buckets = append(h.Buckets, contract.Bucket{Value: float64(int(1) << i), Count: n})
	}
	res.Measurements = []contract.Measurement{window, {Name: contract.NameLatencyAvg, Unit: "ms", Histogram: &h}}
	return res
}

func intervalsOf(ms []contract.Measurement) []contract.Interval {
	if len(ms) == 0 {
		return nil
	}
	return ms[0].Intervals
}

func withResults(in Input) Input {
	in.Result = func(rec contract.Record) (contract.Result, bool, error) { return resultOf(rec), true, nil }
	return in
}

func sectionOf(t *testing.T, in Input, id string) section {
	t.Helper()
	d, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(d.Head, d.Sections)
	i := slices.IndexFunc(all, func(c section) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("there is no section %s", id)
	}
	return all[i]
}

func figureOfSection(t *testing.T, c section) *picture {
	t.Helper()
	for _, b := range c.Blocks {
		if b.Picture != nil {
			return b.Picture
		}
	}
	t.Fatalf("the section %s has no figure", c.ID)
	return nil
}

func TestOverTimeHasWarmupAndStalls(t *testing.T) {
	f := figureOfSection(t, sectionOf(t, withResults(twoServers(6).input(t)), "time"))
	svg, err := f.draw(chart.Wide)
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{"a stall": "<title>stall: mysql, 8 s: 3 tx/s</title>", "the shade of the warm-up": `class="f3"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s: %s", what, want)
		}
	}
	if n := strings.Count(svg, "<title>stall: "); n != 2 {
		t.Errorf("got %d stalls, want one for each target", n)
	}
	for _, want := range []string{"mysql: trial 0 in block 0, 1 interval with less than half of its median", "The shaded part is the warm-up"} {
		if !strings.Contains(f.Note, want) {
			t.Errorf("the note lacks %q: %s", want, f.Note)
		}
	}
	if first := f.Behind.Rows[0]; first[1].Text != "-4" || first[2].Text != "0" {
		t.Errorf("the table begins with %v, want the first second of the warm-up", first)
	}
}

// Histograms of all trials that count are merged; a percentile with too few operations beyond it is not shown.
func TestSpectrumMergesTrials(t *testing.T) {
	m := twoServers(6)
	m.change = func(rec *contract.Record) { rec.Disturbed = rec.Index == 0 }
	f := figureOfSection(t, sectionOf(t, withResults(m.input(t)), "latency"))
	want := []string{"mysql", "500,000", "1", "2", "2", "4", "4", "8", "16", "–", "32"}
	var got []string
	for _, c := range f.Behind.Rows[0] {
		got = append(got, c.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !strings.HasPrefix(f.Note, "mysql: 5 trials; mariadb: 5 trials.") {
		t.Errorf("the note does not say what was merged: %s", f.Note)
	}
}

func TestAResultThatCannotBeReadEndsTheReport(t *testing.T) {
	in := twoServers(6).input(t)
	in.Result = func(contract.Record) (contract.Result, bool, error) {
		return contract.Result{}, false, errors.New("it is gone")
	}
	if _, err := build(in); err == nil || !strings.Contains(err.Error(), "the result of trial 0: it is gone") {
		t.Errorf("got %v", err)
	}
}

// However many cells and clients there are, only so many results are read.
func TestFewResultsAreRead(t *testing.T) {
	in := large().input(t)
	n := 0
	in.Result = func(rec contract.Record) (contract.Result, bool, error) {
		n++
		return resultOf(rec), true, nil
	}
	if _, err := build(in); err != nil || n != MaxResults {
		t.Errorf("%d results were read, want %d: %v", n, MaxResults, err)
	}
	in.Run.Spec.Clients.Count, n = 64, 0
	if _, err := build(in); err != nil || n != 2 {
		t.Errorf("%d results of 64 clients were read, want one for each target in one cell: %v", n, err)
	}
}

func TestOverTheLoadHasKnees(t *testing.T) {
	in := twoServers(8, 1, 2, 4, 8, 16, 32, 64, 128).input(t)
	c := sectionOf(t, in, "load")
	f := figureOfSection(t, c)
	svg, err := f.draw(chart.Wide)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Sweeps) != 2 || in.Sweeps[0].Knee == "" {
		t.Fatalf("the run has no knees: %+v", in.Sweeps)
	}
	for _, s := range in.Sweeps {
		knee, _, _ := figure.Measured(s.Knee, s.KneeLow, s.KneeHigh)
		if want := ">" + s.Target + ": knee " + knee + "<"; !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if last := c.Blocks[len(c.Blocks)-1]; len(last.Bullets) != 2 || last.Bullets[0] != in.Sweeps[0].Text+"; the interval of the knee has a confidence of "+figure.Level(in.Sweeps[0].KneeConfidence) {
		t.Errorf("the sweeps in words: got %q, want %q", last.Bullets, in.Sweeps[0].Text)
	}
	if n := strings.Count(svg, "<title>trial "); n != 128 {
		t.Errorf("got %d points, want one for each trial", n)
	}
}

func TestEnvironmentSaysWhatDiffers(t *testing.T) {
	in := twoServers(6).input(t)
	in.Run.Status.Targets = []v1alpha1.TargetStatus{
		{Name: "mysql", ServerVersion: "9.7.0", Durability: []v1alpha1.ServerSetting{{Name: "log_bin", Value: "ON"}, {Name: "sync_binlog", Value: "1"}}},
		{Name: "mariadb", ServerVersion: "11.8.1", Durability: []v1alpha1.ServerSetting{{Name: "log_bin", Value: "OFF"}, {Name: "sync_binlog", Value: "1"}},
			Differences: []v1alpha1.SettingDifference{{Name: "innodb_io_capacity", Requested: "2000", Effective: new("1000")}}},
		{Name: "theirs", Quoted: []v1alpha1.QuotedValue{{Name: "throughput", Value: "1"}}},
	}
	c := sectionOf(t, in, "environment")
	var text []string
	for _, b := range c.Blocks {
		text = append(append(text, b.Text), b.Bullets...)
		if b.Table != nil && b.Table.Caption == "Targets as they ran" {
			if len(b.Table.Head) != 3 {
				t.Errorf("got the columns %v, want the two targets that ran", b.Table.Head)
			}
			for _, row := range b.Table.Rows {
				if row[0].Strong != (row[0].Text == "server version" || row[0].Text == "log_bin") {
					t.Errorf("%s: bold is %v", row[0].Text, row[0].Strong)
				}
			}
		}
	}
	for _, want := range []string{"Of the rows below that are compared, 2 differ: server version, log_bin. They are in bold.", "mariadb, innodb_io_capacity: asked for “2000”, in force is “1000”"} {
		if !strings.Contains(strings.Join(text, "\n"), want) {
			t.Errorf("the section lacks %q:\n%s", want, text)
		}
	}
}

func TestFindingsOfOneKindStandTogether(t *testing.T) {
	m := twoServers(6)
	m.change = func(rec *contract.Record) {
		rec.Findings = []contract.RecordedFinding{{Check: "not-steady", Severity: v1alpha1.SeverityWarning, Message: "it fell by 9 %."}}
	}
	c := sectionOf(t, m.input(t), "findings")
	if len(c.Blocks) != 1 || c.Blocks[0].Heading != v1alpha1.SeverityWarning {
		t.Fatalf("got %+v", c.Blocks)
	}
	want := []string{"not-steady, mysql: it fell by 9 % (trial 0; with its own numbers also in 2, 4, 6, 8, 10)", "not-steady, mariadb: it fell by 9 % (trial 1; with its own numbers also in 3, 5, 7, 9, 11)"}
	if got := c.Blocks[0].Bullets; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHowToRepeatItHasTheSeed(t *testing.T) {
	in := twoServers(6).input(t)
	in.Run.Status.Plan = &v1alpha1.PlanStatus{Seed: new(int64(4711)), SHA256: "abc"}
	c := sectionOf(t, in, "repeat")
	code := ""
	for _, b := range c.Blocks {
		code += b.Code
	}
	for _, want := range []string{"kind: BenchmarkRun", "generateName: made-", "seed: 4711", "kubectl assay verify made --namespace bench"} {
		if !strings.Contains(code, want) {
			t.Errorf("it lacks %q:\n%s", want, code)
		}
	}
	if in.Run.Spec.Design.Seed != nil {
		t.Error("the run was changed")
	}
}
