// Package percona describes Percona Server for MySQL 8.0 and later as Assay provides
// it: MySQL, and RocksDB (MyRocks) from a plugin that the official images have.
package percona

import (
	"slices"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Engine returns the facts about Percona Server.
func Engine() engine.Engine {
	e := mysqld.MySQL("Percona", mysqld.InnoDB, mysqld.RocksDB)
	e.About = "Percona Server 8.0 and later, with InnoDB or MyRocks."
	e.Oldest = []int{8, 0}
	e.Facts.Identify = mysqld.Named("Percona")
	// Once a day a component of the server would write what it finds into a folder of the image. Older servers do not have the setting.
	e.Owned["percona_telemetry_disable"] = engine.OnlyVolume
	render := e.Config
	e.Config = func(t contract.Target, p engine.Paths) []byte {
		t.Settings = slices.Concat([]contract.Setting{{Name: "loose_percona_telemetry_disable", Value: "ON"}}, t.Settings)
		return render(t, p)
	}
	return e
}
