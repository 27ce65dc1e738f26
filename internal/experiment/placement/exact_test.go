package placement

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// TestFindIsExact compares Find with trying every assignment, on small clusters with
// all kinds of sizes and labels: it finds a placement if and only if there is one,
// the placement is allowed, it has as many nodes of targets as possible, and the
// same nodes in another order give the same.
func TestFindIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	outcomes := map[string]int{}
	for range 4000 {
		nodes, need, taken := randomCase(r)
		before := make([]corev1.Node, len(nodes))
		for i := range nodes {
			before[i] = *nodes[i].DeepCopy()
		}
		isTaken := func(name string) bool { return slices.Contains(taken, name) }
		got := find(nodes, need, isTaken)
		if diff := cmp.Diff(before, nodes); diff != "" {
			t.Fatalf("Find changed the nodes: %s", diff)
		}
		want := "never"
		most := mostTargetNodes(nodes, need, isTaken)
		if most >= 0 {
			want = "now"
		} else if mostTargetNodes(nodes, need, func(string) bool { return false }) >= 0 {
			want = "busy"
		}
		outcomes[want]++
		is := map[bool]string{true: "busy", false: "never"}[got.Reason == v1alpha1.ReasonQueued]
		if got.Reason == "" {
			is = "now"
		}
		if is != want {
			t.Fatalf("Find says %s (%+v), trying everything says %s\n%s", is, got, want, show(nodes, need, taken))
		}
		if want == "now" {
			if problem := wrong(nodes, need, isTaken, got.Placement); problem != "" {
				t.Fatalf("%s: %+v\n%s", problem, got.Placement, show(nodes, need, taken))
			}
			if n := targetNodes(got.Placement); !need.OneAtATime && n != most {
				t.Fatalf("%d nodes for targets, want %d: %+v\n%s", n, most, got.Placement, show(nodes, need, taken))
			}
		}
		r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		if diff := cmp.Diff(got, find(nodes, need, isTaken)); diff != "" {
			t.Fatalf("another order of the nodes gives another answer: %s", diff)
		}
	}
	for _, outcome := range []string{"now", "busy", "never"} {
		if outcomes[outcome] < 200 {
			t.Errorf("only %d cases end as %q: the test proves little", outcomes[outcome], outcome)
		}
	}
}

func randomCase(r *rand.Rand) ([]corev1.Node, Need, []string) {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	someShape := func() v1alpha1.InstanceShapeSpec {
		return small(pick("", "x", "y"), pick("1", "2", "3"), pick("1Gi", "2Gi", "4Gi"))
	}
	var nodes []corev1.Node
	var taken []string
	for i := range 1 + r.IntN(5) {
		name := fmt.Sprintf("n%d", i)
		nodes = append(nodes, node(name, pick("x", "y", "z"), sized(pick("2", "3", "4", "6"), pick("4Gi", "6Gi", "8Gi")), zoned([]string{"", "1", "2"}[i%3])))
		if r.IntN(4) == 0 {
			taken = append(taken, name)
		}
	}
	need := Need{Client: someShape(), Clients: 1 + r.IntN(4), Separate: r.IntN(2) == 0, OneAtATime: r.IntN(3) == 0}
	shapes := []v1alpha1.InstanceShapeSpec{someShape(), someShape()}
	for i := range r.IntN(5) {
		need.Targets = append(need.Targets, Target{Name: fmt.Sprintf("t%d", i), Shape: shapes[r.IntN(2)]})
	}
	// No more than five pods: every one can be on every node.
	for left := 5 - len(need.Targets); left > 0 && len(need.Targets) > 0 && r.IntN(2) == 0; left-- {
		need.Targets[r.IntN(len(need.Targets))].Replicas++
	}
	return nodes, need, taken
}

// mostTargetNodes tries every assignment of targets to nodes: the largest number of
// nodes that an allowed one has, or -1 when there is none.
func mostTargetNodes(nodes []corev1.Node, need Need, taken func(string) bool) int {
	best := -1
	p := v1alpha1.Placement{Targets: make([]v1alpha1.TargetPlacement, len(need.Targets))}
	// The replica of a target that gets its node next; -1 is the primary.
	var try func(i, replica int)
	try = func(i, replica int) {
		switch {
		case i == len(need.Targets):
			if sharedReplica(need, p) == "" && clientRoom(nodes, need, taken, p) >= int64(need.Clients) {
				best = max(best, targetNodes(p))
			}
			return
		case replica == need.Targets[i].Replicas:
			try(i+1, -1)
			return
		case replica == -1:
			p.Targets[i] = v1alpha1.TargetPlacement{Name: need.Targets[i].Name, ReplicaNodeNames: make([]string, need.Targets[i].Replicas)}
		}
		for _, n := range nodes {
			if replica == -1 {
				p.Targets[i].NodeName = n.Name
			} else {
				p.Targets[i].ReplicaNodeNames[replica] = n.Name
			}
			if offersShape(n, need.Targets[i].Shape) && !taken(n.Name) {
				try(i, replica+1)
			}
		}
	}
	try(0, -1)
	return best
}

