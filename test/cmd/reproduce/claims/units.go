package claims

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// side of a row with these labels, without its values.
func (r Row) side(labels map[string]string) Side {
	return Side{Measurement: r.Claim.Measurement, Labels: labels, Unit: r.Unit}
}

// secondsIn units of time, of which a second has so many.
var secondsIn = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}

// converted is a value of a side in the unit of what was published, as far as it can be: a rate of operations is the time of one of them where
// that is a time, and the rate of rows where that is one, of the rows that an operation has. A time has any unit of time. Any other value has its
// own unit.
func converted(unit string, of Side, value float64) (float64, string) {
	switch to, from := secondsIn[unit], secondsIn[of.Unit]; {
	case to != 0 && of.Unit == "s/Mop": // of a million operations
		return value * to / 1e6, unit
	case to != 0 && from != 0:
		return value * to / from, unit
	case to != 0 && strings.HasPrefix(of.Measurement, contract.NameThroughput):
		return to / value, unit
	case unit == "rows/s" && of.Unit == "ops/s":
		if rows, err := strconv.ParseFloat(cmp.Or(of.Labels[contract.LabelRows], "1"), 64); err == nil {
			return value * rows, unit
		}
	}
	return value, of.Unit
}

// inUnit is the text of a value of a side, converted.
func inUnit(unit string, of Side, value float64) string {
	value, unit = converted(unit, of, value)
	return figure.Number(value) + " " + unit
}
