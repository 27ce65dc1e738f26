// Package chart draws the pictures of a report. In: numbers with their spread, texts that anybody may have
// written, and a width. Out: one SVG, inline or as a file, the same bytes for the same input. It is pure.
//
// Scales, ticks, layout and clipping are those of gonum.org/v1/plot. Its own SVG output has fixed colours and
// nothing to point at, so canvas.go is another canvas for it: colours are classes that the page defines for light
// and for dark, texts stay texts in the page's font, and every mark can have a title, which browsers show on hover.
//
//	canvas.go  what plot draws, as SVG
//	style.go   fonts, lines, ticks and numbers of all charts
//	rows.go    one row for each thing: bars, trials as points, intervals
//	lines.go   curves over an axis, with shaded parts and marked places
//	sheet.go   charts beside one another in a file of their own, which brings the colours
package chart
