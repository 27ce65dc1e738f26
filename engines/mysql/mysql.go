// Package mysql describes MySQL 5.7 and later as Assay provides it.
package mysql

import (
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
)

// Engine returns the facts about MySQL.
func Engine() engine.Engine {
	e := mysqld.MySQL("MySQL", mysqld.InnoDB)
	e.About = "MySQL 5.7 and later, with InnoDB."
	return e
}
