package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/plays"
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
	// Claims that are measured, and those that are not obtainable.
	want := map[string][2]int{"s0-dotnet": {60, 102}, "s1-ycsb": {6, 59}, "s2-python": {8, 3}, "s3-node": {19, 0}, "s4-sweep": {9, 10}}
	got := map[string][2]int{}
	for _, s := range sourcesOf(t) {
		n := got[s.name]
		for _, c := range s.claims {
			if c.Not == "" {
				n[0]++
			} else {
				n[1]++
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
		if name := filepath.Base(filepath.Dir(file)); got[name] == [2]int{} {
			t.Errorf("%s has no claims: add %s/%s.yaml", name, sources, name)
		}
	}
}

// Within a group no two claims have one text: the figures of a run are found by it.
func TestTextsOfClaimsTellThemApart(t *testing.T) {
	for _, s := range sourcesOf(t) {
		seen := map[string]bool{}
		for _, c := range s.claims {
			key := s.Groups[c.Group].Heading + ": " + c.Says
			if seen[key] && c.Not == "" {
				t.Errorf("%s: %s twice", s.name, key)
			}
			seen[key] = true
		}
	}
}

// What is played is a spec of the API: the small form, with blocks, starts and an order of its own.
func TestManifests(t *testing.T) {
	rules, err := apischema.ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sourcesOf(t) {
		text, err := s.manifest(7)
		if err != nil {
			t.Fatal(err)
		}
		var run, small v1alpha1.BenchmarkRun
		if err := yaml.UnmarshalStrict([]byte(text), &run); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if err := yaml.UnmarshalStrict(s.small, &small); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		raw, err := json.Marshal(run.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rules.Complete(raw); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		seed := int64(7)
		small.Spec.Design.Blocks, small.Spec.Design.Starts, small.Spec.Design.Seed = claims.Blocks, v1alpha1.StartsPerBlock, &seed
		if diff := cmp.Diff(small.Spec, run.Spec); diff != "" || run.Name != s.name+"-7" {
			t.Errorf("%s: %s (-small +played):\n%s", s.name, run.Name, diff)
		}
	}
}

func TestASourceThatThereIsNot(t *testing.T) {
	if _, err := readSources(top, []string{"s0-dotnet", "s9"}); err == nil || !strings.Contains(err.Error(), "there is no source s9") {
		t.Errorf("%v", err)
	}
}

func TestTheNextSourceIsThatWithTheFewestRuns(t *testing.T) {
	good, failed, other := claims.Run{Manifest: "d"}, claims.Run{Manifest: "d", NoVerdict: "failed"}, claims.Run{Manifest: "another"}
	three, long := []claims.Run{good, good, good}, claims.Run{Manifest: "d", Seconds: 2000}
	tests := map[string]struct {
		a, b    []claims.Run
		further bool
		want    string
		why     string
	}{
		"the first of them":            {nil, nil, false, "a", ""},
		"the one without":              {[]claims.Run{good}, nil, false, "b", ""},
		"failures wait for their turn": {[]claims.Run{failed}, nil, false, "b", ""},
		"a failure is no run":          {[]claims.Run{failed, failed}, []claims.Run{good}, false, "a", ""},
		"runs of another manifest":     {[]claims.Run{other, other, other}, []claims.Run{good}, false, "a", ""},
		"the others have their runs":   {three, []claims.Run{good, good}, false, "b", ""},
		"all have their runs":          {three, three, false, "", "each source has 3 runs"},
		"they are played further":      {append(three, good), three, true, "b", ""},
		"what fits into the time":      {[]claims.Run{long}, []claims.Run{good, good}, false, "b", ""},
		"nothing fits into the time":   {[]claims.Run{long}, three, false, "", "the next run, of a, takes about 37m0s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, why := next([]source{{name: "a", digest: "d", runs: tt.a}, {name: "b", digest: "d", runs: tt.b}}, 30*time.Minute, tt.further)
			switch {
			case got == nil && (tt.want != "" || !strings.HasPrefix(why, tt.why)):
				t.Errorf("none: %s; want %s %s", why, tt.want, tt.why)
			case got != nil && got.name != tt.want:
				t.Errorf("%s, want %s", got.name, tt.want)
			}
		})
	}
}

func TestHowLongARunTakes(t *testing.T) {
	s := source{digest: "d", runs: []claims.Run{{Manifest: "other", Seconds: 5000}}}
	if got := s.takes(); got != atFirst {
		t.Errorf("before the first: %s", got)
	}
	s.runs = append(s.runs, claims.Run{Manifest: "d", Seconds: 100}, claims.Run{Manifest: "d", Seconds: 50})
	if got := s.takes(); got.Round(time.Second) != 110*time.Second {
		t.Errorf("%s, want a tenth more than the longest", got)
	}
}

// The pages of the repository are those of the figures beside them.
func TestPagesAreThoseOfTheirFigures(t *testing.T) {
	written, err := filepath.Glob(filepath.Join(top, pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range sourcesOf(t) {
		known[s.page()] = true
		runs, err := plays.Load[claims.Run](s.figures())
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) == 0 {
			if _, err := os.Stat(s.page()); err == nil {
				t.Errorf("%s is of no run", s.page())
			}
			continue
		}
		page, err := os.ReadFile(s.page())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.text(runs), string(page)); diff != "" {
			t.Errorf("%s: go run ./test/cmd/reproduce -page writes it (-derived +page):\n%s", s.page(), diff)
		}
	}
	for _, page := range written {
		if !known[page] {
			t.Errorf("%s is of no source", page)
		}
	}
}
