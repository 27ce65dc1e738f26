package ycsb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// chosen are the operations of which a property says how often they are chosen.
var chosen = []string{"read", "update", "scan", "insert", "readmodifywrite"}

// sharesOf the operations and their sum. It refuses shares that are no numbers, and none at all: YCSB would
// end without a word.
func sharesOf(properties map[string]string) (shares map[string]float64, sum float64, err error) {
	shares = map[string]float64{}
	for _, operation := range chosen {
		text := properties[operation+"proportion"]
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share <= 1e9) {
			return nil, 0, fmt.Errorf("workload.ycsb.properties.%sproportion: %q is not a share: use a number from 0 on", operation, text)
		}
		shares[operation] = share
		sum += share
	}
	if sum <= 0 {
		return nil, 0, fmt.Errorf("workload.ycsb.properties: all shares are 0, so there is nothing to do: give one of %sproportion",
			strings.Join(chosen, "proportion, "))
	}
	return shares, sum, nil
}

// mixOf is the share of all operations in which YCSB counts each kind, from the properties
// of the workload. Shares that do not add up to 1 are scaled, as YCSB does. An operation
// that reads, modifies and writes is counted as a READ and as an UPDATE as well.
func mixOf(properties map[string]string) map[string]float64 {
	shares, total, err := sharesOf(properties)
	if err != nil {
		return nil // the command says what is wrong
	}
	composed := shares["readmodifywrite"]
	return map[string]float64{
		"read":                                 (shares["read"] + composed) / total,
		"update":                               (shares["update"] + composed) / total,
		"insert":                               shares["insert"] / total,
		"scan":                                 shares["scan"] / total,
		strings.ToLower(metricReadModifyWrite): composed / total,
	}
}

// onExisting: the keys of rows that a trial inserts follow from the number of the trial, so that those of the run before are there.
func onExisting(t contract.Trial) (readsOnly bool, err error) {
	p, err := ofTrial(t)
	if err != nil {
		return false, err
	}
	mix := mixOf(p.effective())
	if mix["insert"] > 0 {
		return false, errors.New("it inserts rows, whose keys an earlier run may have inserted: leave out insertproportion")
	}
	return len(mix) > 0 && mix["update"] == 0, nil
}
