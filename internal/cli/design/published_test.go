package design

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// small is what the small form of a published experiment has of its own, by the rule of config/samples/published/README.md. Fields are
// paths in the spec; * is every element of a list. The README of the source names each.
type small struct {
	file, of string
	// form is the full form in the folder of that source; empty for full.yaml.
	form string
	// less are numbers that are smaller, and lists that have a part of the values.
	less []string
	// other are fields that the local cluster has otherwise, or not at all.
	other []string
	// server is the one in the place of those of the full form, where it has another name.
	server string
	// axis of the matrix, with a value for each of the servers of the full form: the local cluster has one in their place.
	axis string
}

var smallForms = []small{
	{file: "drivers-batch-small.yaml", of: "s0-dotnet", less: []string{"workload.drivers.benchmarks.*.rows"}, other: []string{"workload.drivers.drivers"}, server: "mariadb"},
	{file: "drivers-batch-large.yaml", of: "s0-dotnet", server: "mariadb",
		other: []string{"workload.drivers.drivers", "workload.drivers.benchmarks.*.rows", "workload.drivers.benchmarks.*.schemes"}},
	{file: "ycsb.yaml", of: "s1-ycsb", less: []string{"workload.ycsb.recordCount", "workload.ycsb.threads"},
		other: []string{"workload.ycsb.driver", "workload.ycsb.operationCount", "workload.ycsb.jvmOptions", "design.warmup"}},
	{file: "ycsb-load.yaml", of: "s1-ycsb", form: "load.yaml", less: []string{"workload.ycsb.recordCount", "workload.ycsb.threads"},
		other: []string{"workload.ycsb.driver", "workload.ycsb.jvmOptions"}},
	{file: "drivers-python-small.yaml", of: "s2-python"},
	{file: "drivers-node-small.yaml", of: "s3-node"},
	{file: "sweep-small.yaml", of: "s4-sweep", less: []string{"workload.sysbench.tables", "workload.sysbench.tableSize", "matrix.0.values"}, other: []string{"retain"},
		server: "mysql", axis: "delay"},
}

// The small form of a published experiment is its full form: the same targets, matrix, measurements and design, and less of what the rule
// lists.
func TestSmallFormsAreTheFullOnes(t *testing.T) {
	for _, s := range smallForms {
		t.Run(s.file, func(t *testing.T) {
			if s.form == "" {
				s.form = "full.yaml"
			}
			full, own := sampleRun(t, "published/"+s.of+"/"+s.form), sampleRun(t, s.file)
			if own.Spec.Analysis != nil && own.Spec.Analysis.Comparisons != nil || own.Spec.Gate != nil {
				t.Error("it concludes something, with too few blocks")
			}
			servers := len(providedBy(full))
			if s.axis != "" {
				servers -= s.takeAxis(t, &own.Spec) - 1
			}
			if s.server == "" {
				if diff := cmp.Diff(providedBy(full), providedBy(own)); diff != "" {
					t.Errorf("targets (-full +small):\n%s", diff)
				}
			} else if got := providedBy(own); len(got) != 1 || got[0] != s.server+" InnoDB" || servers != 1 {
				t.Errorf("got the servers %q in the place of %q", got, providedBy(full))
			}
			s.checkLess(t, own.Spec, full.Spec)
			want, got := treeOf(t, full.Spec), treeOf(t, own.Spec)
			readme, err := os.ReadFile(samples + "published/" + s.of + "/README.md")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range slices.Concat(s.less, s.other) {
				name := path[strings.LastIndex(strings.TrimSuffix(path, ".0.values"), ".")+1:]
				if name == "matrix.0.values" {
					name = "matrix"
				}
				if !strings.Contains(string(readme), "`"+name+"`") {
					t.Errorf("the README of %s does not name %s", s.of, name)
				}
				takeOver(t, want, got, strings.Split(path, "."), slices.Contains(s.less, path))
			}
			if diff := cmp.Diff(ruled(want), ruled(got)); diff != "" {
				t.Errorf("(-full +small):\n%s", diff)
			}
		})
	}
}

