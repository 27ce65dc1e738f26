package apischema

import (
	"maps"
	"slices"
)

// Kind is the kind of a field's values.
type Kind string

// Kinds of fields.
const (
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	Text    Kind = "string"
	// Texts is an object with strings by name.
	Texts Kind = "texts"
	// Many is any other list or object.
	Many Kind = "many"
)

// Single reports whether a field has one value: an integer, a boolean or a string.
func (k Kind) Single() bool { return k == Integer || k == Boolean || k == Text }

// Needs describes the values of the field, for people.
func (k Kind) Needs() string {
	switch k {
	case Integer:
		return "an integer, such as 64"
	case Boolean:
		return `"true" or "false"`
	case Text:
		return `a string, such as "64" in quotes`
	}
	return "many values"
}

// Field is the kind of a field; false when the tool has no such field. Names are case-sensitive, as for the API server.
func (t *Tool) Field(name string) (Kind, bool) {
	property, ok := t.schema.Properties[name]
	if !ok {
		return "", false
	}
	switch kind := Kind(property.Type); {
	case kind.Single():
		return kind, true
	case property.AdditionalProperties != nil && property.AdditionalProperties.Structural != nil &&
		property.AdditionalProperties.Structural.Type == string(Text):
		return Texts, true
	}
	return Many, true
}

// Fields are the names of the fields that have one value, sorted.
func (t *Tool) Fields() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.schema.Properties)), func(name string) bool {
		kind, _ := t.Field(name)
		return !kind.Single()
	})
}
