package sysbench

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A whole output that was quoted says what the output says.
func TestQuotedOutputSaysTheSame(t *testing.T) {
	for name, f := range fixtures {
		if f.phase != contract.PhaseRun || f.want != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := parse(f.trial(t), f.phase, f.output(t, name))
			want.Problems = nil
			if diff := cmp.Diff(want, quoted(f.output(t, name).Stdout)); diff != "" {
				t.Errorf("report (-parsed +quoted):\n%s", diff)
			}
		})
	}
}

// However it was copied, it says the same.
func TestQuotedOutputOfOtherShapes(t *testing.T) {
	whole := string(load(t, "run-point-select-p100.stdout"))
	want := quoted([]byte(whole))
	shapes := map[string]func(string) string{
		"a list":                        func(s string) string { return "* " + strings.ReplaceAll(s, "\n", "\n* ") },
		"a mail":                        func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
		"a block of code":               func(s string) string { return "```\n" + s + "```\n" },
		"without the space in front":    unindented,
		"with blanks behind":            func(s string) string { return strings.ReplaceAll(s, "\n", " \t\n") },
		"of another system":             func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"with tabs":                     func(s string) string { return strings.ReplaceAll(s, "    ", "\t") },
		"with blanks that do not break": func(s string) string { return strings.ReplaceAll(s, "    ", "\u00a0") },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, quoted([]byte(shape(whole))), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("report (-plain +copied):\n%s", diff)
			}
		})
	}
	if want.Failure != nil || len(want.Problems) > 0 || len(want.Measurements) < 10 {
		t.Fatalf("the plain text is no report: %+v", want)
	}
}

func unindented(text string) string {
	var out []string
	for _, line := range runner.Lines([]byte(text)) {
		out = append(out, strings.TrimLeft(line, " "))
	}
	return strings.Join(out, "\n")
}

func TestQuotedPieces(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	count := func(n int64) *int64 { return &n }
	tps := contract.Measurement{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Operation: "transaction", N: count(1111098), Value: number(3703.6)}
	tests := map[string]struct {
		text string
		want runner.Report
	}{
		"two lines, with thousands and fewer decimals": {
			"We saw:\n- transactions: 1,111,098 (3,703.6 per sec.)\n| 99th percentile: 70.5\n",
			runner.Report{
				Measurements: []contract.Measurement{tps, {
					Name: contract.NameLatencyPercentile, Labels: map[string]string{"p": "99"}, Unit: "ms",
					Direction: contract.LowerIsBetter, Operation: "transaction", Value: number(70.5),
				}},
				Problems: []contract.Problem{{Source: "quoted", Line: 1, Text: "We saw:"}},
			},
		},
		"one figure twice": {
			"transactions: 1111098 (3703.6 per sec.)\ntransactions: 2 (1.00 per sec.)\n",
			runner.Report{
				Measurements: []contract.Measurement{tps},
				Problems:     []contract.Problem{{Source: "quoted", Line: 2, Text: "transactions: 2 (1.00 per sec.)"}},
				Failure: runner.Failed(contract.ReasonToolFailed,
					"the text gives these figures more than once: transactions: quote one run at a time"),
			},
		},
		"a run that failed": {
			"transactions: 1111098 (3703.6 per sec.)\n> FATAL: error 2013: gone\n",
			runner.Report{
				Measurements: []contract.Measurement{tps},
				Failure: runner.Failed(contract.ReasonToolFailed,
					"the output is that of a run that failed: FATAL: error 2013: gone: quote one that went well"),
			},
		},
		"no figure": {
			"fast!\n",
			runner.Report{
				Problems: []contract.Problem{{Source: "quoted", Line: 1, Text: "fast!"}},
				Failure: runner.Failed(contract.ReasonOutputTruncated,
					"there is no figure of sysbench in the text: quote its report, from SQL statistics on"),
			},
		},
		"intervals of a test without statements": {
			"[ 1s ] thds: 4 eps: 943.21 lat (ms,95%): 1.10\n",
			runner.Report{Measurements: []contract.Measurement{
				{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Operation: "transaction",
					Intervals: []contract.Interval{{AtSeconds: 1, Value: number(943.21)}}},
				{Name: contract.NameLatencyPercentile, Labels: map[string]string{"p": "95"}, Unit: "ms", Direction: contract.LowerIsBetter, Operation: "transaction",
					Intervals: []contract.Interval{{AtSeconds: 1, Value: number(1.10)}}},
			}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, quoted([]byte(tc.text))); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzQuoted(f *testing.F) {
	for name, fx := range fixtures {
		f.Add(fx.output(f, name).Stdout)
	}
	f.Add([]byte("* transactions: 1,111,098 (3,703.6 per sec.)\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := quoted(text)
		if got.Failure == nil && len(got.Measurements) == 0 {
			t.Error("a text without a figure is no success")
		}
		for _, m := range got.Measurements {
			if m.Value != nil && (math.IsNaN(*m.Value) || math.IsInf(*m.Value, 0) || *m.Value < 0) {
				t.Errorf("%s = %g", m.Name, *m.Value)
			}
		}
		for _, p := range got.Problems {
			if p.Line < 0 || p.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Errorf("line %d", p.Line)
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("the report cannot be written as JSON: %v", err)
		}
	})
}
