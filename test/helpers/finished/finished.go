// Package finished makes runs that have ended, for tests: two targets at two loads, measured by two
// clients each, with every object that such a run stores, chained as the manager chains them. The
// numbers are made up, and the same each time; medians and verdicts are made by the packages that
// make those of real runs.
package finished

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/gate"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Clients of each trial, and Blocks of a run that does not say otherwise.
const (
	Clients = 2
	Blocks  = 6
)

// Loads are the values of the axis "threads" of a run that does not say otherwise.
func Loads() []int32 { return []int32{2, 64} }

// Options of a run.
type Options struct {
	// Name of the run; "run" without one. Its namespace is "ns".
	Name string
	// Ratio of target b to target a; 1.5 without one.
	Ratio float64
	// Level that all throughputs are multiplied with; 1 without one.
	Level float64
	// Blocks of the run; 6 without.
	Blocks int32
	// Loads are the values of the axis "threads"; Loads() without any.
	Loads []int32
	// Control measures target a a second time.
	Control bool
	// Searches that the run has carried out. Its trials are not those of them.
	Searches []v1alpha1.SearchEntry
	// Change the object before anything is stored.
	Change func(*v1alpha1.BenchmarkRun)
}

// Run is a run that has ended, with its objects. It is a stored.Source.
type Run struct {
	// Object with its status.
	Object *v1alpha1.BenchmarkRun
	// Maps are the ConfigMaps by their names.
	Maps map[string]*corev1.ConfigMap

	t       testing.TB
	options Options
	plan    *plan.Plan
}

// New run. Trial 1 failed at first and was repeated; the last trial was disturbed.
func New(t testing.TB, o Options) *Run {
	t.Helper()
	if o.Name == "" {
		o.Name = "run"
	}
	if o.Ratio == 0 {
		o.Ratio = 1.5
	}
	if o.Level == 0 {
		o.Level = 1
	}
	if o.Blocks == 0 {
		o.Blocks = Blocks
	}
	if len(o.Loads) == 0 {
		o.Loads = Loads()
	}
	r := &Run{t: t, options: o, Maps: map[string]*corev1.ConfigMap{}, Object: object(o)}
	if o.Change != nil {
		o.Change(r.Object)
	}
	r.makePlan()
	r.makeQuoted()
	r.makeRecords()
	r.makeSummary()
	readout.SetWords(r.Object)
	return r
}

// String names the run for people.
func (r *Run) String() string { return "BenchmarkRun ns/" + r.Object.Name }

// Run is a copy of the object.
func (r *Run) Run(context.Context) (*v1alpha1.BenchmarkRun, error) { return r.Object.DeepCopy(), nil }

// ConfigMap is a copy of one; nil for one that is not there.
func (r *Run) ConfigMap(_ context.Context, name string) (*corev1.ConfigMap, error) {
	return r.Maps[name].DeepCopy(), nil
}

// Objects of the run, for a client that serves them.
func (r *Run) Objects() []client.Object {
	out := []client.Object{r.Object.DeepCopy()}
	for _, name := range slices.Sorted(maps.Keys(r.Maps)) {
		out = append(out, r.Maps[name].DeepCopy())
	}
	return out
}

func began() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

func object(o Options) *v1alpha1.BenchmarkRun {
	start, end := metav1.NewTime(began()), metav1.NewTime(began().Add(time.Hour))
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: o.Name, UID: types.UID(o.Name + "-uid")}}
	run.Spec.Workload.Sysbench = &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 2}
	threads := v1alpha1.Axis{Name: "threads"}
	for _, load := range o.Loads {
		threads.Values = append(threads.Values, intstr.FromInt32(load))
	}
	run.Spec.Matrix = []v1alpha1.Axis{threads}
	run.Spec.Clients.Count = Clients
	if o.Control {
		run.Spec.Analysis = &v1alpha1.Analysis{MinimumEffect: "5%", ErrorRate: "5%", Control: true}
	}
	for _, target := range o.targets() {
		if target != v1alpha1.ControlName {
			run.Spec.Targets = append(run.Spec.Targets, v1alpha1.Target{Name: target, MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", Version: "9.7"}})
		}
		run.Status.Targets = append(run.Status.Targets, v1alpha1.TargetStatus{
			Name: target, ServerVersion: "9.7.0", NodeName: "node-" + target, ImageID: "docker.io/library/mysql@sha256:" + digest("server"),
		})
	}
	run.Spec.Targets = append(run.Spec.Targets, v1alpha1.Target{Name: "theirs", Published: &v1alpha1.PublishedTarget{Source: "https://blog.example/theirs", Format: "Sysbench"}})
	run.Status.Nodes = []v1alpha1.NodeInfo{{Name: "node-a"}, {Name: "node-b"}}
	run.Status.StartTime, run.Status.CompletionTime, run.Status.SpecHash = &start, &end, digest("spec")
	run.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "Complete"},
		{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue, Reason: "Valid"},
	}
	return run
}

