package supervise

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// maxLine is the maximum size of an unfinished line.
const maxLine = 64 << 10

// Log is the output of a process. It forwards the output unchanged, keeps the last lines, and
// calls an observer for each line.
type Log struct {
	// Out is where everything goes.
	Out io.Writer
	// Keep is how many bytes of the last lines are kept.
	Keep int
	// Observe is called for every line; nil for none. It must not call the Log.
	Observe func(line string)

	mu      sync.Mutex
	partial []byte
	tail    []string
	size    int
}

// Write never fails, so a broken reader of the log does not end the writing process.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.Out.Write(p)
	l.partial = append(l.partial, p...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 && len(l.partial) < maxLine {
			return len(p), nil
		}
		if end < 0 {
			end = maxLine - 1
		}
		l.add(strings.TrimRight(string(l.partial[:end]), "\r"))
		l.partial = slices.Delete(l.partial, 0, end+1)
	}
}

func (l *Log) add(line string) {
	if l.Observe != nil {
		l.Observe(line)
	}
	l.tail = append(l.tail, line)
	l.size += len(line) + 1
	for len(l.tail) > 1 && l.size > l.Keep {
		l.size -= len(l.tail[0]) + 1
		l.tail = slices.Delete(l.tail, 0, 1)
	}
}

// Tail is the last lines, including an unfinished one.
func (l *Log) Tail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	tail := slices.Clone(l.tail)
	if len(l.partial) > 0 {
		tail = append(tail, string(l.partial))
	}
	return tail
}
