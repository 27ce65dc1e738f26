package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fence = "```"

func TestParse(t *testing.T) {
	text := "# A page\n\n" + fence + "sh\nfirst\n" + fence + "\n<!-- commands: test/e2e TestA -->\n- in a list:\n\n   " + fence + "sh\n   second\n\n   third\n   " + fence +
		"\n\n" + fence + "text\nit prints\n" + fence + "\nA sentence.\n" + fence + "text\nno output\n" + fence + "\n<!-- commands: not executed: they need a cloud -->\n" + fence + "yaml\n# a/b.yaml\nx: 1\n" + fence + "\n"
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := Parse("<!-- commands: test/e2e TestA, interrupted -->\n" + fence + "sh\nx\n" + fence + "\n")
	if err != nil || !watch[0].Claim.Interrupted {
		t.Errorf("commands that are interrupted: %+v, %v", watch, err)
	}
	test, not := &Claim{Folder: "test/e2e", Test: "TestA"}, &Claim{Why: "they need a cloud"}
	want := []Block{
		{Line: 3, Language: "sh", Text: "first\n"},
		{Line: 9, Language: "sh", Text: "second\n\nthird\n", Output: "it prints\n", Claim: test},
		{Line: 15, Language: "text", Text: "it prints\n", Claim: test},
		{Line: 19, Language: "text", Text: "no output\n", Claim: test},
		{Line: 23, Language: "yaml", Text: "# a/b.yaml\nx: 1\n", Claim: not},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if name := got[4].File(); name != "a/b.yaml" {
		t.Errorf("the file is called %q", name)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a claim of nobody":         "<!-- commands: somebody -->\n",
		"a reason of a word":        "<!-- commands: not executed: cloud -->\n",
		"a block that has no end":   fence + "sh\nls\n",
		"a test without its folder": "<!-- commands: TestA -->\n",
	} {
		if blocks, err := Parse(text); err == nil {
			t.Errorf("%s: %+v", name, blocks)
		}
	}
}

func TestLacks(t *testing.T) {
	for name, tt := range map[string]struct{ shown, output, want string }{
		"the same":                  {"a b\nc\n", "a b\nc\n", ""},
		"other lines between":       {"a\nc\n", "a\nb\nc\n", ""},
		"columns of another width":  {"NAME  X\n", "NAME     X\n", ""},
		"dots within a line":        {"run-... took ... s\n", "run-x1 took 3.4 s\n", ""},
		"dots are not a whole page": {"run ... s\n", "run\ns\n", "run ... s"},
		"another order":             {"c\na\n", "a\nc\n", "a"},
		"part of a line":            {"a\n", "a b\n", "a"},
	} {
		if got := lacks(tt.shown, tt.output); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// The page is played in its order, with its files, and each failure of it is one of the test.
func TestPlay(t *testing.T) {
	t.Parallel()
	page := "<!-- commands: x TestPlay -->\n" + fence + "yaml\n# a/f.yaml\nname: NAME\n" + fence + "\n" + fence + "sh\ncat a/f.yaml\n" + fence + "\n" + fence + "text\nname: ...\n" + fence +
		"\n" + fence + "sh\necho other\n" + fence + "\n\n" + fence + "text\nshown\n" + fence + "\n" + fence + "sh\nfalse\n" + fence + "\n"
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.md"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	// A test of its own, whose failures are looked at.
	r := &recorder{TB: t}
	p := Open(r, root, "p.md", Shell{Dir: t.TempDir()}).Replace("NAME", "me")
	if out := p.Next(); out != "# a/f.yaml\nname: me\n" || len(r.said) > 0 {
		t.Errorf("printed %q; %q", out, r.said)
	}
	p.Next()
	if len(r.said) != 1 || !strings.Contains(r.said[0], `the page shows "shown"`) {
		t.Errorf("another output: %q", r.said)
	}
	r.end()
	if len(r.said) != 2 || !strings.Contains(r.said[1], "has not executed 1 blocks of commands, the first one in line 19") {
		t.Errorf("a block is left: %q", r.said)
	}
	p.Next()
	if len(r.said) != 3 || !strings.Contains(r.said[2], "exit status 1") {
		t.Errorf("a command fails: %q", r.said)
	}
}

// A command that watches is interrupted, and has to watch.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for commands, wrong := range map[string]string{
		"echo a; sleep 100":                    "",
		"echo a; sleep 100\necho b; sleep 100": "",
		"echo a":                               "ended by itself",
		"true":                                 "ended by itself",
	} {
		root := t.TempDir()
		page := "<!-- commands: x TestInterrupted, interrupted -->\n" + fence + "sh\n" + commands + "\n" + fence + "\n"
		if err := os.WriteFile(filepath.Join(root, "p.md"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		out := Open(r, root, "p.md", Shell{Dir: t.TempDir()}).Next()
		if want := strings.Count(commands, "sleep"); wrong == "" && (len(r.said) > 0 || strings.Count(out, "\n") != want) {
			t.Errorf("%q printed %q; %q", commands, out, r.said)
		}
		if wrong != "" && (len(r.said) != 1 || !strings.Contains(r.said[0], wrong)) {
			t.Errorf("%q: %q", commands, r.said)
		}
	}
}

// A failure of the machine is played again, and any other one is not.
func TestRetry(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	page := "<!-- commands: x TestRetry -->\n" + fence + "sh\necho x >> tries; echo busy; test $(wc -l < tries) -eq 3\n" + fence + "\n"
	if err := os.WriteFile(filepath.Join(root, "p.md"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for word, fails := range map[string]bool{"busy": false, "another": true} {
		r := &recorder{TB: t}
		Open(r, root, "p.md", Shell{Dir: t.TempDir()}).Retry(func(out string) bool { return strings.Contains(out, word) }).Next()
		if (len(r.said) > 0) != fails {
			t.Errorf("%s: %q", word, r.said)
		}
	}
}

// recorder keeps what would fail a test.
type recorder struct {
	testing.TB
	said []string
	end  func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.end = f }
func (r *recorder) Failed() bool     { return false }
func (r *recorder) Skipped() bool    { return false }
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
