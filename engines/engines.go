// Package engines is the explicit list of the database flavors that Assay knows, and says of which
// of them a running server is. Adding a flavor is one folder and one line here.
package engines

import (
	"slices"
	"sync"

	"github.com/assay-bench/assay/engines/dolt"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/mariadb"
	"github.com/assay-bench/assay/engines/mysql"
	"github.com/assay-bench/assay/engines/percona"
	"github.com/assay-bench/assay/engines/tidb"
)

var list = sync.OnceValue(func() []engine.Engine {
	return []engine.Engine{
		mysql.Engine(),
		mariadb.Engine(),
		percona.Engine(),
		tidb.Engine(),
		dolt.Engine(),
	}
})

// All engines, in the order of the documentation.
func All() []engine.Engine { return slices.Clone(list()) }

// Find returns the engine of the flavor.
func Find(flavor string) (engine.Engine, bool) {
	if i := slices.IndexFunc(list(), func(e engine.Engine) bool { return e.Flavor == flavor }); i >= 0 {
		return list()[i], true
	}
	return engine.Engine{}, false
}

// Flavors are the names of all engines, in the order of the list.
func Flavors() (names []string) {
	for _, e := range list() {
		names = append(names, e.Flavor)
	}
	return names
}

// StorageEngines are the storage engines of all flavors, each once, in the order of the list.
func StorageEngines() (names []string) {
	for _, e := range list() {
		for _, name := range e.StorageEngines {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
