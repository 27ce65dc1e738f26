package client

import (
	"cmp"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// assemble makes the result from the findings of all steps, also when one of them failed. The
// blank result has its identity.
func assemble(blank contract.Result, o outcome[progress]) contract.Result {
	res, p := blank, o.found
	res.State, res.Failure = contract.Succeeded, o.failure
	if o.failure != nil {
		res.State = contract.Failed
	}
	res.Problems = o.problems
	res.Data, res.Answers = dataOf(p), answersOf(p)
	res.Server = serverOf(p)
	res.Times = timesOf(blank.Times, p)
	tool := &res.Tool
	tool.Args, tool.Version = p.tool.args, p.measured.report.ToolVersion
	tool.ExitCode, tool.Signal = p.measured.exitCode, p.measured.signal
	tool.WarmupCut, tool.WarmupSeconds = p.measured.warmupCut, p.warmedUp.seconds
	drawn(tool, contract.PhaseWarmup, p.warmedUp.seeds)
	drawn(tool, contract.Phase(blank.Trial.Phase), p.measured.seeds)
	res.Measurements, res.Errors, res.Warmup = p.measured.report.Measurements, p.measured.report.Errors, p.warmedUp.measurements
	if p.measured.warmupCut == contract.WarmupInProcess {
		tool.WarmupSeconds, res.Warmup = p.measured.report.WarmupSeconds, p.measured.report.Warmup
	}
	res.Client.Clock, res.Client.Speed, res.Client.ClockStepSeconds = p.clock, p.speed.client, p.measured.clockStepSeconds
	res.Client.Limits, res.Client.Agent = p.hello.Limits, p.measured.agent
	res.Client.Before, res.Client.After, res.Client.Gap = p.measured.usage.before, p.measured.usage.after, p.measured.usage.gap
	if p.measured.started == nil {
		res.Client.Before = p.countersBefore().client
	}
	res.Target = targetOf(p)
	return res
}

// drawn records the seed of the tool's random numbers in a phase.
func drawn(tool *contract.Tool, phase contract.Phase, s seeds) {
	if s.seed != 0 {
		if tool.Seeds == nil {
			tool.Seeds = map[string]int64{}
		}
		tool.Seeds[string(phase)] = s.seed
	}
	tool.Unseeded = tool.Unseeded || s.unseeded
}

// timesOf adds the known times to the start of the agent.
func timesOf(times contract.Times, p progress) contract.Times {
	times.Ready, times.WarmupStarted = p.ready, p.warmedUp.started
	if p.start != nil {
		times.Start, times.Planned = &p.start.published, &p.start.planned
	}
	times.MeasureStarted, times.MeasureEnded = p.measured.started, p.measured.ended
	w := p.measured.window()
	if p.measured.warmupCut == "" || !w.known {
		return times
	}
	times.WindowStarted, times.WindowEnded = &w.from, &w.to
	if s := p.measured.report.WarmupSeconds; s != nil && p.measured.warmupCut == contract.WarmupInProcess {
		times.WarmupStarted = new(w.from.Add(-time.Duration(*s * float64(time.Second))))
	}
	return times
}

// dataOf has the known data of the tables; nil for none.
func dataOf(p progress) *contract.Data {
	if p.reset == nil && p.restart == nil && p.loaded == nil && p.check == nil && p.dataSet == nil && p.followed == nil {
		return nil
	}
	d := &contract.Data{Restart: p.restart, Snapshot: p.snapshot, DataSet: p.dataSet, Tables: p.verified.tables, Check: p.check, Loaded: p.followed}
	if p.loaded != nil {
		d.Tables = p.loaded.tables
	}
	if p.reset != nil {
		reset := *p.reset
		if !p.replicasRestored.IsZero() {
			reset.Ended = p.replicasRestored
		}
		reset.VerifySeconds = p.verified.seconds
		d.Reset = &reset
	}
	return d
}

// answersOf the warm-up and of the window: a server that was wrong in the warm-up is no other one in the window.
func answersOf(p progress) *contract.Answers {
	warmup, window := p.warmedUp.answers, p.measured.report.Answers
	if warmup == nil || window == nil {
		return cmp.Or(warmup, window)
	}
	both := contract.Answers{Compared: warmup.Compared + window.Compared}
	for _, text := range warmup.Wrong {
		both.Wrong = append(both.Wrong, "in the warm-up: "+text)
	}
	both.Wrong = append(both.Wrong, window.Wrong...)
	return &both
}

// serverOf has the known facts of the server; nil when it did not answer.
func serverOf(p progress) *contract.Server {
	if p.server.server == nil {
		return nil
	}
	server := *p.server.server
	server.RoundTrip, server.Durability = p.roundTrip, p.durability
	before := p.countersBefore().server
	server.CountedFrom, server.Rows = before.countedFrom, before.rows
	if p.loaded != nil && p.loaded.rows != nil {
		server.Rows = p.loaded.rows
	}
	server.StatusDelta, server.VariablesChanged = p.after.statusDelta, p.after.variablesChanged
	if begin, end := before.level, p.after.level; begin != nil || end != nil {
		server.Levels = &contract.Levels{Begin: begin, End: end}
	}
	return &server
}

// targetOf has the answers of the target's agents; nil for none.
func targetOf(p progress) *contract.Environment {
	before, after := p.countersBefore().target, p.after.target
	if before == nil && after == nil && p.speed.target == nil && p.replicas == nil {
		return nil
	}
	target := &contract.Environment{Speed: p.speed.target, Replicas: p.replicas}
	for _, env := range []*contract.TargetEnvironment{before, after} { // the later one counts
		if env != nil {
			target.Machine, target.Limits, target.Warnings, target.Storage = env.Machine, env.Limits, env.Warnings, env.Storage
		}
	}
	if before != nil {
		target.Before = &before.Usage
	}
	if after == nil {
		return target
	}
	target.After, target.Gap = &after.Usage, after.Gap
	if w := after.Window; w != nil {
		target.Before, target.After = inside(target.Before, w.Before), inside(&after.Usage, w.After)
	}
	return target
}
