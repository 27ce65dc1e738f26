// Package placement says which nodes of a cluster offer a shape, and gives a run its
// nodes: all or nothing. It is pure.
//
//	offers.go    whether a node offers a shape
//	cluster.go   the nodes, and who offers what, computed once
//	fit.go       the search: targets first, then the clients on what is left
//	assign.go    groups of targets to nodes at the least cost
//	clients.go   as few nodes as needed for the clients
//	refuse.go    why it does not work, and the remedies
//
// It looks at what a node has, not at what is free on it: which nodes other runs
// hold is the caller's knowledge, and what else runs there (agents, daemons) is the
// scheduler's, which has the last word.
package placement

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Need is what a run wants to place.
type Need struct {
	// Client is the shape of the client pods.
	Client v1alpha1.InstanceShapeSpec
	// Clients is the number of client pods; 0 counts as 1.
	Clients int
	// Targets that Assay runs itself; empty when all are external.
	Targets []Target
	// Separate: client and targets must be on different nodes.
	Separate bool
	// OneAtATime: only one target runs at any moment, so those on one node need room
	// for the largest only, and targets of the same shape share a node: the same
	// hardware for all that is compared.
	OneAtATime bool
}

// Target to place.
type Target struct {
	Name  string
	Shape v1alpha1.InstanceShapeSpec
	// Replicas of the target, of the same shape. Each has a node of its own: none that
	// another pod of the run's targets runs on at the same time.
	Replicas int
}

// Answer says where the run goes, or why it does not.
type Answer struct {
	// Reason is empty when the run has a place. ReasonQueued: not now, since other
	// runs are in the way. Any other: the cluster cannot do it at all.
	Reason string
	// Message is for people.
	Message string
	// Placement is filled in when Reason is empty: the nodes of the clients, sorted,
	// and the node of every target, in the order of Need.Targets.
	Placement v1alpha1.Placement
	// Busy: it would work if no node were taken.
	Busy bool
}

// Find gives a run its nodes, none of which is taken (nil: none is). The pods on a
// node fit into its allocatable CPU and memory together. If there is a placement,
// one is found (up to 8 targets and replicas that are not OneAtATime; for more, only one
// in which each of them has a node of its own). In order, it prefers:
//
//  1. targets on nodes of their own, as many as possible (but see OneAtATime);
//  2. clients away from the targets, also when that is not required;
//  3. targets where they take least room away from clients;
//  4. clients on as few nodes as possible, then on nodes that no target could use;
//  5. the first names.
//
// The same nodes, in any order, give the same answer.
func Find(nodes []corev1.Node, need Need, taken func(node string) bool) Answer {
	c := NewCluster(nodes)
	set := c.Set()
	for i, name := range c.Names() {
		if taken != nil && taken(name) {
			set.Add(i)
		}
	}
	return c.Find(need, set)
}

// Find is like the function, for a set of taken nodes.
func (c *Cluster) Find(need Need, taken Set) Answer {
	if p, ok := c.Fit(need, taken); ok {
		return Answer{Message: Describe(p), Placement: p}
	}
	if _, ok := c.Fit(need, nil); !ok {
		return c.refuse(need)
	}
	inTheWay := c.Candidates(need)
	inTheWay.Keep(taken)
	return Answer{Reason: v1alpha1.ReasonQueued, Busy: true,
		Message: "queued: other runs are on " + c.list(inTheWay)}
}
