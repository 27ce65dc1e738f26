package sysbench

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// demand of one client: a connection per thread, each with the statements that the
// test prepares. Warm-up and run follow each other, and prepare needs less.
func (p Params) demand(contract.Trial) contract.Demand {
	threads := int64(p.Threads)
	return contract.Demand{
		Connections:        threads,
		PreparedStatements: threads * p.preparedPerConnection(),
		Tables:             int64(p.tables()),
	}
}

// rows that the tables have to have when all clients have loaded. What a script of
// the user loads is not known.
func (p Params) rows(contract.Trial) map[string]int64 {
	if p.Script != nil {
		return nil
	}
	n := p.TableSize
	if bundled[p.Test].ownSchema {
		n = 0 // the run fills them
	}
	tables := map[string]int64{}
	for i := range p.tables() {
		tables[fmt.Sprintf("sbtest%d", i+1)] = n
	}
	return tables
}

// tables of the schema; 0 when that is not known.
func (p Params) tables() int {
	switch {
	case p.Script != nil:
		return 0
	case bundled[p.Test].ownSchema:
		return int(p.Threads) // each thread has one
	}
	return int(p.Tables)
}