// targets of the plan.
func (o Options) targets() []string {
	if o.Control {
		return []string{"a", "b", v1alpha1.ControlName}
	}
	return []string{"a", "b"}
}

func digest(of string) string { return contract.Digest([]byte(of)) }

func (r *Run) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// put a ConfigMap of the run.
func (r *Run) put(name string, data map[string][]byte) {
	r.Maps[name] = &corev1.ConfigMap{ObjectMeta: resources.Meta(r.Object, name, nil), BinaryData: data}
}

func (r *Run) makePlan() {
	p := &plan.Plan{Targets: r.options.targets(), Axes: []string{"threads"}}
	for _, load := range r.options.Loads {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt32(load)})
	}
	for block := range r.options.Blocks {
		for cell := range p.Cells {
			for target := range p.Targets {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: block, Cell: int32(cell), Target: int32(target)})
			}
		}
	}
	parts, err := journal.SplitPlan(p)
	r.must(err)
	for i, data := range parts {
		r.put(contract.PlanName(r.Object.Name, int32(i)), map[string][]byte{contract.KeyPlan: data})
	}
	r.plan = p
	r.Object.Status.Plan = &v1alpha1.PlanStatus{ConfigMapCount: int32(len(parts)), TrialCount: int32(len(p.Trials)), CellCount: int32(len(p.Cells)), SHA256: digest("plan")}
	r.Object.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: contract.Digest(parts[len(parts)-1])}
}

func (r *Run) makeQuoted() {
	value := 250.5
	text, err := json.Marshal(quoted.Numbers{
		Version: quoted.Version, Target: "theirs", Format: "Sysbench", Source: "https://blog.example/theirs",
		Phases: []quoted.Phase{{Phase: contract.KeyQuotedRun, Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: &value}}}},
	})
	r.must(err)
	name := contract.QuotedName(r.Object.Name, "theirs")
	r.put(name, nil)
	r.Maps[name].Data = map[string]string{contract.KeyQuoted: string(text)}
}

// makeRecords of all attempts, with the results of their clients.
func (r *Run) makeRecords() {
	part := journal.BeginChain(r.Object.Status.Integrity.PlanSHA256)
	store := func() string {
		data, err := part.Encode()
		r.must(err)
		r.put(contract.RecordsName(r.Object.Name, part.Part), map[string][]byte{contract.KeyRecords: data})
		return contract.Digest(data)
	}
	for _, trial := range r.plan.Trials {
		for attempt := range int32(2) {
			failed := trial.Index == 1 && attempt == 0
			if attempt == 1 && trial.Index != 1 {
				break
			}
			if part.Full() {
				store()
				part = part.Next()
			}
			part = part.Add(r.record(trial, attempt, failed))
		}
	}
	st := &r.Object.Status
	st.Integrity.RecordsSHA256 = store()
	st.Integrity.Head, st.Integrity.RecordCount = part.Head(), part.Count()
	st.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: part.Part + 1}
	st.Progress.Totals = v1alpha1.Totals(part.Totals())
}

func (r *Run) record(trial plan.Trial, attempt int32, failed bool) contract.Record {
	load := r.plan.Cells[trial.Cell]["threads"]
	end := began().Add(time.Duration(trial.Index+1) * time.Minute)
	rec := contract.Record{
		Index: trial.Index, Attempt: attempt, Block: trial.Block, Cell: trial.Cell, Target: r.plan.Targets[trial.Target], Final: true, State: contract.Succeeded,
		Valid: new(true), Parameters: map[string]contract.Scalar{"threads": {Int: load.IntVal, IsInt: true}}, CompletionTime: &end,
		TargetNodeName: "node-" + r.plan.Targets[trial.Target], ClientNodeNames: []string{"node-c", "node-c"}, ClientImageID: "registry.example/sysbench@sha256:" + digest("client"),
	}
	job := contract.TrialName(r.Object.Name, trial.Index, attempt)
	for client := range Clients {
		name := contract.ResultName(job, client)
		r.put(name, r.result(trial, attempt, client, failed))
		rec.Delivered = append(rec.Delivered, contract.RecordedDelivery{ConfigMap: name, Digests: integrity.DigestsIn(r.Maps[name])})
	}
	if failed {
		rec.State, rec.Final, rec.Valid, rec.Reason, rec.Message = contract.Failed, false, nil, string(contract.ReasonConnectionLost), "the connection was lost"
		return rec
	}
	rec.Result = contract.ResultName(job, 0)
	from, to := windowOf(trial)
	rec.WindowStartTime, rec.WindowEndTime = &from, &to
	rec.Disturbed = int(trial.Index) == len(r.plan.Trials)-1
	v := Clients * r.throughput(trial)
	rec.Values = []contract.RecordedValue{
		{Name: contract.NameThroughput, Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter},
		{Name: contract.NameLatencyAvg, Value: 1000 * float64(load.IntVal) / v, Unit: "ms", Direction: contract.LowerIsBetter},
		{Name: contract.NameLatencyPercentile, Labels: map[string]string{contract.LabelPercentile: "95"}, Value: 1800 * float64(load.IntVal) / v, Unit: "ms", Direction: contract.LowerIsBetter},
	}
	return rec
}

