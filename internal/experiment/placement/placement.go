package placement

import "github.com/assay-bench/assay/api/v1alpha1"

// Need has the pods that a run has to place.
type Need struct {
	// Client is the shape of the client pods, with the resources of the agents in them.
	Client v1alpha1.InstanceShapeSpec
	// Clients is the number of client pods; 0 counts as 1.
	Clients int
	// Targets that Assay provides; empty when all are external.
	Targets []Target
	// Separate: client and targets must be on different nodes.
	Separate bool
	// Beside are the nodes of servers that others run, by their names. The run holds them with its own
	// nodes, and with Separate it has no pod on them. A node that is gone counts for nothing.
	Beside []string
	// OneAtATime: only one target runs at any moment. Targets on one node then need room for
	// the largest only, and targets of the same shape share a node, so that they are compared
	// on the same hardware.
	OneAtATime bool
}

// Target to place.
type Target struct {
	Name  string
	Shape v1alpha1.InstanceShapeSpec
	// Replicas is the number of replicas, of the same shape. No other pod of the run's targets
	// runs on the node of a replica at the same time.
	Replicas int
	// Tenants: they are no replicas, but servers of tenants, which may share nodes with each other and with all pods that a target may.
	Tenants bool
}

// Answer is the placement of a run, or the reason against it.
type Answer struct {
	// Reason is empty for a run with a placement. ReasonQueued: other runs hold the nodes. Any
	// other reason: the cluster cannot place the run at all.
	Reason string
	// Message is for people; empty for a run with a placement.
	Message string
	// Placement is set when Reason is empty: the nodes of the clients, sorted, and the node of
	// every target, in the order of Need.Targets.
	Placement v1alpha1.Placement
}

// Find places a run on nodes that are not taken, or returns the reason against it.
func (c *Cluster) Find(need Need, taken Set) Answer {
	if p, ok := c.Fit(need, taken); ok {
		return Answer{Placement: p}
	}
	if !c.possible(need) {
		return c.refuse(need)
	}
	inTheWay := c.Candidates(need)
	inTheWay.Keep(taken)
	return Answer{Reason: v1alpha1.ReasonQueued, Message: "queued: other runs are on " + c.list(inTheWay)}
}

// Fit places a run on nodes that are not taken; false when that is impossible. The pods on a
// node fit into its allocatable CPU and memory together.
func (c *Cluster) Fit(need Need, taken Set) (v1alpha1.Placement, bool) {
	s := newSearch(c, need, taken)
	groups, ok := s.share()
	if !ok {
		return v1alpha1.Placement{}, false
	}
	return s.place(groups), true
}

// possible reports whether a run can be placed when no node is taken.
func (c *Cluster) possible(need Need) bool {
	_, ok := newSearch(c, need, nil).share()
	return ok
}
