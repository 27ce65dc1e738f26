package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/internal/ground/apischema"
)

// Apply sets the values of a cell in the JSON of the tool's part of the spec, which is one that
// the schema of the API accepts. It gives it back with every default filled in, checked against
// that schema as if the values had been written there. The names of its fields are sorted.
//
// An integer is set as a number. A string is set as a string if the field takes one, or else
// as the integer or the truth value that it spells: "64", "true". Where the tool has a field
// "parameters" or "options" with texts by name, an axis may also name one that is there already: an axis
// that had to make it would be a misspelt one. A field that the tool does not have, one of
// many values, or a value that does not fit, is an error that names the axis; a value that
// the schema refuses is one that names the cell and the field.
func Apply(base json.RawMessage, cell Cell, tool *apischema.Tool) (json.RawMessage, error) {
	return apply(base, cell, tool, "spec.matrix[%s]: %w", "spec.matrix: cell %v: %w")
}

// ApplySecond is Apply for the fields of a second load; the errors name them.
func ApplySecond(base json.RawMessage, fields Cell, tool *apischema.Tool) (json.RawMessage, error) {
	return apply(base, fields, tool, "background.workload.%s: %w", "background.workload: %v: %w")
}

// apply a cell. The errors of one of its values, and of all of them together, have these forms.
func apply(base json.RawMessage, cell Cell, tool *apischema.Tool, one, all string) (json.RawMessage, error) {
	object, err := tool.Read(base)
	if err != nil {
		return nil, err
	}
	for _, axis := range slices.Sorted(maps.Keys(cell)) { // sorted: the same error every time
		if err := setAxis(object, axis, cell[axis], tool); err != nil {
			return nil, fmt.Errorf(one, axis, err)
		}
	}
	if err := tool.CompleteObject(object); err != nil {
		if len(cell) == 0 {
			return nil, err
		}
		return nil, fmt.Errorf(all, cell, err)
	}
	return json.Marshal(object)
}

// byName are the fields with strings by name that axes may set one by one, and what one is called. A tool has one of them.
var byName = map[string]string{"parameters": "parameter", "options": "option"}

// named is the field of a tool with strings by name; empty if it has none.
func named(tool *apischema.Tool) string {
	for field := range byName {
		if kind, _ := tool.Field(field); kind == apischema.Texts {
			return field
		}
	}
	return ""
}

// setAxis sets the value of an axis in the object of a workload. One of the strings by name is always set as a string.
func setAxis(object map[string]any, axis string, value intstr.IntOrString, tool *apischema.Tool) error {
	kind, has := tool.Field(axis)
	field := named(tool)
	texts, _ := object[field].(map[string]any)
	_, is := texts[axis]
	switch {
	case !has && is:
		texts[axis] = value.String()
		return nil
	case !has && slices.Contains(ofTargets, strings.ToLower(axis)):
		return fmt.Errorf("%s is of a server or its machine, and the tool has no such field: list a target for each value in spec.targets, on which every cell of the matrix is measured", axis)
	case !has && field != "":
		return fmt.Errorf("the tool has no field and no %[1]s %[2]s; it has the fields %[3]s and the %[1]ss %[4]q: give the %[1]s a value there first",
			byName[field], axis, strings.Join(tool.Fields(), ", "), slices.Sorted(maps.Keys(texts)))
	case !has:
		return fmt.Errorf("the tool has no field %s; it has: %s", axis, strings.Join(tool.Fields(), ", "))
	case !kind.Single():
		return fmt.Errorf("%s has many values, and an axis sets one: use one of %s", axis, strings.Join(tool.Fields(), ", "))
	}
	if object[axis], has = literal(value, kind); !has {
		return fmt.Errorf("the value %s does not fit: the field needs %s", quoted(value), kind.Needs())
	}
	return nil
}

// ofTargets are fields of targets and of their shapes, in small letters: with another value of them it is another server.
var ofTargets = []string{"flavor", "version", "image", "storageengine", "storage", "shape", "cpu", "cpus", "memory", "nodeselector"}

// literal is the value as a field of the kind takes it; false when it does not fit.
func literal(value intstr.IntOrString, kind apischema.Kind) (any, bool) {
	text := value.Type == intstr.String
	switch {
	case kind == apischema.Text && text:
		return value.StrVal, true
	case kind == apischema.Integer && value.String() != "null": // which would leave the number at 0
		var n int64
		err := json.Unmarshal([]byte(value.String()), &n)
		return n, err == nil
	case kind == apischema.Boolean && (value.StrVal == "true" || value.StrVal == "false"):
		return value.StrVal == "true", text
	}
	return nil, false
}

func quoted(value intstr.IntOrString) string {
	if value.Type == intstr.String {
		return fmt.Sprintf("%q", value.StrVal)
	}
	return value.String()
}