// windowOf a trial: 30 seconds in a minute of its own.
func windowOf(trial plan.Trial) (start, end time.Time) {
	start = began().Add(time.Duration(trial.Index) * time.Minute)
	return start, start.Add(30 * time.Second)
}

// throughput of one client.
func (r *Run) throughput(trial plan.Trial) float64 {
	v := r.options.Level * 50 * math.Exp(0.01*math.Sin(float64(7*trial.Index))) * float64(1+trial.Cell)
	if trial.Target == 1 {
		v *= r.options.Ratio
	}
	return v
}

// result of a client as it is stored.
func (r *Run) result(trial plan.Trial, attempt int32, client int, failed bool) map[string][]byte {
	index, block, cell := int(trial.Index), int(trial.Block), int(trial.Cell)
	raw := []byte("raw output of " + r.Object.Name)
	start, end := windowOf(trial)
	res := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded, Tool: contract.Tool{Name: "sysbench", Version: "1.1.0"}, RawSHA256: contract.Digest(raw),
		Times: contract.Times{WindowStarted: &start, WindowEnded: &end},
		Trial: contract.TrialRef{
			RunUID: string(r.Object.UID), Phase: string(contract.PhaseRun), Index: &index, Block: &block, Cell: &cell, Attempt: int(attempt), Target: r.plan.Targets[trial.Target], Client: client,
		},
	}
	if failed {
		res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonConnectionLost, Message: "the connection was lost"}
	} else {
		res.Measurements = r.measurements(trial)
	}
	data, err := contract.Encode(res)
	r.must(err)
	return map[string][]byte{contract.KeyResult: data, contract.KeyRaw: raw}
}

func (r *Run) measurements(trial plan.Trial) []contract.Measurement {
	v := r.throughput(trial)
	avg := 1000 / v
	m := contract.Measurement{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: &v}
	for second := range 30 {
		at := v * (1 + 0.05*math.Sin(float64(second)))
		m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(second + 1), Value: &at})
	}
	m.Intervals[3].Value = nil // the tool printed nan
	h := &contract.Histogram{Unit: "ms"}
	for i := range 40 {
		h.Buckets = append(h.Buckets, contract.Bucket{Value: math.Round(avg*math.Pow(1.1, float64(i-20))*1000) / 1000, Count: int64(1 + 1000*math.Exp(-math.Pow(float64(i-20)/6, 2)))})
	}
	return []contract.Measurement{m, {Name: contract.NameLatencyAvg, Unit: "ms", Direction: contract.LowerIsBetter, Value: &avg, Histogram: h}}
}

// judge a run by the gate over its comparisons, if it has one.
func (r *Run) judge(run analysis.Run) {
	g := r.Object.Spec.Gate
	if g == nil || g.Comparisons == "" {
		return
	}
	v := gate.Judge(gate.Input{Gate: *g, Run: run, Sentence: readout.Sentence})
	r.Object.Status.Gate = &v.Gate
	r.Object.Status.Conditions = append(r.Object.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionPassed, Status: v.Status, Reason: v.Reason, Message: v.Message})
}

// makeSummary with the comparisons of the analysis.
func (r *Run) makeSummary() {
	read, err := stored.Read(r.t.Context(), r)
	r.must(err)
	in, err := read.Analysis()
	r.must(err)
	concluded, err := analysis.Conclude(in.Input)
	r.must(err)
	readout.Describe(r.Object, concluded.Entries, concluded.Sweeps, concluded.Differences)
	entries, _ := summary.Of(summary.Input{Plan: r.plan, Names: in.Names, Records: read.Records})
	searches := r.options.Searches
	readout.DescribeSearches(searches)
	parts, err := journal.SplitSummary(journal.Summary{Entries: entries, Comparisons: concluded.Entries, Sweeps: concluded.Sweeps, Searches: searches})
	r.must(err)
	for i, data := range parts {
		r.put(contract.SummaryName(r.Object.Name, int32(i)), map[string][]byte{contract.KeySummary: data})
	}
	st := &r.Object.Status
	st.Summary, st.Comparisons, st.Sweeps, st.Differences = entries, concluded.Entries, concluded.Sweeps, concluded.Differences
	r.judge(in)
	st.Headline, st.Searches = readout.Headline(r.plan, in.Names, entries), searches
	if len(searches) > 0 {
		st.Headline = readout.SearchHeadline(r.plan, searches, Clients, "tx/s")
	}
	st.Integrity.SummarySHA256 = contract.Digest(parts[len(parts)-1])
	st.Results.SummaryConfigMapCount, st.Results.SummaryEntryCount = int32(len(parts)), int32(len(entries))
	st.Results.ComparisonCount, st.Results.SearchCount = int32(len(concluded.Entries)), int32(len(searches))
}
