package apischema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/assay-bench/assay/internal/ground/nearest"
)

// FieldDescription is a field of BenchmarkRun for people.
type FieldDescription struct {
	// Path of the field, such as spec.design.blocks.
	Path string
	// Type such as integer, or []object for a list.
	Type string
	// Description in words; the rest is empty where the schema says nothing.
	Description string
	Required    bool
	Default     string
	Values      []string
	Bounds      string
	// Fields below it, sorted.
	Fields []string
}

// FieldOf a path such as spec.design.blocks; spec may be left out, and all but the name of a field that is the only one of its
// name. Indexes in brackets are ignored. It fails when the API has no such field, and names those that it has there, or those of
// that name.
func FieldOf(path string) (FieldDescription, error) {
	at, err := schemaOf()
	if err != nil {
		return FieldDescription{}, err
	}
	names := strings.Split(strings.TrimPrefix(path, "."), ".")
	if names[0] != "spec" && names[0] != "status" {
		names = append([]string{"spec"}, names...)
		alone, _, _ := strings.Cut(names[1], "[")
		if _, has := at.Properties["spec"].Properties[alone]; !has && len(names) == 2 {
			paths := called(alone, "spec", at.Properties["spec"])
			if len(paths) == 0 {
				paths = called(alone, "status", at.Properties["status"])
			}
			if len(paths) > 1 {
				return FieldDescription{}, &SeveralError{alone, paths}
			}
			if len(paths) == 1 {
				names = strings.Split(paths[0], ".")
			}
		}
	}
	required, walked := false, "BenchmarkRun"
	for i, name := range names {
		name, _, _ = strings.Cut(name, "[")
		next, ok := at.Properties[name]
		if !ok {
			fields := slices.Sorted(maps.Keys(at.Properties))
			if what, is := removed[walked+"."+name]; is {
				return FieldDescription{}, fmt.Errorf("%s has no field %q: %s", walked, name, what)
			}
			if near := nearest.To(name, fields); near != "" {
				return FieldDescription{}, fmt.Errorf("%s has no field %q: did you mean %s? It has %s", walked, name, near, strings.Join(fields, ", "))
			}
			return FieldDescription{}, fmt.Errorf("%s has no field %q: it has %s", walked, name, strings.Join(fields, ", "))
		}
		required = slices.Contains(at.Required, name)
		if names[i], walked = name, strings.Join(names[:i+1], "."); next.Type == "array" && i < len(names)-1 {
			next = *next.Items.Schema
		}
		at = next
	}
	out := FieldDescription{Path: walked, Type: typeOf(at), Description: strings.Join(strings.Fields(at.Description), " "), Required: required, Bounds: boundsOf(at)}
	if at.Default != nil {
		out.Default = string(at.Default.Raw)
	}
	if at.Type == "array" {
		at = *at.Items.Schema
		out.Type = "[]" + typeOf(at)
	}
	for _, v := range at.Enum {
		var text string
		if err := json.Unmarshal(v.Raw, &text); err != nil {
			text = string(v.Raw)
		}
		out.Values = append(out.Values, text)
	}
	out.Fields = slices.Sorted(maps.Keys(at.Properties))
	return out, nil
}

// SeveralError is the error for a name that several fields have.
type SeveralError struct {
	Name string
	// Paths of the fields, sorted.
	Paths []string
}

// Error names the fields.
func (e *SeveralError) Error() string {
	return fmt.Sprintf("several fields are called %s: %s", e.Name, strings.Join(e.Paths, ", "))
}

// called are the paths of the fields with a name, whatever its case, below one field, sorted.
func called(name, path string, at apiextensionsv1.JSONSchemaProps) (out []string) {
	if at.Items != nil && at.Items.Schema != nil {
		at = *at.Items.Schema
	}
	for _, field := range slices.Sorted(maps.Keys(at.Properties)) {
		below := path + "." + field
		if strings.EqualFold(field, name) {
			out = append(out, below)
		}
		out = append(out, called(name, below, at.Properties[field])...)
	}
	return out
}

// typeOf a field; the CRD gives none to one that takes integers and strings.
func typeOf(at apiextensionsv1.JSONSchemaProps) string {
	if at.XIntOrString {
		return "integer or string"
	}
	return at.Type
}

// boundsOf a field in words.
func boundsOf(at apiextensionsv1.JSONSchemaProps) string {
	var words []string
	for _, b := range []struct {
		format string
		value  *int64
	}{{"at least %d entries", at.MinItems}, {"at most %d entries", at.MaxItems}, {"at least %d characters", at.MinLength}, {"at most %d characters", at.MaxLength}} {
		if b.value != nil {
			words = append(words, fmt.Sprintf(b.format, *b.value))
		}
	}
	if at.Minimum != nil {
		words = append(words, fmt.Sprintf("at least %g", *at.Minimum))
	}
	if at.Maximum != nil {
		words = append(words, fmt.Sprintf("at most %g", *at.Maximum))
	}
	if at.Pattern != "" {
		words = append(words, "matches "+at.Pattern)
	}
	for _, rule := range at.XValidations {
		if !strings.Contains(rule.Rule, "oldSelf") && rule.Message != "" {
			words = append(words, rule.Message)
		}
	}
	return strings.Join(words, "; ")
}
