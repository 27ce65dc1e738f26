// Package ui is the command `ui`: a page of the user's own machine that shows runs, reports, schedules and
// comparisons.
//
// In: a reader of the cluster with the rights of the user. Out: HTML on the loopback address, in the look of the
// report. It never writes to the cluster, and it has no way to: all that it holds is a client.Reader. Refused: a
// request without the secret of the address that the command printed, one to another host name (DNS rebinding), one
// from another site, everything but GET, and a page of more bytes or more time than its bounds.
//
// Everything that is shown was written by tenants: texts are cut, cleaned and escaped by html/template. The policy of
// the pages lets a browser load its style and its one script from this server, and nothing else.
//
//	command.go   the command
//	bundles.go   files with runs in place of a cluster
//	guard.go     who may ask, and what an answer tells the browser
//	site.go      the pages, and what becomes of an error
//	parts.go     tables and figures
//	runs.go      the list of runs
//	run.go       one run: what it has stored, or how far it is; its report, with links
//	live.go      pictures of a run that goes on
//	schedule.go  schedules, and the history of one
//	series.go    the curves of a history
//	compare.go   runs compared with each other
package ui
