// Package report writes what a run has stored as one page. In: the run with its plan, records, summary,
// comparisons and quoted numbers, and on request the results of single trials. Out: an HTML document that needs
// nothing else, the same bytes for the same input. It is pure: it decides nothing about the run, and tests
// nothing that the analysis did not test.
//
// Everything in the input was written by tenants: texts are escaped, cut and freed of control characters, lists are
// bounded, and what is left out is said. The page has no script, and its policy lets a browser load nothing.
//
//	report.go       the order of the sections
//	document.go     what sections consist of: paragraphs, tables, figures
//	html.go         a document as HTML (page.html, page.css)
//	lead.go         the head of the page: what package readout says of the run
//	ratios.go       comparisons, one row each
//	place.go        where the numbers of a measurement stand: columns, rows, panels
//	tables.go       medians beside each other, with the best one in bold
//	comparisons.go  medians with their intervals
//	trials.go       the values of trials, and what counts
//	intime.go       every trial over the time
//	axis.go         over a load, with its knee
//	look.go         what the results of some trials say
//	series.go       over time, with warm-up and stalls
//	spectrum.go     latency by percentile
//	environment.go  what the targets ran on, and what differs
//	findings.go     what the checks found
//	category.go     the first columns of a table whose rows differ in several things
//	speedup.go      speed-ups that the tool has computed
//	quoted.go       numbers of others, as they were published
//	beside.go       what stands below them: their ratios, and what was measured here
//	repeat.go       how to repeat it
package report
