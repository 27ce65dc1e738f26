package design

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/cli/output"
)

// A plan says before a run what thousands of threads need of a server: statements and memory. What every server allows is not said.
func TestPlanSaysWhatThreadsNeed(t *testing.T) {
	doc, err := planOf(sampleRun(t, "published/s4-sweep/full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := &output.PlannedNeeds{
		Connections: 3000, PreparedStatements: 276000, ServerBytes: 3000*512<<10 + 276000*28<<10, ClientFiles: 3256,
		Says: "3000 connections, 3000 connections x 92 prepared statements = 276000, 10 tables",
	}
	if diff := cmp.Diff(want, doc.Needs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if err := tellPlan(&out, doc, 0); err != nil || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "needs 3000 connections, 3000 connections x 92 prepared statements = 276000, 10 tables; about 8.8 GiB of a server's memory beside its caches; 3256 open files of a client nodes ") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if doc, err = planOf(sampleRun(t, "demo.yaml")); err != nil || doc.Needs != nil {
		t.Errorf("%v, %+v", err, doc.Needs)
	}
}

// A setting of the manifest that is too low for the threads is refused as the manager would, and a shape without room for them is a warning.
func TestPlanOfTooManyThreads(t *testing.T) {
	data, err := os.ReadFile(samples + "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Replace(string(data), "threads: 1,", "threads: 1000,", 1)
	if many == string(data) {
		t.Fatalf("the sample has another workload:\n%s", data)
	}
	for name, tt := range map[string]struct{ old, new, refused, warning string }{
		"too few connections": {"config: {", `config: {max_connections: "100", `, "(LimitTooLow): spec.targets[0].mysql.config.max_connections: 100 is too low: the workload needs 1000 connections", ""},
		// 128 MiB of buffer pool, 512 MiB of the server, and 1000 connections with 10 statements each: 773 MiB.
		"too little memory": {"memory: 1Gi", "memory: 1400Mi", "", "].shape.inline.memory: 1400Mi has caches of 128 MiB and the server itself, and 1000 connections"},
		"enough memory":     {"memory: 1Gi", "memory: 1420Mi", "", ""},
		"a larger cache":    {"buffer_pool_size: 128M", "buffer-pool-size: 1G", "", "].shape.inline.memory: 1Gi has caches of 1 GiB"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(many, tt.old, tt.new)
			run, err := runIn([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := planOf(run)
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%v, want %q", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(doc.Warnings, "\n")
			if has := strings.Contains(got, "shape.inline.memory"); has != (tt.warning != "") || !strings.Contains(got, tt.warning) {
				t.Errorf("%s, want %q", got, tt.warning)
			}
		})
	}
}
