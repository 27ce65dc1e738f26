package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// What is played is a spec of the API: the small form with blocks, starts and an order of its own, and nothing is more than there.
func TestManifests(t *testing.T) {
	rules, err := apischema.ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	windows := map[string]time.Duration{"s1-ycsb": 10 * time.Second, "s2-python": 2 * time.Second, "s3-node": 2 * time.Second, "s4-sweep": 2 * time.Second}
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
		got, want := run.Spec.Design, small.Spec.Design
		if got.Blocks != claims.Blocks || got.Starts != v1alpha1.StartsPerBlock || got.Seed == nil || *got.Seed != 7 || run.Name != s.name+"-7" {
			t.Errorf("%s: %+v", run.Name, got)
		}
		if want := windows[s.name]; want != 0 && (got.Duration == nil || got.Duration.Duration != want) {
			t.Errorf("%s: windows of %v, want %s", s.name, got.Duration, want)
		}
		got.Blocks, got.Starts, got.Seed, got.Warmup, got.Duration, got.Rounds = want.Blocks, want.Starts, want.Seed, want.Warmup, want.Duration, want.Rounds
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: design (-small +played):\n%s", s.name, diff)
		}
		run.Spec.Design, small.Spec.Design = v1alpha1.Design{}, v1alpha1.Design{}
		onlyUsed(&small.Spec, s.sides())
		if diff := cmp.Diff(small.Spec, run.Spec); diff != "" {
			t.Errorf("%s: (-small +played):\n%s", s.name, diff)
		}
	}
}

// What is for readers alone is no part of the digest. What is played with it is what the API server and the manager accept, and a comparison more
// than eight blocks can decide is none.
func TestWholeManifests(t *testing.T) {
	for _, s := range sourcesOf(t) {
		text, err := s.whole(1)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "run.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, problems strings.Builder
		if code := cli.Run(t.Context(), []string{"plan", "-f", file}, cli.Streams{Out: &out, Problems: &problems}); code != exit.OK || !strings.Contains(out.String(), s.run(1)) {
			t.Errorf("%s: exit code %d: %s%s", s.name, code, problems.String(), out.String())
		}
		if need := regexp.MustCompile(`(\d+) comparisons? needs? (\d+) blocks`).FindStringSubmatch(out.String()); len(need) != 3 || len(need[2]) > 1 || need[2] > "8" {
			t.Errorf("%s: %q of\n%s", s.name, need, out.String())
		}
		run, quoted, err := plays.Manifest([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var published []string
		for _, target := range run.Spec.Targets {
			if target.Published != nil && len(quoted[target.Published.ConfigMap.Name]) > 0 {
				published = append(published, target.Name)
			}
		}
		if len(published) == 0 || run.Spec.Analysis == nil || len(run.Spec.Analysis.Comparisons) == 0 {
			t.Errorf("%s: published %q, %+v", s.name, published, run.Spec.Analysis)
		}
		s.published, s.Comparisons = nil, nil
		if digest, err := s.digestOf(); err != nil || digest != s.digest {
			t.Errorf("%s: the digest %s has become %s, %v", s.name, s.digest, digest, err)
		}
	}
}
