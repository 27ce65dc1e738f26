package plan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// FuzzNew: a spec gives the same bytes twice or is refused, and the plan has every
// trial of every cell that is not excluded.
func FuzzNew(f *testing.F) {
	f.Add("RandomizedBlocks", "PerTrial", int32(3), "a b", `[{"name":"threads","values":[1,64]},{"name":"test","values":["r","w"]}]`, `[{"threads":1}]`)
	f.Add("ABBA", "PerBlock", int32(100), "a", `[{"name":"x","values":["0.5","true"]}]`, `[{"x":"0.5","y":2}]`)
	f.Add("Sequential", "PerRun", int32(1<<30), "a b c", `[]`, `[{}]`)
	f.Fuzz(func(t *testing.T, order, reset string, blocks int32, targets, matrix, exclude string) {
		s := spec(v1alpha1.TrialOrder(order), blocks, targets)
		s.Design.DataReset = v1alpha1.DataReset(reset)
		if json.Unmarshal([]byte(matrix), &s.Matrix) != nil || json.Unmarshal([]byte(exclude), &s.Exclude) != nil {
			t.Skip("no spec")
		}
		p, err := New(s, []string{"tables"}, Largest())
		if err != nil {
			if p != nil || !strings.Contains(err.Error(), "spec.") {
				t.Fatalf("New = %v, %v, want no plan and an error that names a field", p, err)
			}
			return
		}
		if want := int(blocks) * len(s.Targets) * len(p.Cells); len(p.Trials) != want || want > MaxTrials {
			t.Fatalf("%d trials, want %d and at most %d", len(p.Trials), want, MaxTrials)
		}
		for _, c := range p.Cells {
			for i, entry := range s.Exclude {
				if covers(entry, c) {
					t.Fatalf("cell %v is there, although spec.exclude[%d] is %v", c, i, entry)
				}
			}
		}
		again, err := New(s, []string{"tables"}, Largest())
		if err != nil || !bytes.Equal(p.Canonical(), again.Canonical()) {
			t.Fatalf("the second plan differs, %v", err)
		}
		for _, trial := range p.Trials {
			p.Describe(trial)
		}
	})
}

func covers(entry v1alpha1.Exclusion, c Cell) bool {
	for name, value := range entry {
		if has := c[name]; has.String() != value.String() {
			return false
		}
	}
	return true
}

// FuzzApply: what was applied is in the workload, is canonical, and changed no
// other field.
func FuzzApply(f *testing.F) {
	f.Add(`{"test":"oltp_read_only","threads":4}`, "threads", int32(64), "", true, 0)
	f.Add(`{"test":"oltp_read_only","options":{"a":"b"}}`, "skipTrx", int32(0), "true", false, 0)
	f.Add(`{"Test":"x","test":"y"}`, "Test", int32(0), "0.5", false, 0)
	f.Add(`{"workload":"a","properties":{"a":"b"}}`, "batchSize", int32(1), "", true, 1)
	f.Add(`{"image":"i","format":"Result","run":{"command":["x"]},"parameters":{"rows":"1","b":"c"}}`, "rows", int32(7), "", true, 2)
	f.Add(`{"test":"oltp_read_only","options":{"point_selects":"10"}}`, "point_selects", int32(7), "", true, 0)
	tools := []string{"sysbench", "ycsb", "custom"}
	f.Fuzz(func(t *testing.T, base, name string, number int32, text string, isNumber bool, which int) {
		tool := toolNamed(t, tools[uint(which)%uint(len(tools))])
		value := intstr.FromString(text)
		if isNumber {
			value = intstr.FromInt32(number)
		}
		before, err := tool.Complete(json.RawMessage(base))
		if err != nil {
			t.Skip("no workload")
		}
		after, err := Apply(before, Cell{name: value}, tool)
		if err != nil {
			if !strings.Contains(err.Error(), "spec.") || after != nil {
				t.Fatalf("error %v names no field, or came with %s", err, after)
			}
			return
		}
		again, err := Apply(after, Cell{name: value}, tool)
		if err != nil || !bytes.Equal(after, again) {
			t.Fatalf("applied again: %s, %v, want %s", again, err, after)
		}
		var was, is map[string]any
		if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
			t.Fatalf("no objects: %s, %s", before, after)
		}
		for field := range was {
			// A parameter is one of many in its field.
			if w, i := leave(was[field], name), leave(is[field], name); field != name && !reflect.DeepEqual(w, i) {
				t.Fatalf("%s was %v and is %v, although only %s was set", field, was[field], is[field], name)
			}
		}
	})
}

// leave out the value of a name, if the field has many.
func leave(field any, name string) any {
	if many, ok := field.(map[string]any); ok {
		delete(many, name)
	}
	return field
}
