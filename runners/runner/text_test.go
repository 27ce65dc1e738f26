package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":                        {"", nil},
		"an empty line":                  {"\n", nil},
		"the last line has no end":       {"a\nb", []string{"a", "b"}},
		"the end of the last is no line": {"a\nb\n", []string{"a", "b"}},
		"lines of Windows":               {"a\r\n\r\nb\r\n", []string{"a", "", "b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Lines([]byte(tt.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLinesAreBounded(t *testing.T) {
	lines := Lines([]byte(strings.Repeat("\n", maxLines+1) + "end"))
	if len(lines) != maxLines || !strings.HasSuffix(lines[maxLines-1], "end") {
		t.Errorf("%d lines, want %d", len(lines), maxLines)
	}
}

func TestAbridge(t *testing.T) {
	tests := map[string]struct{ line, want string }{
		"a short line stays":          {"FATAL: no", "FATAL: no"},
		"a long one is cut":           {strings.Repeat("x", 301), strings.Repeat("x", 300) + "..."},
		"the longest that stays":      {strings.Repeat("x", 300), strings.Repeat("x", 300)},
		"no half of a letter is left": {strings.Repeat("x", 299) + "é and more", strings.Repeat("x", 299) + "\uFFFD..."},
		"what is no text is replaced": {"a\xffb", "a\uFFFDb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Abridge(tt.line); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
