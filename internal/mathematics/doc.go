// Package mathematics is the floor of numbers: intervals, tests, changes of a series, and how a number is written. It has no
// code of its own, and its packages know neither Kubernetes nor databases.
//
// May import: nothing.
package mathematics
