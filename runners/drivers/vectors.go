package drivers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Vectors are requests to a harness with what has to come of them: for a machine that has a harness, a server and Python, and
// not this program. test/conformance/play.py plays them.
type Vectors struct {
	// Name of the file.
	Name string `json:"name"`
	// Protocol that the requests are of.
	Protocol string `json:"protocol"`
	// Data are rows of parameters by the name that requests have for them.
	Data map[string][][]any `json:"data,omitempty"`
	// Setups are statements for the server by the name that turns have for them.
	Setups map[string][]string `json:"setups,omitempty"`
	// Languages with the drivers that their harnesses have to have, by the name that hello says.
	Languages map[string][]VectorDriver `json:"languages,omitempty"`
	// Cases are independent of each other.
	Cases []Case `json:"cases"`
}

// VectorDriver is a driver that a harness has to name, and what at least has to come of the cases that are played to it.
type VectorDriver struct {
	Name string `json:"name"`
	// Least is how many cases have to be ok, where the driver is not refused.
	Least int `json:"least"`
	// Refused: on these servers its prepare has to be unsupported. Nil: on none.
	Refused *VectorRefusal `json:"refused,omitempty"`
}

// VectorRefusal is that of a driver by MariaDB from a version on.
type VectorRefusal struct {
	// MariaDB is the first version: major and minor.
	MariaDB [2]int `json:"mariaDB"`
	// Reason has to have this word.
	Reason string `json:"reason"`
}

// Case is a small conversation.
type Case struct {
	Name string `json:"name"`
	// Can is what the driver has to name among what it can do. One that does not is not asked.
	Can []string `json:"can,omitempty"`
	// MayRefuse: unsupported is a good answer, too, because more than the scheme decides.
	MayRefuse bool `json:"mayRefuse,omitempty"`
	// Known faults of drivers, by driver.
	Known map[string]Known `json:"known,omitempty"`
	Turns []VectorTurn     `json:"turns"`
}

// Known is a fault that may show.
type Known struct {
	// Why it shows.
	Why string `json:"why"`
	// Says are words of what the player finds then: anything else that it finds is another fault.
	Says string `json:"says"`
}

// VectorTurn is one request, or something that happens to the server.
type VectorTurn struct {
	// Setup names statements that the server executes before.
	Setup string `json:"setup,omitempty"`
	// Kill ends all connections but that of the player.
	Kill bool `json:"kill,omitempty"`
	// Request without its number; the player gives it one, and fills in the driver, the host, the port and the schema that are empty.
	Request request `json:"request,omitempty"`
	// State is that of the answer; empty: ok or failed.
	State string `json:"state,omitempty"`
	// Codes are what the code of the error may be, where the answer has one; none: anything.
	Codes []string `json:"codes,omitempty"`
	Want  *Want    `json:"want,omitempty"`
}

// Want is what the answer to a run and the server have to say. What is absent is not looked at. Of the driver null the number
// of operations alone is wanted.
type Want struct {
	// Operations that were done; 0: at least one.
	Operations int64 `json:"operations"`
	// RowsEach is how many rows each operation fetched; RowsAsked is a question whose answer it is.
	RowsEach  int64  `json:"rowsEach"`
	RowsAsked string `json:"rowsAsked,omitempty"`
	// Checksum of the rows of the last operation.
	Checksum *uint32 `json:"checksum,omitempty"`
	// Overlap: the latencies are more together than the time of all, so that operations were under way at once.
	Overlap bool `json:"overlap,omitempty"`
	// Counters of the server that have to move: how far at least and at most.
	Counters map[string]Bounds `json:"counters,omitempty"`
	// Statements that the server has to see.
	Statements *Seen `json:"statements,omitempty"`
	// Question to the server after the answer, and the rows of its answer.
	Question string      `json:"question,omitempty"`
	Rows     [][]*string `json:"rows,omitempty"`
}

// Bounds of a count; without Most there is none.
type Bounds struct {
	Least int64  `json:"least"`
	Most  *int64 `json:"most,omitempty"`
}

// Seen are statements in the server's general log.
type Seen struct {
	// Begins is how each of them begins.
	Begins string `json:"begins"`
	// As is the command of the protocol by the name that the log has for it: Execute, or empty for any.
	As string `json:"as,omitempty"`
	// Values are those of the operations, one after the other: each has to be in so many of the texts as operations have it.
	Values []string `json:"values,omitempty"`
	Bounds
}

// The rows of so many operations are in the data, and so many operations are done: the second takes other rows than the first, the
// rows begin anew once, and the last operation does not have the first rows. Of two at once, each does more than one.
const (
	vectorCycle      = 2
	vectorOperations = 4
)

