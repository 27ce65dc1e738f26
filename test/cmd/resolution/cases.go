package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"text/template"
	"time"
)

// Case is one question that runs answer: how small a difference does this design find in so much time, or how often does it see one
// where none is.
type Case struct {
	// Name of the case, in the file of figures.
	Name string
	// What the runs measure, for the table.
	What string
	// Effect that is injected, such as 0.03 for 3 % more statements; 0 of two servers alike.
	Effect float64
	// CPUs of server and tool (design.cpus).
	CPUs string
	// Starts of servers (design.starts).
	Starts string
	// Pods of the clients (design.clientPods).
	Pods string
	// Warmup before a window, and Window of a trial.
	Warmup, Window time.Duration
	// Length of a run, from its first trial; it is in the name of a short one.
	Length time.Duration
	// Margin of a gate within the run, such as 0.1; 0 without a gate. A run with a gate ends where that is decided.
	Margin float64
	// Workload in the form of the API. An effect needs the reads: it adds statements to their events.
	Workload string
}

const (
	// statements of an event of the reads. With so many of them an event has a fixed cost of nothing else, and one more of a
	// hundred is an effect of 1 %.
	statements = 100
	// short is the length of a run that has enough blocks for a verdict, and not many more.
	short = 2 * time.Minute
	// writes are transactions of reads and writes.
	writes = `sysbench: {test: oltp_read_write, threads: 1, tables: 2, tableSize: 10000, options: {range_selects: "off", point_selects: "10"}}`
	// ycsb reads one record at a time. Its client is a new JVM in each trial.
	ycsb = `ycsb: {workload: c, recordCount: 10000, threads: 1, driver: MariaDB, columns: Varchar, jvmOptions: [-Xmx256m]}`
	// driver sends the shortest statement that there is, on one connection that stays.
	driver = `drivers: {drivers: [{language: Go, name: go-sql-driver}], benchmarks: [{operation: SelectOne}]}`
)

// reads are point selects without transactions, from memory.
var reads = fmt.Sprintf(`sysbench: {test: oltp_read_only, skipTrx: true, threads: 1, tables: 2, tableSize: 10000, options: {range_selects: "off", point_selects: "%d"}}`, statements)

// cases in the order of their first plays: a design and its control stand side by side, so that they meet the same machine.
var cases = list()

func list() (all []Case) {
	add := func(c Case) {
		for _, cpus := range []string{"Free", "Apart"} {
			c.CPUs, c.Pods, c.Warmup = cpus, "PerTrial", time.Second
			all = append(all, c.named())
		}
	}
	stands := func(c Case) {
		for _, warmup := range []time.Duration{time.Second, 0} {
			c.CPUs, c.Pods, c.Warmup = "Free", "Standing", warmup
			all = append(all, c.named())
		}
	}
	minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	for _, window := range []time.Duration{time.Second, 5 * time.Second, 20 * time.Second} {
		add(Case{What: "reads", Starts: "PerBlock", Window: window, Length: minutes(5), Workload: reads})
	}
	for _, window := range []time.Duration{time.Second, 2 * time.Second, 5 * time.Second} {
		one := Case{What: "reads", Starts: "One", Window: window, Length: minutes(5), Workload: reads}
		add(one)
		stands(one)
		one.CPUs, one.Pods, one.Warmup = "Free", "PerTrial", 0 // the control of clients that stand, and need no warm-up
		all = append(all, one.named())
	}
	// How often servers alike differ is the same at each length of a run, and many short ones tell it sooner.
	all = append(all, Case{
		What: "reads", Starts: "PerBlock", CPUs: "Free", Pods: "PerTrial", Warmup: time.Second, Window: time.Second, Length: short, Workload: reads,
	}.named())
	for _, tool := range []Case{{What: "ycsb", Workload: ycsb}, {What: "driver", Workload: driver}} {
		tool.Starts, tool.Window, tool.Length = "PerBlock", 5*time.Second, minutes(5)
		add(tool)
	}
	add(Case{What: "writes", Starts: "PerBlock", Window: 5 * time.Second, Length: minutes(5), Workload: writes})
	add(Case{What: "reads", Effect: 0.03, Starts: "One", Window: 5 * time.Second, Length: minutes(5), Workload: reads})
	add(Case{What: "reads", Effect: 0.02, Starts: "One", Window: 5 * time.Second, Length: minutes(10), Workload: reads})
	stands(Case{What: "reads", Effect: 0.03, Starts: "One", Window: time.Second, Length: minutes(5), Workload: reads})
	stands(Case{What: "reads", Effect: 0.02, Starts: "One", Window: time.Second, Length: minutes(10), Workload: reads})
	// Gates: servers alike, and a loss of twice the margin. 25 % more statements are 20 % less throughput.
	for _, effect := range []float64{0, 0.25} {
		all = append(all, Case{
			What: "gate", Effect: effect, Margin: 0.1, Starts: "One", CPUs: "Free", Pods: "Standing", Window: time.Second, Length: minutes(5),
			Workload: reads,
		}.named())
	}
	return all
}

