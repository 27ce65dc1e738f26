// Package search carries out spec.search: for every block, cell and target of a run, a bisection for
// the highest offered rate at which the objectives hold. It is pure.
//
// In: the spec, what the tool calls its offered rate, the plan, which has as many trials for each
// search as it can take at most, and the records of trials so far. Out: which trial follows the last
// one and its rate, the answers, and the experiment with one trial for each search, whose value is the
// rate that was found. It refuses objectives that the tool cannot measure.
//
//	search.go     the search of a spec
//	objective.go  the bounds of measurements
//	judge.go      what a trial says of its rate: it holds, it does not, or nothing
//	next.go       what follows a trial
//	answers.go    how each search ended
//	reduce.go     the experiment with one value for each search
//	words.go      answers as text
//
// Trials that failed, are invalid or were disturbed say nothing of a rate and are repeated, up to a
// bound. A target that could not keep up with the rate is an answer, not a failure.
package search
