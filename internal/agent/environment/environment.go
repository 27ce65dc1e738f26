// Package environment reads the pseudo file systems of the kernel. In: a root directory. Out:
// facts of the machine, limits and counters of the reader's own control group, and samples of
// them over time. Unknown values are absent, never 0.
package environment

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Reader reads the pseudo file systems below a root directory; the zero value
// reads those of this machine.
type Reader struct {
	// Root is / but for tests.
	Root string
	// Reused: the container is of many trials, so that the peak of its memory is not that of one, and is left out.
	Reused bool
}

func (r Reader) files() files { return files(filepath.Join("/", r.Root)) }

// files are those below a root directory.
type files string

func (f files) path(name string) string { return filepath.Join(string(f), name) }

// text is the content of a file without its last line break; empty if there is none.
func (f files) text(name string) string {
	data, err := os.ReadFile(f.path(name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (f files) number(name string) *int64 { return number(f.text(name)) }

// numbers reads lines of a name and a number, such as "nr_periods 5",
// "MemTotal:  5 kB" and "voluntary_ctxt_switches: 5". The keys have no colon.
func (f files) numbers(name string) map[string]*int64 {
	out := map[string]*int64{}
	for line := range strings.Lines(f.text(name)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			out[strings.TrimSuffix(fields[0], ":")] = number(fields[1])
		}
	}
	return out
}

// field of a file with lines such as "Name:	value"; empty if there is none.
func (f files) field(name, key string) string {
	for line := range strings.Lines(f.text(name)) {
		if is, value, ok := strings.Cut(line, ":"); ok && is == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (f files) exists(name string) bool {
	_, err := os.Stat(f.path(name))
	return err == nil
}

func number(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func seconds(n *int64, perSecond float64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n) / perSecond)
}
