package placement

import corev1 "k8s.io/api/core/v1"

// targetNode is a possible node of a group of targets, as input of the preferences.
type targetNode struct {
	index int // in the order of names
	node  *corev1.Node
	// placed are the nodes of the groups that were placed before.
	placed []targetNode
	// slots is the number of client pods that fit on the node without a target.
	slots int64
	// lost is the number of these that no longer fit when the group uses the node.
	lost int64
}

// clientNode is a possible node of clients, as input of the preferences.
type clientNode struct {
	index int // in the order of names
	// pods is the number of unplaced clients that fit.
	pods int64
	// forTargets: a target of the run could use the node.
	forTargets bool
}

// preference scores a node; the smallest score is the best.
type preference[Node any] func(*Node) int64

// targetPreferences choose the node of a group of targets: the first preference whose scores
// differ decides. The last preference gives every node another score, so the choice is unique.
var targetPreferences = []preference[targetNode]{
	leaveRoomForClients,
	spreadOverZones,
	func(n *targetNode) int64 { return firstName(n.index) },
}

// clientPreferences decide which nodes clients get, as targetPreferences do.
var clientPreferences = []preference[clientNode]{
	useFewNodes,
	leaveNodesForTargets,
	func(n *clientNode) int64 { return firstName(n.index) },
}

// leaveRoomForClients prefers the node that the fewest client pods fit on, so that the
// clients can stay away from targets and need few nodes.
func leaveRoomForClients(n *targetNode) int64 { return n.slots }

// spreadOverZones prefers the node in whose zone the fewest targets and replicas are, so
// that an outage of a zone leaves most of them. Nodes without the label
// topology.kubernetes.io/zone are one zone.
func spreadOverZones(n *targetNode) (inZone int64) {
	zone := n.node.Labels[corev1.LabelTopologyZone]
	for _, other := range n.placed {
		if other.node.Labels[corev1.LabelTopologyZone] == zone {
			inZone++
		}
	}
	return inZone
}

// useFewNodes prefers the node that most of the remaining clients fit on: with fewer
// nodes a run waits less, and fewer clocks have to agree.
func useFewNodes(n *clientNode) int64 { return -n.pods }

// leaveNodesForTargets prefers a node that no target of the run could use: runs of the
// same kind then wait less for each other.
func leaveNodesForTargets(n *clientNode) int64 {
	if n.forTargets {
		return 1
	}
	return 0
}

// firstName prefers the node whose name sorts first.
func firstName(index int) int64 { return int64(index) }

// first is the index of the node that the preferences rank first.
func first[Node any](nodes []Node, preferences []preference[Node]) int {
	best := 0
	scores := scoresOf(&nodes[0], preferences)
	for i := 1; i < len(nodes); i++ {
		for k, score := range preferences {
			if mine := score(&nodes[i]); mine > scores[k] {
				break
			} else if mine < scores[k] {
				best, scores = i, scoresOf(&nodes[i], preferences)
				break
			}
		}
	}
	return best
}

func scoresOf[Node any](n *Node, preferences []preference[Node]) []int64 {
	out := make([]int64, len(preferences))
	for k, score := range preferences {
		out[k] = score(n)
	}
	return out
}
