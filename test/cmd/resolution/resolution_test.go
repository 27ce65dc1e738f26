package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// Every manifest is a spec of the API, and asks for what its case says.
func TestManifests(t *testing.T) {
	rules, err := apischema.ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			t.Errorf("two cases have the name %s", c.Name)
		}
		seen[c.Name] = true
		var run v1alpha1.BenchmarkRun
		if err := yaml.UnmarshalStrict([]byte(c.Manifest(7)), &run); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		raw, err := json.Marshal(run.Spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rules.Complete(raw); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		d := run.Spec.Design
		if string(d.CPUs) != c.CPUs || string(d.Starts) != c.Starts || d.Duration.Duration != c.Window || d.Within.Duration != c.Length || *d.Seed != 7 {
			t.Errorf("%s: %+v", c.Name, d)
		}
		if injected := len(run.Spec.Matrix) == 1; injected != (c.Effect > 0) || injected == (len(run.Spec.Targets) == 2) {
			t.Errorf("%s: %d axes and %d targets", c.Name, len(run.Spec.Matrix), len(run.Spec.Targets))
		}
	}
}

func TestTheNextCaseIsThatWithTheFewestPlays(t *testing.T) {
	a, b := cases[0], cases[1]
	all := []Figures{{Case: a.Name, Play: 1}}
	if got := fewest([]Case{a, b}, all); got.Name != b.Name {
		t.Errorf("%s, want %s", got.Name, b.Name)
	}
	all = append(all, Figures{Case: b.Name, Play: 1})
	if got := fewest([]Case{a, b}, all); got.Name != a.Name {
		t.Errorf("%s, want %s", got.Name, a.Name)
	}
	if _, err := matching([]string{"nothing*"}); err == nil {
		t.Error("a pattern that matches no case is accepted")
	}
}

func TestTable(t *testing.T) {
	c := cases[0]
	got := tables([]Figures{
		{Case: c.Name, Play: 1, Seconds: 100, Blocks: 10, Ratio: 1.01, Low: 0.99, High: 1.03, Spread: 0.02},
		{Case: c.Name, Play: 2, Seconds: 300, Blocks: 10, Ratio: 1.03, Low: 1.01, High: 1.05, Spread: 0.04},
		{Case: "of another time"},
	})
	want := "| reads | two servers alike | PerBlock | Free | 1s | 2 | 20 | 20.0 s | 3.0 % | 2.4 % | 1.6 % | 1 of 2 |"
	if lines := strings.Split(strings.TrimSpace(got), "\n"); len(lines) != 3 || lines[2] != want {
		t.Errorf("table\n%s\nwant the row\n%s", got, want)
	}
}

func TestFiguresAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.json")
	none, err := load(file)
	if err != nil || none != nil {
		t.Fatalf("before the first play: %v, %v", none, err)
	}
	want := []Figures{{Case: "a", Play: 1, Date: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC), Ratio: 1.5}, {Case: "b", Play: 1}}
	if err := save(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := load(file)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The figures of a stored run: the demo has two comparisons, and such a run is refused.
func TestARunWithoutOneComparisonIsRefused(t *testing.T) {
	_, err := figuresOf(t.Context(), "../../../docs/evidence/demo.assay.tar")
	if err == nil || !strings.Contains(err.Error(), "primary comparisons, not 1") {
		t.Errorf("error %v", err)
	}
}
