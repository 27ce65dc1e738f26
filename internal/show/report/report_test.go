package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

func pageOf(t testing.TB, in Input) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, in); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSameInputSameBytes(t *testing.T) {
	first := pageOf(t, twoServers(8, 1, 2, 4, 8).input(t))
	for range 5 {
		if pageOf(t, twoServers(8, 1, 2, 4, 8).input(t)) != first {
			t.Fatal("two reports of one run differ")
		}
	}
}

func TestVerdictInOneSentence(t *testing.T) {
	d, err := build(twoServers(8).input(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []readout.Statement{{Tone: readout.Good, Word: "FASTER", Text: "1.48x (1.48 to 1.51), p 0.0078, 8 blocks: mariadb against mysql, throughput"}}
	if diff := cmp.Diff(want, d.Answer); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if i := slices.IndexFunc(d.Head, func(c section) bool { return c.ID == "lacks" }); i < 0 || !strings.Contains(d.Head[i].Blocks[0].Bullets[0], "this one run") {
		t.Errorf("what the verdict does not say lacks the one run: %+v", d.Head)
	}
}

// An invalid or failed run begins with that, whatever its numbers are.
func TestARunThatIsNotValidSaysSoFirst(t *testing.T) {
	in := twoServers(8).input(t)
	in.Run.Status.Conditions[1] = condition(v1alpha1.ConditionValid, "False", "ResultsInvalid", "2 results contradict themselves")
	d, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	if d.Answer[0].Word != "INVALID" || d.Answer[0].Tone != readout.Bad || len(d.Answer) != 2 {
		t.Errorf("got %q first", d.Answer)
	}
	if page := pageOf(t, in); strings.Index(page, `<p class="say bad"><svg class="icon bad"`) > strings.Index(page, `<p class="say plain">`) || strings.Contains(page, ">State<") || !strings.Contains(page, "<dt>Outcome</dt><dd>Invalid</dd>") {
		t.Error("the page does not lead with it, or says that the run is complete")
	}
}

// A failed gate leads the page, and the page does not say that the run is complete.
func TestAFailedGateLeadsThePage(t *testing.T) {
	in := twoServers(8).input(t)
	in.Run.Spec.Gate = &v1alpha1.Gate{}
	in.Run.Status.Conditions = append(in.Run.Status.Conditions, condition(v1alpha1.ConditionPassed, "False", "Regressed", "throughput of mysql fell by 9 %"))
	page := pageOf(t, in)
	if !strings.Contains(page, `<div class="answer"><p class="say bad"><svg class="icon bad"`) || !strings.Contains(page, "<strong>GATE FAILED</strong> Regressed: throughput of mysql fell by 9 %") || !strings.Contains(page, "<dd>GateFailed</dd>") {
		t.Errorf("the page does not lead with the gate: %.4000s", page)
	}
}

// What these blocks detect is told of each comparison, also of one that was decided, beside what the plan assumed.
func TestTheDetectableEffectIsThatOfEachComparison(t *testing.T) {
	in := twoServers(8, 1, 8).input(t)
	for i, e := range []struct {
		verdict v1alpha1.ComparisonVerdict
		effect  string
	}{{v1alpha1.VerdictEquivalent, "0.01"}, {v1alpha1.VerdictInconclusive, "0.25"}} {
		in.Comparisons[i].Verdict, in.Comparisons[i].DetectableEffect = e.verdict, e.effect
	}
	rows := tableNamed(t, sectionOf(t, in, "evidence"), "Comparisons with their verdicts").Rows
	if a, b := strings.Join(rows[0][0].Below, ""), strings.Join(rows[1][0].Below, ""); a != "these blocks detect 1 %" || b != "these blocks detect 25 %" {
		t.Errorf("got %q and %q", a, b)
	}
	in.Comparisons[1].DetectableEffect = ""
	if got := tableNamed(t, sectionOf(t, in, "evidence"), "Comparisons with their verdicts").Rows[1][0].Below[0]; got != "" {
		t.Errorf("what is not known is %q", got)
	}
}

// A ratio without a verdict has a question mark in every table, also in that of two servers and nothing else.
func TestARatioWithoutAVerdictHasAQuestionMark(t *testing.T) {
	for name, m := range map[string]made{"two servers": twoServers(3), "over an axis": twoServers(3, 1, 2)} {
		in := m.input(t)
		if n := strings.Count(pageOf(t, in), "x ?<"); n == 0 {
			t.Errorf("%s: no question mark beside what is exploratory", name)
		}
		for i := range in.Comparisons {
			in.Comparisons[i].Verdict = v1alpha1.VerdictFaster
		}
		if n := strings.Count(pageOf(t, in), "x ?<"); n > 0 {
			t.Errorf("%s: %d question marks beside what is faster", name, n)
		}
	}
}

func TestEveryTrialIsAPoint(t *testing.T) {
	m := twoServers(8)
	m.change = func(rec *contract.Record) { rec.Disturbed = rec.Index == 3 }
	page := pageOf(t, m.input(t))
	for index := range 16 {
		if !strings.Contains(page, "<title>trial "+itoa(index)+", block "+itoa(index/2)) {
			t.Errorf("trial %d has no point", index)
		}
	}
	if n := strings.Count(page, ", left out: disturbed<"); n != 2 { // in two widths
		t.Errorf("got %d rings of the disturbed trial, want 2", n)
	}
	if n := strings.Count(page, ", left out: block disturbed<"); n != 2 {
		t.Errorf("got %d rings of its pair, want 2", n)
	}
	for _, want := range []string{`<span class="below">disturbed 1/8</span>`, `<span class="below">block disturbed 1/8</span>`, "<li>disturbed: something else happened", "<li>block disturbed: "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say which trials are left out: %s", want)
		}
	}
}

// Nothing on the page makes a browser ask anybody, and its policy allows nothing but its style.
func TestThePageNeedsNothingElse(t *testing.T) {
	page := pageOf(t, twoServers(8, 1, 2, 4, 8).input(t))
	doc := parse(t, page)
	policy, style := "", ""
	walk(doc, func(n *html.Node) {
		switch n.Data {
		case "script", "iframe", "img", "object", "embed", "use", "image", "foreignObject", "base", "form":
			t.Errorf("the page has a %s", n.Data)
		case "style":
			style = n.FirstChild.Data
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style":
				t.Errorf("%s has the attribute %s", n.Data, a.Key)
			case (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
				t.Errorf("%s refers to %q", n.Data, a.Val)
			case a.Key == "content" && strings.HasPrefix(a.Val, "default-src"):
				policy = a.Val
			}
		}
	})
	sum := sha256.Sum256([]byte(style))
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
		t.Errorf("the policy %q does not allow the style of the page: %s", policy, want)
	}
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Errorf("the page may load something: %q", policy)
	}
}

