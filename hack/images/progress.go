package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// progress writes steps, lines and times as the functions of hack/lib.sh do. It is safe for use
// by several goroutines, as far as out is.
type progress struct {
	out io.Writer
	// folder of the heartbeat of hack/lib.sh, which says every ten seconds what is under way;
	// empty without one.
	folder string
}

// step prints the start of a step, and returns a function that prints its end.
func (p progress) step(name string) (done func()) {
	start := time.Now()
	_, _ = fmt.Fprintf(p.out, "\n==> [%s] %s\n", start.Format(time.TimeOnly), name)
	return func() { _, _ = fmt.Fprintf(p.out, "<== %s: %s\n", name, since(start)) }
}

// say writes a line within a step.
func (p progress) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, "    "+format+"\n", args...)
}

// underway sets the text of the heartbeat until done is called. The last line of the log, if
// there is one, is shown too. A failed heartbeat is ignored.
func (p progress) underway(what, log string) (done func()) {
	if p.folder == "" {
		return func() {}
	}
	file, err := os.CreateTemp(p.folder, "images.*")
	if err != nil {
		p.say("no heartbeat for %s: %v", what, err)
		return func() {}
	}
	_, _ = fmt.Fprintf(file, "%d\n%s\n%s\n", time.Now().UnixMilli(), what, log)
	_ = file.Close() // what was lost is a line of the heartbeat
	return func() { _ = os.Remove(filepath.Clean(file.Name())) }
}

// since is the time that has passed, in seconds with one decimal.
func since(start time.Time) string { return fmt.Sprintf("%.1f s", time.Since(start).Seconds()) }
