package placement

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// grade of a placement by what is preferred; less is better.
type grade struct {
	// shared is how many nodes of the clients have a target too.
	shared int
	// slots is how many client pods would fit on the nodes of the targets.
	slots int64
	// clients is how many nodes the clients have, and usable how many of these a target
	// could use.
	clients, usable int
}

func gradeOf(c *Cluster, need Need, p v1alpha1.Placement) grade {
	targets := p
	targets.ClientNodeNames = nil
	var g grade
	for _, i := range c.SetOf(Nodes(targets)).Members() {
		if c.offering(need.Client).Has(i) {
			g.slots += slots(c.has[i], roomOf(need.Client))
		}
	}
	for _, name := range p.ClientNodeNames {
		g.clients++
		if slices.Contains(Nodes(targets), name) {
			g.shared++
		}
		i, _ := slices.BinarySearch(c.names, name)
		if slices.ContainsFunc(need.Targets, func(t Target) bool { return c.offering(t.Shape).Has(i) }) {
			g.usable++
		}
	}
	return g
}

// tally of how a grade differs from that of the exact search.
type tally struct {
	worse, better int
	most          int64 // by which one was worse
}

func (t *tally) add(more int64) {
	switch {
	case more > 0:
		t.worse++
		t.most = max(t.most, more)
	case more < 0:
		t.better++
	}
}

// TestGreedyIsCloseToExact compares the answers with those of the exact search, on
// clusters of up to 12 nodes with up to 12 pods of targets. What must hold is the same
// in every case; what is preferred may be worse in few cases, by little.
func TestGreedyIsCloseToExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	placed, never := 0, 0
	var shared, slots, clients, usable tally
	for range 3000 {
		nodes, need, taken := largerCase(r)
		c := NewCluster(nodes)
		set := c.SetOf(taken)
		want, feasible := exactFit(c, need, set)
		got, ok := c.Fit(need, set)
		if ok != feasible {
			t.Fatalf("Fit says %v, the exact search %v\n%s", ok, feasible, show(nodes, need, taken))
		}
		if !ok {
			never++
			continue
		}
		placed++
		if problem := wrong(nodes, need, func(name string) bool { return slices.Contains(taken, name) }, got); problem != "" {
			t.Fatalf("%s: %+v\n%s", problem, got, show(nodes, need, taken))
		}
		if g, w := targetNodes(got), targetNodes(want); g != w {
			t.Fatalf("%d nodes for targets, the exact search has %d\n%s", g, w, show(nodes, need, taken))
		}
		mine, best := gradeOf(c, need, got), gradeOf(c, need, want)
		shared.add(int64(mine.shared - best.shared))
		slots.add(mine.slots - best.slots)
		clients.add(int64(mine.clients - best.clients))
		usable.add(int64(mine.usable - best.usable))
	}
	if placed < 1000 || never < 300 {
		t.Errorf("%d cases are placed and %d are not: the test proves little", placed, never)
	}
	for _, row := range []struct {
		what      string
		got       tally
		wantWorse float64 // share of the cases, at most
		wantMost  int64
	}{
		{"nodes that clients share with a target", shared, 0.0025, 1},
		{"client pods that fit on the nodes of targets", slots, 0.02, 8},
		{"nodes of clients", clients, 0.005, 4},
		{"nodes of clients that a target could use", usable, 0.005, 4},
	} {
		share := float64(row.got.worse) / float64(placed)
		t.Logf("%s: worse than the exact search in %.2f %% of %d cases, by at most %d; better in %.2f %%",
			row.what, 100*share, placed, row.got.most, 100*float64(row.got.better)/float64(placed))
		if share > row.wantWorse || row.got.most > row.wantMost {
			t.Errorf("%s: worse in %.2f %% by up to %d, want at most %.2f %% by %d",
				row.what, 100*share, row.got.most, 100*row.wantWorse, row.wantMost)
		}
	}
}

func largerCase(r *rand.Rand) ([]corev1.Node, Need, []string) {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	someShape := func() v1alpha1.InstanceShapeSpec {
		return small(pick("", "", "x", "y"), pick("1", "2", "3"), pick("1Gi", "2Gi", "4Gi"))
	}
	var nodes []corev1.Node
	var taken []string
	for i := range 4 + r.IntN(9) {
		name := fmt.Sprintf("n%02d", i)
		nodes = append(nodes, node(name, pick("x", "y", "z"), sized(pick("2", "4", "8"), pick("4Gi", "8Gi", "16Gi")), zoned([]string{"", "1", "2"}[i%3])))
		if r.IntN(6) == 0 {
			taken = append(taken, name)
		}
	}
	need := Need{Client: someShape(), Clients: 1 + r.IntN(8), Separate: r.IntN(2) == 0, OneAtATime: r.IntN(4) == 0}
	shapes := []v1alpha1.InstanceShapeSpec{someShape(), someShape(), someShape()}
	for i := range r.IntN(7) {
		t := Target{Name: fmt.Sprintf("t%d", i), Shape: shapes[r.IntN(3)]}
		if r.IntN(5) == 0 {
			t.Replicas = 1 + r.IntN(3)
		}
		need.Targets = append(need.Targets, t)
	}
	return nodes, need, taken
}
