package tpch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/outputs"
)

// A wrong result is no failure, which another attempt would mend, and no success that counts: the trial is invalid.
func TestWrongResults(t *testing.T) {
	const stopped = "[2026-11-29 10:27:20] execute run failed, err check q1 failed expect 4 rows, got 3 rows\nexecute run failed, err check q1 failed expect 4 rows, got 3 rows\n"
	const two = `{"threads":2,"queries":["q1","q2"]}`
	for name, tt := range map[string]struct {
		old, new, workload string
		want               contract.Answers
	}{
		"none":                    {want: contract.Answers{Compared: 4}},
		"nothing to compare with": {old: window, new: "[Result] Q1 - Began(s): 0.1, Takes(s): 1.000000\n" + line("Q1", "0.100000", "0000000a") + "Finished\n", workload: `{"queries":["q1"],"check":false}`},
		"a thread gets other values": {old: "0000000a\n[Result] Q2", new: "0000000b\n[Result] Q2",
			want: contract.Answers{Compared: 4, Wrong: []string{"q1 returned 4 rows with the checksum 11, and 4 rows with the checksum 10 on the same data"}}},
		"a thread gets another number of rows": {old: "Rows: 7, CRC-32: ffffffff\nFinished", new: "Rows: 0, CRC-32: 00000000\nFinished",
			want: contract.Answers{Compared: 4, Wrong: []string{"q2 returned 7 rows with the checksum 4294967295, and 0 rows with the checksum 0 on the same data"}}},
		"go-tpc has another answer, and both threads end": {old: window, new: line("Q1", "0.100000", "0000000a") + stopped + line("Q2", "0.100000", "0000000c") + line("Q1", "1.100000", "0000000a") + stopped + "Finished\n",
			want: contract.Answers{Compared: 3, Wrong: []string{"q1 has another result than go-tpc's answers (expect 4 rows, got 3 rows)"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.workload == "" {
				tt.workload = two
			}
			trial := tool.Trial(t, tt.workload)
			report := parse(trial, contract.PhaseRun, runner.Output{Stdout: []byte(strings.Replace(window, tt.old, tt.new, 1))})
			if report.Failure != nil || report.Answers == nil || !cmp.Equal(*report.Answers, tt.want) {
				t.Fatalf("failure %+v, answers %+v, want %+v", report.Failure, report.Answers, tt.want)
			}
			found := findings(t, trial, report)
			if got := len(found) == 1 && found[0].Check == validity.CheckWrongResults && found[0].Severity == validity.Invalid; got != (len(tt.want.Wrong) > 0) {
				t.Errorf("findings %+v", found)
			}
		})
	}
}

// line of a query that took 1 s.
func line(query, began, checksum string) string {
	return "[Result] " + query + " - Began(s): " + began + ", Takes(s): 1.000000, Rows: 4, CRC-32: " + checksum + "\n"
}

// findings of a window that was reported.
func findings(t *testing.T, trial contract.Trial, report runner.Report) []validity.Finding {
	t.Helper()
	expected, err := Runner().Expectations(trial)
	if err != nil {
		t.Fatal(err)
	}
	return validity.Check(contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)},
		Measurements: report.Measurements, Errors: report.Errors, Problems: report.Problems, Answers: report.Answers,
	}, expected)
}

// What go-tpc 1.0.12 prints of a server whose data was changed: a finding says what is wrong, and nothing speaks of a time limit.
func TestAServerThatIsWrong(t *testing.T) {
	trial := tool.Trial(t, fixtures["run-differs"].Workload)
	got := findings(t, trial, parse(trial, contract.PhaseRun, runner.Output{Stdout: outputs.Load(t, "run-differs.stdout")}))
	if len(got) != 1 || got[0].Severity != validity.Invalid || !strings.Contains(got[0].Message, "3 results of queries were compared, and some are wrong: q5 has another result than go-tpc's answers (expect IRAN at row 3 column 0, got NOWHERE)") {
		t.Errorf("%+v", got)
	}
}

// Rows that tie at the LIMIT of a query may come in or stay out.
func TestATieAtALimitIsNamed(t *testing.T) {
	for query, want := range map[string]bool{"1": false, "4": false, "3": true, "10": true, "18": true, "21": false} {
		output := strings.Replace(strings.Replace(window, "0000000a", "0000000b", 1), "] Q1 ", "] Q"+query+" ", 2)
		output = strings.ReplaceAll(output, "[Result] Q2 - Began(s): 0.5", "[Result] Q22 - Began(s): 0.5")
		output = strings.ReplaceAll(output, "[Result] Q2 - Began(s): 1.5", "[Result] Q22 - Began(s): 1.5")
		report := parse(tool.Trial(t, `{"threads":2,"queries":["q`+query+`","q22"]}`), contract.PhaseRun, runner.Output{Stdout: []byte(output)})
		if a := report.Answers; report.Failure != nil || a == nil || len(a.Wrong) != 1 || strings.Contains(a.Wrong[0], "tie at the LIMIT") != want {
			t.Errorf("q%s: %+v, %+v", query, report.Failure, a)
		}
	}
}