// sharedReplica names a replica that is not alone on its node; empty for none. Nodes
// that are not given yet are all the same to it.
func sharedReplica(need Need, p v1alpha1.Placement) string {
	type pod struct {
		target  int
		replica bool
		node    string
	}
	var pods []pod
	for i, t := range p.Targets {
		pods = append(pods, pod{i, false, t.NodeName})
		for _, node := range t.ReplicaNodeNames {
			pods = append(pods, pod{i, true, node})
		}
	}
	for i, a := range pods {
		for _, b := range pods[i+1:] {
			together := a.target == b.target || !need.OneAtATime
			if a.node == b.node && together && (a.replica || b.replica) {
				return need.Targets[b.target].Name
			}
		}
	}
	return ""
}

// clientRoom is how many clients have room beside the targets; -1 when the targets
// do not fit together.
func clientRoom(nodes []corev1.Node, need Need, taken func(string) bool, p v1alpha1.Placement) (pods int64) {
	for _, n := range nodes {
		free, used := leftOn(n, need, p)
		if free.cpu < 0 || free.memory < 0 {
			return -1
		}
		if !taken(n.Name) && offersShape(n, need.Client) && (!used || !need.Separate) {
			pods += min(free.cpu/need.Client.CPU.MilliValue(), free.memory/need.Client.Memory.Value())
		}
	}
	return pods
}

// leftOn a node when its targets run, and whether there are any.
func leftOn(n corev1.Node, need Need, p v1alpha1.Placement) (room, bool) {
	var sum, largest room
	used := false
	for i, t := range p.Targets {
		// A replica is never beside its primary, so each target counts at most once.
		if t.NodeName != n.Name && !slices.Contains(t.ReplicaNodeNames, n.Name) {
			continue
		}
		s := need.Targets[i].Shape
		used = true
		sum = room{cpu: sum.cpu + s.CPU.MilliValue(), memory: sum.memory + s.Memory.Value()}
		largest = room{cpu: max(largest.cpu, s.CPU.MilliValue()), memory: max(largest.memory, s.Memory.Value())}
	}
	if need.OneAtATime {
		sum = largest
	}
	return room{cpu: n.Status.Allocatable.Cpu().MilliValue() - sum.cpu, memory: n.Status.Allocatable.Memory().Value() - sum.memory}, used
}

func targetNodes(p v1alpha1.Placement) int {
	seen := map[string]bool{}
	for _, t := range p.Targets {
		seen[t.NodeName] = true
		for _, node := range t.ReplicaNodeNames {
			seen[node] = true
		}
	}
	return len(seen)
}

// wrong says what a placement violates; empty for nothing.
func wrong(nodes []corev1.Node, need Need, taken func(string) bool, p v1alpha1.Placement) string {
	byName := map[string]corev1.Node{}
	for _, n := range nodes {
		byName[n.Name] = n
	}
	if len(p.Targets) != len(need.Targets) {
		return "not every target has a node"
	}
	for i, t := range p.Targets {
		if t.Name != need.Targets[i].Name || !offersShape(byName[t.NodeName], need.Targets[i].Shape) || taken(t.NodeName) {
			return fmt.Sprintf("target %s is on a node that it cannot have", t.Name)
		}
		if len(t.ReplicaNodeNames) != need.Targets[i].Replicas {
			return fmt.Sprintf("target %s has not all its replicas", t.Name)
		}
		for _, node := range t.ReplicaNodeNames {
			if !offersShape(byName[node], need.Targets[i].Shape) || taken(node) {
				return fmt.Sprintf("a replica of target %s is on a node that it cannot have", t.Name)
			}
		}
	}
	if name := sharedReplica(need, p); name != "" {
		return "a pod of target " + name + " shares the node of a replica"
	}
	if !slices.IsSorted(p.ClientNodeNames) || len(slices.Compact(slices.Clone(p.ClientNodeNames))) != len(p.ClientNodeNames) {
		return "the nodes of the clients are not sorted and unique"
	}
	var pods []int64
	for _, name := range p.ClientNodeNames {
		free, used := leftOn(byName[name], need, p)
		if taken(name) || !offersShape(byName[name], need.Client) || used && need.Separate {
			return "a client is on a node that it cannot have"
		}
		pods = append(pods, min(free.cpu/need.Client.CPU.MilliValue(), free.memory/need.Client.Memory.Value()))
	}
	sum := int64(0)
	for _, n := range pods {
		sum += n
	}
	if clientRoom(nodes, need, taken, p) < int64(need.Clients) || sum < int64(need.Clients) {
		return "the pods do not fit together"
	}
	if sum-slices.Min(pods) >= int64(need.Clients) {
		return "the clients have more nodes than they need"
	}
	return ""
}

