package sysbench

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// reading is what the lines of an output said.
type reading struct {
	version string
	// figures of the final report; nil for one that was printed as nan or inf.
	figures   map[string]*float64
	series    series
	histogram []contract.Bucket
	progress  progress
	loads     []threadLoad
	fatals    []string
	doubled   []string
	problems  runner.Problems
}

func newReading() reading {
	return reading{
		figures: map[string]*float64{}, series: series{points: map[string][]contract.Interval{}},
		progress: progress{done: map[string]map[string]bool{}, rows: map[string]string{}},
	}
}

// parse gives an output its meaning. The order of the judgement: what sysbench
// itself called fatal, then how the process ended, then what is missing.
func parse(t contract.Trial, phase contract.Phase, o runner.Output) runner.Report {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Unreadable(err)
	}
	r := read(phase, o)
	report := runner.Report{ToolVersion: r.version, Problems: r.problems.List(strings.ToLower(string(phase)))}
	if phase == contract.PhaseRun || phase == contract.PhaseWarmup {
		report.Measurements = r.measurements(p)
		report.Errors = r.errorCounts()
	}
	if phase == contract.PhasePrepare {
		report.Measurements = loadTimes(r.loads)
	}
	report.Failure = r.failure(t, phase, p, o)
	return report
}

func read(phase contract.Phase, o runner.Output) reading {
	r := newReading()
	source := strings.ToLower(string(phase))
	r.readStdout(source+"/stdout", runner.Lines(o.Stdout))
	for i, line := range runner.Lines(o.Stderr) {
		if strings.TrimSpace(line) != "" {
			r.problems.Add(source+"/stderr", i+1, line)
		}
	}
	return r
}

func (r *reading) readStdout(source string, all []string) {
	inStatement := false // a FATAL line quotes the statement, which has lines of its own
	for i, whole := range all {
		line := r.progress.take(whole)
		fatal := strings.HasPrefix(line, "FATAL: ")
		switch {
		case fatal:
			r.fatals = append(r.fatals, line)
			inStatement = opensStatement(line)
		case inStatement:
			inStatement = !closesStatement(line)
		case !r.understand(line) && !r.addFigures(line, figureLines):
			r.problems.Add(source, i+1, whole)
		}
	}
}

// understand takes in a line outside the final report. It is false when the line means nothing here.
func (r *reading) understand(line string) bool {
	// What most lines are is told apart by a look, not by trying every pattern.
	if strings.HasPrefix(line, "[") {
		return r.series.add(line)
	}
	if strings.Contains(line, " |") {
		buckets, ok := addBucket(r.histogram, line)
		r.histogram = buckets
		return ok
	}
	if m := threadLine.FindStringSubmatch(line); m != nil {
		r.loads = append(r.loads, threadLoadOf(m))
		return true
	}
	if m := bannerLine.FindStringSubmatch(line); m != nil && r.version == "" {
		r.version = m[1]
		return true
	}
	return plainLines.MatchString(line)
}

// addFigures reads a line of the final report.
func (r *reading) addFigures(line string, kinds []figureLine) bool {
	if noPercentile.MatchString(line) {
		return r.set(figPercentile, nil)
	}
	for _, kind := range kinds {
		m := kind.pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for i, name := range kind.figures {
			f, ok := parseFigure(m[i+1])
			if !ok || !r.set(name, f) {
				return false
			}
		}
		return true
	}
	return false
}

// set takes in a figure. It is false when the figure is there already: nobody can
// tell which of the two would be right.
func (r *reading) set(name string, f *float64) bool {
	if _, twice := r.figures[name]; twice {
		r.doubled = append(r.doubled, name)
		return false
	}
	r.figures[name] = f
	return true
}

// missing lists what a whole report would have.
func (r *reading) missing(p Params) []string {
	var names []string
	for _, name := range complete {
		if _, ok := r.figures[name]; !ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 && r.figures[figTPS] == nil {
		names = append(names, figTPS)
	}
	if _, ok := r.figures[figOffered]; p.Rate > 0 && !ok {
		names = append(names, figOffered)
	}
	if runner.Value(p.Histogram) && len(r.histogram) == 0 && runner.Value(r.figures[figEvents]) > 0 {
		names = append(names, "latency histogram")
	}
	return names
}
