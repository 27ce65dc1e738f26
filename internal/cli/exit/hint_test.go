package exit

import (
	"errors"
	"strings"
	"testing"
)

// Errors in the words of the API server say what to do, and others stay as they are.
func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		`BenchmarkRun ns/a: spec.targets[0].mysql.version: Invalid value: "number": spec.targets[0].mysql.version in body must be of type string: "number"`:                                                     `in quotes, such as "9.7"`,
		"BenchmarkRun ns/a: failed to create typed patch object (ns/a; assay.dev/v1alpha1, Kind=BenchmarkRun): .spec.desing: field not declared in schema":                                                      "kubectl assay plan -f FILE",
		`BenchmarkRun ns/a: failed to create typed patch object (ns/a; assay.dev/v1alpha1, Kind=BenchmarkRun): .spec.targets[name="old"].mysql.version: expected string, got &value.valueUnstructured{Value:8}`: `in quotes, such as "9.7"`,
		"BenchmarkRun ns/a: another error": "",
	} {
		code, got := CodeOf(errors.New(text))
		added, whole := strings.CutPrefix(got, text)
		if code != Problem || !whole || (added == "") != (want == "") || !strings.Contains(added, want) {
			t.Errorf("%d: %q", code, got)
		}
	}
}
