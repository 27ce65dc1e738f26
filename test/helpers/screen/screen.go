// Package screen is a terminal of a given width, for tests, and a check of what commands print on one: prose is wrapped between
// words, and no line of it is wider. Tables of numbers have their own fit, and commands that are copied stay on one line: both are exempt.
package screen

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// pipe is the width of prose where there is no terminal, in characters.
const pipe = 100

// Screen has what was printed on it.
type Screen struct {
	bytes.Buffer
	columns int
}

// New screen of so many columns, without colours; 0 for a pipe.
func New(t *testing.T, columns int) *Screen {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	return &Screen{columns: columns}
}

// Columns of the screen; 0 for a pipe.
func (s *Screen) Columns() int { return s.columns }

var (
	// heading of a table.
	heading = regexp.MustCompile(`^[A-Z]{2,}[A-Z ]*  +\S`)
	// copied are commands on a line of their own.
	copied = regexp.MustCompile(`^  kubectl `)
	// oneWord of a line, behind its mark, has nowhere to go.
	oneWord = regexp.MustCompile(`^ *(- |\S+ {2,})?\S+$`)
)

// prose are the lines that are neither rows of tables nor examples.
func prose(text string) (lines []string) {
	table, below, examples := false, false, false // the history has prose below its rows
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			table, examples = false, false
			continue
		}
		if heading.MatchString(line) {
			table, below = true, strings.HasPrefix(line, "RUN ")
		}
		examples = examples || line == "Examples:"
		if examples || table && (!below || !strings.HasPrefix(line, "  ")) {
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// Wrapped checks what a command prints in a pipe and on terminals of 60, 80 and 120 columns: no line of prose is wider, and all have the
// same words.
func Wrapped(t *testing.T, print func(out io.Writer)) {
	t.Helper()
	words := ""
	for _, columns := range []int{0, 60, 80, 120} {
		on := New(t, columns)
		print(on)
		lines := prose(on.String())
		for _, line := range lines {
			if utf8.RuneCountInString(line) > cmp.Or(columns, pipe) && !oneWord.MatchString(line) && !copied.MatchString(line) {
				t.Errorf("on %d columns a line has %d: %s", columns, utf8.RuneCountInString(line), line)
			}
		}
		got := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		if words == "" {
			words = got
		}
		if got == "" || got != words {
			t.Errorf("on %d columns there are other words than in a pipe:\n%s\nwant\n%s", columns, on.String(), words)
		}
	}
}
