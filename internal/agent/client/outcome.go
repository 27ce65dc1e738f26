package client

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// outcome of a step: its findings, its problems, and its failure. A failed step returns its
// findings so far.
type outcome[T any] struct {
	found    T
	problems []contract.Problem
	failure  *contract.Failure
}

// problem records a doubt that is no failure.
func (o *outcome[T]) problem(source, format string, args ...any) {
	o.problems = append(o.problems, contract.Problem{Source: source, Text: fmt.Sprintf(format, args...)})
}

// failed is a failure with a message.
func failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// failed is the outcome with a failure.
func (o outcome[T]) failed(f *contract.Failure) outcome[T] {
	o.failure = f
	return o
}

// part moves what a part of a step found to its place, and its problems to those of the
// step. It returns the part's failure.
func part[T, P any](o *outcome[T], where *P, of outcome[P]) *contract.Failure {
	*where = of.found
	for _, p := range of.problems {
		if !slices.Contains(o.problems, p) { // a question that is asked again may have the same answer
			o.problems = append(o.problems, p)
		}
	}
	return of.failure
}

// note records the problems of a part that finds nothing. It returns the part's failure.
func note[T any](o *outcome[T], of outcome[struct{}]) *contract.Failure {
	return part(o, new(struct{}), of)
}
