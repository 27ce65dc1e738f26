package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

func TestWrongResults(t *testing.T) {
	r, e := run(t), expected
	r.Answers = &contract.Answers{Compared: 34}
	if got := Check(r, e); len(got) > 0 {
		t.Errorf("results that are right: %+v", got)
	}
	r.Answers.Wrong = []string{"a", "b", "c", "d", "e", "f", "g"}
	e.Operations = 1_000_000 // the tool stopped at a wrong result, and no time limit came first
	want := []Finding{{"wrong-results", Invalid, "34 results of queries were compared, and some are wrong: a; b; c; d; e; and 2 more: " +
		"look for what else writes to the tables, and compare with another server"}}
	if diff := cmp.Diff(want, Check(r, e)); diff != "" {
		t.Errorf("results that are wrong (-want +got):\n%s", diff)
	}
}

func TestCheckAnswers(t *testing.T) {
	answers := &contract.Answers{}
	client := func(i int, a *contract.Answers, checksums map[string]float64) contract.Result {
		r := contract.Result{Trial: contract.TrialRef{Client: i}, Answers: a}
		for _, query := range []string{"q1", "q2"} {
			if sum, known := checksums[query]; known {
				m := runner.Number(contract.NameResultChecksum, "1", "", sum)
				m.Labels = map[string]string{contract.LabelOperation: query}
				r.Measurements = append(r.Measurements, m)
			}
		}
		return r
	}
	tests := map[string]struct {
		results []contract.Result
		want    string
	}{
		"one client":  {results: []contract.Result{client(0, answers, map[string]float64{"q1": 1, "q2": 2})}},
		"the same":    {results: []contract.Result{client(0, answers, map[string]float64{"q1": 1, "q2": 2}), client(1, answers, map[string]float64{"q1": 1, "q2": 2})}},
		"one is none": {results: []contract.Result{client(0, answers, map[string]float64{"q1": 1, "q2": 2}), client(1, answers, map[string]float64{"q1": 1})}},
		"a tool that says nothing of its results": {results: []contract.Result{client(0, nil, map[string]float64{"q1": 1}), client(1, nil, map[string]float64{"q1": 2})}},
		"another one": {
			results: []contract.Result{
				client(0, answers, map[string]float64{"q1": 1, "q2": 2}), client(1, answers, map[string]float64{"q1": 1, "q2": 4294967295}), client(2, answers, map[string]float64{"q1": 3, "q2": 2}),
			},
			want: "queries had other results for one client than for another, on the same data: q1 had the checksum 1 for client 0, and 3 for client 2; " +
				"q2 had the checksum 2 for client 0, and 4294967295 for client 1: look for what else writes to the tables, and compare with another server",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []Finding
			if tt.want != "" {
				want = []Finding{{"wrong-results", Invalid, tt.want}}
			}
			if diff := cmp.Diff(want, CheckAnswers(tt.results)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
