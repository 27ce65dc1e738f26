package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/assay-bench/assay/test/helpers/plays"
)

// Case is one question that runs answer: how small a difference does this design find in so much time, or how often does it see one
// where none is.
type Case struct {
	// Name of the case, in the file of figures.
	Name string
	// What the runs measure, for the table.
	What string
	// Effect that is injected, such as 0.03 for 3 % more of what Axis counts; 0 of two servers alike.
	Effect float64
	// Axis of the effect: what there is more of on one side.
	Axis Axis
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
	// Precision that the run asks for, such as 0.01, and ends at; 0 of one that measures for its Length.
	Precision float64
	// Margin of a gate within the run, such as 0.1; 0 without a gate. A run with a gate ends where that is decided.
	Margin float64
	// Workload in the form of the API, with the base of the axis.
	Workload string
}

// Axis injects an effect.
type Axis struct {
	// Name of the axis, Base of its values, and the Unit that follows a value.
	Name string
	Base float64
	Unit string
	// More says in words what there is more of.
	More string
	// Idle: the axis changes nothing, so that its sides are one server with the same statements.
	Idle bool
}

// other value of the axis than its base: with the effect, or any of an idle one.
func (a Axis) other(effect float64) string {
	if a.Idle {
		return a.value(1)
	}
	return a.value(effect)
}

// value of the axis with an effect.
func (a Axis) value(effect float64) string {
	return strconv.FormatFloat(math.Round(1000*a.Base*(1+effect))/1000, 'f', -1, 64) + a.Unit
}

var (
	// moreStatements are in an event of the reads. With so many of them an event has a fixed cost of nothing else, and one more of a
	// hundred is an effect of 1 %.
	moreStatements = Axis{Name: "point_selects", Base: 100, More: "statements"}
	// moreDelay is in each round trip of a driver. A round trip takes some time of its own, so that 3 % more delay are less than 3 %.
	moreDelay = Axis{Name: "delay", Base: 2, Unit: "ms", More: "delay"}
	// nothing more: sysbench sends no ranges here, however many of them were asked for.
	nothing = Axis{Name: "distinct_ranges", Base: 1, Idle: true}
)

const (
	// short is the length of a run that has enough blocks for a verdict, and not many more.
	short = 2 * time.Minute
	// writes are transactions of reads and writes.
	writes = `sysbench: {test: oltp_read_write, threads: 1, tables: 2, tableSize: 10000, options: {range_selects: "off", point_selects: "10"}}`
	// ycsb reads one record at a time. Its client is a new JVM in each trial.
	ycsb = `ycsb: {workload: c, recordCount: 10000, threads: 1, driver: MariaDB, columns: Varchar, jvmOptions: [-Xmx256m]}`
	// driver sends the shortest statement that there is, on one connection that stays.
	driver = `drivers: {` + selectOne + `}`
	// selectOne is the driver and what it does.
	selectOne = `drivers: [{language: Go, name: go-sql-driver}], benchmarks: [{operation: SelectOne}]`
)

// delayed is the same through a relay, which delays each round trip: most of its time is nobody's CPU.
var delayed = fmt.Sprintf(`drivers: {%s, delay: %s}`, selectOne, moreDelay.value(0))

// reads are point selects without transactions, from memory.
var reads = fmt.Sprintf(`sysbench: {test: oltp_read_only, skipTrx: true, threads: 1, tables: 2, tableSize: 10000, options: {range_selects: "off", point_selects: "%s"}}`, moreStatements.value(0))

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

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
	all = append(all, placed()...)
	alone := oneStart
	// Larger effects, of which one is above what such a run finds here.
	for _, effect := range []float64{0.05, 0.1} {
		alone.Effect = effect
		all = append(all, alone.named())
	}
	// A driver on clients that stand, and the same where most of a round trip is a delay, which does not vary with the machine's speed.
	quick := alone
	quick.Effect, quick.What, quick.Workload = 0, "driver", driver
	all = append(all, quick.named())
	alone.What, alone.Workload, alone.Axis = "delay", delayed, moreDelay
	for _, effect := range []float64{0, 0.02, 0.03} {
		alone.Effect = effect
		all = append(all, alone.named())
	}
	return append(all, gates()...)
}

// oneStart of each server, clients that stand, and no warm-up.
var oneStart = Case{What: "reads", Starts: "One", CPUs: "Free", Pods: "Standing", Window: time.Second, Length: minutes(5), Workload: reads}

