package main

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
)

const top = "../../.."

func sourcesOf(t *testing.T, names ...string) []source {
	t.Helper()
	all, err := readSources(top, names)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Each folder of published experiments has its claims, and each published number is in them, or is set aside.
func TestEachPublishedExperimentHasItsClaims(t *testing.T) {
	// Claims that are tested, those that are measured and not tested, those that the small form does not have, and those not obtainable.
	want := map[string][4]int{"s0-dotnet": {36, 0, 27, 49}, "s0-dotnet-delay": {9, 6, 0, 0}, "s0-dotnet-large": {18, 9, 12, 26}, "s1-ycsb": {0, 6, 0, 41}, "s1-ycsb-load": {0, 3, 0, 21}, "s2-python": {8, 2, 0, 27}, "s3-node": {19, 0, 0, 0}, "s4-sweep": {0, 18, 4, 5}}
	got := map[string][4]int{}
	for _, s := range sourcesOf(t) {
		n := got[s.name]
		for _, c := range s.claims {
			switch {
			case s.Tested(c):
				n[0]++
			case c.Measured():
				n[1]++
			case c.NotSmall != "":
				n[2]++
			default:
				n[3]++
			}
		}
		got[s.name] = n
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	folders, err := filepath.Glob(filepath.Join(top, "config/samples/published/*/full.yaml"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("%v, %d folders", err, len(folders))
	}
	for _, file := range folders {
		if name := filepath.Base(filepath.Dir(file)); got[name] == [4]int{} {
			t.Errorf("%s has no claims: add %s/%s.yaml", name, sources, name)
		}
	}
}

// playedBy a source are the labels of all that its runs measure. A tool without drivers adds labels of its own, which no plan knows.
func playedBy(t *testing.T, s source) (out []map[string]string, labelled bool) {
	t.Helper()
	text, err := s.manifest(1)
	if err != nil {
		t.Fatal(err)
	}
	var run v1alpha1.BenchmarkRun
	if err := yaml.UnmarshalStrict([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	rules, err := apischema.ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	completed, err := rules.Complete(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(completed, &run.Spec); err != nil {
		t.Fatal(err)
	}
	run.Spec.SetDefaults()
	work, err := experiment.WorkOf(run.Spec, experiment.Catalogue{Tool: runners.Find})
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	spec, fixed, err := work.Varies()
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiment.PlanOf(spec, fixed, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	layout, _, err := work.Experiment(p)
	if err != nil {
		t.Fatal(err)
	}
	combinations := layout.Combinations
	if len(combinations) == 0 {
		combinations = []analysis.Combination{{}}
	}
	for _, target := range p.Targets {
		for _, cell := range p.Cells {
			for _, c := range combinations {
				labels := map[string]string{v1alpha1.FactorTarget: target}
				for name, v := range cell {
					labels[name] = v.String()
				}
				maps.Copy(labels, c.Labels)
				out = append(out, labels)
			}
		}
	}
	return out, len(layout.Combinations) > 0
}

// Both sides of each claim are among what is played, and each measured cell of a form, so that no label is misspelt. Nothing is played that
// neither uses, as far as the lists of a benchmark allow. Those of a tool without drivers have labels of its own beside them: what YCSB has is in
// its recorded run.
func TestBothSidesOfEachClaimArePlayed(t *testing.T) {
	// Combinations of what is played, and those of them that are a side of a claim.
	want := map[string][2]int{"s0-dotnet": {48, 42}, "s0-dotnet-delay": {36, 36}, "s0-dotnet-large": {54, 33}, "s1-ycsb": {2, 2}, "s1-ycsb-load": {2, 2}, "s2-python": {10, 9}, "s3-node": {33, 29}, "s4-sweep": {30, 30}}
	got := map[string][2]int{}
	for _, s := range sourcesOf(t) {
		all, labelled := playedBy(t, s)
		keys, used := map[string]bool{}, map[string]bool{}
		for _, labels := range all {
			keys[claims.Key("", labels)] = true
		}
		for _, c := range s.asked() {
			for _, side := range c.Sides() {
				labels := maps.Clone(side)
				delete(labels, contract.LabelPercentile) // no place, but which value of one
				if !labelled {
					maps.DeleteFunc(labels, func(name, _ string) bool { _, has := all[0][name]; return !has })
				}
				switch key := claims.Key("", labels); {
				case !c.Measured():
				case !keys[key]:
					t.Errorf("%s: %q needs %s, which is not played", s.name, c.Says, key)
				default:
					used[key] = true
				}
			}
		}
		got[s.name] = [2]int{len(keys), len(used)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("played and used (-want +got):\n%s", diff)
	}
}

// The latencies and rates of YCSB and sysbench that claims and forms are about are in the recorded runs of both, under these names and labels.
func TestToolsHaveWhatIsClaimed(t *testing.T) {
	for _, name := range []string{"s1-ycsb", "s1-ycsb-load", "s4-sweep"} {
		b, err := bundle.Open(filepath.Join(top, gallery, name+".assay.tar"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := stored.Read(t.Context(), b)
		if err := errors.Join(err, b.Close()); err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, rec := range run.Records {
			for _, v := range rec.Values {
				has[claims.Key(v.Name, v.Labels)] = true
			}
		}
		s := sourcesOf(t, name)[0]
		planned, _ := playedBy(t, s)
		for _, c := range s.asked() {
			for _, side := range c.Sides() {
				own := maps.Clone(side)
				maps.DeleteFunc(own, func(name, _ string) bool { _, has := planned[0][name]; return has })
				if c.Measured() && !has[claims.Key(c.Measurement, own)] {
					t.Errorf("%s: %q needs %s, which no record of its run in the gallery has", name, c.Says, claims.Key(c.Measurement, own))
				}
			}
		}
	}
}

// What no side has is left out, a list at a time, and what is said by no list has its default.
func TestOnlyUsed(t *testing.T) {
	spec := v1alpha1.BenchmarkRunSpec{
		Targets: []v1alpha1.Target{{Name: "a"}, {Name: "b"}},
		Workload: v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
			Baseline: &v1alpha1.DriverBaseline{Driver: "d"},
			Drivers:  []v1alpha1.Driver{{Name: "d"}, {Name: "e"}, {Name: "f", As: "g"}},
			Benchmarks: []v1alpha1.DriverBenchmark{
				{Operation: "Encode"},
				{Operation: "Insert", Schemes: []v1alpha1.DriverScheme{"SingleRow", "Batch"}, Transactions: []v1alpha1.DriverTransaction{"Autocommit", "One"}, Rows: []int32{1, 100}},
				{Operation: "Insert", StorageEngine: "BLACKHOLE"},
				{Operation: "SelectOne", Sessions: []v1alpha1.DriverSession{"Dedicated", "Pool"}},
			},
		}},
	}
	onlyUsed(&spec, []map[string]string{
		{"target": "a", "driver": "d", "operation": "Insert", "scheme": "Batch", "rows": "100"}, {"target": "a", "driver": "g", "operation": "SelectOne", "scheme": "SingleRow"},
	})
	want := v1alpha1.BenchmarkRunSpec{
		Targets: []v1alpha1.Target{{Name: "a"}},
		Workload: v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
			Drivers: []v1alpha1.Driver{{Name: "d"}, {Name: "f", As: "g"}},
			Benchmarks: []v1alpha1.DriverBenchmark{
				{Operation: "Insert", Schemes: []v1alpha1.DriverScheme{"Batch"}, Transactions: []v1alpha1.DriverTransaction{"Autocommit"}, Rows: []int32{100}},
				{Operation: "SelectOne", Sessions: []v1alpha1.DriverSession{"Dedicated"}},
			},
		}},
	}
	if diff := cmp.Diff(want, spec, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASourceThatThereIsNot(t *testing.T) {
	if _, err := readSources(top, []string{"s0-dotnet", "s9"}); err == nil || !strings.Contains(err.Error(), "there is no source s9") {
		t.Errorf("%v", err)
	}
}

func TestTheNextSourceIsThatWithTheFewestRuns(t *testing.T) {
	good, failed, other := claims.Run{Manifest: "d", Machine: "m"}, claims.Run{Manifest: "d", Machine: "m", NoVerdict: "failed", Date: time.Now()}, claims.Run{Manifest: "another", Machine: "m"}
	elsewhere := claims.Run{Manifest: "d", Machine: "another"}
	yesterday := failed
	yesterday.Date = yesterday.Date.Add(-24 * time.Hour)
	three, long := []claims.Run{good, good, good}, claims.Run{Manifest: "d", Machine: "m", Seconds: 2000}
	tests := map[string]struct {
		a, b []claims.Run
		want string
		why  string
	}{
		"the first of them":             {nil, nil, "a", ""},
		"the one without":               {[]claims.Run{good}, nil, "b", ""},
		"failures wait for their turn":  {[]claims.Run{failed}, nil, "b", ""},
		"a failure is no run":           {[]claims.Run{failed}, []claims.Run{good}, "a", ""},
		"two failures are enough":       {[]claims.Run{good, failed, failed}, []claims.Run{good, good}, "b", ""},
		"and end the plays":             {[]claims.Run{failed, failed}, three, "", "the last 2 runs of a are good for nothing"},
		"of another manifest they last": {[]claims.Run{other, {Manifest: "another", NoVerdict: "failed"}, {Manifest: "another", NoVerdict: "failed"}}, three, "a", ""},
		"of another machine, too":       {[]claims.Run{good, {Manifest: "d", Machine: "another", NoVerdict: "failed"}, {Manifest: "d", Machine: "another", NoVerdict: "failed"}}, []claims.Run{good, good}, "a", ""},
		"in turns with another machine": {[]claims.Run{failed, {Manifest: "d", Machine: "another", NoVerdict: "failed"}, failed}, three, "", "the last 2 runs of a are good for nothing"},
		"failures of another day":       {[]claims.Run{yesterday, yesterday}, three, "a", ""},
		"runs of another manifest":      {[]claims.Run{other, other, other}, []claims.Run{good}, "a", ""},
		"runs of another machine":       {[]claims.Run{elsewhere, elsewhere, elsewhere}, []claims.Run{good}, "a", ""},
		"the others have their runs":    {three, []claims.Run{good, good}, "b", ""},
		"all have their runs":           {three, three, "", "each source has its runs"},
		"what fits into the time":       {[]claims.Run{long}, []claims.Run{good, good}, "b", ""},
		"nothing fits into the time":    {[]claims.Run{long}, three, "", "the next run, of a, takes about 37m0s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			of := func(name string, runs []claims.Run) source {
				return source{Source: claims.Source{Runs: 3}, name: name, digest: "d", machine: "m", runs: runs}
			}
			got, why := next([]source{of("a", tt.a), of("b", tt.b)}, 30*time.Minute)
			switch {
			case got == nil && (tt.want != "" || !strings.HasPrefix(why, tt.why)):
				t.Errorf("none: %s; want %s %s", why, tt.want, tt.why)
			case got != nil && got.name != tt.want:
				t.Errorf("%s, want %s", got.name, tt.want)
			}
		})
	}
}

// A run that failed says nothing about how long a good one takes.
func TestHowLongARunTakes(t *testing.T) {
	s := source{digest: "d", runs: []claims.Run{{Manifest: "other", Seconds: 5000}, {Manifest: "d", Seconds: 4000, NoVerdict: "failed"}}}
	if got := s.takes(); got != atFirst {
		t.Errorf("before the first: %s", got)
	}
	s.runs = append(s.runs, claims.Run{Manifest: "d", Seconds: 100}, claims.Run{Manifest: "d", Seconds: 50})
	if got := s.takes(); got.Round(time.Second) != 110*time.Second {
		t.Errorf("%s, want a tenth more than the longest", got)
	}
}

// Whoever changes the number of runs, or what is played, begins anew.
func TestTheDigestIsOfWhatIsPlayed(t *testing.T) {
	for _, s := range sourcesOf(t) {
		if s.Runs != 3 {
			t.Errorf("%s: %d runs", s.name, s.Runs)
		}
		for what, change := range map[string]func(*source){
			"runs": func(s *source) { s.Runs++ }, "rounds": func(s *source) { s.Design.Rounds = new(int32(9)) }, "a claim less": func(s *source) { s.claims = nil },
		} {
			changed := s
			change(&changed)
			digest, err := changed.digestOf()
			if err != nil || digest == s.digest {
				t.Errorf("%s: %v, with %s it is %s as before", s.name, err, what, digest)
			}
		}
		texts := s
		texts.claims = slices.Clone(s.claims)
		for i := range texts.claims {
			texts.claims[i].Says, texts.claims[i].Ratio = "other words", 7
		}
		if digest, err := texts.digestOf(); err != nil || digest != s.digest {
			t.Errorf("%s: %v, with other words of the claims it is %s, and not %s", s.name, err, digest, s.digest)
		}
	}
}
