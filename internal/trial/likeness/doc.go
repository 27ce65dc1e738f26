// Package likeness compares the circumstances of the two sides of a comparison. It is pure.
//
// In: the records of the trials of both sides, and the factor that is compared. Out: what differs
// besides the factor: settings of the servers, machines, data, and how fast the machines were. Each
// difference has its class, both values, and whether, why and in which direction it is known to
// matter. A setting whose value is not known of one side is named apart: it is no difference. A
// comparison that requires sides to be alike is refused where they differ, and where nothing is known.
//
//	catalogue.yaml  the settings that are known to matter, with their sources
//	catalogue.go    reads them
//	facts.go        what is recorded of a trial
//	normal.go       what settings of different servers mean
//	compare.go      the differences
//	speed.go        how fast the machines were
//	words.go        the differences in words
package likeness
