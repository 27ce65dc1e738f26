// Package export writes what a run has measured in the formats of other programs.
//
// In: a run as internal/record/stored reads it. Out: one file for a run, the same bytes for the same run. A
// number that was not measured is absent in each of them, and never 0. It refuses formats that it does
// not have. Trials that do not count are in the long table with the reason, and in no other format.
//
// There is one format for each purpose: spreadsheets and data frames (csv), people (markdown), the
// statistics of another program (benchstat), distributions of latencies (hdr), test results of a CI
// (junit), charts and alerts over commits (github-bigger, github-smaller).
//
//	formats.go    the list of formats
//	csv.go        the long table: a row for each value of each attempt
//	counted.go    which attempts count, and why others do not
//	series.go     values that count, by target, cell and measurement
//	markdown.go   tables for people, as GitHub renders them
//	benchstat.go  Go's benchmark format
//	hdr.go        logs of HdrHistogram
//	junit.go      JUnit XML
//	actions.go    JSON for github-action-benchmark
//
// docs/reference/exports.md says what stands where in each format.
package export