func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func walk(n *html.Node, see func(*html.Node)) {
	if n.Type == html.ElementNode {
		see(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, see)
	}
}

// A comparison without a ratio says why there is none, and no number that there is not.
func TestVerdictWithoutARatio(t *testing.T) {
	in := twoServers(8).input(t)
	e := &in.Comparisons[0]
	e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.P, e.AdjustedP, e.DetectableEffect = v1alpha1.VerdictInconclusive, "", "", "", "", "", ""
	e.Reasons = []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNoPair}}
	c := sectionOf(t, in, "evidence")
	if c.Blocks[0].Picture != nil {
		t.Error("what has no ratio is drawn")
	}
	want := []cell{{Text: "mariadb against mysql, throughput", Below: []string{"no block has a counted value on both sides"}, Heading: true}, {Text: "Inconclusive"}, {Text: "–"}, {Text: "–", Below: []string{figure.Level(e.IntervalConfidence)}}, {Text: "–"}, {Text: "–"}, {Text: "8 blocks"}}
	if diff := cmp.Diff(want, c.Blocks[0].Table.Rows[0], cmp.AllowUnexported(cell{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTwoThatAreEquallyGoodAreNotBold(t *testing.T) {
	entry := func(median string) *v1alpha1.SummaryEntry {
		return &v1alpha1.SummaryEntry{Median: median, Direction: string(contract.HigherIsBetter)}
	}
	one, two, low, none := entry("20"), entry("20"), entry("10"), entry("")
	for name, tc := range map[string]struct {
		all  []*v1alpha1.SummaryEntry
		want *v1alpha1.SummaryEntry
	}{
		"a tie":                  {[]*v1alpha1.SummaryEntry{one, two, low}, nil},
		"a tie below the best":   {[]*v1alpha1.SummaryEntry{low, entry("10"), one}, one},
		"one alone":              {[]*v1alpha1.SummaryEntry{one, none}, nil},
		"nothing is better":      {[]*v1alpha1.SummaryEntry{{Median: "1"}, {Median: "2"}}, nil},
		"one that has no trial":  {[]*v1alpha1.SummaryEntry{none, low, one}, one},
		"nothing to choose from": {nil, nil},
	} {
		if got := bestOf(tc.all); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
}
