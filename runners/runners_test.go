package runners

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/apischema"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// workloads has the least workload of every runner of the list: a new runner adds one.
var workloads = map[string]string{
	"sysbench": `{"test":"oltp_read_write","threads":4}`,
	"ycsb":     `{"workload":"a","threads":4}`,
	"tpcc":     `{"threads":4}`,
	"tpch":     `{"threads":4}`,
	"drivers":  `{"drivers":[{"language":"Node","name":"mysql2"}],"benchmarks":[{"operation":"SelectOne"}]}`,
	"custom": `{"image":"example.com/tool:1","threads":4,"format":"Mysqlslap","files":{"name":"queries"},
		"prepare":{"command":["load"]},"run":{"command":["tool","$(HOST)","$(DURATION_SECONDS)"]},"cleanup":{"command":["drop"]},
		"parameters":{"rows":"10"},"dataParameters":["rows"]}`,
}

// exitProves are the runners whose Prepare and Cleanup are proven by the exit code:
// of a tool that nobody knows, nothing else says that it did its work.
var exitProves = map[string]bool{"custom": true}

// endsByItself are the runners whose trials end when all is measured.
var endsByItself = map[string]bool{"drivers": true, "tpch": true}

// failure is the output of a tool that printed this and did nothing else.
func failure(r runner.Runner, phase contract.Phase, printed []byte) runner.Output {
	o := runner.Output{Stdout: printed, Stderr: printed}
	if exitProves[r.Name] && (phase == contract.PhasePrepare || phase == contract.PhaseCleanup) {
		o.ExitCode = 1
	}
	return o
}

const (
	password = "a-s3cret-password"
	pem      = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
)

var phases = []contract.Phase{contract.PhasePrepare, contract.PhaseWarmup, contract.PhaseRun, contract.PhaseCleanup}

// workloadOf is the workload of a runner as the API completes it.
func workloadOf(t *testing.T, r runner.Runner) json.RawMessage {
	t.Helper()
	workload, ok := workloads[r.Name]
	if !ok {
		t.Fatalf("add a workload for %s to this test", r.Name)
	}
	tool, err := apischema.ForTool(r.Name)
	if err != nil {
		t.Fatal(err)
	}
	completed, err := tool.Complete(json.RawMessage(workload))
	if err != nil {
		t.Fatal(err)
	}
	return completed
}

func trialOf(t *testing.T, r runner.Runner, tls contract.TLSMode) contract.Trial {
	t.Helper()
	trial := contract.Trial{
		Version: contract.TrialVersion, Runner: r.Name, Workload: workloadOf(t, r),
		Clients: 1, WarmupSeconds: 1, DurationSeconds: 10,
		Endpoint: contract.Endpoint{Host: "db.bench.svc", Port: 3306, Database: "bench", TLS: tls, StorageEngine: "InnoDB"},
	}
	if r.MeasuresOften() {
		trial.Measurement = &contract.Measuring{WarmupSeconds: 0.5, DurationSeconds: 2, WarmupRounds: 1, Rounds: 3}
	}
	return trial
}

// Every runner of the list keeps the contract.
func TestConformance(t *testing.T) {
	rules := map[string]func(*testing.T, runner.Runner){
		"it is complete": isComplete,
		"its headline is the first of the summary":    headsItsSummary,
		"its facts are those without a direction":     factsHaveNoDirection,
		"no secret is on a command line":              hidesSecrets,
		"the same trial gives the same command":       isDeterministic,
		"a workload it does not know is refused":      refusesUnknownFields,
		"no output is a failure in every phase":       failsOnSilence,
		"garbage is a failure, and no reason to stop": survivesGarbage,
		"expectations follow the trial":               knowsTheDuration,
		"its data fields are fields of the workload":  namesItsDataFields,
		"its loads are numbers of the workload":       namesItsLoads,
		"its load can be measured, or is refused":     measuresItsLoad,
	}
	for _, r := range All() {
		for name, rule := range rules {
			t.Run(r.Name+": "+name, func(t *testing.T) { rule(t, r) })
		}
	}
}

func isComplete(t *testing.T, r runner.Runner) {
	if r.Name == "" || r.Headline == "" || r.Command == nil || r.Parse == nil || r.Expectations == nil {
		t.Errorf("a part is missing: %+v", r)
	}
	got, ok := Find(r.Name)
	if !ok || got.Name != r.Name {
		t.Errorf("Find(%q) does not find it", r.Name)
	}
}

