package claims

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

const head = "title: t\npublished: p\nsmall: s.yaml\nfull: [f.yaml]\nruns: 3\nmargin: 0.25\nmarginOf: why\ngroups:\n"

// quotedTable of a target "q".
func quotedTable(t *testing.T, text string) []quoted.Numbers {
	t.Helper()
	report := quoted.Table([]byte(text))
	if len(report.Problems) > 0 {
		t.Fatalf("%+v", report.Problems)
	}
	return []quoted.Numbers{{Target: "q", Phases: []quoted.Phase{{Phase: contract.KeyQuotedRun, Measurements: report.Measurements}}}}
}

const (
	rates = "measurement: throughput\nunit: ops/s\ndirection: HigherIsBetter\nrows: scheme\ncolumns: driver\n\n| scheme | a | b |\n| --- | ---: | ---: |\n| x | 10 | 25 |\n"
	times = "measurement: latency.avg\nunit: ms\ndirection: LowerIsBetter\nrows: driver\n\n| driver | mean |\n| --- | ---: |\n| a | 10 |\n| b | 25 |\n"
	ratio = "measurement: speedup\nunit: 1\ndirection: HigherIsBetter\nrows: driver, scheme\n\n| driver | scheme | speedup |\n| --- | --- | ---: |\n| D | x | 1.0 |\n| D | y | 9.3 |\n"
)

func TestList(t *testing.T) {
	tests := map[string]struct {
		table, groups string
		want          []Claim
	}{
		"rates over the baseline": {rates, "- {heading: h, quoted: q, baseline: {driver: a}}", []Claim{{
			Says: "throughput, driver b, scheme x", Printed: "25 ops/s over 10 ops/s", Ratio: 2.5, Measurement: "throughput",
			Of: map[string]string{"driver": "b", "scheme": "x"}, To: map[string]string{"driver": "a", "scheme": "x"},
		}}},
		"times, beside measured times": {times, "- {heading: h, quoted: q, baseline: {driver: a}}", []Claim{{
			Says: "latency.avg, driver b", Printed: "25 ms over 10 ms", Ratio: 2.5, Measurement: "latency.avg",
			Of: map[string]string{"driver": "b"}, To: map[string]string{"driver": "a"},
		}}},
		"times, beside measured rates": {times, "- {heading: h, quoted: q, baseline: {driver: a}, measurement: throughput}", []Claim{{
			Says: "throughput, driver b", Printed: "1 / 25 ms over 1 / 10 ms", Ratio: 0.4, Measurement: "throughput",
			Of: map[string]string{"driver": "b"}, To: map[string]string{"driver": "a"},
		}}},
		"ratios under other names": {ratio, "- {heading: h, quoted: q, baseline: {scheme: x}, here: {driver: '', scheme: z}, measurement: throughput}", []Claim{{
			Says: "speedup, driver D, scheme y", Printed: "9.3x", Ratio: 9.3, Measurement: "throughput",
			Of: map[string]string{"scheme": "z"}, To: map[string]string{"scheme": "x"},
		}}},
		"the first group takes it": {rates, "- {heading: g, quoted: q, where: {driver: [b]}, not: nowhere}\n- {heading: h, quoted: q, baseline: {driver: a}}", []Claim{{
			Says: "throughput, driver b, scheme x", Printed: "25 ops/s", Measurement: "throughput",
			Of: map[string]string{"driver": "b", "scheme": "x"}, To: map[string]string{"driver": "b", "scheme": "x"}, Not: "nowhere",
		}}},
		"sentences": {rates, "- {heading: h, quoted: q, baseline: {driver: b}, where: {driver: [b]}}\n- {heading: a, quoted: q, baseline: {driver: a}}\n" +
			"- heading: s\n  claims: [{says: 72 times, ratio: 72, of: {scheme: x}, to: {scheme: z}}, {says: soft, not: why}]", []Claim{
			{Group: 2, Says: "72 times", Printed: "72x", Ratio: 72, Measurement: "throughput", Of: map[string]string{"scheme": "x"}, To: map[string]string{"scheme": "z"}},
			{Group: 2, Says: "soft", Measurement: "throughput", Not: "why"},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Read([]byte(head + tt.groups))
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.List(quotedTable(t, tt.table))
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Claim{}, "Number")); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	tests := map[string]struct{ text, table, want string }{
		"no margin":                   {strings.Replace(head, "margin: 0.25\nmarginOf: why\n", "", 1) + "- {heading: h, quoted: q, baseline: {driver: a}}", rates, "margin: throughput, driver b, scheme x is tested"},
		"a margin without a reason":   {strings.Replace(head, "marginOf: why\n", "", 1) + "- {heading: h}", rates, "margin: got 0.25"},
		"a reason without a margin":   {strings.Replace(head, "margin: 0.25\n", "", 1) + "- {heading: h}", rates, "margin: got 0"},
		"one run":                     {strings.Replace(head, "runs: 3", "runs: 1", 1) + "- {heading: h}", rates, "runs: got 1"},
		"no small form":               {strings.Replace(head, "small: s.yaml\n", "", 1) + "- {heading: h}", rates, "small"},
		"a field that there is not":   {head + "- {heading: h, quotes: q}", rates, "quotes"},
		"a number that nobody takes":  {head + "- {heading: h, quoted: q, where: {driver: [a]}, baseline: {driver: a}}", rates, "no group takes throughput map[driver:b scheme:x] of q"},
		"a group that takes nothing":  {head + "- {heading: g, quoted: q, baseline: {driver: a}}\n- {heading: h, quoted: q, baseline: {driver: a}}", rates, "groups[1] (h): 0 numbers"},
		"a baseline that nobody has":  {head + "- {heading: h, quoted: q, baseline: {driver: c}}", rates, "nobody published throughput map[driver:c scheme:x]"},
		"a rate of no mean time":      {head + "- {heading: h, quoted: q, baseline: {driver: a}, measurement: throughput}", strings.ReplaceAll(times, "latency.avg", "latency.max"), "and not of latency.max"},
		"a range that is none":        {head + "- {heading: h, claims: [{says: a, range: [50, 10]}]}", rates, "range: got [50 10]"},
		"a range and a ratio":         {head + "- {heading: h, claims: [{says: a, ratio: 2, range: [10, 50]}]}", rates, "(ratio 2)"},
		"a number without a baseline": {head + "- {heading: h, quoted: q}", ratio, "baseline:"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Read([]byte(tt.text))
			if err == nil {
				_, err = s.List(quotedTable(t, tt.table))
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// Numbers of a target that is set aside are claims of no group.
func TestATargetIsSetAside(t *testing.T) {
	s, err := Read([]byte(head + "- heading: s\n  claims: [{says: soft, not: why}]\naside: {q: medians}"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.List(quotedTable(t, rates))
	if err != nil || len(got) != 1 || got[0].Measurement != contract.NameThroughput {
		t.Errorf("%v, %+v", err, got)
	}
}
