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
	e.ForRepetitions = map[string]string{"5.7": "it has had no security updates since October 2023"}
	return e
}