// takeAxis takes the axis that stands for servers out of a small form, with the field that it varies, and returns how many values it has.
func (s small) takeAxis(t *testing.T, spec *v1alpha1.BenchmarkRunSpec) (values int) {
	t.Helper()
	if spec.Workload.Sysbench.Delay == "" {
		t.Errorf("it does not have the field of the axis %s", s.axis)
	}
	spec.Workload.Sysbench.Delay = ""
	spec.Matrix = slices.DeleteFunc(spec.Matrix, func(a v1alpha1.Axis) bool {
		if a.Name == s.axis {
			values = len(a.Values)
		}
		return a.Name == s.axis
	})
	return values
}

func sampleRun(t *testing.T, name string) *v1alpha1.BenchmarkRun {
	t.Helper()
	data, err := os.ReadFile(samples + name)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runIn(data)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// providedBy a run are the servers that Assay provides, with their storage engines: what the local cluster can have.
func providedBy(run *v1alpha1.BenchmarkRun) (out []string) {
	for _, t := range run.Spec.Targets {
		if t.MySQL != nil {
			out = append(out, t.Name+" "+t.MySQL.StorageEngine)
		}
	}
	return out
}

func roundsOf(d v1alpha1.Design) int32 {
	if d.Rounds == nil {
		return 0
	}
	return *d.Rounds
}

// checkLess: the small form has fewer blocks, and is shorter. Its README may name a longer warm-up.
func (s small) checkLess(t *testing.T, own, full v1alpha1.BenchmarkRunSpec) {
	t.Helper()
	d, f := own.Design, full.Design
	if d.Blocks >= f.Blocks || roundsOf(d) > roundsOf(f) || own.Deadline.Duration >= full.Deadline.Duration || d.Duration.Duration > f.Duration.Duration ||
		d.Cooldown.Duration > f.Cooldown.Duration || d.Warmup.Duration > f.Warmup.Duration && !slices.Contains(s.other, "design.warmup") {
		t.Errorf("the design is no smaller: %+v of %+v", d, f)
	}
}

// ruled takes out of a spec what the rule says of every small form, and checkLess compares: what is left is the same in both.
func ruled(spec map[string]any) map[string]any {
	for _, part := range []string{"targets", "clients", "analysis", "gate", "deadline"} {
		delete(spec, part)
	}
	if design, ok := spec["design"].(map[string]any); ok {
		for _, part := range []string{"blocks", "warmup", "duration", "cooldown", "rounds", "warmupRounds", "starts"} {
			delete(design, part)
		}
	}
	return spec
}

func treeOf(t *testing.T, spec v1alpha1.BenchmarkRunSpec) (out map[string]any) {
	t.Helper()
	data, err := json.Marshal(spec)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// takeOver puts what the small form has at a path into the full form. less: it has to be less than what was there.
func takeOver(t *testing.T, full, own any, path []string, less bool) {
	t.Helper()
	switch f := full.(type) {
	case map[string]any:
		s, ok := own.(map[string]any)
		if !ok {
			t.Errorf("%v: the small form has %v", path, own)
			return
		}
		if len(path) > 1 {
			takeOver(t, f[path[0]], s[path[0]], path[1:], less)
			return
		}
		if less && !isLess(s[path[0]], f[path[0]]) {
			t.Errorf("%s: %v is not less than %v", path[0], s[path[0]], f[path[0]])
		}
		if v, has := s[path[0]]; has {
			f[path[0]] = v
		} else {
			delete(f, path[0])
		}
	case []any:
		s, ok := own.([]any)
		if !ok || len(s) != len(f) {
			t.Errorf("%v: the small form has %v", path, own)
			return
		}
		for i := range f {
			if path[0] == "*" || path[0] == fmt.Sprint(i) {
				takeOver(t, f[i], s[i], path[1:], less)
			}
		}
	default:
		t.Errorf("%v: there is only %v", path, full)
	}
}

// isLess says whether a number is smaller, or a list has a part of the values.
func isLess(own, full any) bool {
	switch f := full.(type) {
	case float64:
		s, ok := own.(float64)
		return ok && s < f
	case []any:
		s, ok := own.([]any)
		return ok && len(s) < len(f) && len(s) > 0 && !slices.ContainsFunc(s, func(v any) bool { return !slices.Contains(f, v) })
	}
	return false
}

// The README of S4 has what a run of two instances needs beside full.yaml: with it, both networks are external targets, and their account is
// there.
func TestS4OfTwoInstances(t *testing.T) {
	readme, err := os.ReadFile(samples + "published/s4-sweep/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string // what is indented
	inside := false
	for line := range strings.Lines(string(readme)) {
		text, is := strings.CutPrefix(line, "    ")
		if is && !inside {
			blocks = append(blocks, "")
		}
		if inside = is; is {
			blocks[len(blocks)-1] += text
		}
	}
	var targets []v1alpha1.Target
	var secret corev1.Secret
	if err := errors.Join(yaml.UnmarshalStrict([]byte(blocks[0]), &targets), yaml.UnmarshalStrict([]byte(strings.TrimSuffix(blocks[1], "---\n")), &secret)); err != nil {
		t.Fatal(err)
	}
	run := sampleRun(t, "published/s4-sweep/full.yaml")
	hosts := map[string]bool{}
	for i, target := range targets {
		if target.External == nil || target.External.Credentials.Name != secret.Name || secret.StringData["username"] == "" || secret.StringData["password"] == "" {
			t.Fatalf("%+v is no target with the account %s", target, secret.Name)
		}
		hosts[target.External.Host] = true
		if target.Name != run.Spec.Targets[i].Name {
			t.Errorf("got %s, want %s", target.Name, run.Spec.Targets[i].Name)
		}
		run.Spec.Targets[i] = target
	}
	if len(hosts) != 2 {
		t.Errorf("the networks are those of %d instances", len(hosts))
	}
	run.Spec.Design.Starts = "" // a default of servers that Assay starts
	run.Spec.SetDefaults()
	if _, err := planOf(run); err != nil {
		t.Error(err)
	}
}

// S4 has the memory for its connections, each with about 1 MiB and with its prepared statements, which take about as much again; and the
// volume for its tables (about 240 bytes a row), the binary log of their load (about 190), the copy of both that dataReset restores, and as
// much again for the binary log of a block.
func TestS4FitsItsMachine(t *testing.T) {
	run, docs := sampleRun(t, "published/s4-sweep/full.yaml"), documentsOf(t, "published/s4-sweep/full.yaml")
	var shape v1alpha1.InstanceShape
	var template corev1.ConfigMap
	for _, doc := range docs {
		var err error
		switch {
		case strings.Contains(doc, "\nmetadata: {name: old-network}"):
			err = yaml.UnmarshalStrict([]byte(doc), &shape)
		case strings.Contains(doc, "\nmetadata: {name: high-performance}"):
			err = yaml.UnmarshalStrict([]byte(doc), &template)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	threads := run.Spec.Matrix[0].Values
	pool, err := resource.ParseQuantity(template.Data["innodb_buffer_pool_size"] + "i") // 6G of MySQL is 6Gi
	if err != nil {
		t.Fatalf("the buffer pool: %v", err)
	}
	if left, need := shape.Spec.Memory.Value()-pool.Value(), int64(threads[len(threads)-1].IntValue())*2<<20; left < need {
		t.Errorf("the buffer pool leaves %d bytes to connections that take %d", left, need)
	}
	rows := int64(run.Spec.Workload.Sysbench.Tables) * run.Spec.Workload.Sysbench.TableSize
	for _, target := range run.Spec.Targets {
		if target.MySQL != nil && target.MySQL.Storage.Size.Value() < 2*2*rows*(240+190) {
			t.Errorf("%s has a volume of %s for %d rows", target.Name, target.MySQL.Storage.Size.String(), rows)
		}
	}
}

func documentsOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(samples + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n---\n")
}

// One block of a published experiment at full size may be lost: those that are left are enough for its verdicts, and for the intervals of
// its knees.
func TestPublishedDesignsHaveAReserve(t *testing.T) {
	files, err := filepath.Glob(samples + "published/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decided := 0
	for _, file := range files {
		name, err := filepath.Rel(samples, file)
		if err != nil {
			t.Fatal(err)
		}
		run := sampleRun(t, name)
		doc, err := planOf(run)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		needed := int32(0)
		if a := doc.Analysis; a != nil {
			if a.Exploratory != "" {
				t.Errorf("%s has no verdict: %s", name, a.Exploratory)
			}
			needed = a.BlocksNeeded
			decided++
		}
		for _, axis := range run.Spec.Matrix {
			if axis.Name == "threads" {
				needed = max(needed, int32(stats.SweepBlocksNeeded(len(axis.Values), 0.05)))
			}
		}
		if needed+1 > doc.Blocks {
			t.Errorf("%s: %d blocks are needed, and it has %d", name, needed, doc.Blocks)
		}
	}
	if decided < 6 {
		t.Errorf("only %d manifests compare something", decided)
	}
}
