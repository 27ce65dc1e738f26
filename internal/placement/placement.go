package placement

import "github.com/assay-bench/assay/api/v1alpha1"

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
	// Message is for people; empty when the run has a place.
	Message string
	// Placement is filled in when Reason is empty: the nodes of the clients, sorted,
	// and the node of every target, in the order of Need.Targets.
	Placement v1alpha1.Placement
	// Busy: it would work if no node were taken.
	Busy bool
}

// Find gives a run its nodes, none of which is taken, or says why it cannot have them.
func (c *Cluster) Find(need Need, taken Set) Answer {
	if p, ok := c.Fit(need, taken); ok {
		return Answer{Placement: p}
	}
	if !c.possible(need) {
		return c.refuse(need)
	}
	inTheWay := c.Candidates(need)
	inTheWay.Keep(taken)
	return Answer{Reason: v1alpha1.ReasonQueued, Busy: true,
		Message: "queued: other runs are on " + c.list(inTheWay)}
}

// Fit gives a run its nodes, none of which is taken; false when there is no way. The
// pods on a node fit into its allocatable CPU and memory together.
func (c *Cluster) Fit(need Need, taken Set) (v1alpha1.Placement, bool) {
	s := newSearch(c, need, taken)
	groups, ok := s.share()
	if !ok {
		return v1alpha1.Placement{}, false
	}
	return s.place(groups), true
}

// possible says whether a run can be placed when no node is taken.
func (c *Cluster) possible(need Need) bool {
	_, ok := newSearch(c, need, nil).share()
	return ok
}
