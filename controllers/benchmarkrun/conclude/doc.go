// Package conclude ends a run.
//
// In: the records of all attempts, the plan, and the failure that ends the run, if one
// does. Out: the summary over all cells with the actions that store it, the verdict on
// whether the numbers can be trusted, how fast the machines were, the verdict of the gate; and, of a run that has
// ended, what is to be deleted and when. It refuses to call a run valid of which no result
// is part of the summary.
//
// Only what stands in the records counts: neither the status nor its list of findings,
// which is bounded for display, decides anything here.
package conclude
