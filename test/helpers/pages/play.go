package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Shell is where commands are executed: a folder, and the variables besides those of the test.
type Shell struct {
	Dir string
	Env []string
}

// Run a script as bash does that ends at the first command that fails. Out: what it printed, on both outputs.
func (s Shell) Run(t testing.TB, script string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), s.Env...)
	out, err := cmd.CombinedOutput()
	t.Logf("$ %s\n%s", strings.TrimSpace(script), out)
	return string(out), err
}

// Play is a page that a test executes.
type Play struct {
	t       testing.TB
	path    string
	shell   Shell
	blocks  []Block
	next    int
	replace []string
	again   func(output string) bool
}

// Open the page, given from the root of the repository. Its blocks from the first claim of this test on are played in their
// order; when the test ends, all commands that it claims have to be executed.
func Open(t testing.TB, root, path string, shell Shell) *Play {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := Parse(string(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p := &Play{t: t, path: path, shell: shell}
	name, _, _ := strings.Cut(t.Name(), "/")
	for _, b := range blocks {
		if b.Claim != nil && b.Claim.Test == name && (b.Language == "sh" || b.Language == "yaml") {
			p.blocks = append(p.blocks, b)
		}
	}
	if p.Left() == 0 {
		t.Fatalf("%s has no commands that %s executes", path, name)
	}
	t.Cleanup(func() {
		if n := p.Left(); n > 0 && !t.Failed() && !t.Skipped() {
			t.Errorf("%s: %s has not executed %d blocks of commands, the first one in line %d", path, name, n, p.peek().Line)
		}
	})
	return p
}

// Replace a text of the page by that of the test's cluster, such as a namespace, in all that follows.
func (p *Play) Replace(written, here string) *Play {
	p.replace = append(p.replace, written, here)
	return p
}

// Retry commands that failed, twice at most, when what they printed says that the machine is to blame.
func (p *Play) Retry(machine func(output string) bool) *Play {
	p.again = machine
	return p
}

// Left is the number of blocks of commands that are left.
func (p *Play) Left() int {
	n := 0
	for _, b := range p.blocks[p.next:] {
		if b.Language == "sh" {
			n++
		}
	}
	return n
}

// peek is the next block of commands.
func (p *Play) peek() Block {
	for _, b := range p.blocks[p.next:] {
		if b.Language == "sh" {
			return b
		}
	}
	return Block{}
}

// Next writes the files above the next block of commands, executes it, and compares what it prints with what the page shows.
func (p *Play) Next() string {
	p.t.Helper()
	b := p.Files()
	p.next++
	if b.Claim.Interrupted {
		return p.interrupt(b)
	}
	out, err := p.shell.Run(p.t, p.here(b.Text))
	for try := 0; try < 2 && err != nil && p.again != nil && p.again(out); try++ {
		p.t.Logf("%s: line %d is played again", p.path, b.Line)
		out, err = p.shell.Run(p.t, p.here(b.Text))
	}
	if err != nil {
		p.t.Fatalf("%s: line %d: %v: %s", p.path, b.Line, err, out)
	}
	if line := lacks(p.here(b.Output), out); line != "" {
		p.t.Errorf("%s: line %d: the page shows %q, and the commands print:\n%s", p.path, b.Line, line, out)
	}
	return out
}

// interrupt each command of a block when it has printed something.
func (p *Play) interrupt(b Block) string {
	p.t.Helper()
	all := ""
	for command := range strings.Lines(p.here(b.Text)) {
		out, err := p.shell.Interrupt(p.t, strings.TrimSpace(command))
		if err != nil {
			p.t.Fatalf("%s: line %d: %v", p.path, b.Line, err)
		}
		all += out
	}
	return all
}

// Files writes the files above the next block of commands, and returns that block. Without one, the files of the rest.
func (p *Play) Files() Block {
	p.t.Helper()
	for ; p.next < len(p.blocks); p.next++ {
		b := p.blocks[p.next]
		if b.Language == "sh" {
			return b
		}
		name := b.File()
		if name == "" {
			continue
		}
		to := filepath.Join(p.shell.Dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(p.here(b.Text)), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	return Block{}
}

// here is a text of the page with what was replaced.
func (p *Play) here(text string) string { return strings.NewReplacer(p.replace...).Replace(text) }
