package drivers

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Schemes, transactions, sessions and measures of the protocol and the API.
const (
	singleRow      = "SingleRow"
	prepared       = "Prepared"
	executeMany    = "ExecuteMany"
	pipelined      = "Pipelined"
	multiRow       = "MultiRow"
	multiStatement = "MultiStatement"
	inList         = "InList"
	batch          = "Batch"

	autocommit     = "Autocommit"
	oneTransaction = "One"

	dedicated  = "Dedicated"
	pooled     = "Pool"
	newSession = "New"

	measureRounds = "Rounds"
	measureTime   = "Time"
)

// cell is one driver with one benchmark, everything decided.
type cell struct {
	driver                       Driver
	operation                    operation
	scheme, transaction, session string
	rows, chunk                  int
	// concurrency is how many operations are under way at once.
	concurrency     int
	measure, engine string
}

// cells of a trial in the order of the spec.
func (p Params) cells() []cell {
	var out []cell
	for _, d := range p.inLanguage() {
		for _, api := range p.Benchmarks {
			b := Benchmark(api)
			op, _ := operationNamed(b.Operation)
			for _, n := range b.rows() {
				for _, tx := range b.transactions() {
					for _, session := range b.sessions() {
						for _, scheme := range b.schemes() {
							for _, concurrency := range b.concurrency() {
								out = append(out, cell{
									driver: d, operation: op, scheme: scheme, transaction: tx, session: session, concurrency: concurrency,
									rows: n, chunk: b.chunk(scheme), measure: b.measure(), engine: b.StorageEngine,
								})
							}
						}
					}
				}
			}
		}
	}
	return out
}

// inOrder are the cells of a block: sorted by the SHA-256 of "SEED/BLOCK/CELL" with the seed of
// the run, which anybody can compute. Two blocks are a pair, as in the order of trials: BLOCK is
// the first of them, an even number, and the second has the opposite order, so that of any two
// drivers each is measured first in one of them.
func (p Params) inOrder(seed int64, block int) []cell {
	out := p.cells()
	key := func(c cell) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s", seed, block-block%2, c.name()))
		return string(sum[:])
	}
	slices.SortFunc(out, func(a, b cell) int { return cmp.Compare(key(a), key(b)) })
	if block%2 == 1 {
		slices.Reverse(out)
	}
	return out
}

// labels tell the measurements of the cells apart.
func (c cell) labels() map[string]string {
	out := map[string]string{contract.LabelDriver: c.driver.shown(), contract.LabelOperation: c.operation.name}
	if c.scheme != "" {
		out[contract.LabelScheme] = c.scheme
	}
	if c.operation.writes != "" {
		out[contract.LabelTransaction] = c.transaction
	}
	if c.session != dedicated {
		out[contract.LabelSession] = c.session
	}
	if c.concurrency != 1 {
		out[contract.LabelConcurrency] = strconv.Itoa(c.concurrency)
	}
	if c.operation.many {
		out[contract.LabelRows] = strconv.Itoa(c.rows)
	}
	if c.engine != "" {
		out[LabelEngine] = c.engine
	}
	return out
}

// name of a cell, for people and for the order.
func (c cell) name() string {
	text := fmt.Sprintf("%s %s %s %s %s %d", c.driver.shown(), c.operation.name, c.scheme, c.transaction, c.session, c.rows)
	if c.engine != "" {
		text += " " + c.engine
	}
	if c.concurrency != 1 {
		text += fmt.Sprintf(" x%d", c.concurrency)
	}
	return text
}

func (b Benchmark) schemes() []string {
	op, _ := operationNamed(b.Operation)
	if len(op.schemes) == 0 {
		return []string{""}
	}
	return orElse(names(b.Schemes), singleRow)
}

func (b Benchmark) transactions() []string { return orElse(names(b.Transactions), autocommit) }

func (b Benchmark) sessions() []string { return orElse(names(b.Sessions), dedicated) }

func (b Benchmark) rows() []int { return numbersOr1(b.Rows) }

func (b Benchmark) concurrency() []int { return numbersOr1(b.Concurrency) }

func numbersOr1(values []int32) []int {
	var out []int
	for _, n := range values {
		out = append(out, int(n))
	}
	return orElse(out, 1)
}

// names are values of the API's enumerations.
func names[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

func (b Benchmark) measure() string {
	op, _ := operationNamed(b.Operation)
	switch {
	case b.Measure != "":
		return b.Measure
	case op.rounds || op.onlyRounds:
		return measureRounds
	}
	return measureTime
}

// chunk has the sizes of the published benchmark of batch schemes as its defaults.
func (b Benchmark) chunk(scheme string) int {
	switch {
	case b.Chunk > 0:
		return int(b.Chunk)
	case scheme == multiStatement:
		return 500
	}
	return 1000
}

func orElse[T any](values []T, otherwise T) []T {
	if len(values) == 0 {
		return []T{otherwise}
	}
	return values
}
