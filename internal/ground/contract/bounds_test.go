package contract

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCut(t *testing.T) {
	tests := map[string]cutTest{
		"what fits stays":                   {"short", 5, "short"},
		"what does not is marked":           {strings.Repeat("a", 50), 40, strings.Repeat("a", 15) + "... (cut: 15 of 50 bytes)"},
		"no character is split":             {strings.Repeat("ö", 50), 43, strings.Repeat("ö", 8) + "... (cut: 16 of 100 bytes)"},
		"what is no text becomes one":       {"a\xffb", 9, "a\uFFFDb"},
		"what was cut and fits stays as is": {Cut(strings.Repeat("a", 50), 40), 40, Cut(strings.Repeat("a", 50), 40)},
	}
	testCut(t, Cut, tests)
}

// The end of what was cut inside is there, whole: it has the remedy.
func TestCutInside(t *testing.T) {
	remedy := ": set it to 5"
	tests := map[string]cutTest{
		"what fits stays":             {"short", 5, "short"},
		"the middle goes":             {"value: " + strings.Repeat("a", 100) + remedy, 60, "value: aaaaaaa... (cut: 29 of 120 bytes) ...aa" + remedy},
		"no character is split":       {strings.Repeat("ö", 50), 46, "ööö... (cut: 14 of 100 bytes) ...öööö"},
		"what is no text becomes one": {"a\xffb", 9, "a\uFFFDb"},
		"what was cut and fits stays": {CutInside(strings.Repeat("a", 90), 60), 60, CutInside(strings.Repeat("a", 90), 60)},
	}
	testCut(t, CutInside, tests)
}

// cutTest is a text, the bytes that it may have, and what is left of it.
type cutTest struct {
	text string
	n    int
	want string
}

func testCut(t *testing.T, cut func(string, int) string, tests map[string]cutTest) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := cut(tc.text, tc.n)
			if got != tc.want || len(got) > tc.n || !utf8.ValidString(got) {
				t.Errorf("got %q (%d bytes), want %q", got, len(got), tc.want)
			}
		})
	}
}

// Every text and every list of what is said is cut, and the argument is left alone.
func TestShorten(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	make1 := func() Result {
		r := sample()
		r.State, r.Failure = Failed, &Failure{Reason: ReasonToolFailed, Message: long}
		r.Tool.Version, r.Tool.Args = long, []string{long}
		r.Server = &Server{Version: long, Variables: map[string]string{"a": long, "b": "short"}}
		r.Target = &Environment{Warnings: []string{long}}
		r.Client.Warnings = []string{long}
		r.Data = &Data{Check: &DataCheck{Violations: []string{long}}, Tables: []Table{{Name: long}}}
		r.Answers = &Answers{Wrong: []string{long}}
		r.Measurements[0].Absent = &Absence{Reason: long}
		for range 3 * MaxProblems {
			r.Problems = append(r.Problems, Problem{Source: "run/stdout", Line: 1, Text: "x"})
		}
		r.Problems[0].Text = long
		return r
	}
	whole := make1()
	gz, err := Encode(whole)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(make1(), whole); diff != "" {
		t.Error("the argument was changed")
	}
	got, err := Decode(gz)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]struct {
		text string
		most int
	}{
		"failure": {got.Failure.Message, MaxMessage}, "version": {got.Tool.Version, MaxValue}, "args": {got.Tool.Args[0], MaxText},
		"server": {got.Server.Version, MaxValue}, "variable": {got.Server.Variables["a"], MaxValue}, "target": {got.Target.Warnings[0], MaxText},
		"client": {got.Client.Warnings[0], MaxText}, "violation": {got.Data.Check.Violations[0], MaxText}, "wrong result": {got.Answers.Wrong[0], MaxText}, "table": {got.Data.Tables[0].Name, MaxValue},
		"absence": {got.Measurements[0].Absent.Reason, MaxValue}, "problem": {got.Problems[0].Text, MaxText},
	}
	for name, tc := range texts {
		if len(tc.text) > tc.most || !strings.HasSuffix(tc.text, fmt.Sprintf(" of %d bytes)", len(long))) {
			t.Errorf("%s: %d bytes, want at most %d and a mark: ...%s", name, len(tc.text), tc.most, tc.text[max(0, len(tc.text)-40):])
		}
	}
	if n := len(got.Problems); n != MaxProblems || got.Problems[n-1].Text != fmt.Sprintf("(cut: %d more)", 2*MaxProblems+1) {
		t.Errorf("%d problems, the last one %+v", n, got.Problems[n-1])
	}
	if got.Server.Variables["b"] != "short" {
		t.Error("a short value was changed")
	}
}

// What is beyond a bound is refused with its type, before structures are made of it.
func TestDecodeRefusesWhatIsTooMany(t *testing.T) {
	const head = `{"version":"` + ResultVersion + `","state":"Succeeded",`
	list := func(field, item string, n int) string {
		return head + field + `[` + strings.Repeat(item+",", n-1) + item + `]`
	}
	long := strings.Repeat("n", MaxName+1)
	bounds := DefaultBounds()
	bounds.Elements = 200_000
	tests := map[string]struct{ json, want string }{
		"measurements":      {list(`"measurements":`, `{"name":"a","unit":"b"}`, 60_000) + "}", "20000 measurements"},
		"warm-up":           {list(`"warmup":`, `{}`, 20_001) + "}", "20000 measurements"},
		"intervals":         {list(`"measurements":[{"name":"a","unit":"b","intervals":`, `{}`, 110_000) + "}]}", "elements"},
		"buckets":           {list(`"measurements":[{"name":"a","unit":"b","histogram":{"unit":"ms","buckets":`, `{}`, 110_000) + "}}]}", "elements"},
		"problems":          {list(`"problems":`, `{}`, 100_000) + "}", "elements in a field without measurements"},
		"labels":            {head + `"measurements":[{"name":"a","unit":"b","labels":{"x":"y"` + labels(MaxLabels) + `}}]}`, "labels of the measurement a"},
		"a long name":       {head + `"measurements":[{"name":"` + long + `","unit":"b"}]}`, "bytes in the name"},
		"a long error name": {head + `"errors":[{"name":"` + long + `","count":1}]}`, "bytes in the name of the error"},
		"deep lists":        {head + `"problems":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, "levels"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			gz := compress(t, []byte(tc.json))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := DecodeWithin(gz, bounds)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a TooLargeError with %q", err, tc.want)
			}
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 48 {
				t.Errorf("%d MiB were allocated on the way", made)
			}
		})
	}
}

func labels(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `,"l%d":"v"`, i)
	}
	return out.String()
}

// An honest result of a day at intervals of 10 s, and one of 10,000 points for nine series, are read.
func TestDecodeTakesLongSeries(t *testing.T) {
	r := sample()
	r.Measurements = nil
	for i := range 9 {
		m := Measurement{Name: fmt.Sprint("m", i), Unit: "1"}
		for j := range 10_000 {
			m.Intervals = append(m.Intervals, Interval{AtSeconds: float64(j), Value: new(float64(j) / 3)})
		}
		r.Measurements = append(r.Measurements, m)
	}
	gz, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(gz)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Error("the result differs after reading")
	}
	if n := got.Memory() >> 20; n > 4 {
		t.Errorf("it takes %d MiB", n)
	}
}
