// Package explain says of every reason and every check what it means, what it comes from, and what to do. In: a name. Out:
// an entry, as text for a terminal or as a page of docs/reference. It refuses nothing; an unknown name has no entry.
//
// The meaning of a reason is the comment at its constant in api/v1alpha1/reasons.go (zz_generated.reasons.go is derived from
// it); the rest is in texts, which is compiled in. A new reason, and a new check, needs an entry there: a test and
// hack/check-docs ask for it, and hack/check-docs compares the example messages with those that the sources can give.
package explain