// named after what it is.
func (c Case) named() Case {
	effect, pods := "same", ""
	if c.Effect > 0 {
		effect = fmt.Sprintf("%g", 100*c.Effect)
	}
	if c.Pods == "Standing" || c.Warmup != time.Second {
		pods = fmt.Sprintf("-%s-%s", c.Pods, c.Warmup)
	}
	if c.Length == short {
		pods += fmt.Sprintf("-%gm", c.Length.Minutes())
	}
	c.Name = strings.ToLower(fmt.Sprintf("%s-%s-%s-%s-%s%s", c.What, effect, c.Starts, c.CPUs, c.Window, pods))
	return c
}

// manifest of a run. An injected effect is an axis, on one server: more of the same statement in one event. Without one there are two
// servers alike.
var manifest = template.Must(template.New("run").Parse(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: {{.Name}}}
spec:
  targets:
{{- range .Targets}}
  - name: {{.}}
    shape: {inline: {cpu: 900m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}
    mysql:
      flavor: MariaDB
      version: "10.11"
      config: {innodb_buffer_pool_size: 128M, innodb_flush_log_at_trx_commit: "2"}
      storage: {size: 2Gi}
{{- end}}
  clients:
    shape: {inline: {cpu: 900m, memory: 512Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}
  workload:
    {{.Workload}}
{{- if .More}}
  matrix: [{name: point_selects, values: [{{.Statements}}, {{.More}}]}]
{{- end}}
  design: {within: {{.Within}}, warmup: {{.Warmup}}, duration: {{.Window}}, cpus: {{.CPUs}}, starts: {{.Starts}}, seed: {{.Seed}}
{{- if ne .Pods "PerTrial"}}, clientPods: {{.Pods}}{{end}}}
  analysis:
    comparisons: [{factor: {{.Factor}}, baseline: "{{.Baseline}}", measurements: [{name: throughput}]}]
{{- if .Margin}}
  gate: {comparisons: Declared, margin: {{.Margin}}}
{{- end}}
  deadline: 30m
`))

// run is the name of a play.
func (c Case) run(play int) string { return fmt.Sprintf("%s-%d", c.Name, play) }

// Digest of what the case measures: figures of another manifest are of another case.
func (c Case) Digest() string {
	sum := sha256.Sum256([]byte(c.Manifest(0)))
	return hex.EncodeToString(sum[:6])
}

// Manifest of a play of the case.
func (c Case) Manifest(play int) string {
	in := map[string]any{
		"Name":    c.run(play),
		"Targets": []string{"a", "b"}, "Workload": c.Workload, "Statements": statements, "More": 0, "Within": c.Length, "Warmup": c.Warmup, "Window": c.Window, "Pods": c.Pods,
		"CPUs": c.CPUs, "Starts": c.Starts, "Seed": play, "Factor": "target", "Baseline": "a", "Margin": "",
	}
	if c.Margin > 0 {
		in["Margin"] = fmt.Sprintf("%g%%", 100*c.Margin)
	}
	if c.Effect > 0 {
		in["Targets"], in["More"] = []string{"a"}, int(math.Round(statements*(1+c.Effect)))
		in["Factor"], in["Baseline"] = "point_selects", fmt.Sprint(statements)
	}
	var b strings.Builder
	if err := manifest.Execute(&b, in); err != nil {
		panic(err) // the template is a constant
	}
	return b.String()
}
