package export

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
)

// Format is one of another program.
type Format struct {
	// Name of the format, as users write it.
	Name string
	// About says in a few words what it is and who reads it.
	About string

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
		{"csv", "one long table, for spreadsheets and data frames: a row for each value of each attempt", pure(writeCSV)},
		{"markdown", "tables for people, as GitHub renders them", pure(Markdown)},
		{"benchstat", "Go's benchmark format, for benchstat", pure(writeBenchstat)},
		{"hdr", "logs of HdrHistogram: the latencies of each trial, in nanoseconds", writeHDR},
		{"junit", "JUnit XML, for the test results of a CI", pure(writeJUnit)},
		{"github-bigger", "github-action-benchmark, customBiggerIsBetter", pure(writeAction(contract.HigherIsBetter))},
		{"github-smaller", "github-action-benchmark, customSmallerIsBetter", pure(writeAction(contract.LowerIsBetter))},
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
