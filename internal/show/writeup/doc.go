// Package writeup makes the report of a run from what the run has stored, for the manager and for kubectl assay.
//
// In: the run, and its ConfigMaps, which it reads. Out: the tables as Markdown (internal/show/export), the document of the
// run for programs (internal/cli/show), each within a bound of bytes, and the page (internal/show/report). The same run
// gives the same bytes: what becomes of the report itself, and of notifications, is not part of it. It refuses to
// make a page that would take more memory than it is given; the tables of such a run are those of its status.
//
//	tables.go  Markdown and the document, and how they are cut
//	page.go    the page
package writeup
