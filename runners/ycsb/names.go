package ycsb

// What a process leaves behind, besides its report on stdout and its status lines on stderr.
const (
	// hdrPrefix is hdrhistogram.output.path: YCSB writes hdr-READ.hdr, hdr-Intended-READ.hdr
	// and so on into the working directory.
	hdrPrefix = "hdr-"
	// hdrPattern are those files.
	hdrPattern = hdrPrefix + "*.hdr"
	// markPrefix begins the lines on stderr that are Assay's own: see README.md.
	markPrefix = "[ASSAY], "
)

// tableName is YCSB's default.
const tableName = "usertable"
