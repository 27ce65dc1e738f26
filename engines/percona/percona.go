// Package percona describes Percona Server for MySQL 8.0 and later as Assay provides
// it: MySQL, and RocksDB (MyRocks) from a plugin that the official images have.
package percona

import (
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
)

// Engine returns the facts about Percona Server.
func Engine() engine.Engine {
	e := mysqld.MySQL("Percona", mysqld.InnoDB, mysqld.RocksDB)
	e.About = "Percona Server 8.0 and later, with InnoDB or MyRocks."
	e.Oldest = []int{8, 0}
	e.Facts.Identify = mysqld.Named("Percona")
	return e
}
