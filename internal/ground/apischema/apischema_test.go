package apischema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// least is the least workload that the API accepts of each tool: a new tool adds one.
var least = map[string]string{
	"sysbench": `{"test":"oltp_read_write"}`,
	"ycsb":     `{}`,
	"tpcc":     `{}`,
	"tpch":     `{}`,
	"drivers":  `{"drivers":[{"language":"Node","name":"mysql2"}],"benchmarks":[{"operation":"SelectOne"}]}`,
	"custom":   `{"image":"i","format":"Result","run":{"command":["t"]}}`,
}

func all(t *testing.T) map[string]*Tool {
	t.Helper()
	found, err := tools()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every bound, enumeration and pattern of a field of every tool is enforced, and the error
// names the field.
func TestEveryMarkerIsEnforced(t *testing.T) {
	checked := 0
	for tool, s := range all(t) {
		if least[tool] == "" {
			t.Errorf("add the least workload of %s to this test", tool)
			continue
		}
		for name, property := range s.schema.Properties {
			for _, bad := range violations(property) {
				t.Run(fmt.Sprintf("%s.%s=%v", tool, name, bad), func(t *testing.T) {
					object, err := s.Read(json.RawMessage(least[tool]))
					if err != nil {
						t.Fatal(err)
					}
					object[name] = bad
					err = s.CompleteObject(object)
					if want := "spec.workload." + tool + "." + name + ":"; err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("got error %v, want one with %q", err, want)
					}
				})
				checked++
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d values were tried: the schema has lost its bounds", checked)
	}
}

// violations are values just beyond what a field allows.
func violations(s schema.Structural) []any {
	var out []any
	v := s.ValueValidation
	if v == nil {
		return nil
	}
	if s.Type == "integer" && v.Minimum != nil {
		out = append(out, int64(*v.Minimum)-1)
	}
	if s.Type == "integer" && v.Maximum != nil {
		out = append(out, int64(*v.Maximum)+1)
	}
	if len(v.Enum) > 0 {
		out = append(out, "none of them")
	}
	if s.Type == "string" && v.Pattern != "" {
		out = append(out, "\x00")
	}
	if s.Type == "string" && v.MaxLength != nil {
		out = append(out, strings.Repeat("x", int(*v.MaxLength)+1))
	}
	if v.MaxProperties != nil && s.AdditionalProperties != nil {
		many := map[string]any{}
		for i := range *v.MaxProperties + 1 {
			many[fmt.Sprint("p", i)] = "x"
		}
		out = append(out, many)
	}
	return out
}

// Every default of a field of every tool is filled in, and one completed workload is complete.
func TestDefaults(t *testing.T) {
	for tool, s := range all(t) {
		once, err := s.Complete(json.RawMessage(least[tool]))
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(once, &got); err != nil {
			t.Fatal(err)
		}
		for name, property := range s.schema.Properties {
			if has := got[name]; property.Default.Object != nil && fmt.Sprint(has) != fmt.Sprint(property.Default.Object) {
				t.Errorf("%s.%s is %v, want %v", tool, name, has, property.Default.Object)
			}
		}
		twice, err := s.Complete(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%s: completed again: %s, %v, want %s", tool, twice, err, once)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct{ tool, workload, want string }{
		"nothing":                     {"sysbench", ``, "spec.workload.sysbench: "},
		"null":                        {"sysbench", `null`, "spec.workload.sysbench: it has to be an object"},
		"a list":                      {"sysbench", `[]`, "spec.workload.sysbench: "},
		"an unknown field":            {"sysbench", `{"test":"oltp_insert","thread":1}`, "spec.workload.sysbench: unknown field: thread"},
		"an unknown field inside":     {"custom", `{"image":"i","format":"Result","run":{"command":["t"],"shell":true}}`, "unknown field: run.shell"},
		"a field of another type":     {"sysbench", `{"test":"oltp_insert","threads":"4"}`, "spec.workload.sysbench.threads: Invalid value"},
		"a fraction":                  {"sysbench", `{"test":"oltp_insert","threads":1.5}`, "spec.workload.sysbench.threads: Invalid value"},
		"a required field is missing": {"custom", `{"image":"i","run":{"command":["t"]}}`, "spec.workload.custom.format: Required value"},
		"a rule of two fields":        {"sysbench", `{}`, "sysbench needs exactly one of test"},
		"a rule of a field inside": {
			"drivers", `{"drivers":[{"language":"Node","name":"a","options":{}}],"benchmarks":[{"operation":"Do","rows":[0]}]}`,
			"spec.workload.drivers.benchmarks[0].rows[0]: Invalid value: 0",
		},
		"a set with a value twice": {
			"drivers", `{"drivers":[{"language":"Node","name":"a"}],"benchmarks":[{"operation":"Do","rows":[1,1]}]}`,
			"spec.workload.drivers.benchmarks[0].rows[1]: Duplicate value: 1",
		},
		"a delay that is too long":    {"drivers", delayed("2s"), "delay must be at most 1s"},
		"a delay without a unit":      {"drivers", delayed("1"), "spec.workload.drivers.delay: Invalid value"},
		"a delay that is less than 0": {"drivers", delayed("-1ms"), "spec.workload.drivers.delay: Invalid value"},
		"two mistakes, both named in order": {
			"sysbench", `{"test":"oltp_insert","threads":0,"tables":0}`,
			"[spec.workload.sysbench.tables: Invalid value: 0: tables in body should be greater than or equal to 1, spec.workload.sysbench.threads:",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := all(t)[tt.tool].Complete(json.RawMessage(tt.workload))
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("Complete = %s, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

func delayed(delay string) string {
	return `{"drivers":[{"language":"Node","name":"a"}],"benchmarks":[{"operation":"Do"}],"delay":"` + delay + `"}`
}

func TestForTool(t *testing.T) {
	if _, err := ForTool("hammerdb"); err == nil || !strings.Contains(err.Error(), `no tool "hammerdb"`) {
		t.Errorf("got error %v", err)
	}
	for name, s := range all(t) {
		if kind, ok := s.Field("threads"); ok && kind != Integer {
			t.Errorf("%s.threads is of the kind %s", name, kind)
		}
	}
	s := all(t)["custom"]
	got := map[string]Kind{}
	for _, name := range []string{"output", "parameters", "prepare", "dataParameters", "Threads"} {
		got[name], _ = s.Field(name)
	}
	want := map[string]Kind{"output": Text, "parameters": Texts, "prepare": Many, "dataParameters": Many, "Threads": ""}
	if !maps.Equal(want, got) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	if slices.Contains(s.Fields(), "parameters") || !slices.IsSorted(s.Fields()) {
		t.Errorf("fields %v", s.Fields())
	}
}

func BenchmarkComplete(b *testing.B) {
	found, err := tools()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := found["sysbench"].Complete(json.RawMessage(least["sysbench"])); err != nil {
			b.Fatal(err)
		}
	}
}