// VectorsOf are the vectors of benchmarks, which are JSON objects of a workload: a file for each operation, and those that no
// benchmark has.
func VectorsOf(benchmarks string, faults []Fault) ([]Vectors, error) {
	p, err := decode(json.RawMessage(`{"drivers": [{"language": "Go", "name": "any"}], "benchmarks": [` + benchmarks + `]}`))
	if err != nil {
		return nil, err
	}
	var out []Vectors
	for _, c := range p.cells() {
		cycleOf(&c, vectorCycle*c.rows)
		at := slices.IndexFunc(out, func(v Vectors) bool { return v.Name == c.operation.name })
		if at < 0 {
			at, out = len(out), append(out, newVectors(c.operation.name))
		}
		out[at].add(p, c, vectorOperations)
	}
	out = append(out, limitVectors(p), concurrencyVectors(), writtenVectors(), readVectors(), errorVectors())
	for _, v := range out {
		for i := range v.Cases {
			v.Cases[i].learn(v.Name, faults)
		}
	}
	return out, nil
}

func newVectors(name string) Vectors {
	return Vectors{Name: name, Protocol: Protocol, Data: map[string][][]any{}, Setups: map[string][]string{}}
}

// cycleOf so many rows of parameters, after which they begin anew, is what a cell then has.
func cycleOf(c *cell, rows int) {
	c.measure, c.operation.cycle = measureTime, rows
}

// Fault of a driver that is known: it writes other values.
type Fault struct{ Driver, Operation, Scheme, Why string }

// otherRows is what the player says where a question to the server has another answer.
const otherRows = " answers [["

// learn the faults that show in a case, whose first need is its scheme.
func (c *Case) learn(operation string, faults []Fault) {
	for _, f := range faults {
		if f.Operation == operation && len(c.Can) > 0 && f.Scheme == c.Can[0] {
			if c.Known == nil {
				c.Known = map[string]Known{}
			}
			c.Known[f.Driver] = Known{f.Why, otherRows}
		}
	}
}

// vectorRun is a run of a cell in a vector: so many operations; 0: for a time that is over at once.
type vectorRun struct {
	cell
	request    *runRequest
	operations int64
}

// shortTime in s is over after a few operations, and long enough to tell one unit of time from another.
const shortTime = 0.05

// add the case of a cell with so many operations.
func (v *Vectors) add(p Params, c cell, operations int) {
	const seed = 42
	c.driver = Driver{Name: "any", Language: p.Drivers[0].Language}
	r, _ := (&conversation{params: p}).request(c, false).(*runRequest)
	r.Operations, r.Seconds = operations, 0
	if operations == 0 {
		r.Seconds = shortTime
	}
	run := vectorRun{cell: c, request: r, operations: int64(operations)}
	turn := VectorTurn{Request: r, State: stateOK, Want: run.want(seed)}
	if c.operation.table != nil {
		turn.Setup = fmt.Sprintf("%s of %d rows", c.tableIn(), c.tableRows())
		v.Setups[turn.Setup] = append(c.operation.table.create("", ""), c.fill(seed)...)
	}
	if c.dataRows() > 0 {
		v.Data[r.Data] = c.operation.parameters(seed, c.dataRows())
	}
	name := strings.TrimPrefix(c.name(), "any ")
	v.Cases = append(v.Cases, Case{
		Name: fmt.Sprintf("%s, %d operations", name, operations), Can: run.needs(), Turns: []VectorTurn{turn},
		MayRefuse: c.session != dedicated || c.scheme == pipelined && c.operation.kind == kindQuery,
	})
}

// needs are what the driver has to name among what it can do.
func (c vectorRun) needs() []string {
	out := []string{cmp.Or(c.scheme, singleRow)}
	if c.operation.kind == kindEncode {
		out = []string{kindEncode}
	}
	if c.session == canPool {
		out = append(out, c.session)
	}
	if c.concurrency > 1 {
		out = append(out, canConcurrency)
	}
	return out
}

// want of a run. What was done in a time is not known before: then nothing is asked of the server.
func (c vectorRun) want(seed int64) *Want {
	w := &Want{Operations: c.operations}
	switch {
	case c.operation.kind != kindQuery:
	case c.operation.fetched == nil:
		w.RowsAsked = c.questions()[0]
	default:
		fetched := c.operation.fetched(seed, c.lastOperation(max(c.operations, 1)), c.rows)
		w.RowsEach = int64(len(fetched))
		if c.operations > 0 {
			w.Checksum = new(checksumOf(fetched))
		}
	}
	if c.operations == 0 {
		return w
	}
	if c.operation.writes != "" {
		rows, sum := c.tableAfter(seed, c.operations)
		w.Question = c.questions()[0]
		w.Rows = [][]*string{{new(fmt.Sprint(rows)), new(fmt.Sprint(sum))}}
	}
	w.Counters, w.Statements = c.server(seed)
	return w
}
