package contract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain ü 日本":                  {"plain ü 日本", "plain ü 日本"},
		"two\nlines\tand a tab":       {"two\nlines\tand a tab", "two lines and a tab"},
		"\x1b[2J\x1b]0;title\x07":     {"\uFFFD[2J\uFFFD]0;title\uFFFD", "\uFFFD[2J\uFFFD]0;title\uFFFD"},
		"over\rwritten":               {"over\uFFFDwritten", "over written"},
		"\u009b31m and \x7f":          {"\uFFFD31m and \uFFFD", "\uFFFD31m and \uFFFD"},
		"\u202etxt.exe, \u2066\u200f": {"\uFFFDtxt.exe, \uFFFD\uFFFD", "\uFFFDtxt.exe, \uFFFD\uFFFD"},
		"no \xff UTF-8":               {"no \uFFFD UTF-8", "no \uFFFD UTF-8"},
	} {
		if got := [2]string{Clean(text), Line(text)}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if once := Clean(text); Clean(once) != once {
			t.Errorf("%q is not clean", once)
		}
	}
	var out bytes.Buffer
	if n, err := fmt.Fprintf(CleanWriter{&out}, "a\x1bb\n"); err != nil || n != 4 || out.String() != "a\uFFFDb\n" {
		t.Errorf("%d bytes, %v: %q", n, err, out.String())
	}
}

// What a server or a tool said reaches neither a record nor a message with its escapes.
func TestNoEscapesInRecords(t *testing.T) {
	const evil = "\x1b[31mred\r\n\u202e"
	facts := string(NewFacts(map[string]string{"server/version" + evil: "8.4", "version_comment": evil + strings.Repeat("x", 400)}))
	shortened := Shorten(Result{Failure: &Failure{Reason: "ToolFailed", Message: evil}, Problems: []Problem{{Text: evil}}})
	labels := CleanLabels(map[string]string{"operation" + evil: evil})
	for _, text := range []string{facts, shortened.Failure.Message, shortened.Problems[0].Text, fmt.Sprint(labels)} {
		if strings.ContainsAny(text, "\x1b\r\u202e") {
			t.Errorf("%q", text)
		}
	}
	if strings.Count(facts, "\n") != 0 || !strings.Contains(facts, "version_comment=\uFFFD[31mred") {
		t.Errorf("%q: a name with a line end is no fact", facts)
	}
	if plain := map[string]string{"p": "95"}; fmt.Sprintf("%p", CleanLabels(plain)) != fmt.Sprintf("%p", plain) {
		t.Error("clean labels are copied")
	}
}
