package costs

import (
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Server is what the clients of one of several servers measured, and what an operation cost there.
type Server struct {
	// perSecond are its operations; 0 where they are unknown.
	perSecond float64
	costs     []contract.Measurement
}

// ServerOf the results of the clients of one server, and what they measured together.
func ServerOf(results []contract.Result, merged contract.Result) Server {
	n, _ := operations(merged)
	return Server{perSecond: n, costs: Of(results, merged, Rate{})}
}

// ofEach are the costs that Of takes from the evidence of one server. All but the memory are per operation.
var ofEach = []string{ServerCPU, Written, Flushes, Debt, Flushed, ServerMemory}

// OfServers are the costs of a trial on several servers, from those that Of gives of all clients together, which has the evidence of the first server
// alone. A cost per operation is the mean of those of the servers, weighted by their operations: what all servers used, for all
// operations. Memory is added up. A cost that one server does not have is absent.
func OfServers(all []contract.Measurement, servers []Server) []contract.Measurement {
	out := slices.DeleteFunc(all, func(m contract.Measurement) bool { return slices.Contains(ofEach, m.Name) })
	for _, name := range ofEach {
		if m, known := together(name, servers); known {
			out = append(out, m)
		}
	}
	return out
}

func together(name string, servers []Server) (out contract.Measurement, known bool) {
	sum, weights := 0.0, 0.0
	for _, s := range servers {
		i := slices.IndexFunc(s.costs, func(m contract.Measurement) bool { return m.Name == name && len(m.Labels) == 0 })
		if i < 0 {
			return out, false
		}
		weight := 1.0
		if name != ServerMemory {
			weight = s.perSecond
		}
		out = s.costs[i]
		sum, weights = sum+weight**out.Value, weights+weight
	}
	if name != ServerMemory {
		sum /= weights
	}
	out.Value = &sum
	return out, len(servers) > 0
}
