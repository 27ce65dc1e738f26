package drivers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// errDelayedTLS: a driver that verifies the name of the server would find the relay's.
var errDelayedTLS = errors.New("workload.drivers.delay: round trips to a target with TLS cannot be delayed: use tls: Disabled")

var errNoAuthority = errors.New("the target asks for TLS, and there is no certificate authority that a driver could verify it against")

// errNoDesign: the manager is of another version than the agent.
var errNoDesign = errors.New("measurement: the trial does not say how long each measurement is")

var errClients = errors.New("clients.count: a driver is measured by one client: use 1")

// Params are spec.workload.drivers. The defaults of lists are here, because they depend on
// the operation. How long and how often is the design of the trial (Trial.Measurement).
type Params struct {
	Drivers    []Driver    `json:"drivers"`
	Benchmarks []Benchmark `json:"benchmarks"`
	Language   string      `json:"language,omitempty"`
	Baseline   *Baseline   `json:"baseline,omitempty"`
	Delay      string      `json:"delay,omitempty"`
}

// Driver is one driver.
type Driver struct {
	Language string            `json:"language"`
	Name     string            `json:"name"`
	Version  string            `json:"version,omitempty"`
	As       string            `json:"as,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
}

// Benchmark is an operation and its variations.
type Benchmark struct {
	Operation     string   `json:"operation"`
	Schemes       []string `json:"schemes,omitempty"`
	Transactions  []string `json:"transactions,omitempty"`
	Sessions      []string `json:"sessions,omitempty"`
	Rows          []int    `json:"rows,omitempty"`
	Measure       string   `json:"measure,omitempty"`
	Chunk         int      `json:"chunk,omitempty"`
	StorageEngine string   `json:"storageEngine,omitempty"`
}

// Baseline has the values that tell it from what is compared with it.
type Baseline struct {
	Driver      string `json:"driver,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
	Transaction string `json:"transaction,omitempty"`
	Session     string `json:"session,omitempty"`
}

// shown is the driver's name in results.
func (d Driver) shown() string {
	if d.As != "" {
		return d.As
	}
	return d.Name
}

// maxCells of one trial: the values of all of them have to fit into its record.
const maxCells = 1000

// decode reads the workload of a trial strictly.
func decode(workload json.RawMessage) (Params, error) {
	var p Params
	if err := runner.DecodeWorkload(Name, workload, &p); err != nil {
		return Params{}, err
	}
	if err := p.validate(); err != nil {
		return Params{}, fmt.Errorf("workload.drivers.%w", err)
	}
	return p, nil
}

func (p Params) validate() error {
	if len(p.Drivers) == 0 || len(p.Benchmarks) == 0 {
		return errors.New("drivers, benchmarks: each needs at least one entry")
	}
	shown := map[string]bool{}
	for i, d := range p.Drivers {
		if !slices.ContainsFunc(languages, func(l language) bool { return l.name == d.Language }) {
			return fmt.Errorf("drivers[%d].language: %q is not known", i, d.Language)
		}
		if shown[d.shown()] {
			return fmt.Errorf("drivers[%d]: a second driver is called %s in results: give one of them another name with as", i, d.shown())
		}
		shown[d.shown()] = true
	}
	if p.Language != "" && !slices.Contains(p.languages(), p.Language) {
		return fmt.Errorf("language: no entry of drivers is of the language %s", p.Language)
	}
	if p.Baseline != nil && p.Baseline.Driver != "" && !shown[p.Baseline.Driver] {
		return fmt.Errorf("baseline.driver: no driver is called %s in results", p.Baseline.Driver)
	}
	if d, err := p.delay(); err != nil || d < 0 || d > time.Second {
		return fmt.Errorf("delay: %q has to be a time from 0s to 1s, such as 1ms", p.Delay)
	}
	for i, b := range p.Benchmarks {
		if err := b.validate(); err != nil {
			return fmt.Errorf("benchmarks[%d].%w", i, err)
		}
	}
	if n := len(p.cells()); n > maxCells {
		return fmt.Errorf("benchmarks: %d combinations of driver and benchmark in one trial are too many: use at most %d, or several runs", n, maxCells)
	}
	return p.unique()
}

// delay of each round trip; 0 for none.
func (p Params) delay() (time.Duration, error) {
	if p.Delay == "" {
		return 0, nil
	}
	return time.ParseDuration(p.Delay)
}

// checkDelay of a target; the mode is empty as long as no target is known.
func (p Params) checkDelay(mode contract.TLSMode) error {
	if d, _ := p.delay(); d > 0 && (mode == contract.TLSRequired || mode == contract.TLSPreferred) {
		return errDelayedTLS
	}
	return nil
}

// unique: two cells with one name would be taken for one.
func (p Params) unique() error {
	seen := map[string]bool{}
	for _, c := range p.cells() {
		if seen[c.name()] {
			return fmt.Errorf("benchmarks: %s is there twice", c.name())
		}
		seen[c.name()] = true
	}
	return nil
}

func (b Benchmark) validate() error {
	op, known := operationNamed(b.Operation)
	if !known {
		return fmt.Errorf("operation: %q is not known", b.Operation)
	}
	for _, s := range b.Schemes {
		if !slices.Contains(op.schemes, s) {
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
	name := p.Language
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
		if !slices.Contains(out, d.Language) {
			out = append(out, d.Language)
		}
	}
	return out
}

// inLanguage are the drivers of the trial's language; all if none was chosen.
func (p Params) inLanguage() []Driver {
	var out []Driver
	for _, d := range p.Drivers {
		if p.Language == "" || d.Language == p.Language {
			out = append(out, d)
		}
	}
	return out
}
