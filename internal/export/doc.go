// Package export writes what a run has measured in the formats of other programs.
//
// In: a run as internal/stored reads it. Out: one file for a run, the same bytes for the same run. A
// number that was not measured is absent in each of them, and never 0. It refuses formats that it does
// not have. Trials that do not count are in the long table with the reason, and in no other format.
//
//	formats.go      the list of formats
//	rows.go         the long table: one row for each value of each attempt
//	csv.go          the long table as CSV
//	parquet.go      the long table as Parquet
//	series.go       values that count, by target, cell and measurement
//	units.go        times in the unit that a format wants
//	names.go        names that a format accepts
//	markdown.go     tables for people, as GitHub renders them
//	benchstat.go    Go's benchmark format
//	hdr.go          logs of HdrHistogram
//	junit.go        JUnit XML
//	pytest.go       JSON of pytest-benchmark
//	dotnet.go       JSON like that of BenchmarkDotNet
//	actions.go      JSON for github-action-benchmark and for Bencher
//	openmetrics.go  OpenMetrics
//
// docs/reference/exports.md says what stands where in each format.
package export