func headsItsSummary(t *testing.T, r runner.Runner) {
	if len(r.Summary) == 0 || r.Summary[0] != r.Headline {
		t.Errorf("summary %v does not begin with %q", r.Summary, r.Headline)
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(r.Summary))); len(unique) != len(r.Summary) {
		t.Errorf("summary %v has a name twice", r.Summary)
	}
}

// factsHaveNoDirection: a gate refuses them by their names before a run starts, and nothing else of the summary. The golden
// reports of a tool have the directions.
func factsHaveNoDirection(t *testing.T, r runner.Runner) {
	for _, name := range r.Facts {
		if !slices.Contains(r.Summary, name) {
			t.Errorf("the fact %s is not in the summary", name)
		}
	}
	paths, err := filepath.Glob(r.Name + "/testdata/*.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct{ Measurements []contract.Measurement }
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, m := range golden.Measurements {
			if slices.Contains(r.Summary, m.Name) && (m.Direction == "") != slices.Contains(r.Facts, m.Name) {
				t.Errorf("%s: the direction of %s is %q, and its facts are %v", path, m.Name, m.Direction, r.Facts)
			}
		}
	}
}

// What publications with a tool compare by is in the summary of every run.
func TestSummariesHaveWhatIsPublished(t *testing.T) {
	for name, published := range map[string][]string{
		"sysbench": {contract.NameThroughput, contract.NameQueries, contract.NameLatencyMin, contract.NameLatencyAvg, contract.NameLatencyMax, contract.NameLatencyPercentile},
		"ycsb": {
			contract.NameThroughput, contract.NameLatencyMin, contract.NameLatencyAvg, contract.NameLatencyMax, contract.NameLatencyPercentile,
			contract.NameOperationCount, contract.NameReturnCount, contract.NameGCCount, contract.NameGCTime, contract.NameGCPercent,
		},
	} {
		r, _ := Find(name)
		for _, m := range published {
			if !slices.Contains(r.Summary, m) {
				t.Errorf("the summary of %s has no %s", name, m)
			}
		}
	}
}

