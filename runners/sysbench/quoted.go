package sysbench

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Marks that pages, mails and chats put in front of a line, or around a number.
var (
	decoration = regexp.MustCompile("^[ \t\u00a0]*(?:[*>|#`•-]+[ \t\u00a0]*)*")
	thousands  = regexp.MustCompile(`\d{1,3}(?:,\d{3})+\b`)
	spaces     = regexp.MustCompile(`[ \t\x{00a0}]+`)
)

// quoted parses output that somebody published: whatever is there, in any order,
// however it was copied. What is missing stays missing, and is no failure; a text
// without a single figure is one, and so is one that gives a figure twice: nobody can
// tell which of the two would be meant.
func quoted(text []byte) runner.Report {
	r := newReading()
	for i, whole := range runner.Lines(text) {
		line := undecorated(whole)
		switch {
		case strings.HasPrefix(line, "FATAL: "):
			r.fatals = append(r.fatals, line)
		case !r.understand(line) && !r.addFigures(" "+thousands.ReplaceAllStringFunc(line, withoutCommas), quotedLines):
			r.problems.Add("quoted", i+1, whole)
		}
	}
	report := runner.Report{ToolVersion: r.version,
		Measurements: r.measurements(Params{}), Errors: r.errorCounts(), Problems: r.problems.List("quoted"),
	}
	switch {
	case len(r.fatals) > 0:
		report.Failure = failed(contract.ReasonToolFailed, "the output is that of a run that failed: %s: quote one that went well", runner.Abridge(r.fatals[0]))
	case len(r.doubled) > 0:
		report.Failure = failed(contract.ReasonToolFailed, "the text gives these figures more than once: %s: quote one run at a time", runner.Few(r.doubled))
	case len(report.Measurements) == 0:
		report.Failure = failed(contract.ReasonOutputTruncated, "there is no figure of sysbench in the text: quote its report, from SQL statistics on")
	}
	return report
}

// undecorated is a line as sysbench would have begun it, with single blanks. Rows of
// the histogram keep their bar, which begins after a number.
func undecorated(line string) string {
	line = line[len(decoration.FindString(line)):]
	return strings.TrimSpace(spaces.ReplaceAllString(strings.ToValidUTF8(line, "\uFFFD"), " "))
}

func withoutCommas(number string) string { return strings.ReplaceAll(number, ",", "") }
