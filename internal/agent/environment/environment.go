// Package environment reads what the kernel says of the machine and of the
// agent's own control group. What is not known is absent, never 0.
package environment

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// Reader reads the pseudo file systems below a root directory; the zero value
// reads those of this machine.
type Reader struct {
	// Root is / but for tests.
	Root string
}

// Kernel is the release of the kernel, as uname -r prints it.
func (r Reader) Kernel() string { return r.text("proc/sys/kernel/osrelease") }

// CPUModel is the name of the first CPU; empty on architectures that give none.
func (r Reader) CPUModel() string {
	f, err := os.Open(r.path("proc/cpuinfo"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (r Reader) path(name string) string { return filepath.Join("/", r.Root, name) }

// text is the content of a file without its last line break; empty if there is none.
func (r Reader) text(name string) string {
	data, err := os.ReadFile(r.path(name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
