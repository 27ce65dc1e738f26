package rerun_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/rerun"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/test/helpers/finished"
)

func analysed(t testing.TB, o finished.Options) analysis.Run {
	t.Helper()
	run, err := stored.Read(t.Context(), finished.New(t, o))
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.Analysis()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// runs of levels around 1.
func runs(t testing.TB, levels ...float64) (out []analysis.Run) {
	t.Helper()
	for i, level := range levels {
		out = append(out, analysed(t, finished.Options{Name: fmt.Sprintf("run-%d", i), Level: level}))
	}
	return out
}

func TestCheck(t *testing.T) {
	earlier := runs(t, 0.99, 1, 1.01)
	tests := map[string]struct {
		level  float64
		within bool
	}{
		"in the middle":               {1, true},
		"at the edge of three":        {1.02, true},
		"twice as fast":               {2, false},
		"beyond what three runs show": {1.25, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report, err := rerun.Check(earlier, analysed(t, finished.Options{Name: "new", Level: tc.level}))
			if err != nil || report.Within() != tc.within || len(report.Predictions) != 8 || report.Runs != 3 {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

// The interval of the first measurement, computed by hand: mean +- t * s * sqrt(1 + 1/3) of the logarithms, with
// the quantile of Student's t with two degrees of freedom at 1 - 0.05/16, which is 12.590.
func TestIntervalByHand(t *testing.T) {
	report, err := rerun.Check(runs(t, 0.99, 1, 1.01), analysed(t, finished.Options{Name: "new"}))
	if err != nil {
		t.Fatal(err)
	}
	p := report.Predictions[0]
	logs := []float64{math.Log(0.99 * p.Value), math.Log(p.Value), math.Log(1.01 * p.Value)}
	mean := (logs[0] + logs[1] + logs[2]) / 3
	squares := 0.0
	for _, l := range logs {
		squares += (l - mean) * (l - mean)
	}
	half := 12.590 * math.Sqrt(squares/2) * math.Sqrt(4.0/3)
	if math.Abs(math.Log(p.High)-mean-half) > 1e-4 || math.Abs(mean-half-math.Log(p.Low)) > 1e-4 || p.Measurement != "a threads=2 throughput" || p.Unit != "tx/s" {
		t.Errorf("%+v, want %v +- %v", p, mean, half)
	}
}

// Of runs like the earlier ones, at least 95 of 100 lie within all intervals. The measurements of a run go up
// and down together here, for which the level is stricter than needed.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a simulation
	within, rounds := 0, 200
	one := analysed(t, finished.Options{})
	another := func() analysis.Run { return scaled(one, math.Exp(0.02*random.NormFloat64())) }
	for range rounds {
		report, err := rerun.Check([]analysis.Run{another(), another(), another(), another()}, another())
		if err != nil {
			t.Fatal(err)
		}
		if report.Within() {
			within++
		}
	}
	if within < rounds*95/100 {
		t.Errorf("%d of %d", within, rounds)
	}
}

// Runs that agree to the last digit say nothing about how runs differ: a sound run that is one step of its tool
// away is not outside. What differs is predicted all the same.
func TestRunsThatAgreePredictNothing(t *testing.T) {
	same := analysed(t, finished.Options{})
	another := scaled(same, 1.018)
	if report, err := rerun.Check([]analysis.Run{same, same, same}, another); err == nil || len(report.Predictions) > 0 || len(report.Missing) != 8 || !strings.Contains(err.Error(), "no interval is estimable") {
		t.Errorf("%+v, %v", report, err)
	}
	steps := func(run analysis.Run, factor float64) analysis.Run {
		out := scaled(run, factor)
		for i, rec := range out.Records {
			for j := range rec.Values {
				if rec.Target == "a" {
					rec.Values[j].Value = same.Records[i].Values[j].Value
				}
			}
		}
		return out
	}
	report, err := rerun.Check([]analysis.Run{steps(same, 0.99), same, steps(same, 1.01)}, another)
	if err != nil || len(report.Predictions) != 4 || len(report.Missing) != 4 || !report.Within() {
		t.Errorf("%+v, %v", report, err)
	}
}

// scaled is a run with all its values multiplied.
func scaled(run analysis.Run, factor float64) analysis.Run {
	run.Records = slices.Clone(run.Records)
	for i := range run.Records {
		run.Records[i].Values = slices.Clone(run.Records[i].Values)
		for j := range run.Records[i].Values {
			run.Records[i].Values[j].Value *= factor
		}
	}
	return run
}

// From fewer than three runs nothing is predicted, and runs that measured something else predict nothing.
func TestCheckRefuses(t *testing.T) {
	var few *rerun.NotEstimableError
	if _, err := rerun.Check(runs(t, 1, 1.01), analysed(t, finished.Options{Name: "new"})); !errors.As(err, &few) || !strings.Contains(err.Error(), "not estimable") || few.Runs != 2 {
		t.Error(err)
	}
	other := analysed(t, finished.Options{Name: "new", Change: func(run *v1alpha1.BenchmarkRun) { run.Spec.Workload.Sysbench.TableSize = 7 }})
	var different *analysis.NotOneExperimentError
	if _, err := rerun.Check(runs(t, 1, 1.01, 1.02), other); !errors.As(err, &different) {
		t.Error(err)
	}
}

// accepted is a run whose references were resolved.
func accepted(o *v1alpha1.BenchmarkRun) {
	seed := int64(42)
	o.Status.Resolved = &v1alpha1.Resolved{
		ClientShape: v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("2"), Memory: resource.MustParse("8Gi")}, AgentImage: "registry.example/agent:1", SeparateFromTargets: v1alpha1.SeparationRequired,
		Targets: []v1alpha1.ResolvedTarget{
			{Name: "a", Image: "docker.io/library/mysql:9.7", Shape: &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("4"), Memory: resource.MustParse("8Gi")}, Settings: []v1alpha1.ServerSetting{
				{Name: "sync_binlog", Value: "0", Source: v1alpha1.SourceSpec}, {Name: "innodb_buffer_pool_size", Value: "1G", Source: v1alpha1.SourceShape},
			}},
			{Name: "b", Image: "docker.io/library/mysql:8.4", Shape: &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("4"), Memory: resource.MustParse("8Gi")}},
		},
	}
	o.Spec.Clients.Shape, o.Spec.Targets[0].Shape = &v1alpha1.ShapeRef{Name: "small"}, &v1alpha1.ShapeRef{Name: "large"}
	o.Spec.Targets[0].MySQL.ConfigFrom = []corev1.LocalObjectReference{{Name: "tuning"}}
	o.Spec.Suspend, o.Spec.Deadline = true, metav1.Duration{Duration: 24 * time.Hour}
	o.Status.Targets[1].ImageID = "sha256:" + strings.Repeat("0", 64) // loaded into the node
	o.Spec.Workload.Sysbench.Test = ""
	o.Spec.Workload.Sysbench.Script = &v1alpha1.SysbenchScript{ConfigMap: v1alpha1.ConfigMapFiles{Name: "scripts"}, File: "my.lua"}
	o.Status.Plan = &v1alpha1.PlanStatus{Seed: &seed}
}

// remade is a run as it is stored, and the manifest of its repetition.
func remade(t *testing.T, f *finished.Run) (*stored.Run, rerun.Manifest) {
	t.Helper()
	run, err := stored.Read(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rerun.Make(t.Context(), run, "again")
	if err != nil {
		t.Fatal(err)
	}
	return run, m
}

func made(t *testing.T) *finished.Run {
	t.Helper()
	run := finished.New(t, finished.Options{})
	accepted(run.Object)
	run.Object.Status.Plan.ConfigMapCount = 1
	files := &corev1.ConfigMap{ObjectMeta: resources.Meta(run.Object, "run-inputs", nil), Data: map[string]string{"my.lua": "print(1)\n"}}
	run.Maps[files.Name] = files
	run.Object.Status.Resolved.Inputs = &v1alpha1.ResolvedInputs{ConfigMap: files.Name, SHA256: resources.FilesDigest(files)}
	run.Maps["run-theirs-quoted"].Data[contract.KeyQuotedRun] = "their output\n"
	return run
}

// accepts fails the test where the API server would refuse a spec.
func accepts(t *testing.T, spec v1alpha1.BenchmarkRunSpec) {
	t.Helper()
	rules, err := apischema.ForSpec()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.Complete(data); err != nil {
		t.Errorf("the API server refuses it: %v", err)
	}
}

func TestManifest(t *testing.T) {
	run, m := remade(t, made(t))
	data, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), "---\n")
	if len(parts) != 3 {
		t.Fatalf("%s", data)
	}
	var files, quotes corev1.ConfigMap
	var again v1alpha1.BenchmarkRun
	for i, into := range []any{&quotes, &files, &again} {
		if err := yaml.UnmarshalStrict([]byte(parts[i]), into); err != nil {
			t.Fatal(err)
		}
	}
	want := *run.Object.Spec.DeepCopy()
	want.Suspend, want.Design.Seed = false, new(int64(42))
	want.Clients.Shape = &v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("2"), Memory: resource.MustParse("8Gi")}}
	want.Clients.Placement.SeparateFromTargets = v1alpha1.SeparationRequired // as it was
	for i, image := range []string{"docker.io/library/mysql@sha256:" + contract.Digest([]byte("server")), "docker.io/library/mysql:8.4"} {
		want.Targets[i].Shape = &v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("4"), Memory: resource.MustParse("8Gi")}}
		want.Targets[i].MySQL.Version, want.Targets[i].MySQL.Image = "", image
	}
	want.Targets[0].MySQL.Config, want.Targets[0].MySQL.ConfigFrom = map[string]string{"sync_binlog": "0"}, nil
	want.Workload.Sysbench.Script.ConfigMap.Name, want.Targets[2].Published.ConfigMap.Name = "again-files", "again-theirs-published"
	if diff := cmp.Diff(want, again.Spec); diff != "" || again.Name != "again" || again.Namespace != "ns" {
		t.Errorf("%s (-want +got):\n%s", again.Name, diff)
	}
	if files.Name != "again-files" || files.Data["my.lua"] != "print(1)\n" || quotes.Data[contract.KeyQuotedRun] != "their output\n" || len(quotes.Data) != 1 {
		t.Errorf("%+v\n%+v", files, quotes)
	}
	accepts(t, again.Spec)
	notes := []string{
		`target b: the image docker.io/library/mysql:8.4 stands by its tag, because its digest is not known ("sha256:` + strings.Repeat("0", 64) + `"): a tag may move`,
		"the images of the tool are those of the operator; the run had registry.example/sysbench@sha256:" + contract.Digest([]byte("client")),
		"the image of the agent is that of the operator; the run had registry.example/agent:1",
	}
	if diff := cmp.Diff(notes, m.Notes); diff != "" || !strings.HasPrefix(string(data), "# "+notes[0]+"\n") {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// A run and its repetition are alike but for their seeds, whatever names the run had for images, shapes, settings and files.
func TestPinned(t *testing.T) {
	run, m := remade(t, made(t))
	again := *run
	again.Object = run.Object.DeepCopy()
	again.Object.Spec = m.Run.Spec
	for i := range again.Object.Status.Resolved.Targets {
		resolved := &again.Object.Status.Resolved.Targets[i]
		for _, target := range m.Run.Spec.Targets {
			if target.Name == resolved.Name {
				resolved.Image = target.MySQL.Image
			}
		}
	}
	was, is := rerun.Pinned(run), rerun.Pinned(&again)
	was.Suspend, was.Design.Seed = is.Suspend, is.Design.Seed
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("(-run +repetition):\n%s", diff)
	}
	if run.Object.Spec.Targets[0].MySQL.Image != "" || run.Object.Spec.Workload.Sysbench.Script.ConfigMap.Name == "" {
		t.Error("the run itself was changed")
	}
}

