package experiment

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// Demand is what the trials of a plan need of the limits of a server.
type Demand struct {
	// All clients together, the largest of all cells.
	All contract.Demand
	// clients that measure at the same time, of all tenants, in the cell with the most connections, and the number of tenants.
	clients, tenants int64
	// each is the most connections of one client, and beside are those of a second load in the cell with the most connections.
	each, beside int64
	// connections and statements of one client in the cell with the most prepared
	// statements, and how many clients it has, for the arithmetic.
	connections, statements, preparing int64
}

// Memory of a server beside its caches: that of a connection which has sorted, and that of a prepared statement of sysbench. Measured by
// hand as the growth of the resident memory of MySQL 9.7.4 with 300 connections of 90 statements each, prepared and most of them executed: 0.49 MiB
// and 27.7 KiB. MariaDB 10.11 takes 0.12 MiB, and 19.3 KiB before they are executed.
const (
	connectionBytes = 512 << 10
	statementBytes  = 28 << 10
)

// ServerBytes are about the memory that connections and prepared statements take in a server, beside its caches.
func (d Demand) ServerBytes() int64 {
	return d.All.Connections*connectionBytes + d.All.PreparedStatements*statementBytes
}

// On one of so many servers that tenants have to themselves; the demand on a single one is that of all.
func (d Demand) On(servers int) Demand {
	n := int64(servers)
	if n < 2 {
		return d
	}
	d.All = d.All.On(n)
	d.clients, d.preparing, d.tenants = d.clients/n, d.preparing/n, d.tenants/n
	return d
}

// ClientFiles are the files that a tool has open in one client.
func (d Demand) ClientFiles() int64 { return d.each + contract.SpareFiles }

// ShapeSettings are the defaults of a server that follow from its machine.
func ShapeSettings(e engine.Engine, shape v1alpha1.InstanceShapeSpec, m *v1alpha1.MySQLTarget) []contract.Setting {
	if m.Sizing == v1alpha1.SizingServer || e.Defaults == nil {
		return nil
	}
	return e.Defaults(engine.Shape{
		MemoryBytes: shape.Memory.Value(),
		DataBytes:   m.Storage.Size.Value(), DataInMemory: m.Storage.Medium == v1alpha1.MediumMemory,
	}, m.StorageEngine)
}

// Limits are the settings that raise the limits of a server that the workload would meet.
func (d Demand) Limits(e engine.Engine) []contract.Setting {
	if e.Limits == nil || d.IsZero() {
		return nil
	}
	return e.Limits(d.All)
}

// Words have the numbers, and where they come from.
func (d Demand) Words() string {
	if d.IsZero() {
		return "nothing that is known"
	}
	return d.arithmetic()
}

// IsZero says that nothing is needed, or that nothing is known.
func (d Demand) IsZero() bool { return d.All == contract.Demand{} }

// add the demand of one of the clients that work in a cell, and that of the clients of a second load there. Each client has connections of its own;
// those of a tenant share the tables, and a second load has no others.
func (d *Demand) add(one contract.Demand, working int64, second contract.Demand, clients int64) {
	d.each = max(d.each, one.Connections, second.Connections)
	if all := working*one.Connections + clients*second.Connections; all > d.All.Connections {
		d.All.Connections, d.beside, d.clients = all, clients*second.Connections, working
	}
	if all := working*one.PreparedStatements + clients*second.PreparedStatements; all > d.All.PreparedStatements {
		d.All.PreparedStatements, d.preparing, d.connections, d.statements = all, working, one.Connections, one.PreparedStatements
	}
	d.All.Tables = max(d.All.Tables, d.tenants*one.Tables)
}

// Fits refuses settings of the user and values of the matrix that are lower than what the workload needs of a server.
func (d Demand) Fits(field string, m *v1alpha1.MySQLTarget, user []contract.Setting, matrix []v1alpha1.Axis, e engine.Engine) error {
	needed := d.Limits(e)
	if err := d.fits(field, m, user, needed); err != nil {
		return err
	}
	return d.fitsVaried(matrix, needed)
}

func (d Demand) fits(field string, m *v1alpha1.MySQLTarget, user, needed []contract.Setting) error {
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
			return Refuse(string(contract.ReasonLimitTooLow), "%s%s: %s is too low: the workload needs %s, and Assay a few for itself: use at least %d, leave it out, or use fewer threads or clients",
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
func (d Demand) arithmetic() string {
	words := []string{fmt.Sprintf("%d connections", d.All.Connections)}
	each := (d.All.Connections - d.beside) / d.clients
	switch {
	case d.beside > 0:
		words[0] = fmt.Sprintf("%d clients x %d + %d of the second load = %d connections", d.clients, each, d.beside, d.All.Connections)
	case d.clients > 1:
		words[0] = fmt.Sprintf("%d clients x %d = %d connections", d.clients, each, d.All.Connections)
	}
	switch {
	case d.All.PreparedStatements == 0:
	case d.beside > 0:
		words = append(words, fmt.Sprintf("%d prepared statements", d.All.PreparedStatements))
	case d.connections > 0 && d.statements%d.connections == 0 && d.preparing > 1:
		words = append(words, fmt.Sprintf("%d clients x %d connections x %d prepared statements = %d",
			d.preparing, d.connections, d.statements/d.connections, d.All.PreparedStatements))
	case d.connections > 0 && d.statements%d.connections == 0:
		words = append(words, fmt.Sprintf("%d connections x %d prepared statements = %d", d.connections, d.statements/d.connections, d.All.PreparedStatements))
	default:
		words = append(words, fmt.Sprintf("%d prepared statements", d.All.PreparedStatements))
	}
	if d.All.Tables > 0 {
		words = append(words, fmt.Sprintf("%d tables", d.All.Tables))
	}
	return strings.Join(words, ", ")
}
