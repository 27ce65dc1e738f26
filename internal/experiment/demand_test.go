package experiment

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// The published sweep: 3,000 threads with 92 prepared statements each do not fit into
// the default of 16,382.
func TestDemandFits(t *testing.T) {
	of := func(clients, connections, each int64) Demand {
		d := Demand{clients: clients, tenants: 1}
		d.add(contract.Demand{Connections: 2, PreparedStatements: 2, Tables: 7}, d.clients, contract.Demand{}, 0)
		d.add(contract.Demand{Connections: connections, PreparedStatements: connections * each, Tables: 10}, clients, contract.Demand{}, 0)
		return d
	}
	beside := Demand{clients: 2, tenants: 1}
	beside.add(contract.Demand{Connections: 100, PreparedStatements: 100, Tables: 10}, 2, contract.Demand{Connections: 500, PreparedStatements: 500, Tables: 10}, 2)
	tenants := Demand{clients: 6, tenants: 3}
	tenants.add(contract.Demand{Connections: 100, PreparedStatements: 200, Tables: 10}, 6, contract.Demand{}, 0)
	tests := map[string]struct {
		demand  Demand
		config  map[string]string
		from    []contract.Setting
		refused string
	}{
		"no setting of the user":   {demand: of(1, 3000, 92)},
		"a setting that is enough": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "276000"}},
		"a setting that is too low": {
			demand: of(1, 3000, 92), config: map[string]string{"max-prepared-stmt-count": "16382"},
			refused: "spec.targets[0].mysql.config.max_prepared_stmt_count: 16382 is too low: the workload needs 3000 connections, 3000 connections x 92 prepared statements = 276000, 10 tables, and Assay a few for itself: use at least 276000, leave it out, or use fewer threads or clients",
		},
		"of several clients": {
			demand: of(4, 750, 92), config: map[string]string{"loose_max_prepared_stmt_count": "16k"},
			refused: "needs 4 clients x 750 = 3000 connections, 4 clients x 750 connections x 92 prepared statements = 276000, 10 tables, and",
		},
		"with a second load": {
			demand: beside, config: map[string]string{"max_prepared_stmt_count": "1000"},
			refused: "needs 2 clients x 100 + 1000 of the second load = 1200 connections, 1200 prepared statements, 10 tables, and",
		},
		"of tenants, each with tables of its own": {
			demand: tenants, config: map[string]string{"max_prepared_stmt_count": "1000"},
			refused: "needs 6 clients x 100 = 600 connections, 6 clients x 100 connections x 2 prepared statements = 1200, 30 tables, and",
		},
		"in a ConfigMap": {
			demand: of(1, 3000, 92), from: []contract.Setting{{Name: "max_prepared_stmt_count", Value: "1"}},
			refused: "spec.targets[0].mysql.configFrom, max_prepared_stmt_count: 1 is too low",
		},
		"a value that is no number is the server's business": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			user := tt.from
			parsed, err := settings.Parse(tt.config)
			if err != nil {
				t.Fatal(err)
			}
			user = append(user, parsed...)
			err = tt.demand.fits("spec.targets[0].mysql", &v1alpha1.MySQLTarget{Config: tt.config}, user, []contract.Setting{{Name: "max_prepared_stmt_count", Value: "276000"}})
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
				t.Errorf("error %v\nwant %s", err, tt.refused)
			}
		})
	}
}

// A tool of which nothing is known asks for nothing.
func TestNoDemandIsKnown(t *testing.T) {
	work := Work{spec: v1alpha1.BenchmarkRunSpec{Design: v1alpha1.Design{Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Minute}}}}
	p, err := work.Expand(Planned{Plan: &plan.Plan{Cells: []plan.Cell{{}}}})
	if err != nil || !p.Demand.IsZero() {
		t.Errorf("demand %+v, %v", p.Demand, err)
	}
}
