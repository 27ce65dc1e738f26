package sysbench

import (
	"math"
	"regexp"
	"strconv"
)

// Names of the figures in the report of a run.
const (
	figOffered       = "target transaction rate"
	figRead          = "read"
	figWrite         = "write"
	figOther         = "other"
	figTotal         = "total"
	figTransactions  = "transactions"
	figTPS           = "transactions per second"
	figQueries       = "queries"
	figQPS           = "queries per second"
	figIgnored       = "ignored errors"
	figIgnoredRate   = "ignored errors per second"
	figReconnects    = "reconnects"
	figReconnectRate = "reconnects per second"
	figTotalTime     = "total time"
	figEvents        = "total number of events"
	figEventRate     = "events per second"
	figMin           = "min latency"
	figAvg           = "avg latency"
	figMax           = "max latency"
	figPercentile    = "percentile latency"
	figPercentileOf  = "percentile"
	figSum           = "sum of latencies"
	figEventsAvg     = "events per thread"
	figEventsStddev  = "events per thread, stddev"
	figTimeAvg       = "execution time per thread"
	figTimeStddev    = "execution time per thread, stddev"
)

// complete lists the figures that every whole report has. The last one is on the
// last line, with a fixed number of decimals, so a report that was cut anywhere
// lacks one of them.
var complete = []string{
	figRead, figWrite, figOther, figTotal, figTransactions, figTPS, figQueries, figQPS,
	figIgnored, figIgnoredRate, figReconnects, figReconnectRate, figTotalTime, figEvents,
	figMin, figAvg, figMax, figPercentile, figSum,
	figEventsAvg, figEventsStddev, figTimeAvg, figTimeStddev,
}

// Patterns of numbers. A rate over no time is printed as nan or inf.
const (
	count = `(\d+)`
	real2 = `(\d+\.\d{2}|-?nan|-?inf)`
	real4 = `(\d+\.\d{4}|-?nan|-?inf)`
	// rounded is one that somebody may have shortened.
	rounded = `(\d+(?:\.\d+)?|-?nan|-?inf)`
)

// figureLine is one kind of line of the final report: its groups are the figures.
// No two kinds of lines have the same label, so the section they stand in does
// not matter.
type figureLine struct {
	pattern *regexp.Regexp
	figures []string
}

func figureLineOf(pattern string, figures ...string) figureLine {
	return figureLine{regexp.MustCompile(`^\s+` + pattern + `$`), figures}
}

// figureLines of sysbench itself: the numbers of decimals are fixed, so that a line
// that was cut is found out. quotedLines of those who quote it.
var (
	figureLines = figureLinesOf(real2, real4)
	quotedLines = figureLinesOf(rounded, rounded)
)

func figureLinesOf(real2, real4 string) []figureLine {
	return []figureLine{
		{regexp.MustCompile(`^\s*Target transaction rate: ` + count + `/sec$`), []string{figOffered}},
		figureLineOf(`read:\s+`+count, figRead),
		figureLineOf(`write:\s+`+count, figWrite),
		figureLineOf(`other:\s+`+count, figOther),
		figureLineOf(`total:\s+`+count, figTotal),
		figureLineOf(`transactions:\s+`+count+`\s+\(`+real2+` per sec\.\)`, figTransactions, figTPS),
		figureLineOf(`queries:\s+`+count+`\s+\(`+real2+` per sec\.\)`, figQueries, figQPS),
		figureLineOf(`ignored errors:\s+`+count+`\s+\(`+real2+` per sec\.\)`, figIgnored, figIgnoredRate),
		figureLineOf(`reconnects:\s+`+count+`\s+\(`+real2+` per sec\.\)`, figReconnects, figReconnectRate),
		figureLineOf(`total time:\s+`+real4+`s`, figTotalTime),
		figureLineOf(`total number of events:\s+`+count, figEvents),
		// 1.1 has a section "Throughput" in place of "General statistics".
		figureLineOf(`time elapsed:\s+`+real4+`s`, figTotalTime),
		figureLineOf(`events/s \(eps\):\s+`+real4, figEventRate),
		figureLineOf(`min:\s+`+real2, figMin),
		figureLineOf(`avg:\s+`+real2, figAvg),
		figureLineOf(`max:\s+`+real2, figMax),
		figureLineOf(count+`th percentile:\s+`+real2, figPercentileOf, figPercentile),
		figureLineOf(`sum:\s+`+real2, figSum),
		figureLineOf(`events \(avg/stddev\):\s+`+real4+`/`+real2, figEventsAvg, figEventsStddev),
		figureLineOf(`execution time \(avg/stddev\):\s+`+real4+`/`+real2, figTimeAvg, figTimeStddev),
	}
}

// plainLines are understood and hold no figure.
var plainLines = regexp.MustCompile(`^(?:` +
	`\s*` +
	`|Running the test with following options:` +
	`|Number of threads: \d+` +
	`|Report intermediate results every \d+ second\(s\)` +
	`|Initializing random number generator from (?:current time|seed \(-?\d+\)\.)` +
	`|Initializing worker threads\.\.\.` +
	`|Forcing shutdown in \d+ seconds` +
	`|Number of unfinished transactions on forced shutdown: \d+` +
	`|Threads started!` +
	`|\(last message repeated \d+ times\)` +
	`|Latency histogram \(values are in milliseconds\)` +
	`|\s*value\s+-+ distribution -+ count` +
	`|SQL statistics:|\s*queries performed:|General statistics:|Throughput:|Latency \(ms\):|Threads fairness:` +
	`)$`)

// noPercentile is printed in place of a percentile with --percentile=0.
var noPercentile = regexp.MustCompile(`^\s*percentile stats:\s+disabled\s*$`)

var bannerLine = regexp.MustCompile(`^sysbench (\d\S*) \(using .+\)$`)

// parseFigure reads a number. A rate that was printed as nan or inf was reported and has no value.
func parseFigure(text string) (value *float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, err == nil
	}
	return &v, true
}
