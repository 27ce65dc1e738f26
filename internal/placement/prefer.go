package placement

import "slices"

// targetNode is a node that a group of targets can have, as the preferences see it.
type targetNode struct {
	node int
	// slots is how many client pods fit on the node when no target is there.
	slots int64
	// lost is how many of these find no room any more when the group has the node.
	lost int64
}

// clientNode is a node that clients can have, as the preferences see it.
type clientNode struct {
	node int
	// pods is how many of the clients that have no node yet fit.
	pods int64
	// hasTarget: a target of the run is there.
	hasTarget bool
	// forTargets: a target of the run could use the node.
	forTargets bool
}

// preference says how good a node is; the smallest score is the best.
type preference[Node any] func(Node) int64

// targetPreferences decide which node a group of targets gets: the first one that
// differs. When all are equal, the first name decides.
var targetPreferences = []preference[targetNode]{
	leaveRoomForClients,
}

// clientPreferences decide which nodes clients get, as targetPreferences do.
var clientPreferences = []preference[clientNode]{
	stayAwayFromTargets,
	useFewNodes,
	leaveNodesForTargets,
}

// leaveRoomForClients prefers the node that the fewest client pods fit on, so that the
// clients can stay away from targets and need few nodes.
func leaveRoomForClients(n targetNode) int64 { return n.slots }

// stayAwayFromTargets prefers a node without a target, also where that is not required:
// what the clients use is missing to a target beside them.
func stayAwayFromTargets(n clientNode) int64 { return when(n.hasTarget) }

// useFewNodes prefers the node that most of the remaining clients fit on: with fewer
// nodes a run waits less, and fewer clocks have to agree.
func useFewNodes(n clientNode) int64 { return -n.pods }

// leaveNodesForTargets prefers a node that no target of the run could use: runs of the
// same kind then wait less for each other.
func leaveNodesForTargets(n clientNode) int64 { return when(n.forTargets) }

func when(bad bool) int64 {
	if bad {
		return 1
	}
	return 0
}

// compare two nodes by preferences, in their order: negative when a is better.
func compare[Node any](preferences []preference[Node], a, b Node) int {
	for _, score := range preferences {
		if d := score(a) - score(b); d != 0 {
			return int(max(-1, min(1, d)))
		}
	}
	return 0
}

// ranked sorts nodes by preferences. Those that are equal keep their order.
func ranked[Node any](nodes []Node, preferences []preference[Node]) {
	slices.SortStableFunc(nodes, func(a, b Node) int { return compare(preferences, a, b) })
}
