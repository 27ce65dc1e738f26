package placement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// refuse returns why the cluster cannot place the run, even when it is empty.
func (c *Cluster) refuse(need Need) Answer {
	clients := c.offering(need.Client)
	if clients.Len() == 0 {
		return c.none("the clients with their agents", need.Client)
	}
	for _, t := range need.Targets {
		if c.offering(t.Shape).Len() == 0 {
			return c.none("target "+t.Name, t.Shape)
		}
	}
	shared := need
	shared.Separate = false
	if c.possible(shared) {
		return Answer{Reason: v1alpha1.ReasonCannotSeparate, Message: fmt.Sprintf(
			"clients and targets must be on different nodes, but the clients' shape is offered by %s only, and the targets leave too little of it: "+
				"add a node, change a shape's nodeSelector, or set spec.clients.placement.separateFromTargets: None", c.list(clients))}
	}
	alone := need
	alone.Targets = nil
	if !c.possible(alone) {
		return Answer{Reason: v1alpha1.ReasonNoNodeOffersShape, Message: fmt.Sprintf(
			"the nodes that offer the clients' shape (%s) have no room for %d client pods at once: "+
				"add such nodes, use fewer (spec.clients.count of each tenant, and those of spec.background), or use a smaller shape", c.list(clients), max(need.Clients, 1))}
	}
	remedy := "add nodes that offer the shapes, or use smaller shapes"
	if len(need.Targets) > 1 && !need.OneAtATime {
		remedy += ", or set spec.design.idleTargets: Stopped, so that targets can share a node"
	}
	replicas, servers := 0, 0
	for _, t := range need.Targets {
		if t.Tenants {
			servers += t.Replicas
		} else {
			replicas += t.Replicas
		}
	}
	what := figure.Counted(len(need.Targets), "target")
	if replicas > 0 {
		what += ", " + figure.Counted(replicas, "replica") + " on nodes of their own"
		remedy += ", or lower mysql.replication.replicas"
	}
	if servers > 0 {
		what += ", " + figure.Counted(servers, "further server") + " of tenants"
		if len(unitsOf(need)) > maxShared {
			what += fmt.Sprintf(" (of more than %d database pods each needs a node of its own)", maxShared)
		}
		remedy += ", or lower spec.tenants, or set mysql.tenancy: Databases"
	}
	all := c.Candidates(need)
	return Answer{Reason: v1alpha1.ReasonNoNodeOffersShape, Message: fmt.Sprintf(
		"the nodes that offer the shapes (%s) have no room for %s and %s at once: %s",
		c.list(all), what, figure.Counted(max(need.Clients, 1), "client pod"), remedy)}
}

// none of the nodes offers a shape: the message lists what each node lacks, nodes with the
// fewest lacks first.
func (c *Cluster) none(who string, shape v1alpha1.InstanceShapeSpec) Answer {
	by := map[string]Set{}
	for i, n := range c.nodes {
		lack := lacks(n, &shape)
		if by[lack] == nil {
			by[lack] = c.Set()
		}
		by[lack].Add(i)
	}
	var lacking []string
	for _, lack := range slices.Backward(allLacks) {
		if by[lack].Len() > 0 {
			lacking = append(lacking, c.list(by[lack])+": "+lack)
		}
	}
	if len(lacking) == 0 {
		lacking = []string{"there are no nodes"}
	}
	pages := ""
	if h := shape.HugePages; h != nil {
		size := h.Size()
		pages = fmt.Sprintf(", %s %s", h.PageSize.Resource(), size.String())
	}
	return Answer{Reason: v1alpha1.ReasonNoNodeOffersShape, Message: fmt.Sprintf(
		"no ready node offers the shape of %s (cpu %s, memory %s%s, nodeSelector %v, %d tolerations): %s: "+
			"add such a node, or correct the shape", who, shape.CPU.String(), shape.Memory.String(), pages, shape.NodeSelector,
		len(shape.Tolerations), strings.Join(lacking, "; "))}
}

// maxListed nodes in a message.
const maxListed = 5

// list names the nodes of a set, the first few of many.
func (c *Cluster) list(s Set) string {
	names := c.namesOf(s.Members())
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}
