package apischema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/assay-bench/assay/internal/ground/nearest"
)

// removed are fields that manifests may still have, and what took their place.
var removed = map[string]string{
	"spec.design.maxThrottledPercent": "it was removed: leave it out. No trial is left out for throttling any more. One whose server or client reached its CPU limit counts, and status.trials[].limitedBy says so",
}

// topFields are those of every object.
var topFields = []string{"apiVersion", "kind", "metadata", "spec", "status"}

// CheckTop refuses fields beside the spec of an object that no object has, with what was meant.
func CheckTop(object map[string]any) error {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(topFields, name) {
			continue
		}
		if near := nearest.To(name, topFields); near != "" {
			name += " (did you mean " + near + "?)"
		}
		unknown = append(unknown, name)
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown field: %s", strings.Join(unknown, ", "))
	}
	return nil
}

// indexes of the parts of lists in a path.
var indexes = regexp.MustCompile(`\[[^\]]*\]`)

// unknownField is the path of a field that the schema does not have, with what was meant: what took the place of one that was
// removed, the nearest field beside it, or the only field of this name elsewhere.
func (t *Tool) unknownField(path string) string {
	plain := indexes.ReplaceAllString(path, "")
	if what, is := removed[t.path.String()+"."+plain]; is {
		return path + " (" + what + ")"
	}
	names := strings.Split(plain, ".")
	name, at := names[len(names)-1], t.schema
	for _, above := range names[:len(names)-1] {
		property := at.Properties[above]
		if at = &property; at.Items != nil {
			at = at.Items
		}
	}
	if near := nearest.To(name, slices.Sorted(maps.Keys(at.Properties))); near != "" {
		return path + " (did you mean " + near + "?)"
	}
	if found := named(name, t.path.String(), t.schema); len(found) == 1 {
		return path + " (did you mean " + found[0] + "?)"
	}
	return path
}

// named fields of a schema, by their paths.
func named(name, path string, at *structural.Structural) (found []string) {
	if at.Items != nil {
		return named(name, path+"[]", at.Items)
	}
	for _, below := range slices.Sorted(maps.Keys(at.Properties)) {
		property := at.Properties[below]
		if below == name {
			found = append(found, path+"."+below)
		}
		found = append(found, named(name, path+"."+below, &property)...)
	}
	return found
}