func hidesSecrets(t *testing.T, r runner.Runner) {
	secrets := runner.Credentials{Username: "assay", Password: password, CA: []byte(pem), Cert: []byte(pem), Key: []byte(pem)}
	for _, tls := range []contract.TLSMode{contract.TLSDisabled, contract.TLSRequired} {
		for _, phase := range phases {
			c, err := r.Command(trialOf(t, r, tls), phase, secrets)
			if err != nil {
				t.Errorf("%s, TLS %s: %v", phase, tls, err)
				continue
			}
			if line := c.Path + " " + strings.Join(c.Args, " "); strings.Contains(line, password) || strings.Contains(line, pem) {
				t.Errorf("%s, TLS %s: a secret is on the command line: %s", phase, tls, line)
			}
			for name := range c.Files {
				if name == "" || strings.ContainsAny(name, `/\`) {
					t.Errorf("%s: the file %q is not in the working directory", phase, name)
				}
			}
		}
	}
}

func isDeterministic(t *testing.T, r runner.Runner) {
	c := runner.Credentials{Username: "assay", Password: password}
	for _, phase := range phases {
		first, err := r.Command(trialOf(t, r, contract.TLSDisabled), phase, c)
		if err != nil {
			t.Fatal(err)
		}
		second, err := r.Command(trialOf(t, r, contract.TLSDisabled), phase, c)
		if err != nil {
			t.Fatal(err)
		}
		// Functions are not comparable; what they say depends on answers.
		if diff := cmp.Diff(first, second, cmpopts.IgnoreFields(runner.Turn{}, "Unsupported")); diff != "" {
			t.Errorf("%s (-first +second):\n%s", phase, diff)
		}
	}
}

func refusesUnknownFields(t *testing.T, r runner.Runner) {
	trial := trialOf(t, r, contract.TLSDisabled)
	trial.Workload = json.RawMessage(strings.Replace(string(trial.Workload), "{", `{"noSuchField":1,`, 1))
	_, err := r.Command(trial, contract.PhaseRun, runner.Credentials{Username: "assay", Password: password})
	if err == nil || !strings.Contains(err.Error(), "noSuchField") {
		t.Errorf("got error %v, want one that names the field", err)
	}
}

func failsOnSilence(t *testing.T, r runner.Runner) {
	for _, phase := range phases {
		got := r.Parse(trialOf(t, r, contract.TLSDisabled), phase, failure(r, phase, nil))
		if got.Failure == nil || got.Failure.Reason == "" || got.Failure.Message == "" {
			t.Errorf("%s: failure = %+v, want one with reason and message", phase, got.Failure)
		}
		if len(got.Measurements) > 0 {
			t.Errorf("%s: measurements out of nothing: %+v", phase, got.Measurements)
		}
	}
}

func survivesGarbage(t *testing.T, r runner.Runner) {
	garbage := [][]byte{
		{0}, {0xff, 0xfe, '\n'}, []byte("\n\n\n"), []byte("{}\n[]\n"), []byte("%s%n\r\n"),
		bytes.Repeat([]byte("x"), 1<<16), bytes.Repeat([]byte("1 2 3\n"), 1000),
	}
	for _, phase := range phases {
		for _, b := range garbage {
			got := r.Parse(trialOf(t, r, contract.TLSDisabled), phase, failure(r, phase, b))
			if got.Failure == nil {
				t.Errorf("%s: %.20q is no success", phase, b)
			}
		}
	}
}

func knowsTheDuration(t *testing.T, r runner.Runner) {
	got, err := r.Expectations(trialOf(t, r, contract.TLSRequired))
	if err != nil {
		t.Fatal(err)
	}
	// A workload whose end is not a matter of time has no duration.
	if got.DurationSeconds != 10 && !endsByItself[r.Name] || !got.TLSRequired {
		t.Errorf("expectations = %+v, want 10 s and TLS", got)
	}
}

// A load is a number of the workload's schema: a larger one is accepted, and a text is not.
func namesItsLoads(t *testing.T, r runner.Runner) {
	tool, err := apischema.ForTool(r.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range r.Design.Loads {
		for value, accepted := range map[string]bool{"8": true, `"much"`: false} {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal([]byte(workloads[r.Name]), &fields); err != nil {
				t.Fatal(err)
			}
			fields[load] = json.RawMessage(value)
			workload, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool.Complete(workload); (err == nil) != accepted {
				t.Errorf("%s=%s: %v", load, value, err)
			}
		}
	}
	if slices.Contains([]string{"sysbench", "ycsb", "tpcc", "tpch", "custom"}, r.Name) && !slices.Contains(r.Design.Loads, "threads") {
		t.Errorf("loads %v, want threads among them", r.Design.Loads)
	}
}

func namesItsDataFields(t *testing.T, r runner.Runner) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(workloadOf(t, r), &fields); err != nil {
		t.Fatal(err)
	}
	loads := !r.Skips(trialOf(t, r, contract.TLSDisabled), contract.PhasePrepare)
	names, err := r.DataFields(workloadOf(t, r))
	if err != nil || loads && len(names) == 0 {
		t.Errorf("data fields = %v, %v: name those that decide what is loaded", names, err)
	}
	var parameters map[string]string
	if data, has := fields["parameters"]; has {
		if err := json.Unmarshal(data, &parameters); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		_, field := fields[name]
		if _, parameter := parameters[name]; !field && !parameter {
			t.Errorf("the workload has neither a field nor a parameter %q", name)
		}
	}
}

func TestFindOfAnUnknownName(t *testing.T) {
	if r, ok := Find("hammerdb"); ok {
		t.Errorf("found %q", r.Name)
	}
}

// measuresItsLoad: a trial that is a load has the command of Prepare, its headline first, no name twice, and no success without output.
func measuresItsLoad(t *testing.T, r runner.Runner) {
	trial := trialOf(t, r, contract.TLSDisabled)
	loading, err := r.Loading(trial.Workload)
	if r.Skips(trial, contract.PhasePrepare) != (err != nil) {
		t.Fatalf("loads nothing: %v, and it is refused with %v", r.Skips(trial, contract.PhasePrepare), err)
	}
	if err != nil {
		return
	}
	trial.Ref.Phase, trial.Loads = string(contract.PhaseRun), true
	prepare := trial
	prepare.Ref.Phase, prepare.Loads = string(contract.PhasePrepare), false
	of := runner.Credentials{Username: "assay", Password: password}
	want, err := r.Command(prepare, contract.PhasePrepare, of)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loading.Command(trial, contract.PhaseRun, of)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(runner.Turn{}, "Unsupported")); err != nil || diff != "" {
		t.Errorf("%v (-prepare +load):\n%s", err, diff)
	}
	headsItsSummary(t, loading)
	if got := loading.Parse(trial, contract.PhaseRun, failure(r, contract.PhasePrepare, nil)); got.Failure == nil {
		t.Error("no output is a success")
	}
}
