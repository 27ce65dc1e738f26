// Package stored reads what a run has stored: one reader for the report, the exports, comparisons
// over runs and the verification, whether the run is in a cluster or in a bundle.
//
// In: a Source, which hands over the BenchmarkRun and ConfigMaps by their names. Out: a Run with
// the object, the plan, the records of all attempts, the summary with its comparisons, sweeps and
// searches, and the quoted numbers, decoded; and on request the results of the clients of an
// attempt, one after the other. ReadTables reads of it what tables need. It refuses a ConfigMap that the run does not control, a result of
// another trial, and what takes more memory than MaxMemory or than the caller allows. Whether the stored bytes are those
// that were recorded, it does not say: Verify does.
//
//	source.go    the sources, and that of a cluster
//	read.go      the run with its journal
//	journal.go   the parts of the journal
//	results.go   results of clients
//	quoted.go    quoted numbers
//	analysis.go  the run as the analysis over several runs takes it
//
// Everything that it reads was written by tenants, or by whoever made a bundle: each part has the
// bounds of its decoder (internal/trial/journal, internal/ground/contract), and all of them together MaxMemory.
package stored
