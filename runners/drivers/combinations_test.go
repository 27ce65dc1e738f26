package drivers

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"
)

// A session of its own is no label, and yet a value of the factor; a driver decides its language.
func TestCombinations(t *testing.T) {
	got, err := Runner().Combinations(json.RawMessage(`{
		"drivers": [{"language": "Node", "name": "mysql2"}, {"language": "Go", "name": "go-sql-driver", "as": "go"}],
		"benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	one := func(driver, session, language string) runner.Combination {
		labels := map[string]string{"driver": driver, "operation": "SelectOne", "scheme": "SingleRow"}
		factors := map[string]string{"driver": driver, "operation": "SelectOne", "scheme": "SingleRow", "session": session}
		if session != "Dedicated" {
			labels["session"] = session
		}
		return runner.Combination{Labels: labels, Factors: factors, Axes: map[string]string{"language": language}}
	}
	want := []runner.Combination{
		one("mysql2", "Dedicated", "Node"), one("mysql2", "Pool", "Node"), one("go", "Dedicated", "Go"), one("go", "Pool", "Go"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
