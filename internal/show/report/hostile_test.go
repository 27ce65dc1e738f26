package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

func itoa(n int) string { return strconv.Itoa(n) }

func condition(kind, status, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, Message: message}
}

// shape of a page: its elements and the names of their attributes, without any text.
func shape(t testing.TB, page string) string {
	var out strings.Builder
	walk(parse(t, page), func(n *html.Node) {
		out.WriteString(n.Data)
		for _, a := range n.Attr {
			out.WriteString(" " + a.Key)
		}
		out.WriteByte('\n')
	})
	return out.String()
}

// spoken is a run in which one text stands wherever a tenant can write one.
func spoken(t testing.TB, text string) Input {
	m := twoServers(6)
	m.targets = []string{"mysql", text}
	inner := m.measure
	m.measure = func(target string, cell plan.Cell, block int) []contract.RecordedValue {
		out := inner(target, cell, block)
		for i := range out {
			out[i].Unit = text
			out[i].Labels = map[string]string{text: text}
		}
		return out
	}
	m.comparisons[0].Measurements[0].Labels = map[string]string{text: text}
	m.change = func(rec *contract.Record) {
		rec.Message, rec.Reason = text, text
		rec.Findings = []contract.RecordedFinding{{Check: text, Severity: v1alpha1.SeverityWarning, Message: text}}
		rec.TargetNodeName, rec.ClientNodeNames = text, []string{text}
	}
	in := withResults(m.input(t))
	in.Run.Name, in.Run.Namespace = text, text
	st := &in.Run.Status
	st.Headline, st.Verdict, st.Phase = text, text, v1alpha1.Phase(text)
	st.Conditions = []metav1.Condition{condition(v1alpha1.ConditionFailed, "True", text, text), condition(v1alpha1.ConditionValid, "False", text, text)}
	st.Targets = []v1alpha1.TargetStatus{{Name: text, ServerVersion: text, ImageID: text, Source: text, Quoted: []v1alpha1.QuotedValue{{Name: text, Value: "1", Unit: text, Labels: map[string]string{text: text}}},
		Durability: []v1alpha1.ServerSetting{{Name: text, Value: text}}, Differences: []v1alpha1.SettingDifference{{Name: text, Requested: text}}}}
	st.Nodes = []v1alpha1.NodeInfo{{Name: text, CPUModel: text, KernelVersion: text}}
	st.Findings = []v1alpha1.Finding{{Check: text, Severity: v1alpha1.SeverityInvalid, Message: text, Target: text}}
	for i := range in.Comparisons {
		in.Comparisons[i].Reasons = []v1alpha1.VerdictReason{{Code: v1alpha1.ReasonCode(text), Values: map[string]string{text: text}}}
	}
	st.Outcome, st.Differences = text, []v1alpha1.SideDifferences{{Value: text, Baseline: "mysql", Differences: []v1alpha1.SideDifference{{Name: text, Value: text, Baseline: text}}}}
	return in
}

var hostileTexts = []string{
	"mariadb", `</title><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "'\"&<>", "</style><svg/onload=alert(1)>",
	"a\u202eb", "\x00\x1b[31m", "]]>", "<!--", "\xff\xfe", "{{.}}", "javascript:alert(1)", strings.Repeat("long ", 500),
}

// What a tenant writes changes no element and no attribute of the page.
func TestHostileText(t *testing.T) {
	plain := shape(t, pageOf(t, spoken(t, "plain")))
	for _, text := range hostileTexts {
		harmless(t, text, plain)
	}
}

func FuzzHostileText(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	plain := shape(f, pageOf(f, spoken(f, "plain")))
	f.Fuzz(func(t *testing.T, text string) {
		if strings.TrimSpace(contract.Line(text)) == "" || text == "mysql" || text == "p" || len(text) > 5000 {
			t.Skip()
		}
		harmless(t, text, plain)
	})
}

func harmless(t *testing.T, text, plain string) {
	t.Helper()
	page := pageOf(t, spoken(t, text))
	if got := shape(t, page); got != plain {
		t.Errorf("%q changes what the page consists of", text)
	}
	for _, r := range page {
		if r == '\u202e' || r == '\x1b' || r == 0 {
			t.Errorf("%q leaves the character %q in the page", text, r)
		}
	}
}

// Whatever numbers a tool prints, there is a page. What cannot be drawn is in the tables.
func TestHostileNumbers(t *testing.T) {
	for _, v := range []float64{0, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64, -math.MaxFloat64} {
		m := twoServers(6, 1, 2, 4)
		inner := m.measure
		m.measure = func(target string, cell plan.Cell, block int) []contract.RecordedValue {
			out := inner(target, cell, block)
			out[0].Value = v
			if block%2 == 0 {
				out[1].Value = v
			}
			return out
		}
		in := m.input(t)
		in.Result = func(rec contract.Record) (contract.Result, bool, error) {
			res := resultOf(rec)
			for i := range res.Measurements[0].Intervals {
				if i%3 == 0 {
					res.Measurements[0].Intervals[i] = contract.Interval{AtSeconds: v, Value: &v}
				}
			}
			res.Measurements[1].Histogram.Buckets[2] = contract.Bucket{Value: v, Count: -5}
			res.Tool.WarmupSeconds = &v
			return res, true, nil
		}
		in.Sweeps = append(in.Sweeps, v1alpha1.SweepEntry{Axis: "threads", Target: "mysql", Name: contract.NameThroughput, Knee: strconv.FormatFloat(v, 'g', -1, 64)})
		page := pageOf(t, in)
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || len(page) > 1<<20 {
			i := max(strings.Index(page, "NaN"), strings.Index(page, "Inf"))
			t.Errorf("%v: the page of %d bytes has what is no number: %s", v, len(page), page[max(0, i-300):i+50])
		}
	}
}
