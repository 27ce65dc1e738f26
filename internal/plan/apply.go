package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Apply sets the values of a cell in the JSON of the tool's part of the spec, and returns it
// in the canonical form of the typed workload. into makes a new pointer to that type, such as
// *v1alpha1.SysbenchWorkload.
//
// An integer is set as a number. A string is set as a string if the field has that type, or
// else as its number or boolean: "0.5", "true". In a field "parameters" with strings by name,
// an axis may set an existing parameter; a new name is refused as a likely mistake. An unknown
// field, a field with many values, or a value of the wrong type is an error that names the
// axis. The tool checks the bounds of its fields.
func Apply(base json.RawMessage, cell Cell, into func() any) (json.RawMessage, error) {
	typed := into()
	t := reflect.TypeOf(typed)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("applying a cell: %T is no pointer to a workload", typed)
	}
	canonical, err := canonicalize(base, typed)
	if err != nil {
		return nil, fmt.Errorf("spec.workload: %w", err)
	}
	if len(cell) == 0 {
		return canonical, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &object); err != nil {
		return nil, fmt.Errorf("spec.workload: %w", err)
	}
	tool := fieldsOf(t.Elem())
	for _, axis := range slices.Sorted(maps.Keys(cell)) { // sorted: the same error every time
		if err := tool.set(object, axis, cell[axis]); err != nil {
			return nil, fmt.Errorf("spec.matrix[%s]: %w", axis, err)
		}
	}
	if canonical, err = json.Marshal(object); err != nil {
		return nil, fmt.Errorf("spec.workload: %w", err)
	}
	if canonical, err = canonicalize(canonical, into()); err != nil {
		return nil, fmt.Errorf("spec.workload: %w", err)
	}
	if err := refuseOmitted(canonical, object, cell); err != nil {
		return nil, err
	}
	return canonical, nil
}

// refuseOmitted refuses the value 0 of an optional field: the canonical form omits it, so the
// cell would use the default instead.
func refuseOmitted(canonical json.RawMessage, object map[string]json.RawMessage, cell Cell) error {
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &kept); err != nil {
		return fmt.Errorf("spec.workload: %w", err)
	}
	for _, axis := range slices.Sorted(maps.Keys(cell)) {
		if _, has := kept[axis]; !has && string(object[axis]) == "0" {
			return fmt.Errorf("spec.matrix[%s]: the value 0 does not fit: %s has no value 0, but is left out", axis, axis)
		}
	}
	return nil
}

// canonicalize reads one JSON object strictly into the typed value, and writes that.
func canonicalize(data []byte, typed any) (json.RawMessage, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return nil, errors.New("it has to be an object")
	}
	if err := decodeStrictly(data, typed); err != nil {
		return nil, err
	}
	return json.Marshal(typed)
}

func decodeStrictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more data after the end of the value")
	}
	return nil
}

// fields of a workload by their names in JSON. encoding/json ignores the case of names: an
// axis tablesize would then pass the check of the fields that decide the loaded data.
type fields map[string]reflect.Type

// parameters is the field with strings by name, which axes may set one by one.
const parameters = "parameters"

// set the value of an axis in the object of a workload.
func (f fields) set(object map[string]json.RawMessage, axis string, value intstr.IntOrString) (err error) {
	field, has := f[axis]
	switch {
	case !has && f[parameters] == reflect.TypeFor[map[string]string]():
		return f.setParameter(object, axis, value)
	case !has:
		return fmt.Errorf("the tool has no field %s; it has: %s", axis, f.single())
	case !single(field):
		return fmt.Errorf("%s has many values, and an axis sets one: use one of %s", axis, f.single())
	}
	if object[axis], err = literal(value, field); err != nil {
		return fmt.Errorf("the value %s does not fit: the field needs %w", quoted(value), err)
	}
	return nil
}

// setParameter sets one of the parameters, always as a string.
func (f fields) setParameter(object map[string]json.RawMessage, axis string, value intstr.IntOrString) (err error) {
	known := map[string]string{}
	if data := object[parameters]; data != nil {
		if err := json.Unmarshal(data, &known); err != nil {
			return fmt.Errorf("spec.workload, %s: %w", parameters, err)
		}
	}
	if _, has := known[axis]; !has {
		return fmt.Errorf("the tool has no field and no parameter %s; it has the fields %s and the parameters %q: give the parameter a value there first",
			axis, f.single(), slices.Sorted(maps.Keys(known)))
	}
	known[axis] = value.String()
	object[parameters], err = json.Marshal(known)
	return err
}

// single lists the fields that an axis can set.
func (f fields) single() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if single(f[name]) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// single reports whether a field has one value: a number, a boolean or a string.
func single(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer, reflect.Interface:
		return false
	}
	return true
}

func fieldsOf(t reflect.Type) fields {
	out := fields{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			out[name] = f.Type
		}
	}
	return out
}

// literal is the value as JSON of the type. The error describes the values of the type.
func literal(value intstr.IntOrString, field reflect.Type) (json.RawMessage, error) {
	fits := func(data []byte) bool { return decodeStrictly(data, reflect.New(field).Interface()) == nil }
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if fits(text) {
		return text, nil
	}
	if value.Type == intstr.String && scalar(value.StrVal) && fits([]byte(value.StrVal)) {
		return json.RawMessage(value.StrVal), nil
	}
	return nil, errors.New(needs(field))
}

// scalar reports whether a text is a JSON number or boolean. null is neither: it would leave
// the field unchanged.
func scalar(text string) bool {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return false
	}
	switch v.(type) {
	case float64, bool:
		return true
	}
	return false
}

// needs describes the values of a type, for people.
func needs(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return needs(t.Elem())
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("an integer of %d bits, such as 64", t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("an integer of %d bits from 0, such as 64", t.Bits())
	case reflect.Float32, reflect.Float64:
		return `a number, such as "0.5"`
	case reflect.Bool:
		return `"true" or "false"`
	case reflect.String:
		return `a string, such as "64" in quotes`
	}
	return "a " + t.String()
}

func quoted(value intstr.IntOrString) string {
	if value.Type == intstr.String {
		return fmt.Sprintf("%q", value.StrVal)
	}
	return value.String()
}
