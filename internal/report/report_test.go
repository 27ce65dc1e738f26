package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
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
	want := "mariadb is faster than mysql: its throughput is 1.48 times as high (96.09 % interval 1.48 to 1.51, adjusted p 0.0078, 8 of 8 blocks)."
	if len(d.lead) != 1 || d.lead[0] != want {
		t.Errorf("got %q, want %q", d.lead, want)
	}
	if !slices.ContainsFunc(d.lacks, func(s string) bool { return strings.Contains(s, "this one run") }) {
		t.Errorf("what the verdict does not say lacks the one run: %q", d.lacks)
	}
}

// An invalid or failed run begins with that, whatever its numbers are.
func TestARunThatIsNotValidSaysSoFirst(t *testing.T) {
	in := twoServers(8).input(t)
	in.Run.Status.Conditions = append(in.Run.Status.Conditions, condition(v1alpha1.ConditionValid, "False", "ResultsInvalid", "2 results contradict themselves"))
	d, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.lead[0], "The run is not valid") {
		t.Errorf("got %q first", d.lead[0])
	}
}

// What an inconclusive comparison would have found is its own effect, and not that of one which was decided.
func TestTheDetectableEffectIsThatOfTheInconclusive(t *testing.T) {
	entry := func(verdict v1alpha1.ComparisonVerdict, effect string) v1alpha1.ComparisonEntry {
		return v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: verdict, DetectableEffect: effect}
	}
	tests := map[string]struct {
		primary []v1alpha1.ComparisonEntry
		want    string
	}{
		"none":             {[]v1alpha1.ComparisonEntry{entry(v1alpha1.VerdictEquivalent, "0.01")}, ""},
		"behind a decided": {[]v1alpha1.ComparisonEntry{entry(v1alpha1.VerdictEquivalent, "0.01"), entry(v1alpha1.VerdictInconclusive, "0.25")}, "a difference of 25.0 % or more"},
		"the largest":      {[]v1alpha1.ComparisonEntry{entry(v1alpha1.VerdictInconclusive, "0.25"), entry(v1alpha1.VerdictInconclusive, "0.02")}, "a difference of 25.0 % or more"},
		"one is not known": {[]v1alpha1.ComparisonEntry{entry(v1alpha1.VerdictInconclusive, "0.25"), entry(v1alpha1.VerdictInconclusive, "")}, "is not equal."},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			said := strings.Join(lacks(Input{Comparisons: tc.primary}), "\n")
			if !strings.Contains(said, tc.want) || tc.want == "" && strings.Contains(said, "Inconclusive") || name == "one is not known" && strings.Contains(said, "a difference of") {
				t.Errorf("%q, want %q", said, tc.want)
			}
		})
	}
}

// A ratio without a verdict has a question mark in every table, also in that of two servers and nothing else.
func TestARatioWithoutAVerdictHasAQuestionMark(t *testing.T) {
	for name, m := range map[string]made{"two servers": twoServers(3), "over an axis": twoServers(3, 1, 2)} {
		in := m.input(t)
		if n := strings.Count(pageOf(t, in), "× ?<"); n == 0 {
			t.Errorf("%s: no question mark beside what is exploratory", name)
		}
		for i := range in.Comparisons {
			in.Comparisons[i].Verdict = v1alpha1.VerdictFaster
		}
		if n := strings.Count(pageOf(t, in), "× ?<"); n > 0 {
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
	if !strings.Contains(page, "2 of 16 trials are left out: 1 disturbed, 1 block disturbed.") {
		t.Error("the page does not say how many trials are left out")
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
	e.Verdict, e.Ratio, e.IntervalLow, e.IntervalHigh, e.P, e.Reason = v1alpha1.VerdictInconclusive, "", "", "", "1", "no block has a counted value on both sides."
	d, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Inconclusive: there is no ratio of mariadb to mysql in throughput, because no block has a counted value on both sides."; d.lead[0] != want {
		t.Errorf("got %q, want %q", d.lead[0], want)
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
