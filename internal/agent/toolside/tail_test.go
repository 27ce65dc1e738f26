package toolside

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// Only whole lines are read, and never more than was asked for.
func TestTail(t *testing.T) {
	for name, tc := range map[string]struct {
		sent string
		most int64
		want string
	}{
		"all of a short output":        {"a\nb\n", 100, "a\nb\n"},
		"a line that is being written": {"a\nb\nhal", 100, "a\nb\n"},
		"the end of a long output":     {"alf\nb\nc", 7, "b\n"},
		"one endless line":             {strings.Repeat("x", 50), 50, ""},
		"more than was asked for":      {"a\nb\n" + strings.Repeat("x\n", 5000), 8, "b\nx\nx\n"},
		"nothing so far":               {"", 100, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var path string
			s := ready(t, func(w http.ResponseWriter, r *http.Request) {
				path = r.URL.String()
				_, _ = io.WriteString(w, tc.sent)
			})
			got, err := s.Tail(t.Context(), "run", toolwire.Stdout, tc.most)
			if err != nil || string(got) != tc.want {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
			if !strings.HasPrefix(path, "/commands/run/files/stdout.txt?tail=") {
				t.Errorf("asked for %s", path)
			}
		})
	}
}
