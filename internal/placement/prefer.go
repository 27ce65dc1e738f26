package placement

import corev1 "k8s.io/api/core/v1"

// targetNode is a node that a group of targets can have, as the preferences see it.
type targetNode struct {
	index int // in the order of names
	node  *corev1.Node
	// others are the nodes of the groups that were placed before.
	others []targetNode
	// slots is how many client pods fit on the node when no target is there.
	slots int64
	// lost is how many of these find no room any more when the group has the node.
	lost int64
}

// clientNode is a node that clients can have, as the preferences see it.
type clientNode struct {
	index int // in the order of names
	// pods is how many of the clients that have no node yet fit.
	pods int64
	// forTargets: a target of the run could use the node.
	forTargets bool
}

// preference says how good a node is; the smallest score is the best.
type preference[Node any] func(*Node) int64

// targetPreferences decide which node a group of targets gets: the first one that
// differs. The last one never calls two nodes equal, so the answer is always the same.
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
	for _, other := range n.others {
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

// first is the index of the node that the preferences put first.
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