// TestMatchingIsTheLeastCost compares the matching with all permutations.
func TestMatchingIsTheLeastCost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	none := 0
	for range 4000 {
		rows := 1 + r.IntN(4)
		columns := rows + r.IntN(3)
		costs := make([][]int64, rows)
		for i := range costs {
			for range columns {
				cost := int64(r.IntN(20))
				if r.IntN(2) == 0 {
					cost = impossible
				}
				costs[i] = append(costs[i], cost)
			}
		}
		want := leastCost(costs, 0, map[int]bool{})
		got, ok := matching(costs, columns)
		if ok != (want < impossible) || ok && got != want {
			t.Fatalf("matching = %d, %v, want %d: %v", got, ok, want, costs)
		}
		if !ok {
			none++
		}
	}
	if none < 400 {
		t.Errorf("only %d cases have no matching: the test proves little", none)
	}
}

func leastCost(costs [][]int64, row int, used map[int]bool) int64 {
	if row == len(costs) {
		return 0
	}
	best := int64(math.MaxInt64)
	for column, cost := range costs[row] {
		if !used[column] {
			used[column] = true
			best = min(best, cost+leastCost(costs, row+1, used))
			delete(used, column)
		}
	}
	return best
}

// manyNodes are of ten kinds, and no two of exactly the same size.
func manyNodes(n int) []corev1.Node {
	var out []corev1.Node
	for i := range n {
		out = append(out, node(fmt.Sprintf("node-%04d", i*7919%n), fmt.Sprintf("k%d", i%10), sized("16", fmt.Sprintf("%dKi", 64<<20+i))))
	}
	return out
}

// manyTargets are eight of different shapes that every node of some kinds offers.
func manyTargets() []Target {
	var out []Target
	for i := range 8 {
		out = append(out, Target{Name: fmt.Sprintf("t%d", i), Shape: small("", fmt.Sprintf("%d", i+1), "8Gi")})
	}
	return out
}

// A search of every placement would make millions of allocations on such a cluster. BenchmarkFind has the times.
func TestFindSearchesLittleOnLargeClusters(t *testing.T) {
	const most = 50_000
	nodes := manyNodes(2000)
	hard := Need{Client: small("", "16", "64Gi"), Clients: 1993, Targets: manyTargets(), Separate: true}
	for name, need := range map[string]Need{
		"a usual run": {Client: shape("k1"), Clients: 4, Targets: targets("i:k2 m:k2"), Separate: true},
		"one with eight shapes that has no place":               hard,
		"one with eight shapes that has to share to leave room": {Client: hard.Client, Clients: 1996, Targets: hard.Targets, Separate: true},
	} {
		if n := testing.AllocsPerRun(1, func() { find(nodes, need, nil) }); n > most {
			t.Errorf("%s: %v allocations, want at most %d", name, n, most)
		}
	}
}

// BenchmarkFind also has the exact search, to compare with in one run.
func BenchmarkFind(b *testing.B) {
	many, few := manyNodes(2000), manyNodes(68)
	for name, need := range map[string]Need{
		"usual":           {Client: shape("k1"), Clients: 4, Targets: targets("i:k2 m:k2"), Separate: true},
		"eight shapes":    {Client: shape(""), Clients: 64, Targets: manyTargets(), Separate: true},
		"eight share":     {Client: small("", "16", "64Gi"), Clients: 64, Targets: manyTargets(), Separate: true},
		"eight, no place": {Client: small("", "16", "64Gi"), Clients: 2000, Targets: manyTargets(), Separate: true},
	} {
		nodes := many
		if name == "eight share" {
			nodes = few // 64 for the clients, four for the targets
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := NewCluster(nodes)
				if _, ok := c.Fit(need, nil); !ok {
					c.refuse(need)
				}
			}
		})
		b.Run(name+", exact", func(b *testing.B) {
			for b.Loop() {
				c := NewCluster(nodes)
				if _, ok := exactFit(c, need, nil); !ok {
					c.refuse(need)
				}
			}
		})
	}
}

func show(nodes []corev1.Node, need Need, taken []string) string {
	out := fmt.Sprintf("taken %v, separate %v, one at a time %v\n", taken, need.Separate, need.OneAtATime)
	for _, n := range nodes {
		out += fmt.Sprintf("node %s %s cpu %s memory %s\n", n.Name, n.Labels["kind"], n.Status.Allocatable.Cpu(), n.Status.Allocatable.Memory())
	}
	out += fmt.Sprintf("%d clients %s\n", need.Clients, keyOf(need.Client))
	for _, t := range need.Targets {
		out += fmt.Sprintf("target %s %s with %d replicas\n", t.Name, keyOf(t.Shape), t.Replicas)
	}
	return out
}
