// Package placement gives a run its nodes, all or nothing. It is pure.
//
// In: the nodes of a cluster, what a run needs (Need), and the nodes that it cannot
// have. Out: a node for every pod, or the reason why not, with what is missing on
// which nodes and what would help (Answer).
//
//	offers.go    does a node offer a shape, and if not, why?
//	share.go     which pods of the targets share a node?
//	match.go     can each of these groups have a node of its own, with room left for the clients?
//	choose.go    which nodes do they get, one group after the other, and then the clients?
//	prefer.go    the preferences, in order
//	refuse.go    what is missing, and the remedies
//	describe.go  a placement in words
//
// What must hold is exact: a run is placed if and only if it can be (for more than
// eight pods of targets: if and only if each can have a node of its own). Exact is also
// that the targets get as many nodes as possible.
//
// Which of the nodes that will do a pod gets matters less, and is greedy: each group
// takes the node that the preferences put first among those that leave a node to every
// group after it and room to the clients. No node is taken back. The tests compare this
// with an exact search and bound the difference. To add a preference, add a function and
// a row in prefer.go (docs/contributing/add-a-placement-preference.md).
//
// The same nodes, in any order, give the same answer.
//
// It looks at what a node has, not at what is free on it: which nodes other runs
// hold is the caller's knowledge, and what else runs there (agents, daemons) is the
// scheduler's, which has the last word.
package placement
