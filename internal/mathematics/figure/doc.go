// Package figure writes numbers for people, in one way for every surface: the status, the terminal, Markdown,
// pages, pictures and notifications. It is pure, and knows no domain.
//
// A number has as many digits as its interval carries: the half-width of the interval has two (JCGM 100:2008, 7.2.6),
// and the number and both ends stop at the same place. A number without an interval has four significant digits at
// most. Digits before the point are in groups of three, the minus sign is that of ASCII, and a number never changes
// the side of a bound (a ratio that of 1, a p-value that of the error rate) by rounding.
//
//	number.go  numbers in a unit, with their intervals
//	effect.go  ratios of two numbers, as a difference or as a factor, with their intervals
//	share.go   shares, p-values and levels
//	duration.go durations
package figure
