package ycsb

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// reading is what an output said.
type reading struct {
	version string
	report  report
	status  status
	marks   marks
	logs    hdrLogs
	// cut says that the last line of the report has no end.
	cut bool
	// unreadable are parts of the output that are broken.
	unreadable []string
	complaints complaints
	problems   runner.Problems
}

// parse gives an output its meaning. YCSB ends with 0 whatever went wrong, so a success
// has to be proven: no exception, no operation that failed, a whole report whose numbers
// fit each other, as many operations as asked for, and the last word of our binding.
func parse(t contract.Trial, phase contract.Phase, o runner.Output) runner.Report {
	p, err := ofTrial(t)
	if err != nil {
		return runner.Unreadable(err)
	}
	r := read(phase, o)
	made := runner.Report{ToolVersion: r.toolVersion(), Problems: r.problems.List(strings.ToLower(string(phase)))}
	if phase != contract.PhaseCleanup {
		made.Errors = r.report.errorCounts()
		if r.marks.window != nil {
			r.intoWindow(&made, p)
		} else {
			made.Measurements = r.whole().measurements(r.status.intervals(float64(p.StatusIntervalSeconds)))
		}
		if phase == contract.PhasePrepare {
			made.Measurements = append(made.Measurements, r.loadTimes(t, p)...)
		}
		if phase == contract.PhaseRun {
			made.Measurements = r.withRates(p, made.Measurements)
		}
	}
	made.Failure = r.judge(t, phase, p).failure(o)
	return made
}

func read(phase contract.Phase, o runner.Output) reading {
	r := reading{logs: hdrLogs{}}
	source := strings.ToLower(string(phase))
	exported := false
	for _, name := range slices.Sorted(maps.Keys(o.Files)) {
		if strings.HasSuffix(name, ".hdr") {
			r.readLog(source, name, o.Files[name])
			continue
		}
		r.readExport(source+"/"+name, o.Files[name])
		exported = true
	}
	r.readStream(source+"/stdout", o.Stdout, !exported)
	r.readStream(source+"/stderr", o.Stderr, false)
	if r.report.runTime != nil && r.report.throughput != nil && r.report.counted() == nil {
		r.problems.Add(source, 0, fmt.Sprintf("throughput %s times run time %s ms is no whole number of operations", r.report.throughput.text, r.report.runTime.text))
	}
	return r
}

// readStream reads stdout or stderr. YCSB, its drivers and the JVM write into both.
func (r *reading) readStream(source string, text []byte, hasReport bool) {
	all := runner.Lines(text)
	inComplaint := false // the message of an exception may have several lines
	for i, line := range all {
		isLast := i == len(all)-1 && !bytes.HasSuffix(text, []byte("\n"))
		if e, ok := parseLine(line); ok && hasReport {
			inComplaint = false
			if isLast {
				r.cut = true
			} else if !r.report.add(e) {
				r.problems.Add(source, i+1, line)
			}
			continue
		}
		switch known, complains := r.understand(line); {
		case complains:
			inComplaint = true
		case known:
			inComplaint = inComplaint && strings.TrimSpace(line) == ""
		case inComplaint:
			r.complaints.add(line)
		default:
			r.problems.Add(source, i+1, line)
		}
	}
}

// understand takes in a line that is not of the report.
func (r *reading) understand(line string) (known, complains bool) {
	if strings.HasPrefix(line, "Error ") { // in this form one for each operation that failed
		r.complaints.add(line)
		return true, true
	}
	if m := versionLine.FindStringSubmatch(line); m != nil {
		r.version = m[1]
		return true, false
	}
	if r.marks.add(line) {
		return true, false
	}
	if plainLines.MatchString(line) || r.status.add(line) {
		return true, false
	}
	if stackLine.MatchString(line) {
		return true, true
	}
	if complaintLine.MatchString(line) {
		r.complaints.add(line)
		return true, true
	}
	return false, false
}

// readExport reads a report that YCSB wrote into a file: property exportfile.
func (r *reading) readExport(source string, export []byte) {
	if !isJSON(export) {
		r.readStream(source, export, true)
		return
	}
	entries, err := parseJSON(export)
	if err != nil {
		r.unreadable = append(r.unreadable, source+": "+runner.Abridge(err.Error()))
	}
	for i, e := range entries {
		if !r.report.add(e) {
			r.problems.Add(source, i+1, e.metric+", "+e.measure+", "+e.value)
		}
	}
}

func (r *reading) readLog(source, name string, data []byte) {
	log, err := parseLog(name, data)
	if err != nil {
		r.unreadable = append(r.unreadable, name+": "+runner.Abridge(err.Error()))
		r.problems.Add(source+"/"+name, 0, err.Error())
		return
	}
	r.logs[log.metric] = log
}

// toolVersion such as YCSB 0.17.0, MySQL Connector/J 9.7.0.
func (r *reading) toolVersion() string {
	var parts []string
	if r.version != "" {
		parts = append(parts, "YCSB "+r.version)
	}
	if r.marks.driver != "" {
		parts = append(parts, r.marks.driver)
	}
	return strings.Join(parts, ", ")
}
