// Package bounds reads from the schema of the API how much a run may have, for tests of the largest one.
package bounds

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/assay-bench/assay/internal/ground/apischema"
)

var atMost = regexp.MustCompile(`at most (\d+)`)

// Most entries that a list of a run may have, or its largest number, by the path of the field, such as spec.targets.
func Most(t testing.TB, path string) int {
	t.Helper()
	field, err := apischema.FieldOf(path)
	if err != nil {
		t.Fatal(err)
	}
	said := atMost.FindStringSubmatch(field.Bounds)
	if said == nil {
		t.Fatalf("%s has no upper bound: %q", path, field.Bounds)
	}
	most, err := strconv.Atoi(said[1])
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return most
}
