package ycsb

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var (
	publishedTarget = regexp.MustCompile(`^####\s+(.+?)\s*$`)
	publishedPhase  = regexp.MustCompile(`^\*\*(load|run)\*\*$`)
)

// published are the blocks of testdata/published.md, as they stand in the comparison from
// which they are, by target and phase.
func published(t testing.TB) map[string]map[string]string {
	t.Helper()
	blocks := map[string]map[string]string{}
	var target, phase string
	inBlock := false
	for _, line := range runner.Lines(load(t, "published.md")) {
		switch m, p := publishedTarget.FindStringSubmatch(line), publishedPhase.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case inBlock:
			blocks[target][phase] += line + "\n"
		case m != nil:
			target = m[1]
			blocks[target] = map[string]string{}
		case p != nil:
			phase = p[1]
		}
	}
	return blocks
}

// original is the metric and the measure that a measurement was published as.
func original(m contract.Measurement) (metric, measure string) {
	metric = strings.ToUpper(m.Labels[contract.LabelOperation])
	collector := ""
	if c := m.Labels[contract.LabelCollector]; c != "" {
		collector = "_" + c
	}
	switch m.Name {
	case contract.NameThroughput:
		return "OVERALL", "Throughput(ops/sec)"
	case contract.NameTotalTime:
		return "OVERALL", "RunTime(" + m.Unit + ")"
	case contract.NameOperationCount:
		return metric, "Operations"
	case contract.NameLatencyAvg:
		return metric, "AverageLatency(" + m.Unit + ")"
	case contract.NameLatencyMin:
		return metric, "MinLatency(" + m.Unit + ")"
	case contract.NameLatencyMax:
		return metric, "MaxLatency(" + m.Unit + ")"
	case contract.NameLatencyPercentile:
		return metric, m.Labels[contract.LabelPercentile] + "thPercentileLatency(" + m.Unit + ")"
	case contract.NameReturnCount:
		return metric, "Return=" + m.Labels[contract.LabelStatus]
	case contract.NameGCCount:
		if collector == "" {
			return "TOTAL_GCs", "Count"
		}
		return "TOTAL_GCS" + collector, "Count"
	case contract.NameGCTime:
		return "TOTAL_GC_TIME" + collector, "Time(" + m.Unit + ")"
	case contract.NameGCPercent:
		return "TOTAL_GC_TIME_%" + collector, "Time(" + m.Unit + ")"
	}
	return "", m.Name
}

// Every number of the published comparison is reproduced, none is added, and what was not
// published is absent.
func TestQuoteGivesEveryPublishedNumber(t *testing.T) {
	// published.json has the same numbers, read out of the text by other means.
	var want map[string]map[string]map[string]map[string]json.Number
	if err := json.Unmarshal(load(t, "published.json"), &want); err != nil {
		t.Fatal(err)
	}
	blocks, compared := published(t), 0
	for target, phases := range want {
		for phase, numbers := range phases {
			t.Run(target+"/"+phase, func(t *testing.T) {
				text, ok := blocks[target][phase]
				if !ok {
					t.Fatal("the text has no such block")
				}
				got := quote([]byte(text))
				if got.Failure != nil {
					t.Fatal(got.Failure)
				}
				if numbers == nil {
					if len(got.Measurements) > 0 || len(got.Problems) != 1 {
						t.Errorf("got %+v, want nothing but the remark that 未知 is no number", got)
					}
					return
				}
				if len(got.Problems) > 0 {
					t.Errorf("problems: %+v", got.Problems)
				}
				found := map[string]map[string]json.Number{}
				for _, m := range got.Measurements {
					metric, measure := original(m)
					if found[metric] == nil {
						found[metric] = map[string]json.Number{}
					}
					text := strconv.FormatFloat(*m.Value, 'g', -1, 64)
					if plain := strconv.FormatFloat(*m.Value, 'f', -1, 64); len(plain) < 22 {
						text = plain
					}
					if numbers[metric][measure] == json.Number(text+".0") {
						text += ".0"
					}
					found[metric][measure] = json.Number(text)
					compared++
				}
				if diff := cmp.Diff(numbers, found); diff != "" {
					t.Errorf("numbers (-published +quoted):\n%s", diff)
				}
			})
		}
	}
	if compared != 3*(24+31)+16 {
		t.Errorf("%d numbers were compared, want 181", compared)
	}
}

