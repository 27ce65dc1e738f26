// Package percona describes Percona Server for MySQL 8.0 and later as Assay provides
// it: MySQL, and RocksDB (MyRocks) from a plugin that the official images have.
package percona

import (
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
)

// Engine returns the facts about Percona Server.
func Engine() engine.Engine {
	e := mysqld.MySQL(engine.Percona, mysqld.InnoDB, mysqld.RocksDB)
	e.Recognise = engine.Recogniser(engine.Percona, 8, 0)
	e.Owned = engine.OwnedWith(e.Owned, mysqld.RocksDBOwned())
	return e
}
