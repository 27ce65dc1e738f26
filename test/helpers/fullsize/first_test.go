package fullsize_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/design"
	"github.com/assay-bench/assay/test/helpers/fullsize"
)

const published = "../../../config/samples/published"

// The first cells of each experiment at full size are of one target, and of one trial; those of which nothing can be had say so.
func TestFirst(t *testing.T) {
	want := map[string]string{
		"s0-dotnet/full.yaml": "mysql-8-0", "s1-ycsb/full.yaml": "innodb", "s1-ycsb/load.yaml": "innodb", "s1-ycsb/azure.yaml": "no target of it can be had here",
		"s2-python/full.yaml": "mariadb", "s2-python/suite.yaml": "no target of it can be had here", "s3-node/full.yaml": "mariadb",
		"s4-sweep/full.yaml": "old", "s4-sweep/latency.yaml": "mysql",
	}
	files, err := filepath.Glob(filepath.Join(published, "*/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range files {
		name, err := filepath.Rel(published, file)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.ToSlash(name)] = firstOf(t, file)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// firstOf a manifest is its target, or why there is none. The manager accepts it, as `kubectl assay plan` says, with one trial.
func firstOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, spec, err := fullsize.FirstManifest(data)
	if err != nil {
		return err.Error()
	}
	plan := design.NewPlan()
	var out bytes.Buffer
	plan.SetIn(strings.NewReader(text))
	plan.SetOut(&out)
	plan.SetErr(&out)
	plan.SetArgs([]string{"-f", "-"})
	if err := plan.Execute(); err != nil || len(spec.Targets) != 1 || !strings.Contains(out.String(), "1 trial") {
		t.Errorf("%s: %v, %d targets\n%s", file, err, len(spec.Targets), out.String())
	}
	return spec.Targets[0].Name
}

// A matrix that excludes the first values of its axes has no first cell.
func TestFirstIsExcluded(t *testing.T) {
	var run v1alpha1.BenchmarkRun
	if err := yaml.UnmarshalStrict([]byte(`
spec:
  targets: [{name: a, mysql: {flavor: MySQL, version: "9.7"}}]
  matrix: [{name: threads, values: [1, 2]}, {name: test, values: [oltp_read_only]}]
  exclude: [{threads: 1, test: oltp_read_only}]
`), &run); err != nil {
		t.Fatal(err)
	}
	if _, err := fullsize.First(run.Spec); err == nil || !strings.Contains(err.Error(), "are excluded") {
		t.Errorf("%v", err)
	}
}
