package target

import (
	"slices"
	"strings"
	"sync"

	"github.com/assay-bench/assay/engines/engine"
)

// maxWarnings bounds the findings in a server's log.
const maxWarnings = 32

// logFindings are the warnings in the server's log so far.
type logFindings struct {
	// log is the meaning of its lines.
	log engine.Log

	mu       sync.Mutex
	warnings []string
	// warned are the lines of the warnings without the parts that differ at every start.
	warned map[string]bool
}

// list of the warnings.
func (f *logFindings) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.warnings)
}

// observe one line of the log.
func (f *logFindings) observe(line string) {
	w := f.log.DoubtIn(line)
	if w == "" {
		return
	}
	key := withoutNumbers(line)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.warnings) >= maxWarnings || f.warned[key] {
		return
	}
	if f.warned == nil {
		f.warned = map[string]bool{}
	}
	f.warned[key] = true
	f.warnings = append(f.warnings, w)
}

// withoutNumbers makes the same line of two starts equal: they differ in times and
// positions.
func withoutNumbers(line string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, line)
}
