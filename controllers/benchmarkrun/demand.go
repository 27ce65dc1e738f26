package benchmarkrun

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/settings"
)

// demand is what the trials of a plan need of the limits of a server.
type demand struct {
	// all clients together, the largest of all cells.
	all contract.Demand
	// clients that work at the same time.
	clients int64
	// connections and statements of one client in the cell with the most prepared
	// statements, for the arithmetic.
	connections, statements int64
}

func (d demand) isZero() bool { return d.all == contract.Demand{} }

// deriveDemand asks the tool about every cell of the plan.
func (s *scope) deriveDemand(p *plan.Plan) (demand, error) {
	out := demand{clients: int64(max(s.run.Spec.Clients.Count, 1))}
	if s.runner.Demand == nil {
		return out, nil
	}
	for i, cell := range p.Cells {
		trial, err := s.sketch(cell)
		if err != nil {
			return out, err
		}
		one, err := s.runner.Demand(trial)
		if err != nil {
			return out, refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
		}
		out.add(one)
	}
	return out, nil
}

// add the demand of one client in one cell. Each client has connections of its own;
// they share the tables.
func (d *demand) add(one contract.Demand) {
	if one.PreparedStatements > d.statements {
		d.connections, d.statements = one.Connections, one.PreparedStatements
	}
	d.all.Connections = max(d.all.Connections, d.clients*one.Connections)
	d.all.PreparedStatements = max(d.all.PreparedStatements, d.clients*one.PreparedStatements)
	d.all.Tables = max(d.all.Tables, one.Tables)
}

// sketch is a trial of a cell before anything is known of targets: enough to ask the
// tool what the cell means.
func (s *scope) sketch(cell plan.Cell) (contract.Trial, error) {
	params, err := s.cellWorkload(cell)
	if err != nil {
		return contract.Trial{}, refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	return contract.Trial{
		Version: contract.TrialVersion, Runner: s.runner.Name, Workload: params, Clients: int(max(s.run.Spec.Clients.Count, 1)),
		Measurement: s.measurement(), DurationSeconds: max(int64(s.run.Spec.Design.Duration.Seconds()), 1), Ref: contract.TrialRef{Phase: string(contract.PhaseRun)},
	}, nil
}

// fits refuses settings of the user that are lower than what the workload needs.
func (d demand) fits(field string, m *v1alpha1.MySQLTarget, user, needed []contract.Setting) error {
	for _, need := range needed {
		least, ok := settings.Integer(need.Value)
		if !ok {
			continue
		}
		for _, given := range user {
			has, ok := settings.Integer(given.Value)
			if !ok || !sameOption(given.Name, need.Name) || has >= least {
				continue
			}
			where := field + ".configFrom, "
			if inConfig(m, given.Name) {
				where = field + ".config."
			}
			return refuse(string(contract.ReasonLimitTooLow), "%s%s: %s is too low: the workload needs %s, and Assay a few for itself: use at least %d, leave it out, or use fewer threads or clients",
				where, given.Name, given.Value, d.arithmetic(), least)
		}
	}
	return nil
}

// sameOption compares names of settings; a server takes loose_ before any.
func sameOption(a, b string) bool {
	bare := func(name string) string {
		return strings.TrimPrefix(strings.ToLower(settings.CanonicalName(name)), "loose_")
	}
	return bare(a) == bare(b)
}

func inConfig(m *v1alpha1.MySQLTarget, name string) bool {
	for key := range m.Config {
		if sameOption(key, name) {
			return true
		}
	}
	return false
}

// arithmetic says where the numbers come from.
func (d demand) arithmetic() string {
	words := []string{fmt.Sprintf("%d connections", d.all.Connections)}
	each := d.all.Connections / d.clients
	if d.clients > 1 {
		words[0] = fmt.Sprintf("%d clients x %d = %d connections", d.clients, each, d.all.Connections)
	}
	switch {
	case d.all.PreparedStatements == 0:
	case d.connections > 0 && d.statements%d.connections == 0 && d.clients > 1:
		words = append(words, fmt.Sprintf("%d clients x %d connections x %d prepared statements = %d",
			d.clients, d.connections, d.statements/d.connections, d.all.PreparedStatements))
	case d.connections > 0 && d.statements%d.connections == 0:
		words = append(words, fmt.Sprintf("%d connections x %d prepared statements = %d", d.connections, d.statements/d.connections, d.all.PreparedStatements))
	default:
		words = append(words, fmt.Sprintf("%d prepared statements", d.all.PreparedStatements))
	}
	if d.all.Tables > 0 {
		words = append(words, fmt.Sprintf("%d tables", d.all.Tables))
	}
	return strings.Join(words, ", ")
}
