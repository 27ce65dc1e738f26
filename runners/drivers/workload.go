package drivers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

var errNoAuthority = errors.New("the target asks for TLS, and there is no certificate authority that a driver could verify it against")

// errNoDesign: the manager is of another version than the agent.
var errNoDesign = errors.New("measurement: the trial does not say how long each measurement is")

var errClients = errors.New("clients.count: a driver is measured by one client: use 1")

// Params are spec.workload.drivers, within their bounds. The defaults of lists are here, because
// they depend on the operation. How long and how often is the design of the trial
// (Trial.Measurement).
type Params v1alpha1.DriversWorkload

// Driver is one driver.
type Driver v1alpha1.Driver

// Benchmark is an operation and its variations.
type Benchmark v1alpha1.DriverBenchmark

// Baseline has the values that tell it from what is compared with it.
type Baseline v1alpha1.DriverBaseline

// shown is the driver's name in results.
func (d Driver) shown() string {
	if d.As != "" {
		return d.As
	}
	return d.Name
}

// maxCells of one trial: the values of all of them have to fit into its record.
const maxCells = 1000

// maxRows of the operations of a round: client and agent hold them all, with their texts. It is the greatest number of rows of one.
const maxRows = 100000

func decode(workload json.RawMessage) (Params, error) {
	return runner.Decode(Name, workload, func(p Params) error {
		if err := p.validate(); err != nil {
			return fmt.Errorf("workload.drivers.%w", err)
		}
		return nil
	})
}

func ofTrial(t contract.Trial) (Params, error) { return decode(t.Workload) }

// validate checks what a schema cannot express.
func (p Params) validate() error {
	shown := map[string]bool{}
	for i, d := range p.Drivers {
		name := Driver(d).shown()
		if shown[name] {
			return fmt.Errorf("drivers[%d]: a second driver is called %s in results: give one of them another name with as", i, name)
		}
		shown[name] = true
	}
	if p.Language != "" && !slices.Contains(p.languages(), string(p.Language)) {
		return fmt.Errorf("language: no entry of drivers is of the language %s", p.Language)
	}
	if p.Baseline != nil && p.Baseline.Driver != "" && !shown[p.Baseline.Driver] {
		return fmt.Errorf("baseline.driver: no driver is called %s in results", p.Baseline.Driver)
	}
	for i, b := range p.Benchmarks {
		if err := Benchmark(b).validate(); err != nil {
			return fmt.Errorf("benchmarks[%d].%w", i, err)
		}
	}
	// Counted before they are made: lists of the longest that the schema allows would make millions.
	if n := p.cellCount(); n > maxCells {
		return fmt.Errorf("benchmarks: %d combinations of driver and benchmark in one trial are too many: use at most %d, or several runs", n, maxCells)
	}
	return unique(p.cells())
}

// cellCount is how many cells a trial has.
func (p Params) cellCount() (n int) {
	for _, api := range p.Benchmarks {
		b := Benchmark(api)
		n += len(b.rows()) * len(b.transactions()) * len(b.sessions()) * len(b.schemes()) * len(b.concurrency())
	}
	return n * len(p.inLanguage())
}

// unique: two cells with one name would be taken for one.
func unique(cells []cell) error {
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.name()] {
			return fmt.Errorf("benchmarks: %s is there twice", c.name())
		}
		seen[c.name()] = true
	}
	return nil
}

func (b Benchmark) validate() error {
	op, _ := operationNamed(b.Operation)
	for _, s := range b.Schemes {
		if !slices.Contains(op.schemes, string(s)) {
			return fmt.Errorf("schemes: %s has no scheme %s; it has: %q", b.Operation, s, op.schemes)
		}
	}
	for _, tx := range b.transactions() {
		if tx != autocommit && op.writes == "" {
			return fmt.Errorf("transactions: %s writes nothing: leave them out", b.Operation)
		}
	}
	for _, n := range b.rows() {
		if n != 1 && !op.many {
			return fmt.Errorf("rows: %s has no rows: leave them out", b.Operation)
		}
	}
	for _, n := range b.concurrency() {
		if n != 1 && op.kind == kindEncode {
			return fmt.Errorf("concurrency: %s has no connection, on which operations could be under way at once: leave it out", b.Operation)
		}
		if most := slices.Max(b.rows()); b.measure() == measureRounds && n*most > maxRows {
			return fmt.Errorf("concurrency: a round of %d operations with %d rows each has %d rows, which the client holds: use at most %d in all",
				n, most, n*most, maxRows)
		}
	}
	if b.StorageEngine != "" && op.table == nil {
		return fmt.Errorf("storageEngine: %s has no table", b.Operation)
	}
	if b.measure() == measureTime && op.onlyRounds {
		return fmt.Errorf("measure: %s again would find its rows gone, or its values there already, and change nothing: it can only be measured by Rounds", b.Operation)
	}
	return nil
}

// language of the trial: the one that was chosen, or the only one.
func (p Params) language() (language, error) {
	name := string(p.Language)
	if all := p.languages(); name == "" && len(all) == 1 {
		name = all[0]
	}
	for _, l := range languages {
		if l.name == name {
			return l, nil
		}
	}
	return language{}, fmt.Errorf("workload.drivers.language: the drivers are of several languages (%q), and a trial measures those of one", p.languages())
}

// languages of the drivers, in the order in which they come first.
func (p Params) languages() []string {
	var out []string
	for _, d := range p.Drivers {
		if !slices.Contains(out, string(d.Language)) {
			out = append(out, string(d.Language))
		}
	}
	return out
}

// inLanguage are the drivers of the trial's language; all if none was chosen.
func (p Params) inLanguage() []Driver {
	var out []Driver
	for _, d := range p.Drivers {
		if p.Language == "" || d.Language == p.Language {
			out = append(out, Driver(d))
		}
	}
	return out
}
