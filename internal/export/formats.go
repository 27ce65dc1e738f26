package export

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assay-bench/assay/internal/stored"
)

// Format is one of another program.
type Format struct {
	// Name of the format, as users write it.
	Name string
	// Extension of its files, with its dot.
	Extension string
	// About says in a few words what it is and who reads it.
	About string
	// Binary is not for a terminal.
	Binary bool

	write func(context.Context, io.Writer, *stored.Run) error
}

// Write a run. It fails when a result cannot be read, or when nothing can be written.
func (f Format) Write(ctx context.Context, out io.Writer, run *stored.Run) error {
	if err := f.write(ctx, out, run); err != nil {
		return fmt.Errorf("writing %s of %s: %w", f.Name, run, err)
	}
	return nil
}

// pure is a format that reads no results of clients.
func pure(write func(io.Writer, *stored.Run) error) func(context.Context, io.Writer, *stored.Run) error {
	return func(_ context.Context, out io.Writer, run *stored.Run) error { return write(out, run) }
}

// Formats in the order in which they are listed.
func Formats() []Format {
	return []Format{
		{"csv", ".csv", "one long table: a row for each value of each attempt", false, pure(writeCSV)},
		{"parquet", ".parquet", "the same table for DuckDB, pandas and others", true, pure(writeParquet)},
		{"markdown", ".md", "tables for people, as GitHub renders them", false, pure(writeMarkdown)},
		{"benchstat", ".txt", "Go's benchmark format, for benchstat", false, pure(writeBenchstat)},
		{"hdr", ".hlog", "logs of HdrHistogram: the latencies of each trial, in nanoseconds", false, writeHDR},
		{"junit", ".xml", "JUnit XML, for the test results of a CI", false, pure(writeJUnit)},
		{"pytest-benchmark", ".json", "times, for pytest-benchmark compare", false, pure(writePytest)},
		{"benchmarkdotnet", ".json", "times, for readers of BenchmarkDotNet's full JSON", false, pure(writeDotNet)},
		{"github-bigger", ".json", "github-action-benchmark, customBiggerIsBetter", false, pure(writeActionBigger)},
		{"github-smaller", ".json", "github-action-benchmark, customSmallerIsBetter", false, pure(writeActionSmaller)},
		{"bencher", ".json", "Bencher Metric Format", false, pure(writeBencher)},
		{"openmetrics", ".om", "OpenMetrics, with the end of the run as time", false, pure(writeOpenMetrics)},
	}
}

// Find a format. It fails with the names of those that there are.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("there is no format %q: use one of %s", name, strings.Join(names, ", "))
}
