package main

import (
	"testing"

	"github.com/assay-bench/assay/internal/show/explain"
)

func TestChecksAreExplained(t *testing.T) {
	s := sourceOf(t, map[string]string{"go.mod": "module m\n", "a/x.go": "package a\nimport \"fmt\"\ntype RecordedFinding struct { Check, Message string }\n" +
		"var f = []RecordedFinding{{\"little\", fmt.Sprintf(\"%d operations fill \" + \"the time of %d threads\", 1, 2)}, {\"short\", fmt.Sprintf(\"replica %d: %s\", 1, \"\")}}\n"})
	tests := map[string]struct {
		little, short string
		more          string
		err           string
	}{
		"messages of the sources":                {little: "300 operations fill the time of 4 threads", short: "replica 1: gone"},
		"around a message":                       {little: "target a: 300 operations fill the time of 4 threads, again", short: "replica 1: gone"},
		"another wording":                        {little: "300 operations took the time of 4 threads", short: "replica 1: gone", err: "no message of the sources"},
		"parts in another order":                 {little: "threads: the time of 4 operations fill ", short: "replica 1: gone", err: "no message of the sources"},
		"a short format has to give the whole":   {little: "300 operations fill the time of 4 threads", short: "the replica 1: gone", err: "no message of the sources"},
		"a text of what no finding has any more": {little: "300 operations fill the time of 4 threads", short: "replica 1: gone", more: "old", err: "no finding has the check old"},
		"a check without a text":                 {short: "replica 1: gone", err: "the check little"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			entries := []explain.Entry{{Kind: explain.Check, Name: "short", Example: tt.short}}
			if tt.little != "" {
				entries = append(entries, explain.Entry{Kind: explain.Check, Name: "little", Example: tt.little})
			}
			if tt.more != "" {
				entries = append(entries, explain.Entry{Kind: explain.Check, Name: tt.more, Example: tt.short})
			}
			expect(t, checkExplained(s, entries), tt.err)
		})
	}
}
