package trial

import (
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
)

// costsOf an operation. What the server used for another load, too, is no cost of the workload; nor is what the client used, where its tool makes both.
func costsOf(in Input, all outcome, target string) []contract.Measurement {
	out := costs.Of(all.measuring, all.merged, priceOf(in.Run, target))
	if len(all.servers) > 0 {
		out = costs.OfServers(out, costsOfEach(all))
	}
	if all.shared {
		out = slices.DeleteFunc(out, func(m contract.Measurement) bool {
			return costs.OfServer(m.Name) || m.Name == costs.ClientCPU && all.within
		})
	}
	return out
}

// costsOfEach server, whose price is none of them: it is that of all servers.
func costsOfEach(all outcome) (out []costs.Server) {
	for _, s := range all.servers {
		out = append(out, costs.ServerOf(s.results, s.merged))
	}
	return out
}

// levelsOf all servers that were measured.
func levelsOf(all outcome) []contract.Measurement {
	var each []contract.Result
	for _, s := range all.each() {
		each = append(each, s.merged)
	}
	return levels.Of(each...)
}

// priceOf the servers of a target, by its shape or, of an external one, by what the spec says; without one where neither has one.
func priceOf(run *v1alpha1.BenchmarkRun, target string) costs.Rate {
	t, servers := run.Target(target), 1
	var price *v1alpha1.Price
	switch shape := run.ResolvedTarget(target).Shape; {
	case t.External != nil:
		price = t.External.Price
	case shape != nil:
		price, servers = shape.Price, 1+run.Spec.FurtherServers(t)
	}
	if price == nil {
		return costs.Rate{}
	}
	perHour, err := strconv.ParseFloat(price.PerHour, 64)
	if err != nil {
		return costs.Rate{} // the API server has checked it
	}
	return costs.Rate{PerHour: perHour * float64(servers), Currency: price.Currency}
}
