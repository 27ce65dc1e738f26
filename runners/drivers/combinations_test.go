package drivers

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"
)

// A session of its own and one operation at a time are no labels, and yet values of their factors; a driver decides its language.
func TestCombinations(t *testing.T) {
	got, err := Runner().Combinations(json.RawMessage(`{
		"drivers": [{"language": "Node", "name": "mysql2"}, {"language": "Go", "name": "go-sql-driver", "as": "go"}],
		"benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool"], "concurrency": [1, 8]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	one := func(driver, session, concurrency, language string) runner.Combination {
		labels := map[string]string{"driver": driver, "operation": "SelectOne", "scheme": "SingleRow"}
		factors := map[string]string{"driver": driver, "operation": "SelectOne", "scheme": "SingleRow", "session": session, "concurrency": concurrency}
		if session != "Dedicated" {
			labels["session"] = session
		}
		if concurrency != "1" {
			labels["concurrency"] = concurrency
		}
		return runner.Combination{Labels: labels, Factors: factors, Axes: map[string]string{"language": language}}
	}
	var want []runner.Combination
	for _, driver := range [][2]string{{"mysql2", "Node"}, {"go", "Go"}} {
		for _, session := range []string{"Dedicated", "Pool"} {
			want = append(want, one(driver[0], session, "1", driver[1]), one(driver[0], session, "8", driver[1]))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
