package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/internal/ground/apischema"
)

func cell(name string, value any) Cell {
	return Cell{name: axis(name, value).Values[0]}
}

func toolNamed(t *testing.T, name string) *apischema.Tool {
	t.Helper()
	tool, err := apischema.ForTool(name)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// The defaults of each tool beside the fields that the tests set.
const (
	sysbenchDefaults = `"dbPsMode":"auto","histogram":true,"ignoreErrors":"1213,1020,1205","percentile":95,"randType":"special","reportIntervalSeconds":1`
	customDefaults   = `"imagePullPolicy":"IfNotPresent"`
)

func TestApply(t *testing.T) {
	tests := map[string]struct {
		tool, base string
		cell       Cell
		want       string
	}{
		"no matrix gives the workload with its defaults": {
			"sysbench", `{ "threads":4, "test":"oltp_read_only" }`, Cell{},
			`{` + sysbenchDefaults + `,"tableSize":10000,"tables":1,"test":"oltp_read_only","threads":4}`,
		},
		"an integer": {
			"sysbench", `{"test":"oltp_read_only","threads":4}`, cell("threads", 64),
			`{` + sysbenchDefaults + `,"tableSize":10000,"tables":1,"test":"oltp_read_only","threads":64}`,
		},
		"several values": {
			"sysbench", `{"test":"oltp_read_only"}`,
			Cell{"threads": intstr.FromInt32(1), "test": intstr.FromString("oltp_write_only"), "skipTrx": intstr.FromString("true")},
			`{` + sysbenchDefaults + `,"skipTrx":true,"tableSize":10000,"tables":1,"test":"oltp_write_only","threads":1}`,
		},
		"an integer in quotes": {
			"sysbench", `{"test":"oltp_insert"}`, cell("threads", "64"),
			`{` + sysbenchDefaults + `,"tableSize":10000,"tables":1,"test":"oltp_insert","threads":64}`,
		},
		"a string that looks like a number": {
			"custom", `{"image":"i","format":"Result","run":{"command":["t"]}}`, cell("output", "64"),
			`{"format":"Result","histogramUnit":"us","image":"i",` + customDefaults + `,"output":"64","run":{"command":["t"]},"threads":1}`,
		},
		"a parameter of a custom tool": {
			"custom", `{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"rows":"1","MODE":"a"}}`,
			Cell{"rows": intstr.FromInt32(64), "MODE": intstr.FromString("true")},
			`{"format":"Result","histogramUnit":"us","image":"i",` + customDefaults + `,"parameters":{"MODE":"true","rows":"64"},"run":{"command":["t"]},"threads":1}`,
		},
		"a parameter with a name that targets have, too": {
			"custom", `{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"version":"1"}}`, cell("version", "2"),
			`{"format":"Result","histogramUnit":"us","image":"i",` + customDefaults + `,"parameters":{"version":"2"},"run":{"command":["t"]},"threads":1}`,
		},
		"an option of a tool": {
			"sysbench", `{"test":"oltp_read_only","options":{"point_selects":"10","range_selects":"off"}}`, cell("point_selects", 11),
			`{` + strings.Replace(sysbenchDefaults, `"percentile"`, `"options":{"point_selects":"11","range_selects":"off"},"percentile"`, 1) +
				`,"tableSize":10000,"tables":1,"test":"oltp_read_only","threads":1}`,
		},
		"a field before a parameter of its name": {
			"custom", `{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"threads":"1"}}`, cell("threads", 64),
			`{"format":"Result","histogramUnit":"us","image":"i",` + customDefaults + `,"parameters":{"threads":"1"},"run":{"command":["t"]},"threads":64}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Apply(json.RawMessage(tt.base), tt.cell, toolNamed(t, tt.tool))
			if err != nil || string(got) != tt.want {
				t.Errorf("Apply = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	// Where absent means a default, false is a value of its own.
	got, err := Apply(json.RawMessage(`{"test":"oltp_insert"}`), cell("histogram", "false"), toolNamed(t, "sysbench"))
	if err != nil || !strings.Contains(string(got), `"histogram":false`) {
		t.Errorf("Apply = %s, %v, want false", got, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	const (
		read   = `{"test":"oltp_read_only"}`
		script = `{"script":{"configMap":{"name":"c"}}}`
		tool   = `{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"rows":"1","mode":"x"}}`
	)
	tests := map[string]struct {
		tool, base string
		cell       Cell
		want       string
	}{
		"a field that the tool does not have": {
			"sysbench", read, cell("colour", 1), "spec.matrix[colour]: the tool has no field and no option colour; it has the fields dbPsMode, delay, events, histogram,",
		},
		"a field in other letters":      {"sysbench", read, cell("tablesize", 1), "spec.matrix[tablesize]: the tool has no field and no option tablesize; it has the fields dbPsMode, "},
		"a version of the server":       {"sysbench", read, cell("version", "9.7"), "spec.matrix[version]: version is of a server or its machine, and the tool has no such field: list a target for each value in spec.targets, on which every cell of the matrix is measured"},
		"a flavor":                      {"ycsb", `{}`, cell("flavor", "MariaDB"), "spec.matrix[flavor]: flavor is of a server"},
		"an image of the server":        {"sysbench", read, cell("image", "mysql:9.7"), "spec.matrix[image]: image is of a server"},
		"a shape":                       {"sysbench", read, cell("shape", "database-m"), "list a target for each value in spec.targets"},
		"the CPU of a shape":            {"sysbench", read, cell("CPU", 4), "spec.matrix[CPU]: CPU is of a server"},
		"the memory of a shape":         {"custom", tool, cell("memory", "4Gi"), "spec.matrix[memory]: memory is of a server"},
		"a word for an integer":         {"sysbench", read, cell("threads", "many"), `spec.matrix[threads]: the value "many" does not fit: the field needs an integer`},
		"a fraction for an integer":     {"sysbench", read, cell("threads", "0.5"), "needs an integer"},
		"an integer beyond 64 bits":     {"sysbench", read, cell("threads", "50000000000000000000"), "needs an integer"},
		"an integer for a truth value":  {"sysbench", read, cell("skipTrx", 1), `spec.matrix[skipTrx]: the value 1 does not fit: the field needs "true" or "false"`},
		"an integer for a string":       {"sysbench", read, cell("test", 1), "the field needs a string"},
		"null, which would be 0":        {"sysbench", read, cell("threads", "null"), "needs an integer"},
		"zero, which would be no value": {"sysbench", read, cell("rate", 0), "spec.workload.sysbench.rate: Invalid value: 0"},
		"an empty value":                {"sysbench", read, cell("threads", ""), "needs an integer"},
		"two values in one":             {"sysbench", read, cell("threads", "1 2"), "needs an integer"},
		"a list":                        {"ycsb", `{}`, cell("jvmOptions", `["a"]`), "spec.matrix[jvmOptions]: jvmOptions has many values, and an axis sets one: use one of "},
		"a map":                         {"sysbench", read, cell("options", "a"), "spec.matrix[options]: options has many values"},
		"a group of fields":             {"sysbench", script, cell("script", "a"), "spec.matrix[script]: script has many values"},
		"all parameters at once":        {"custom", tool, cell("parameters", "a"), "spec.matrix[parameters]: parameters has many values"},
		"a parameter that has no value in the workload": {
			"custom", tool, cell("row", 1), `threads and the parameters ["mode" "rows"]: give the parameter a value there first`,
		},
		"an option in another spelling": {
			"sysbench", `{"test":"oltp_read_only","options":{"point-selects":"10"}}`, cell("point_selects", 11), `and the options ["point-selects"]: give the option a value there first`,
		},
		"the first of two mistakes, always": {"sysbench", read, Cell{"b": intstr.FromInt32(1), "a": intstr.FromInt32(1)}, "spec.matrix[a]"},
		"a value beyond a bound": {
			"sysbench", read, Cell{"threads": intstr.FromInt32(5000)}, "spec.matrix: cell threads=5000: spec.workload.sysbench.threads: Invalid value: 5000",
		},
		"a value that is none of those listed": {
			"sysbench", read, cell("test", "oltp_nothing"), `spec.workload.sysbench.test: Unsupported value: "oltp_nothing"`,
		},
		"a value against a pattern": {
			"sysbench", read, cell("ignoreErrors", "all"), `spec.workload.sysbench.ignoreErrors: Invalid value: "all"`,
		},
		"a value against a rule of two fields": {
			"sysbench", script, cell("test", "oltp_insert"), "sysbench needs exactly one of test (a bundled one) and script",
		},
		"a workload with an unknown field": {"sysbench", `{"thread":1}`, Cell{}, "spec.workload.sysbench: unknown field: thread"},
		"a workload that is no object":     {"sysbench", `null`, Cell{}, "spec.workload.sysbench: it has to be an object"},
		"a workload with more behind it":   {"sysbench", `{} {}`, Cell{}, "spec.workload.sysbench: "},
		"a workload beyond a bound":        {"sysbench", `{"test":"oltp_insert","tables":0}`, Cell{}, "spec.workload.sysbench.tables: Invalid value: 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Apply(json.RawMessage(tt.base), tt.cell, toolNamed(t, tt.tool))
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("Apply = %s, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

// Settings of the server are no part of the workload.
func TestTheWorkloadOfACell(t *testing.T) {
	all := Cell{"threads": intstr.FromInt32(4), "config.sync_binlog": intstr.FromInt32(1), "configure": intstr.FromString("x")}
	if diff := cmp.Diff(Cell{"threads": intstr.FromInt32(4), "configure": intstr.FromString("x")}, all.Workload()); diff != "" {
		t.Errorf("workload (-want +got):\n%s", diff)
	}
	if len(all) != 3 {
		t.Errorf("the cell was changed: %v", all)
	}
}
