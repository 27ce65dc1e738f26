// Package engines is the explicit list of the database flavors that Assay knows.
// Adding a flavor is one folder and one line here.
package engines

import (
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/mariadb"
	"github.com/assay-bench/assay/engines/mysql"
	"github.com/assay-bench/assay/engines/percona"
	"github.com/assay-bench/assay/engines/tidb"
)

// All lists the engines in the order in which documents show them.
func All() []engine.Engine {
	return []engine.Engine{
		mysql.Engine(),
		percona.Engine(),
		mariadb.Engine(),
		tidb.Engine(),
	}
}

// Find returns the engine of the flavor.
func Find(flavor string) (engine.Engine, bool) {
	for _, e := range All() {
		if e.Flavor == flavor {
			return e, true
		}
	}
	return engine.Engine{}, false
}