// A custom tool is pinned, and a note has no line of its own in the manifest.
func TestManifestOfACustomTool(t *testing.T) {
	f := made(t)
	f.Object.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{
		Image: "registry.example/sysbench:1", Format: "Sysbench", Run: v1alpha1.CustomPhase{Command: []string{"tool"}}, Files: &v1alpha1.ConfigMapFiles{Name: "scripts"},
	}}
	f.Object.Status.Resolved.AgentImage = "x\nkind: Secret"
	_, m := remade(t, f)
	if got := m.Run.Spec.Workload.Custom; got.Image != "registry.example/sysbench@sha256:"+contract.Digest([]byte("client")) || got.Files.Name != "again-files" {
		t.Errorf("%+v", got)
	}
	accepts(t, m.Run.Spec)
	m.Notes = append(m.Notes, "x")
	for _, note := range m.Notes {
		if strings.Contains(note, "\n") {
			t.Errorf("%q", note)
		}
	}
}

// An image is pinned to what a registry has, and never to a name that a node gave it.
func TestWhichDigestsPin(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	tests := map[string]struct{ id, asked, want string }{
		"pulled":                {"docker.io/library/mysql" + digest, "docker.io/library/mysql:9.7", "docker.io/library/mysql" + digest},
		"pulled by short names": {"docker.io/library/mysql" + digest, "mysql:9.7", "docker.io/library/mysql" + digest},
		"by the docker engine":  {"docker-pullable://mysql" + digest, "mysql:9.7", "mysql" + digest},
		"asked by a digest":     {"registry.example:5000/db" + digest, "registry.example:5000/db:1" + digest, "registry.example:5000/db" + digest},
		"loaded into a node":    {"docker.io/library/import-2026-11-22" + digest, "docker.io/library/mysql:9.7", "docker.io/library/mysql:9.7"},
		"of another repository": {"docker.io/percona/mysql" + digest, "docker.io/library/mysql:9.7", "docker.io/library/mysql:9.7"},
		"without a name":        {digest[1:], "docker.io/library/mysql:9.7", "docker.io/library/mysql:9.7"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := made(t)
			f.Object.Status.Resolved.Targets[0].Image, f.Object.Status.Targets[0].ImageID = tc.asked, tc.id
			_, m := remade(t, f)
			noted := slices.ContainsFunc(m.Notes, func(note string) bool {
				return strings.HasPrefix(note, "target a: the image "+tc.asked+" stands by its tag")
			})
			if got := m.Run.Spec.Targets[0].MySQL.Image; got != tc.want || noted != (tc.want == tc.asked) {
				t.Errorf("%q, %q", got, m.Notes)
			}
		})
	}
}

func TestManifestRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*finished.Run)
		want   string
	}{
		"a run that was never accepted": {func(r *finished.Run) { r.Object.Status.Resolved = nil }, "was never accepted"},
		"other files":                   {func(r *finished.Run) { r.Maps["run-inputs"].Data["my.lua"] = "print(2)" }, "the files of ConfigMap run-inputs have the SHA-256"},
		"files that are gone":           {func(r *finished.Run) { delete(r.Maps, "run-inputs") }, "ConfigMap run-inputs is gone"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := made(t)
			tc.change(f)
			run, err := stored.Read(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rerun.Make(t.Context(), run, "again"); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
