// Package drivers adapts the harnesses of programming languages: programs that call
// database drivers, one per language, in the folder harness. The agent
// speaks with a harness by the protocol of docs/contributing/driver-protocol.md; what is said, this
// package decides:
//
//	workload.go      decode and check the parameters
//	languages.go     the table of languages: how each harness is started
//	operations.go    the table of operations: tables, statements, what the server has to hold afterwards
//	data.go          the rows, the same for the same seed
//	cells.go         drivers x benchmarks in the order of a block
//	turns.go         the conversation of a trial
//	requests.go      the requests that it consists of
//	refusals.go      what a harness cannot do, found out without asking it
//	length.go        how long a trial may take
//	setup.go         the tables and their content, as SQL
//	answers.go       the answers of a harness
//	verify.go        an answer held against the data and the server
//	measurements.go  what was answered into measurements
//	parse.go         a conversation into a report
//
// A driver is not believed: rows that it fetched are counted and their checksum is
// compared, rows that it wrote are counted by the server, and what went over the wire is
// read from the server's own counters.
package drivers

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Name of the runner in the API and in the catalogue of images.
const Name = "drivers"

// Runner is the adapter.
func Runner() runner.Runner {
	return runner.Runner{
		Name:     Name,
		Headline: contract.NameThroughput,
		Summary: []string{
			contract.NameThroughput, contract.NameSpeedUp, contract.NameRowRate, contract.NameLatencyAvg, contract.NameLatencyPercentile, NameStatements,
		},
		Facts:        []string{NameStatements},
		Command:      command,
		Parse:        parse,
		Expectations: expectations,
		Connection:   runner.Connection{Demand: runner.Answer(ofTrial, Params.demand)},
		// The data is made by each trial; nothing of it is left to a phase of its own.
		Data: runner.Data{OnExisting: func(contract.Trial) (bool, error) {
			return false, errors.New("each trial makes, fills and drops its own tables")
		}},
		Phases: runner.Phases{Opening: opening, Skips: func(_ contract.Trial, p contract.Phase) bool { return p != contract.PhaseRun }},
		Design: runner.Design{
			Sample: "{drivers: [{language: Node, name: mysql2}, {language: Node, name: mariadb}], benchmarks: [{operation: SelectOne}]}",
			Length: length, Axis: axis, Combinations: runner.Answer(decode, Params.combinations),
		},
		Pods: pods,
	}
}

// opening: a harness warms up in the process that measures, by rounds and turns that it
// discards, so that a JIT compiler has seen the code.
func opening(t contract.Trial) runner.Opening {
	p, err := decode(t.Workload)
	if err != nil || t.Measurement == nil {
		return runner.Opening{} // Command says what is wrong
	}
	return runner.Opening{WarmsUp: slices.ContainsFunc(p.cells(), func(c cell) bool { return c.warmups(*t.Measurement) > 0 })}
}

// expectations of a trial: a harness measures one combination after the other, so there is no rate that
// the whole trial has.
func expectations(t contract.Trial) (runner.Expectations, error) {
	if _, err := decode(t.Workload); err != nil {
		return runner.Expectations{}, err
	}
	if t.Clients > 1 {
		return runner.Expectations{}, errClients
	}
	return runner.Expectations{Headline: runner.AnyHeadline, Verified: true, TLSRequired: t.Endpoint.TLS == contract.TLSRequired}, nil
}

// demand of a trial: the connections that all drivers may keep until the end, those that end with a run, that of the agent, and two to spare.
// A driver keeps the one that it logged in with, and of its combinations with the most operations at once those that belong to a worker
// and, in most languages, those of a pool. Operations that open their own have as many again that the server is still ending.
func (p Params) demand(contract.Trial) contract.Demand {
	l, err := p.language()
	if err != nil {
		return contract.Demand{} // Command says what is wrong
	}
	type place struct{ driver, session string }
	most := map[place]int64{}
	var passing int64
	for _, c := range p.cells() {
		own, atOnce := place{c.driver.shown(), dedicated}, int64(c.concurrency)
		most[own] = max(most[own], 1)
		switch pool := (place{own.driver, pooled}); {
		case c.operation.kind == kindConnect || c.session == newSession:
			passing = max(passing, 2*atOnce)
		case c.session == pooled && l.poolEnds:
			passing = max(passing, atOnce)
		case c.session == pooled:
			most[pool] = max(most[pool], atOnce)
		case atOnce > 1 && l.ownLogin:
			most[own] = max(most[own], 1+atOnce)
		default:
			most[own] = max(most[own], atOnce)
		}
	}
	var kept int64
	for _, n := range most {
		kept += n
	}
	all := kept + passing
	return contract.Demand{Connections: all + 3, PreparedStatements: 4 * (all + 1), Tables: int64(len(operations))}
}

// pods have the image of the language.
func pods(workload json.RawMessage) (runner.Pods, error) {
	p, err := decode(workload)
	if err != nil {
		return runner.Pods{}, err
	}
	if p.Language == "" {
		// Only of a phase that does nothing: a trial measures one language.
		p.Language = v1alpha1.DriverLanguage(p.languages()[0])
	}
	l, err := p.language()
	return runner.Pods{Variant: l.image}, err
}

// axis of a workload of several languages: a trial measures one.
func axis(workload json.RawMessage) (runner.Axis, error) {
	p, err := decode(workload)
	if err != nil || p.Language != "" || len(p.languages()) < 2 {
		return runner.Axis{}, err
	}
	return runner.Axis{Field: contract.LabelLanguage, Values: p.languages()}, nil
}
