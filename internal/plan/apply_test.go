package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func sysbench() any { return &v1alpha1.SysbenchWorkload{} }

// tool has a field of every kind that a workload may have.
type tool struct {
	Name    string                 `json:"name"`
	Share   float64                `json:"share"`
	Limit   *int32                 `json:"limit,omitempty"`
	Factor  *float64               `json:"factor,omitempty"`
	Size    int64                  `json:"size,omitempty"`
	Sync    bool                   `json:"sync,omitempty"`
	Options []string               `json:"options,omitempty"`
	Script  *struct{ File string } `json:"script,omitempty"`
}

func newTool() any { return &tool{} }

func custom() any { return &v1alpha1.CustomWorkload{} }

func cell(name string, value any) Cell {
	return Cell{name: axis(name, value).Values[0]}
}

func TestApply(t *testing.T) {
	tests := map[string]struct {
		base string
		cell Cell
		into func() any
		want string
	}{
		"no matrix gives the canonical workload": {
			`{ "threads":4, "test":"oltp_read_only", "events":0 }`, Cell{}, sysbench, `{"test":"oltp_read_only","threads":4}`,
		},
		"an integer": {
			`{"test":"oltp_read_only","threads":4}`, cell("threads", 64), sysbench, `{"test":"oltp_read_only","threads":64}`,
		},
		"several values": {
			`{"test":"oltp_read_only","threads":4}`, Cell{"threads": intstr.FromInt32(1), "test": intstr.FromString("oltp_write_only"), "skipTrx": intstr.FromString("true")},
			sysbench, `{"test":"oltp_write_only","threads":1,"skipTrx":true}`,
		},
		"an integer in quotes":               {`{"test":"x"}`, cell("threads", "64"), sysbench, `{"test":"x","threads":64}`},
		"an integer beyond 32 bits":          {`{"test":"x"}`, cell("events", "5000000000"), sysbench, `{"test":"x","events":5000000000}`},
		"zero where absent means a default":  {`{"name":"x","share":1}`, cell("factor", 0), newTool, `{"name":"x","share":1,"factor":0}`},
		"false where absent means a default": {`{"test":"x"}`, cell("histogram", "false"), sysbench, `{"test":"x","histogram":false}`},
		"a string that looks like a number":  {`{"name":"x","share":1}`, cell("name", "64"), newTool, `{"name":"64","share":1}`},
		"a fraction":                         {`{"name":"x","share":1}`, cell("share", "0.5"), newTool, `{"name":"x","share":0.5}`},
		"a fraction behind a pointer":        {`{"name":"x","share":1}`, cell("factor", "1e-3"), newTool, `{"name":"x","share":1,"factor":0.001}`},
		"a parameter of a custom tool": {
			`{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"rows":"1","MODE":"a"}}`, Cell{"rows": intstr.FromInt32(64), "MODE": intstr.FromString("true")},
			custom, `{"image":"i","run":{"command":["t"]},"parameters":{"MODE":"true","rows":"64"},"format":"Result"}`,
		},
		"a field before a parameter of its name": {
			`{"image":"i","format":"Result","run":{"command":["t"]},"parameters":{"threads":"1"}}`, cell("threads", 64),
			custom, `{"image":"i","run":{"command":["t"]},"parameters":{"threads":"1"},"threads":64,"format":"Result"}`,
		},
		"an integer for a fraction": {`{"name":"x","share":1}`, cell("share", 2), newTool, `{"name":"x","share":2}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Apply(json.RawMessage(tt.base), tt.cell, tt.into)
			if err != nil || string(got) != tt.want {
				t.Errorf("Apply = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	tests := map[string]struct {
		base string
		cell Cell
		into func() any
		want string
	}{
		"a field that the tool does not have": {
			`{}`, cell("colour", 1), newTool, "spec.matrix[colour]: the tool has no field colour; it has: factor, limit, name, share, size, sync",
		},
		"a field in other letters":         {`{}`, cell("tablesize", 1), sysbench, "spec.matrix[tablesize]: the tool has no field tablesize; it has: "},
		"a word for an integer":            {`{}`, cell("threads", "many"), sysbench, `spec.matrix[threads]: the value "many" does not fit: the field needs an integer of 32 bits`},
		"a fraction for an integer":        {`{}`, cell("threads", "0.5"), sysbench, "an integer of 32 bits"},
		"an integer that is too large":     {`{}`, cell("threads", "5000000000"), sysbench, "an integer of 32 bits"},
		"an integer for a truth value":     {`{}`, cell("skipTrx", 1), sysbench, `spec.matrix[skipTrx]: the value 1 does not fit: the field needs "true" or "false"`},
		"an integer for a string":          {`{}`, cell("test", 1), sysbench, "the field needs a string"},
		"null, which would change nothing": {`{"threads":4}`, cell("threads", "null"), sysbench, "an integer of 32 bits"},
		"zero, which would be no value":    {`{"rate":4}`, cell("rate", 0), sysbench, "spec.matrix[rate]: the value 0 does not fit: rate has no value 0, but is left out"},
		"an empty value":                   {`{}`, cell("threads", ""), sysbench, "an integer of 32 bits"},
		"two values in one":                {`{}`, cell("threads", "1 2"), sysbench, "an integer of 32 bits"},
		"a list": {
			`{}`, cell("options", `["a"]`), newTool, "spec.matrix[options]: options has many values, and an axis sets one: use one of factor, limit, name, share, size, sync",
		},
		"a map":                  {`{}`, cell("options", "a"), sysbench, "spec.matrix[options]: options has many values"},
		"a group of fields":      {`{}`, cell("script", "a"), newTool, "spec.matrix[script]: script has many values"},
		"all parameters at once": {`{}`, cell("parameters", "a"), custom, "spec.matrix[parameters]: parameters has many values"},
		"a parameter that has no value in the workload": {
			`{"parameters":{"rows":"1","mode":"x"}}`, cell("row", 1), custom,
			`threads and the parameters ["mode" "rows"]: give the parameter a value there first`,
		},
		"the first of two mistakes, always": {`{}`, Cell{"b": intstr.FromInt32(1), "a": intstr.FromInt32(1)}, newTool, "spec.matrix[a]"},
		"a workload with an unknown field":  {`{"thread":1}`, Cell{}, sysbench, `spec.workload: json: unknown field "thread"`},
		"a workload that is no object":      {`null`, Cell{}, sysbench, "spec.workload: it has to be an object"},
		"a workload with more behind it":    {`{} {}`, Cell{}, sysbench, "spec.workload: more data"},
		"a caller without a pointer":        {`{}`, Cell{}, func() any { return tool{} }, "no pointer to a workload"},
		"a caller without a type":           {`{}`, Cell{}, func() any { return nil }, "no pointer to a workload"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Apply(json.RawMessage(tt.base), tt.cell, tt.into)
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("Apply = %s, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}
