package custom

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// canonical are the units of the measurements of a trial, and by how much those of
// other units are divided; published numbers keep the unit in which they were printed.
var canonical = map[string]map[string]struct {
	unit    string
	divisor float64
}{
	"latency.":             {"us": {"ms", 1000}, "s": {"ms", 0.001}},
	contract.NameTotalTime: {"ms": {"s", 1000}, "us": {"s", 1e6}},
}

// Quoted reads the output of a known tool that is called in a way of the user's own: as
// tolerantly as output that somebody published, but as numbers of this trial. Operations
// that failed fail the trial: of some tools the exit code does not tell.
func Quoted(quote Format) Format {
	if quote == nil {
		return nil
	}
	return func(output []byte) runner.Report {
		r := quote(output)
		for i, m := range r.Measurements {
			for prefix, units := range canonical {
				to, other := units[m.Unit]
				if !other || m.Value == nil || !strings.HasPrefix(m.Name, prefix) {
					continue
				}
				r.Measurements[i].Unit, r.Measurements[i].Value = to.unit, new(*m.Value/to.divisor)
			}
		}
		for _, e := range r.Errors {
			// Those are what sysbench repeats or makes again.
			if r.Failure == nil && e.Count > 0 && e.Name != contract.ErrorIgnored && e.Name != contract.ErrorReconnects {
				r.Failure = failed(contract.ReasonToolFailed, "%d operations ended with %s", e.Count, e.Name).Failure
			}
		}
		return r
	}
}