func TestQuoteIsTolerant(t *testing.T) {
	throughput := func(v float64) []contract.Measurement {
		return []contract.Measurement{{Name: contract.NameThroughput, Unit: unitOperations, Direction: contract.HigherIsBetter, Operation: operationAny, Value: &v}}
	}
	tests := map[string]struct {
		text     string
		want     []contract.Measurement
		problems int
		failure  string
	}{
		"nothing":                          {"", nil, 0, ""},
		"blanks":                           {" \n\t\n", nil, 0, ""},
		"a word for: nobody knows":         {"unknown\n", nil, 1, ""},
		"a star before the measure":        {"[OVERALL], *Throughput(ops/sec), 9175.170520544125\n", throughput(9175.170520544125), 0, ""},
		"a star before the line":           {"*[OVERALL], Throughput(ops/sec), 1.5\n", throughput(1.5), 0, ""},
		"blanks around":                    {"   [OVERALL],Throughput(ops/sec) ,  1.5 \t \n", throughput(1.5), 0, ""},
		"without an end of line":           {"[OVERALL], Throughput(ops/sec), 1.5", throughput(1.5), 0, ""},
		"lines of Windows":                 {"[OVERALL], Throughput(ops/sec), 1.5\r\n", throughput(1.5), 0, ""},
		"large numbers of Java":            {"[OVERALL], Throughput(ops/sec), 1.2345678E7\n", throughput(12345678), 0, ""},
		"no number is no zero":             {"[OVERALL], Throughput(ops/sec), NaN\n", nil, 0, ""},
		"JSON":                             {`[ {"metric":"OVERALL","measurement":"Throughput(ops/sec)","value":1.5} ]`, throughput(1.5), 0, ""},
		"JSON without an array":            {`{"metric":"OVERALL","measurement":"Throughput(ops/sec)","value":1.5} `, throughput(1.5), 0, ""},
		"JSON that is cut":                 {`[ {"metric":"OVERALL","measurement":"Throughput(ops/sec)","value":1.5}, {`, nil, 0, "the text is no report of YCSB"},
		"text between":                     {"Azure published only a part:\n[OVERALL], Throughput(ops/sec), 1.5\n", throughput(1.5), 1, ""},
		"a decimal comma is not guessed":   {"[OVERALL], Throughput(ops/sec), 1,5\n", nil, 1, ""},
		"a measure that nobody knows":      {"[OVERALL], Speed, 1.5\n", nil, 1, ""},
		"two reports are not one of them":  {"[OVERALL], Throughput(ops/sec), 1.5\n[OVERALL], Throughput(ops/sec), 1.6\n", nil, 0, "more than once"},
		"buckets of a verbose histogram":   {"[OVERALL], Throughput(ops/sec), 1.5\n[READ], 1234, 17.0\n[READ], >1000, 3\n", throughput(1.5), 0, ""},
		"figures of the JVM are no result": {"[MAX_MEM_USED], MBs, 123\n[OVERALL], Throughput(ops/sec), 1.5\n", throughput(1.5), 0, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := quote([]byte(tc.text))
			if diff := cmp.Diff(tc.want, got.Measurements); diff != "" {
				t.Errorf("measurements (-want +got):\n%s", diff)
			}
			if len(got.Problems) != tc.problems {
				t.Errorf("problems = %+v, want %d", got.Problems, tc.problems)
			}
			if (got.Failure == nil) != (tc.failure == "") || got.Failure != nil && !strings.Contains(got.Failure.Message, tc.failure) {
				t.Errorf("failure = %+v, want %q", got.Failure, tc.failure)
			}
		})
	}
}

// What was published fits itself: the checks that experiments are held against.
func TestPublishedNumbersFitEachOther(t *testing.T) {
	const threads = 20
	for target, phases := range published(t) {
		for phase, text := range phases {
			r := reading{}
			r.readStream("published", []byte(text), true)
			if r.report.runTime == nil {
				continue
			}
			n, counted := r.report.endedWell(), r.report.counted()
			if n == nil || counted == nil || *n != *counted || *n != 10_000_000 {
				t.Errorf("%s/%s: operations = %v and %v, want 10,000,000", target, phase, n, counted)
				continue
			}
			avg, _ := contract.Find(r.whole().allOperations(false), contract.NameLatencyAvg, nil)
			busy := *avg.Value * float64(*n) / *r.report.runTime.value(0)
			if busy < 19 || busy > threads {
				t.Errorf("%s/%s: %.2f threads were busy", target, phase, busy)
			}
		}
	}
}
