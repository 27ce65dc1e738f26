package design

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); -update writes it:\n%s", path, diff)
	}
}

const samples = "../../../config/samples/"

// What is said of the manifests that Assay ships.
func TestPlanOfSamples(t *testing.T) {
	for _, name := range []string{"demo.yaml", "search.yaml", "drivers-node-small.yaml", "published/s0-dotnet/full.yaml", "published/s1-ycsb/full.yaml", "published/s2-python/full.yaml", "published/s3-node/full.yaml", "published/s4-sweep/full.yaml"} {
		t.Run(name, func(t *testing.T) {
			doc, err := planOf(sampleRun(t, name))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := tellPlan(&out, doc, 4); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.ReplaceAll(strings.TrimSuffix(name, ".yaml"), "/", "-")+".plan.txt", out.String())
		})
	}
}

// Every sample can be planned.
func TestEverySampleHasAPlan(t *testing.T) {
	files, err := filepath.Glob(samples + "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	published, err := filepath.Glob(samples + "published/*/*.yaml")
	if err != nil || len(published) == 0 {
		t.Fatalf("no published samples: %v", err)
	}
	files = append(files, published...)
	planned := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count("\n"+string(data), "\nkind: BenchmarkRun\n") != 1 {
			continue
		}
		planned++
		run, err := runIn(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if doc, err := planOf(run); err != nil || len(doc.Trials) == 0 || doc.Bytes == 0 || doc.LeastNodes < 1 {
			t.Errorf("%s: %v: %+v", file, err, doc)
		}
	}
	if planned < 8 {
		t.Errorf("only %d samples have a run", planned)
	}
}

// What the API server or the manager would refuse is refused here, with the field.
func TestPlanRefuses(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	demo := string(data)
	before, _, _ := strings.Cut(demo, "spec:")
	for name, tt := range map[string]struct{ old, new, says string }{
		"an unknown field":         {"deadline: 15m", "deadlines: 15m", "spec: unknown field: deadlines (did you mean deadline?)"},
		"a misspelt spec":          {"\nspec:", "\nspecs:", "unknown field: specs (did you mean spec?)"},
		"a field that was removed": {"blocks: 10", "blocks: 10, maxThrottledPercent: 5", "design.maxThrottledPercent (it was removed"},
		"a value out of bounds":    {"blocks: 10", "blocks: 800", "spec.design.blocks"},
		"a rule of the API":        {"deadline: 15m", "deadline: 1s", "deadline must be between 1m and 720h"},
		"a rule between fields":    {"duration: 1s", "duration: 1500ms", "duration must be in whole seconds"},
		"a plan that is too long":  {"duration: 1s", "duration: 300s", "the manager would refuse it (InvalidSpec): spec.deadline: 15m0s is shorter than the plan"},
		"no baseline":              {"baseline: safe", "baseline: oracle", "the manager would refuse it"},
		"another kind":             {"kind: BenchmarkRun", "kind: Deployment", "0 objects of kind BenchmarkRun"},
		"another version":          {"v1alpha1", "v9", "its apiVersion is assay.dev/v9"},
		"no spec":                  {strings.TrimPrefix(demo, before), "", "it has no spec"},
		"no YAML":                  {"spec:", "spec", "line"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(demo, tt.old, tt.new, 1)
			if text == demo {
				t.Fatalf("the sample has no %q", tt.old)
			}
			run, err := runIn([]byte(text))
			if err == nil {
				_, err = planOf(run)
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

// A misspelt setting of a server is a warning, in the text and in the document, and the plan stands.
func TestPlanWarnsOfSettings(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "{innodb_buffer_pool_size:", "{innodb_bufer_pool_size: 1G, max_connections: '500', innodb_buffer_pool_size:", 1)
	run, err := runIn([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := planOf(run)
	if err != nil || len(doc.Warnings) != 1 {
		t.Fatalf("%v, %q", err, doc.Warnings)
	}
	var out bytes.Buffer
	if err := tellPlan(&out, doc, 0); err != nil || !strings.Contains(out.String(), "\nwarning: spec.targets[") || !strings.Contains(out.String(), ".config.innodb_bufer_pool_size: MariaDB 10.11 has no such") {
		t.Errorf("%v, %q\n%s", err, doc.Warnings, out.String())
	}
}

// So is one that varies; whether servers take its values is not known before.
func TestPlanWarnsOfSettingsThatVary(t *testing.T) {
	data, err := os.ReadFile(samples + "setting.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run, err := runIn([]byte(strings.ReplaceAll(string(data), "config.innodb_flush_log_at_trx_commit", "config.innodb_flush_log_at_trx_comit")))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := planOf(run)
	if err != nil || len(doc.Warnings) != 1 || !strings.HasPrefix(doc.Warnings[0], "spec.matrix[0]: config.innodb_flush_log_at_trx_comit: MariaDB 10.11 has no such") {
		t.Errorf("%v, %q", err, doc.Warnings)
	}
	if want := "whether servers take all values of config.innodb_flush_log_at_trx_comit"; !slices.Contains(doc.Unknown, want) {
		t.Errorf("unknown %q, want %s", doc.Unknown, want)
	}
	run.Spec.Matrix[0].Name = "config.datadir"
	if _, err := planOf(run); err == nil || !strings.Contains(err.Error(), "the manager would refuse it (SettingInvalid): spec.matrix[0].datadir: set by Assay") {
		t.Errorf("what Assay owns: %v", err)
	}
}

// Servers whose settings are not known are named in one line, where they have some.
func TestPlanNamesServersWhoseSettingsAreNotChecked(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const line = "whether servers know their settings (those of MySQL 9.7 and MariaDB 10.11 are checked, of other versions of these only misspelt ones): "
	some := map[string]string{"max_connections": "500"}
	for name, tt := range map[string]struct {
		flavors, versions [2]string
		config            map[string]string
		want              string
	}{
		"known ones":           {[2]string{"MySQL", "MariaDB"}, [2]string{"9.7", "10.11.8"}, some, ""},
		"none is set":          {[2]string{"Percona", "TiDB"}, [2]string{"8.4", "8.5"}, nil, ""},
		"two flavors":          {[2]string{"TiDB", "Percona"}, [2]string{"8.5", "8.4"}, some, line + "Percona 8.4, TiDB 8.5"},
		"another version":      {[2]string{"MySQL", "MySQL"}, [2]string{"9.7", "8.4"}, some, line + "MySQL 8.4"},
		"a version not pinned": {[2]string{"MySQL", "MySQL"}, [2]string{"9.7", ""}, some, line + "MySQL"},
	} {
		run, err := runIn(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Spec.Targets {
			m := run.Spec.Targets[i].MySQL
			m.Flavor, m.Version, m.Config, m.ConfigFrom = tt.flavors[i], tt.versions[i], tt.config, nil
		}
		got := ""
		for _, text := range unknownOf(run, time.Minute) {
			if strings.HasPrefix(text, "whether servers know") {
				got += text
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// More threads than an end has CPUs for are a warning for each shape, and an offered rate is none.
func TestPlanWarnsOfQuotas(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const servers, client = "spec.targets[%d].shape.inline.cpu: %s for %s: a server ", "spec.clients.shape.inline.cpu: %s for %s: a client "
	two := []string{fmt.Sprintf(servers, 0, "900m", "2 threads"), fmt.Sprintf(servers, 1, "900m", "2 threads")}
	for name, tt := range map[string]struct {
		workload, server, client string
		want                     []string
	}{
		"a single thread":                {"threads: 1", "900m", "500m", nil},
		"a single one, and little CPU":   {"threads: 1", "400m", "500m", []string{fmt.Sprintf(servers, 0, "400m", "1 thread"), fmt.Sprintf(servers, 1, "400m", "1 thread")}},
		"a client with little for one":   {"threads: 1", "900m", "400m", []string{fmt.Sprintf(client, "400m", "1 thread")}},
		"two":                            {"threads: 2", "900m", "1", two},
		"two, and little for the client": {"threads: 2", "900m", "900m", append(two, fmt.Sprintf(client, "900m", "2 threads"))},
		"two at a rate":                  {"threads: 2, rate: 10", "400m", "400m", nil},
	} {
		text := strings.ReplaceAll(strings.Replace(string(data), "threads: 1", tt.workload, 1), "cpu: 900m", "cpu: "+tt.server)
		text = strings.Replace(text, "shape: {name: kind-client}", "shape: {inline: {cpu: "+tt.client+", memory: 1Gi}}", 1)
		run, err := runIn([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := planOf(run)
		if err != nil || len(doc.Warnings) != len(tt.want) {
			t.Fatalf("%s: %v, %q", name, err, doc.Warnings)
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(doc.Warnings[i], want) {
				t.Errorf("%s: %q, want %q", name, doc.Warnings[i], want)
			}
		}
	}
}

// Two targets that differ in their names alone are a warning.
func TestPlanWarnsOfTwins(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run, err := runIn(data)
	if err != nil {
		t.Fatal(err)
	}
	run.Spec.Targets[1] = *run.Spec.Targets[0].DeepCopy()
	run.Spec.Targets[1].Name = "twin"
	run.Spec.Analysis = nil
	doc, err := planOf(run)
	if want := []string{"spec.targets[1] is spec.targets[0] but for its name: a comparison of the two shows how much equal servers differ"}; err != nil || !slices.Equal(doc.Warnings, want) {
		t.Errorf("%v, %q", err, doc.Warnings)
	}
}

// The time of a plan is that of design.within where it is shorter than all trials take.
func TestPlanTellsItsTime(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for within, want := range map[string]string{
		"":             "time at least 40 s, without pods, ",
		"within: 30s,": "time about 30 s from the first trial, and it may need less, without loading; the deadline is 15 min ",
		"within: 10m,": "time 40 s for all trials, and it may need fewer, without pods, ",
	} {
		run, err := runIn([]byte(strings.Replace(string(data), "design: {", "design: {"+within, 1)))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := planOf(run)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := tellPlan(&out, doc, 0); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q: %v, want %q:\n%s", within, err, want, out.String())
		}
		if (doc.WithinSeconds > 0) != (within != "") {
			t.Errorf("%q: withinSeconds %g", within, doc.WithinSeconds)
		}
	}
}
