// Package record is the floor of runs that are kept. It has no code of its own.
//
// Here lies how a run is chained by digests (integrity), read back from a cluster or a file (stored), carried away as one file
// (bundle), and repeated (rerun).
//
// May import: api, runners, ground, mathematics, trial, verdict, experiment.
package record