// placed are runs of clients that stand, with each end on CPUs of its own, or both on one, so that no statement wakes a process on another.
func placed() (all []Case) {
	for _, cpus := range []string{"Apart", "Together"} {
		placed := oneStart
		placed.CPUs = cpus
		same := placed.named()
		placed.Effect = 0.03
		all = append(all, same, placed.named())
		placed.Effect, placed.Length = 0.02, minutes(10)
		all = append(all, placed.named())
	}
	// Servers alike whose starts are in the interval; and one server with nothing but another name on its second side, the null of those
	// with more statements.
	starts, null := oneStart, oneStart
	starts.CPUs, starts.Starts = "Together", "PerBlock"
	null.CPUs, null.Axis = "Together", nothing
	null.Workload = strings.Replace(reads, "options: {", fmt.Sprintf("options: {%s: %q, ", nothing.Name, nothing.value(0)), 1) // an axis has a value without it, too
	all = append(all, starts.named(), null.named())
	// Runs that ask for a precision, and end where they have it.
	asks := starts
	asks.Precision, asks.Length = 0.01, minutes(10)
	same := asks.named()
	asks.Effect, asks.Starts = 0.03, "One"
	all = append(all, same, asks.named())
	// Other work of servers alike. A window of a new JVM, or of writes, is longer.
	for _, tool := range []Case{
		{What: "driver", Workload: driver, Window: time.Second}, {What: "ycsb", Workload: ycsb, Window: 5 * time.Second},
		{What: "writes", Workload: writes, Window: 5 * time.Second},
	} {
		starts.What, starts.Workload, starts.Window = tool.What, tool.Workload, tool.Window
		all = append(all, starts.named())
	}
	return all
}

// gates over servers alike, and over a loss of about twice the margin on one server: of a margin of 10 %, 25 % more statements are 20 %
// less throughput; of 3 %, 6 % more are 5.7 % less, for there is no half of a statement.
func gates() (all []Case) {
	gate := oneStart
	gate.What, gate.Margin = "gate", 0.1
	for _, effect := range []float64{0, 0.25} {
		gate.Effect = effect
		all = append(all, gate.named())
	}
	gate.CPUs, gate.Margin, gate.Effect = "Together", 0.03, 0.06
	same := gate
	same.Effect, same.Starts = 0, "PerBlock" // of two servers, whose starts belong into the interval
	return append(all, same.named(), gate.named())
}

// named after what it is.
func (c Case) named() Case {
	effect, pods := "same", ""
	if c.Axis == (Axis{}) {
		c.Axis = moreStatements
	}
	switch {
	case c.Axis.Idle:
		effect = "null"
	case c.Effect > 0:
		effect = fmt.Sprintf("%g", 100*c.Effect)
	}
	if c.Pods == "Standing" || c.Warmup != time.Second {
		pods = fmt.Sprintf("-%s-%s", c.Pods, c.Warmup)
	}
	if c.Precision > 0 {
		pods += fmt.Sprintf("-to-%g", 100*c.Precision)
	}
	if c.Length == short {
		pods += fmt.Sprintf("-%gm", c.Length.Minutes())
	}
	c.Name = strings.ToLower(fmt.Sprintf("%s-%s-%s-%s-%s%s", c.What, effect, c.Starts, c.CPUs, c.Window, pods))
	return c
}

// manifest of a run. An injected effect is an axis, on one server. Without one there are two servers alike.
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
  matrix: [{name: {{.Factor}}, values: [{{.Baseline}}, {{.More}}]}]
{{- end}}
  design: {within: {{.Within}}, {{with .Precision}}precision: {{.}}, {{end}}warmup: {{.Warmup}}, duration: {{.Window}}, cpus: {{.CPUs}}, starts: {{.Starts}}, seed: {{.Seed}}
{{- if ne .Pods "PerTrial"}}, clientPods: {{.Pods}}{{end}}}
  analysis:
    comparisons: [{factor: {{.Factor}}, baseline: "{{.Baseline}}", measurements: [{name: throughput}]}]
{{- if .Margin}}
  gate: {comparisons: Declared, margin: {{.Margin}}}
{{- end}}
  deadline: 30m
`))

// length of a run, in words.
func (c Case) length() string {
	if c.Precision > 0 {
		return fmt.Sprintf("to %g %%, at most %g min", 100*c.Precision, c.Length.Minutes())
	}
	return fmt.Sprintf("%g min", c.Length.Minutes())
}

// oneServer has both sides, which are values of the axis.
func (c Case) oneServer() bool { return c.Effect > 0 || c.Axis.Idle }

// run is the name of a play.
func (c Case) run(play int) string { return fmt.Sprintf("%s-%d", c.Name, play) }

// Digest of what the case measures: figures of another manifest are of another case.
func (c Case) Digest() string {
	return plays.Digest(c.Manifest(0))
}

// Manifest of a play of the case.
func (c Case) Manifest(play int) string {
	in := map[string]any{
		"Name":    c.run(play),
		"Targets": []string{"a", "b"}, "Workload": c.Workload, "More": "", "Within": c.Length, "Warmup": c.Warmup, "Window": c.Window, "Pods": c.Pods,
		"CPUs": c.CPUs, "Starts": c.Starts, "Seed": play, "Factor": "target", "Baseline": "a", "Margin": "", "Precision": "",
	}
	if c.Precision > 0 {
		in["Precision"] = fmt.Sprintf("%g%%", 100*c.Precision)
	}
	if c.Margin > 0 {
		in["Margin"] = fmt.Sprintf("%g%%", 100*c.Margin)
	}
	if c.oneServer() {
		in["Targets"], in["More"] = []string{"a"}, c.Axis.other(c.Effect)
		in["Factor"], in["Baseline"] = c.Axis.Name, c.Axis.value(0)
	}
	var b strings.Builder
	if err := manifest.Execute(&b, in); err != nil {
		panic(err) // the template is a constant
	}
	return b.String()
}
