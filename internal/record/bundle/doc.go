// Package bundle puts a run with all it has stored into one file, and reads it again.
//
// In: a stored.Source, or a file that somebody sent. Out: a file whose bytes depend on nothing but
// the run; and of a file a stored.Source, so that whatever reads a run from a cluster reads it from
// a bundle as well. It refuses a file that is not exactly what its index says.
//
//	format.go   the format, and its bounds
//	write.go    a run as a file
//	read.go     a file as a run, and every digest of it
//	unpack.go   a file as a folder
//
// A bundle is a tar without compression: most of what is in it is compressed already. Its first
// entry is the index, which has name, size and SHA-256 of every other one, in their order. Nothing is
// written by a name from the file, and nothing is read but what the index has, as long as it says.
// So a path cannot lead outside, and sizes cannot lie: what a file takes on the disk is what it can
// make a reader hold, but for the JSON in it, whose objects are counted before they are made, and
// the journal and the results, which have the bounds of their decoders.
package bundle
