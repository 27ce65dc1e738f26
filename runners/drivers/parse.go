package drivers

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// outcome of a cell: what was measured, or why not.
type outcome struct {
	cell   cell
	absent *contract.Absence
	// answers and counters of the runs that count.
	answers  []answer
	counters []map[string]int64
}

// parse reads the conversation of a trial.
func parse(t contract.Trial, _ contract.Phase, o runner.Output) runner.Report {
	p, err := decode(t.Workload)
	if err == nil && t.Measurement == nil {
		err = errNoDesign
	}
	if err != nil {
		return runner.Unreadable(err)
	}
	r := reading{conversation: converse(p, t), exchanges: o.Exchanges}
	report := runner.Report{}
	hello, err := r.answer(r.hello)
	if err == nil && (hello.State != stateOK || hello.Protocol != Protocol) {
		err = fmt.Errorf("the harness speaks %q and not %s (%s)", hello.Protocol, Protocol, hello.Reason)
	}
	if err != nil {
		report.Failure = runner.Failed(contract.ReasonToolFailed, "%v", err)
		return report
	}
	report.ToolVersion = r.versions(hello)
	outcomes := r.outcomes()
	report.Measurements = measurements(p, outcomes)
	measured := 0
	for _, c := range outcomes {
		if c.absent == nil {
			measured++
		}
	}
	if measured == 0 {
		report.Failure = runner.Failed(contract.ReasonToolFailed,
			"none of the %d combinations of driver and benchmark could be measured; the first: %s", len(outcomes), outcomes[0].absent.Reason)
	}
	return report
}

// reading is a conversation with what became of it.
type reading struct {
	*conversation
	exchanges []runner.Exchange
}

func (r reading) exchange(turn int) (runner.Exchange, bool) {
	if turn >= len(r.exchanges) {
		return runner.Exchange{}, false
	}
	return r.exchanges[turn], r.exchanges[turn].Turn == turn
}

func (r reading) answer(turn int) (answer, error) {
	x, there := r.exchange(turn)
	if !there {
		return answer{}, fmt.Errorf("the conversation ended before request %d", turn+1)
	}
	return readAnswer(x)
}

// versions of the runtime and of the drivers that it says of itself.
func (r reading) versions(hello answer) string {
	words := []string{strings.TrimSpace(hello.Language + " " + hello.Runtime)}
	for _, d := range r.params.inLanguage() {
		a, err := r.answer(r.prepared[d.shown()])
		if err != nil || a.State != stateOK || d.Name == contract.DriverNull {
			continue
		}
		word := d.Name + " " + a.Version
		if a.Library != "" {
			word += " (" + a.Library + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// outcomes of the cells in the order of the spec.
func (r reading) outcomes() []outcome {
	byName := map[string]*outcome{}
	var out []outcome
	for _, c := range r.params.cells() {
		out = append(out, outcome{cell: c})
	}
	for i := range out {
		byName[out[i].cell.name()] = &out[i]
	}
	for _, run := range r.runs {
		o := byName[run.cell.name()]
		if o.absent != nil {
			continue
		}
		a, x, why := r.run(run)
		switch {
		case why != nil:
			o.absent, o.answers, o.counters = why, nil, nil
		case !run.warmup:
			o.answers, o.counters = append(o.answers, a), append(o.counters, x.Counters)
		}
	}
	return out
}

// run reads what became of one run, and verifies it.
func (r reading) run(run run) (answer, runner.Exchange, *contract.Absence) {
	x, there := r.exchange(run.turn)
	if !there {
		return answer{}, x, absent(contract.NotMeasured, "the conversation ended before it")
	}
	if why := r.withoutTurn(run, x); why != nil {
		return answer{}, x, why
	}
	a, err := readAnswer(x)
	if err != nil {
		return a, x, absent(contract.NotMeasured, "%v", err)
	}
	switch a.State {
	case stateUnsupported:
		return a, x, absent(contract.Unsupported, "%s", a.Reason)
	case stateFailed:
		return a, x, absent(contract.NotMeasured, "%s", a.Reason)
	}
	if err := run.cell.verify(r.seed, a, x); err != nil {
		return a, x, absent(contract.NotMeasured, "%v", err)
	}
	return a, x, nil
}

// withoutTurn finds why a run was left out, or may not count: its driver, its table, an
// error of the server.
func (r reading) withoutTurn(run run, x runner.Exchange) *contract.Absence {
	d := run.cell.driver
	prepared, _ := r.exchange(r.prepared[d.shown()])
	if why := cmp.Or(prepared.Unsupported, x.Unsupported); why != "" {
		return absent(contract.Unsupported, "%s", why)
	}
	a, err := r.answer(r.prepared[d.shown()])
	switch {
	case err != nil:
		return absent(contract.NotMeasured, "%v", err)
	case a.State == stateUnsupported, a.State == stateFailed && a.isLoginMethod():
		return absent(contract.Unsupported, "%s", a.Reason)
	case a.State == stateFailed:
		return absent(contract.NotMeasured, "%s", a.Reason)
	}
	if err := verifyTLS(r.endpoint.TLS, d, a); err != nil {
		return absent(contract.NotMeasured, "%v", err)
	}
	if turn, made := r.tables[run.cell.tableIn()]; made {
		table, _ := r.exchange(turn)
		if table.Error != "" {
			return absent(contract.Unsupported, "the server could not make the table: %s", table.Error)
		}
		if err := run.cell.verifyEngine(table); err != nil {
			return absent(contract.Unsupported, "%v", err)
		}
	}
	switch {
	case x.Error != "":
		return absent(contract.NotMeasured, "the server, before or after: %s", x.Error)
	case x.Skipped:
		return absent(contract.NotMeasured, "what it needs did not go well: see the transcript of the conversation, turn %d", x.Turn)
	}
	return nil
}
