// Package loads has what a load came to that a trial measured (design.measures: Load). It is pure.
//
// In: the merged result of a trial, and the rows that its tool was to load. Out: its measurements and those of the load, with a unit and, but for
// the number of rows, a direction. What is not known is absent, never 0. It refuses nothing.
package loads

import (
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Of a trial: its measurements, with the time from the start of the first client's tool to the end of the last one's, the rows that it left,
// their rate, and the times of what follows a load. Own are the tables that the tool says that it fills, by their names; without any, all
// tables of the schema are its own if provided, so that the server was begun for this run, and of any other server nothing is known.
func Of(merged contract.Result, own map[string]int64, provided bool) []contract.Measurement {
	loaded := merged.Load()
	if merged.State != contract.Succeeded || loaded == nil {
		return merged.Measurements
	}
	out := slices.DeleteFunc(slices.Clone(merged.Measurements), func(m contract.Measurement) bool { return m.Name == contract.NameLoadTime })
	add := func(name, unit string, better contract.Direction, v float64) {
		out = append(out, contract.Measurement{Name: name, Unit: unit, Direction: better, Value: &v})
	}
	rows := rowsOf(loaded.Tables, own, provided)
	if from, to, known := contract.MeasuredWindow(merged); known && to.After(from) {
		took := to.Sub(from).Seconds()
		add(contract.NameLoadTime, "s", contract.LowerIsBetter, took)
		if rows > 0 {
			add(contract.NameRowRate, "rows/s", contract.HigherIsBetter, float64(rows)/took)
		}
	}
	if rows > 0 {
		add(contract.NameRowsLoaded, "1", "", float64(rows))
	}
	if s := loaded.StatisticsSeconds; s != nil {
		add(contract.NameStatisticsTime, "s", contract.LowerIsBetter, *s)
	}
	if s := loaded.FlushSeconds; s != nil {
		add(contract.NameFlushTime, "s", contract.LowerIsBetter, *s)
	}
	return out
}

// rowsOf the tables of the tool; 0 where they are not known.
func rowsOf(tables []contract.Table, own map[string]int64, provided bool) (rows int64) {
	for _, table := range tables {
		if contract.Lists(own, table.Name) || len(own) == 0 && provided {
			rows += table.Rows
		}
	}
	return rows
}
