package tpch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

var (
	// summaryLine is the mean of a query by go-tpc's histogram, and is not used: measure.go says why.
	summaryLine = regexp.MustCompile(`^\[(?:Current|Summary)\] Q[0-9]+(?:_ERR)?: [0-9.]+s$`)
	// errorLine is a query that failed or has another result, or a thread that gave up for one (without a time).
	errorLine    = regexp.MustCompile(`^(\[[0-9: -]+\] )?execute (?:run|prepare|cleanup) failed, err (.+)$`)
	queryError   = regexp.MustCompile(`^(?:execute|check) (q[0-9]+) failed (.+)$`)
	anotherValue = regexp.MustCompile(`^expect .+, got `)
	pingLine     = regexp.MustCompile(`^failed to ping db, err (.+)$`)
	loadedLine   = regexp.MustCompile(`^generate ([a-z/]+) tables? done$`)
	dropLine     = regexp.MustCompile(`^DROP TABLE IF EXISTS ([a-z]+)$`)
	// plainLine is what says nothing that matters here.
	plainLine = regexp.MustCompile(`^(creating [a-z]+|generating [a-z/]+ tables?|Finished|.* maxprocs: .+)$`)
)

// complaint is a query that failed, or one that has another result than go-tpc's answers.
type complaint struct {
	query, text string
	differs     bool
}

// reading is what the lines of an output said.
type reading struct {
	executions []gotpc.Execution
	complaints []complaint
	// stopped are threads that gave up for another reason, and fatal is what ended a load that could not begin, in the words of the driver.
	stopped         []string
	ping, fatal     string
	loaded, dropped map[string]bool
	// summarized: there are means of go-tpc's histogram.
	finished, summarized bool
	problems             runner.Problems
}

// read the lines of an output; the source names the phase.
func read(source string, o runner.Output) *reading {
	r := &reading{loaded: map[string]bool{}, dropped: map[string]bool{}}
	for i, line := range runner.Lines(o.Stdout) {
		line = strings.TrimSpace(line)
		if line != "" && !r.result(line) && !r.event(line) {
			r.problems.Add(source+"/stdout", i+1, line)
		}
	}
	for i, line := range runner.Lines(o.Stderr) {
		line = strings.TrimSpace(line)
		r.fatal = cmp.Or(r.fatal, gotpc.Fatal(line))
		if line != "" && !plainLine.MatchString(line) {
			r.problems.Add(source+"/stderr", i+1, line)
		}
	}
	return r
}

// result reads a line of a query whose result was read.
func (r *reading) result(line string) bool {
	e, is := gotpc.ReadExecution(line)
	if is = is && e.Kept; is {
		r.executions = append(r.executions, e)
	}
	return is
}

// event reads a line about what is done, or what went wrong.
func (r *reading) event(line string) bool {
	if m := errorLine.FindStringSubmatch(line); m != nil {
		r.failed(m[1] != "", m[2])
		return true
	}
	if m := pingLine.FindStringSubmatch(line); m != nil {
		r.ping = m[1]
		return true
	}
	for pattern, seen := range map[*regexp.Regexp]map[string]bool{loadedLine: r.loaded, dropLine: r.dropped} {
		if m := pattern.FindStringSubmatch(line); m != nil {
			seen[m[1]] = true
			return true
		}
	}
	r.finished = r.finished || line == "Finished"
	if summaryLine.MatchString(line) {
		r.summarized = true
		return true
	}
	return plainLine.MatchString(line)
}

// failed notes what failed. A query that fails is printed twice: when it happens, and when its thread gives up.
func (r *reading) failed(happens bool, text string) {
	m := queryError.FindStringSubmatch(text)
	switch {
	case m == nil && !happens:
		r.stopped = append(r.stopped, text)
	case m != nil && happens:
		r.complaints = append(r.complaints, complaint{m[1], m[2], strings.HasPrefix(text, "check ") && anotherValue.MatchString(m[2])})
	case m != nil && !slices.ContainsFunc(r.complaints, func(c complaint) bool { return c.query == m[1] && c.text == m[2] }):
		r.stopped = append(r.stopped, text)
	}
}
