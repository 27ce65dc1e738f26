package validity

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// cases change a real result so that exactly one check has something to say, or
// so that it is close to having it; message is a part of what it says.
var cases = map[string]struct {
	change  func(*contract.Result, *runner.Expectations)
	check   string
	message string
}{
	"a throughput that is absent": {
		edit(contract.NameThroughput, func(m *contract.Measurement) { m.Value = nil }), "headline", "no throughput"},
	"a run that did nothing": {doNothing, "nothing-done", "no operation was executed"},
	"a throughput that is 1 % too high": {
		set(contract.NameThroughput, 1073.5), "throughput", "throughput is 1073.5 tx/s, but 10636 in 10.0060 s are 1062.96 tx/s"},
	"a throughput that is 5 % too high": {
		set(contract.NameThroughput, 1116), "throughput", "throughput is 1116 tx/s, but 10636 in 10.0060 s are 1062.96 tx/s"},
	"a throughput of 0 with operations": {
		set(contract.NameThroughput, 0), "throughput", "throughput is 0 tx/s, but 10636 were counted"},
	"a throughput that is 0.1 % beside the time": {set(contract.NameThroughput, 1064), "", ""},
	"a query rate of another run": {
		set(contract.NameQueries, 20000), "query-rate", "queries is 20000 queries/s, but 212720 in 10.0060 s"},
	"a query rate that is 0.1 % beside the time": {set(contract.NameQueries, 21270), "", ""},
	"an event more than transactions": {
		set(contract.NameEvents, 10637), "event-count", "10636 operations were counted, but 10637 events"},
	"no events counted": {edit(contract.NameEvents, func(m *contract.Measurement) { m.Value = nil }), "", ""},
	"a read that is not in the total": {
		set(contract.NameQueryCount, 148905), "query-kinds", "add up to 212721, but 212720"},
	"no kinds of queries": {func(r *contract.Result, _ *runner.Expectations) { drop(r, contract.NameQueryCount) }, "", ""},
	"queries of a workload without transactions": {
		func(_ *contract.Result, e *runner.Expectations) { e.QueriesPerOperation = 18 }, "queries-per-operation", "191448 to 191448 queries, but 212720"},
	"queries of a workload that is not known": {
		func(_ *contract.Result, e *runner.Expectations) { e.QueriesPerOperation = 0 }, "", ""},
	"an operation that is not in the histogram": {
		edit(contract.NameLatencyAvg, func(m *contract.Measurement) { m.Histogram.Buckets[0].Count-- }), "histogram", "holds 10635 operations, but 10636"},
	"no histogram": {edit(contract.NameLatencyAvg, func(m *contract.Measurement) { m.Histogram = nil }), "", ""},
	"a shortest latency above the longest": {
		set(contract.NameLatencyMin, 200), "latency-order", "shortest latency is 200 ms, the longest 104.13 ms"},
	"a mean below the shortest": {
		set(contract.NameLatencyMin, 3.77), "latency-order", "mean latency 3.76 ms is not between"},
	"a percentile above the longest": {
		set(contract.NameLatencyPercentile, 107), "latency-order", "95% latency 107 ms is not between"},
	"a percentile below the shortest": {
		set(contract.NameLatencyPercentile, 1.04), "latency-order", "95% latency 1.04 ms is not between"},
	"a percentile in the bucket of the longest": {set(contract.NameLatencyPercentile, 104.84), "", ""},
	"a sum of latencies of another run": {
		set(contract.NameLatencySum, 31980.96), "latency-sum", "10636 operations of 3.76 ms are 39991.36 ms, but the sum of latencies is 31980.96 ms"},
	"a sum within the rounding of the mean": {set(contract.NameLatencySum, 40040), "", ""},
	"latencies that fill more than the time": {
		func(_ *contract.Result, e *runner.Expectations) { e.Threads = 3 }, "little", "fill 1.332 of the time of 3 threads"},
	"latencies that leave the client time to idle": {
		func(_ *contract.Result, e *runner.Expectations) { e.Threads = 5 }, "client-bottleneck", "fill only 0.799"},
	"threads that had to wait for the last operations": {
		all(asked(10636), func(_ *contract.Result, e *runner.Expectations) { e.Threads = 5 },
			edit(contract.NameLatencyMax, func(m *contract.Measurement) { m.Value = new(1100.0) })), "stall", "an operation took 1.100 s, 293 times the mean"},
	"an operation that took a little less than a stall does": {set(contract.NameLatencyMax, 999), "", ""},
	"threads that waited for an operation that stalled at the end": {
		func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds, e.Threads = 9, 5 }, "", ""},
	"threads that waited for more than that": {
		func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds, e.Threads = 9, 6 }, "client-bottleneck", "fill only 0.666"},
	"threads that waited for more than the last operations": {
		all(asked(10636), func(_ *contract.Result, e *runner.Expectations) { e.Threads = 5 }), "client-bottleneck", "fill only 0.799"},
	"a loop that is open": {func(_ *contract.Result, e *runner.Expectations) { e.Threads = 0 }, "", ""},
	"a window that is too short": {
		func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds = 11 }, "duration", "was 10.0060 s, but 11 s were requested"},
	"a window that is too long": {
		func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds = 8 }, "duration", "was 10.0060 s, but 8 s"},
	"a window that is 1 s longer": {func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds = 9 }, "", ""},
	"two intervals that are missing": {
		edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals = m.Intervals[:8] }), "intervals", "has 8 intervals of 1 s, but 10.0060 s have 10"},
	"the last interval that is missing": {
		edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals = m.Intervals[:9] }), "", ""},
	"a warm-up in the process that measures, which began late": {func(r *contract.Result, e *runner.Expectations) {
		e.WarmupSeconds, r.Tool.WarmupCut, r.Tool.WarmupSeconds = 5, contract.WarmupInProcess, new(3.25)
	}, "warmup", "the warm-up took 3.2 s instead of 5 s"},
	"a server that completed no TLS handshake": {
		withTLS(map[string]float64{contract.StatusTLSAccepts: 0}), "tls", "completed 0 TLS handshakes"},
	"a server that completed those of other connections": {
		withTLS(map[string]float64{contract.StatusTLSAccepts: 3}), "tls", "completed 3 TLS handshakes (Ssl_finished_accepts) for 4 connections"},
	"a server that completed all TLS handshakes": {withTLS(map[string]float64{contract.StatusTLSAccepts: 5}), "", ""},
	"a server that does not count them":          {withTLS(nil), "", ""},
	"intervals without throughput": {
		all(zeroInterval(3), zeroInterval(4)), "stall", "2 of 10 intervals had no throughput, the first one at 4 s"},
	"a server that stopped for 0.6 s of two intervals each": {
		all(slowInterval(3, 0.4), slowInterval(4, 0.41)), "stall", "2 of 10 intervals had less than half of the median throughput, the first one at 4 s"},
	"an interval that is a little slower": {slowInterval(3, 0.55), "", ""},
	"a slow first interval is no stall":   {slowInterval(0, 0.2), "", ""},
	"a slow interval of few operations":   {all(slowInterval(3, 0.4), fewer(30)), "", ""},
	"an interval without one of few arrivals": {
		all(zeroInterval(3), atRate(9)), "", ""},
	"an interval without any of many arrivals": {
		all(zeroInterval(3), atRate(1000)), "stall", "1 of 10 intervals had no throughput"},
	"an interval of which nothing is known": {
		edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals[3].Value = nil }), "", ""},
	"a percentile of too few operations": {
		edit(contract.NameLatencyPercentile, func(m *contract.Measurement) { m.Labels = map[string]string{"p": "99.95"} }),
		"percentile-sample", "only 5.3 of 10636 operations lie beyond the 99.95% latency"},
	"the longest latency as a percentile": {
		edit(contract.NameLatencyPercentile, func(m *contract.Measurement) { m.Labels = map[string]string{"p": "100"} }), "", ""},
	"errors that were ignored": {
		withErrors(contract.ErrorIgnored, 2), "ignored-errors", "2 errors were ignored, one per 5318 operations"},
	"connections that were lost": {
		withErrors(contract.ErrorReconnects, 1), "reconnects", "1 connections were lost and made again, one per 10636"},
	"a client that waited in 1 % of the periods": {
		onClient(waited(10)), "client-throttled", "the client was throttled in 10 of 1000 periods (1.00 %), for 0.250 s in all: give it more CPU"},
	"a client that waited in more of them": {
		onClient(waited(11)), "client-throttled", "the client was throttled in 11 of 1000 periods (1.10 %)"},
	"an agent that was throttled beside its tool": {
		func(r *contract.Result, _ *runner.Expectations) {
			e := used(waited(10))
			r.Client.Agent = &contract.AgentContainer{Before: e.Before, After: e.After}
		}, "agent-throttled", "the agent of the client was throttled in 10 of 1000 periods (1.00 %), for 0.250 s in all: raise agent.resources"},
	"an agent that was not": {
		func(r *contract.Result, _ *runner.Expectations) { r.Client.Agent = &contract.AgentContainer{} }, "", ""},
	"a client that was not throttled": {onClient(waited(0)), "", ""},
	"a client whose periods nobody counted": {
		onClient(func(b, a *contract.Usage) { waited(500)(b, a); b.Periods = nil }), "client-throttled", "the client was throttled 500 times, for 0.250 s"},
	"a client of which only the end is known": {
		all(onClient(waited(500)), func(r *contract.Result, _ *runner.Expectations) { r.Client.Before = nil }), "", ""},
	"a target that waited in 1 % of the periods": {
		onTarget(waited(10)), "target-throttled", "the target was throttled in 10 of 1000 periods"},
	"a target that waited in more of them": {
		onTarget(waited(11)), "target-throttled", "the target was throttled in 11 of 1000 periods"},
	"a target that was not throttled": {onTarget(waited(0)), "", ""},
	"a target that waited although it had CPU left": {
		all(onTarget(waited(300)), ofCPU(5, 1)), "target-throttled", "(30.00 %), for 0.250 s in all, and used 50 % of its CPU limit: give it more CPU"},
	"a target that used up its CPU": {
		all(onTarget(waited(900)), ofCPU(9.6, 1)), "target-throttled", "(90.00 %), for 0.250 s in all, and used 96 % of its CPU limit"},
	"a target without memory for more than 1 % of the time": {
		onTarget(waitedFor("memory.full", 0.11)), "target-memory-pressure", "all of the target waited for memory in 1.1 % of the measured window"},
	"a target without memory for 1 % of the time": {onTarget(waitedFor("memory.full", 0.0999)), "", ""},
	"some of a target without memory":             {onTarget(waitedFor("memory.some", 5)), "", ""},
	"a target that waited for I/O in 13 % of the time": {
		onTarget(waitedFor("io.full", 1.3)), "target-io-pressure", "all of the target waited for I/O in 13.0 % of the measured window"},
	"a target that waited for I/O in a tenth of the time": {onTarget(waitedFor("io.full", 0.99)), "", ""},
	"some of a target that waited for I/O":                {onTarget(waitedFor("io.some", 5)), "", ""},
	"a machine whose work waited for I/O": {
		onTarget(waitedFor("node.io.full", 1.3)), "target-io-pressure", "all work on the machine of the target waited for I/O in 13.0 % of the measured window"},
	"a target that did not wait on a machine that did": {
		onTarget(func(b, a *contract.Usage) {
			b.Pressure = map[string]float64{"io.full": 3, "node.io.full": 3}
			a.Pressure = map[string]float64{"io.full": 3, "node.io.full": 8}
		}), "", ""},
	"a client without memory": {
		onClient(waitedFor("memory.full", 0.2)), "client-memory-pressure", "all of the client waited for memory in 2.0 %"},
	"a client on a node without memory is the business of CheckNeighbours": {onClient(waitedFor("node.memory.full", 0.2)), "", ""},
	"a calm container on a node without memory": {
		onTarget(func(b, a *contract.Usage) {
			b.Pressure = map[string]float64{"memory.full": 3, "node.memory.full": 3}
			a.Pressure = map[string]float64{"memory.full": 3, "node.memory.full": 8}
		}), "", ""},
	"a replica that stopped": {func(r *contract.Result, _ *runner.Expectations) {
		if r.Target == nil {
			r.Target = &contract.Environment{}
		}
		r.Target.Replicas = []contract.Replica{{Error: "error 1236"}}
	}, "replication", "replica 0: error 1236"},
	"a commit that no replica acknowledged": {func(r *contract.Result, _ *runner.Expectations) {
		if r.Server == nil {
			r.Server = &contract.Server{}
		}
		r.Server.StatusDelta = map[string]float64{"Rpl_semi_sync_master_no_tx": 1}
	}, "semi-sync", "1 commits were not acknowledged"},
	"a target with more CPUs at the end": {
		onTarget(func(b, a *contract.Usage) { b.CPULimit, a.CPULimit = new(2.0), new(4.0) }),
		"resized", "the target was resized during the measured window: 2 CPUs became 4"},
	"a node that was started again":  {booted(noon.Add(4 * time.Second)), "target-restarted", "the target's node restarted at 12:00:04"},
	"a node that was started before": {booted(noon.Add(-time.Minute)), "", ""},
	"a target with less CPU time than before": {
		onTarget(func(b, a *contract.Usage) { b.CPUSeconds, a.CPUSeconds = new(90.0), new(2.0) }),
		"target-restarted", "the target's CPU time was 88 less after the measured window than before it"},
	"a target with fewer periods than before": {
		onTarget(func(b, a *contract.Usage) { b.Periods, a.Periods = new(int64(900)), new(int64(100)) }),
		"target-restarted", "the target's number of CPU periods was 800 less"},
	"a server that was started again, whose counters count anew": {
		withTLS(map[string]float64{"Uptime": -88, contract.StatusTLSAccepts: -7, "Questions": -212720}),
		"target-restarted", "the server's uptime was 88 s less after the measured window than before it"},
	"another server, which is younger": {another, "target-restarted", "the server's hostname was a before the measured window and b after it: another server answered"},
	"a target whose threads that switched have ended": {
		onTarget(func(b, a *contract.Usage) {
			b.InvoluntarySwitches, a.InvoluntarySwitches = new(int64(900)), new(int64(100))
		}), "", ""},
	"a clock that was set back":                      {clockBy(-0.051), "clock-step", "set by -0.051 s during the measured window of 10.0 s"},
	"a clock that was set ahead":                     {clockBy(0.06), "clock-step", "set by +0.060 s"},
	"a clock that is slewed":                         {clockBy(0.05), "", ""},
	"a clock that is slewed for long":                {all(stretched, clockBy(0.5)), "", ""},
	"a clock that is set by more than slewing could": {all(stretched, clockBy(-0.7)), "clock-step", "set by -0.700 s"},
	"fewer operations than asked for": {
		asked(10637), "operations", "10636 operations were counted, but 10637 were requested"},
	"as many operations as asked for":                    {asked(10636), "", ""},
	"each thread did one operation more":                 {asked(10632), "", ""},
	"more operations than asked for":                     {asked(10631), "operations", "10636 operations were counted, but 10631"},
	"a rate that was achieved":                           {atRate(1063), "", ""},
	"a rate that was achieved but for chance":            {atRandom(1079), "", ""},
	"98.5 % of a rate without chance":                    {atRate(1079), "saturated", "1079 operations per second were offered, and 1062.89 achieved (98.5 %)"},
	"a rate that was not achieved":                       {atRandom(1120), "saturated", "1120 operations per second were offered, and 1062.89 achieved (94.9 %)"},
	"a rate that was not achieved for long":              {all(stretched, atRandom(11.2)), "saturated", "11.2 operations per second were offered"},
	"a queue that grows":                                 {all(atRandom(1063), queued(0, 9, 22, 35, 47, 58, 71, 82, 93, 106)), "saturated", "grew: 9, then 52, then 93 in the thirds"},
	"a queue that a stall left":                          {all(atRandom(1063), queued(0, 1, 0, 0, 2, 0, 0, 99, 98, 97)), "", ""},
	"a queue that is long from the begin":                {all(atRandom(1063), queued(90, 99, 95, 92, 97, 93, 96, 94, 98, 99)), "", ""},
	"a rate of which more was achieved than was offered": {atRate(900), "", ""},
	"a node whose clock is far ahead":                    {clockBeside(0.25, 0.0002), "clock-offset", "the clock of the target (agent) differed by +0.2500 s (give or take 0.0002 s) from that of the client"},
	"a node whose clock is a bit behind":                 {clockBeside(-0.02, 0.0002), "clock-offset", "differed by -0.0200 s"},
	"clocks that follow NTP":                             {clockBeside(0.009, 0.0002), "", ""},
	"an offset that nobody knows":                        {clockBeside(0.25, 0.3), "", ""},
	"settings that somebody changed": {
		changedTo("sync_binlog", "max_connections"), "variables-changed", "changed during the trial: max_connections, sync_binlog"},
	"more settings than anybody reads": {
		changedTo("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"), "variables-changed", "h, i, j, and 2 more"},
	"positions that every write moves": {changedTo("gtid_executed", "gtid_binlog_pos"), "", ""},
	"a position of another server is a setting": {onServer(func(s *contract.Server) {
		s.VariablesChanged = map[string]string{"gtid_executed": "1", "gtid_slave_pos": "1"}
	}), "variables-changed", "changed during the trial: gtid_slave_pos"},
	"no setting that changed": {changedTo(), "", ""},
	"something that a reset could not prove": {
		func(r *contract.Result, _ *runner.Expectations) {
			r.Problems = []contract.Problem{{Source: "reset", Text: "sbtest1 has no checksum"}}
		}, "reset", "after the reset: sbtest1 has no checksum"},
	"TLS that one session did not have": {all(withTLS(map[string]float64{contract.StatusTLSAccepts: 5}), func(r *contract.Result, _ *runner.Expectations) { r.Server.Cipher = "" }),
		"tls", "did not encrypt a session of the benchmark's account"},
	"TLS of a server that shows no cipher": {all(withTLS(nil), func(r *contract.Result, _ *runner.Expectations) {
		r.Server.Version, r.Server.VersionComment, r.Server.Cipher = "8.0.31", "Dolt", ""
	}), "", ""},
	"commits without flushes": {onServer(flushed("Innodb_data_fsyncs", 12)), "durability",
		"for at least 1063 transactions that wrote, of 4 threads, the server requested only 12 flushes (innodb_data_fsyncs): commits were not durable"},
	"flushes that serve all threads":     {onServer(flushed("Innodb_data_fsyncs", 266)), "", ""},
	"commits that need none":             {onServer(with("innodb_flush_log_at_trx_commit", "2", flushed("Innodb_data_fsyncs", 12))), "", ""},
	"another engine's flushes":           {onServer(with("default_storage_engine", "ROCKSDB", flushed("Innodb_data_fsyncs", 12))), "", ""},
	"operations faster than the storage": {onStorage(0.008), "fsync", "takes 3.76 ms on average: less than half of the 8.000 ms that one flush takes on the storage of the target (the fastest of 100; ext4)"},
	"operations as fast as the storage":  {onStorage(0.007), "", ""},
	"statements faster than the network": {away(0.0004), "round-trip", "an operation of 20 statements takes 3.76 ms on average: less than half of the 8.000 ms"},
	"statements as fast as the network":  {away(0.0003), "", ""},
	"statements that no relay delayed":   {all(away(0.0003), delayed(2*time.Millisecond)), "round-trip", "than half of the 46.000 ms that so many round trips take (the fastest of 29 was 0.300 ms, and delay adds 2 ms"},
	"segments sent again": {onClient(func(before, after *contract.Usage) {
		before.TCPSegments, after.TCPSegments = new(int64(1000)), new(int64(101000))
		before.TCPRetransmits, after.TCPRetransmits = new(int64(7)), new(int64(307))
	}), "retransmits", "the client sent 300 of 100000 segments again (0.3 %): the network lost"},
	"a stall during which segments were lost": {all(zeroInterval(3), onClient(func(before, after *contract.Usage) {
		before.TCPSegments, after.TCPSegments = new(int64(1000)), new(int64(101000))
		before.TCPRetransmits, after.TCPRetransmits = new(int64(7)), new(int64(10))
	})), "network-stall", "1 of 10 intervals had no throughput, the first one at 4 s, while the client sent 3 segments again: the network was interrupted, or a machine on its way was too busy for it"},
	"a stall of the server beside one lost segment": {all(zeroInterval(3), onTarget(func(before, after *contract.Usage) {
		before.TCPSegments, after.TCPSegments = new(int64(1000)), new(int64(101000))
		before.TCPRetransmits, after.TCPRetransmits = new(int64(7)), new(int64(9))
	})), "stall", "1 of 10 intervals had no throughput"},
	"a database that did not run": {all(zeroInterval(3), onTarget(func(_, _ *contract.Usage) {}), gapOfTarget(contract.Gap{
		Seconds: 75.2, InsideSeconds: 75, CPUSeconds: new(0.4), MemorySeconds: new(0.1),
	})), "agent-stall", "took none: that of the target for 75.0 s (from 12:00:03.0): its pod or its machine did not run"},
	"a tool that did not run": {func(r *contract.Result, _ *runner.Expectations) {
		r.Client.Gap = &contract.Gap{From: noon, Seconds: 6, InsideSeconds: 5}
	}, "agent-stall", "that of the client for 5.0 s"},
	"a replica that did not run": {all(onTarget(func(_, _ *contract.Usage) {}), func(r *contract.Result, _ *runner.Expectations) {
		r.Target.Replicas = []contract.Replica{{
			Index: 1, Machine: &contract.Machine{CPUs: new(int64(2))}, Limits: &contract.Limits{},
			Gap: &contract.Gap{From: noon, Seconds: 6, InsideSeconds: 6, CPUSeconds: new(5.9)},
		}}
	}), "agent-stall", "that of the replica 1 for 6.0 s"},
	"an agent that was late on a busy machine": {all(onTarget(func(_, _ *contract.Usage) {}), gapOfTarget(contract.Gap{Seconds: 5.4, InsideSeconds: 4.9})), "", ""},
	"a database that used up its CPU and kept its agent from running": {
		all(onTarget(func(_, _ *contract.Usage) {}), gapOfTarget(contract.Gap{Seconds: 10, InsideSeconds: 10, CPUSeconds: new(2.5)})), "", ""},
	"a database without a limit that used half of its machine": {
		all(onTarget(func(_, _ *contract.Usage) {}), gapOfTarget(contract.Gap{Seconds: 10, InsideSeconds: 10, CPUSeconds: new(10.0)}),
			func(r *contract.Result, _ *runner.Expectations) {
				r.Target.Limits.CPUs, r.Target.Machine.CPUs = nil, new(int64(2))
			}), "", ""},
	"a database that waited for its own memory": {
		all(onTarget(func(_, _ *contract.Usage) {}), gapOfTarget(contract.Gap{Seconds: 10, InsideSeconds: 10, MemorySeconds: new(5.0)})), "", ""},
	"hardly any segments sent again": {onTarget(func(before, after *contract.Usage) {
		before.TCPSegments, after.TCPSegments = new(int64(1000)), new(int64(101000))
		before.TCPRetransmits, after.TCPRetransmits = new(int64(7)), new(int64(57))
	}), "", ""},
	"segments sent again that nobody counted": {onTarget(func(before, after *contract.Usage) {
		before.TCPRetransmits, after.TCPRetransmits = new(int64(7)), new(int64(5700))
	}), "", ""},
	"statements that another server had": {answered(100), "server-statements", "the tool counted 212720 statements, but the server answered 100"},
	"the counters of the first client":   {answered(205000), "", ""},
	"operations of a tool that counts no statements": {all(answered(5000), func(r *contract.Result, e *runner.Expectations) {
		r.Measurements = slices.DeleteFunc(r.Measurements, func(m contract.Measurement) bool { return strings.HasPrefix(m.Name, contract.NameQueries) })
	}), "server-statements", "the tool counted 10636 operations, but the server answered 5000"},
	"operations of a kind that were not answered": {mixed(map[string]int64{"read": 10636}, map[string]int64{"read": 10635}),
		"operation-kinds", "10636 operations of read were measured, but 10635 were answered well"},
	"operations that another status answered": {answeredBy("read", map[string]int64{"OK": 3, "BATCHED_OK": 4, "ERROR": 5}, 7), "", ""},
	"kinds that are mixed as asked for":       {all(mixed(map[string]int64{"read": 5400, "update": 5236}, nil), asking(map[string]float64{"read": 0.5, "update": 0.5})), "", ""},
	"kinds that are mixed otherwise": {all(mixed(map[string]int64{"read": 5600, "update": 5036}, nil), asking(map[string]float64{"read": 0.5, "update": 0.5})),
		"operation-mix", "5600 of 10636 operations are read, but 50 % were asked for (5318): by chance fewer than one of 1.4e+06 trials"},
	"a kind that is missing": {all(mixed(map[string]int64{"read": 10636}, nil), asking(map[string]float64{"read": 1, "insert": 0.05})),
		"operation-mix", "0 of 10636 operations are insert"},
	"a kind that nobody asked for, and that is not there": {all(mixed(map[string]int64{"read": 10636}, nil), asking(map[string]float64{"read": 1, "scan": 0})), "", ""},
	"latencies of one operation beyond those of all":      {labelled(map[string]float64{contract.NameLatencyMin: 1, contract.NameLatencyMax: 9999}, 50), "", ""},
	"a percentile of one operation beyond its longest": {labelled(map[string]float64{contract.NameLatencyMin: 1, contract.NameLatencyMax: 9}, 50),
		"latency-order", "the 95% latency of read (intended) 50 ms is not between the shortest 1 ms and the longest 9 ms"},
	"percentiles that go down": {func(r *contract.Result, e *runner.Expectations) {
		labelled(map[string]float64{contract.NameLatencyMin: 1, contract.NameLatencyMax: 99}, 50)(r, e)
		last := r.Measurements[len(r.Measurements)-1]
		last.Labels, last.Value = map[string]string{"operation": "read", "timing": "intended", "p": "99.9"}, new(40.0)
		r.Measurements = append([]contract.Measurement{last}, r.Measurements...)
	}, "latency-order", "the 99.9% latency of read (intended) 40 ms is shorter than that of a lower percentile, 50 ms"},
	"few operations of one kind": {func(r *contract.Result, e *runner.Expectations) {
		labelled(nil, 50)(r, e)
		r.Measurements[len(r.Measurements)-1].N = new(int64(100))
	}, "percentile-sample", "only 5.0 of 100 operations of read (intended) lie beyond the 95% latency"},
	"time of connecting that explains idle threads":        {all(idle(8), set(contract.NameLatencyMin, 2), after(2)), "", ""},
	"time of connecting that does not explain all of them": {all(idle(8), set(contract.NameLatencyMin, 2), after(0.5)), "client-bottleneck", "fill only"},
	"a rate that was not offered while connecting":         {all(atRate(1179), after(1), withoutSeries), "", ""},
	"a rate that connecting does not explain":              {all(atRate(1180), after(0.1)), "saturated", "1180 operations per second were offered"},
	"statements of a tool that promises nothing": {stating(1000, 899), "no-op-statements",
		"the server executed 1000 statements (Com_update) and changed 899 rows (Innodb_rows_updated): at least 10.1 % of them changed nothing"},
	"statements that change a row each":    {stating(1000, 1000), "", ""},
	"statements that change many rows":     {stating(1000, 99999), "", ""},
	"1 in 10 of the statements":            {stating(1000, 900), "", ""},
	"few statements":                       {stating(99, 0), "", ""},
	"statements that are looked at":        {all(stating(1000, 0), func(_ *contract.Result, e *runner.Expectations) { e.Verified = true }), "", ""},
	"statements to a server started since": {stating(1000, -5), "", ""},
	"inserts that read their pages back": {inserting(34444, 70898), "data-grew", "inserting 10636 rows, the server read 70898 pages from disk (Innodb_buffer_pool_reads): " +
		"the tables have outgrown the buffer pool (innodb_buffer_pool_size = 8388608)"},
	"inserts into tables that fit":      {inserting(12431, 3), "", ""},
	"reads from disk of other work":     {all(inserting(12431, 70898), func(_ *contract.Result, e *runner.Expectations) { e.QueriesPerOperation = 20 }), "", ""},
	"a window that puts off its work":   {windowOf(map[string]float64{"Innodb_redo_log_current_lsn": 1186612, "Innodb_redo_log_checkpoint_lsn": 0}), "debt", "grew by 1.19 MB, of 1.19 MB"},
	"a window that pays for half of it": {windowOf(map[string]float64{"Innodb_redo_log_current_lsn": 1186612, "Innodb_redo_log_checkpoint_lsn": 593306}), "", ""},
	"a window that reads from memory":   {windowOf(map[string]float64{"Innodb_buffer_pool_reads": 0}), "in-memory", "no page was read from the device (Innodb_buffer_pool_reads)"},
	"a window that reads a page":        {windowOf(map[string]float64{"Innodb_buffer_pool_reads": 1}), "", ""},
	"tables without a checksum": {withProblem("server/checksum", "2 of 2 tables (a, b) have no checksum: those of all tables may take 1m0s together"),
		"checksum", "the data is compared by its number of rows alone: 2 of 2 tables (a, b) have no checksum"},
	"what the agent could not do": {withProblem("server/tls", "TLS is preferred, but"), "agent", "server/tls: TLS is preferred, but"},
	"what a tool cannot do": {withoutValue(contract.Unsupported, "no such call"), "unsupported",
		"6 measurements are not supported: driver=d0 (no such call); driver=d1 (no such call); driver=d2 (no such call); driver=d3 (no such call); driver=d4 (no such call); and 1 more"},
	"what was tried and failed": {withoutValue(contract.NotMeasured, "9 rows instead of 10"), "not-measured", "could not be measured: driver=d0 (9 rows instead of 10)"},
	"a line that was not understood": {
		func(r *contract.Result, _ *runner.Expectations) {
			r.Problems = []contract.Problem{{Source: "run/stdout", Line: 12, Text: "WARNING: something new"}}
		}, "problems", "1 lines of output were not understood, the first one in run/stdout, line 12: WARNING: something new"},
}

// windowOf is a window of MySQL 9.7 that counted this.
func windowOf(delta map[string]float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server = &contract.Server{Version: "9.7.4-2", VersionComment: "(Debian)", StatusDelta: delta,
			Variables: map[string]string{"default_storage_engine": "InnoDB", "innodb_buffer_pool_size": "134217728"}}
	}
}

// withoutValue adds six measurements that are absent for one reason.
func withoutValue(state contract.AbsenceState, reason string) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		for i := range 6 {
			r.Measurements = append(r.Measurements, contract.Measurement{
				Name: contract.NameThroughput, Labels: map[string]string{"driver": fmt.Sprintf("d%d", i)}, Unit: "ops/s",
				Absent: &contract.Absence{State: state, Reason: reason},
			})
		}
	}
}

func TestCheck(t *testing.T) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			got := Check(r, f)
			if tc.check == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want no finding", got)
				}
				return
			}
			if len(got) != 1 || got[0].Check != tc.check || !strings.Contains(got[0].Message, tc.message) {
				t.Errorf("got %+v, want one of %s with %q", got, tc.check, tc.message)
			}
		})
	}
}

func TestEveryCheckHasACase(t *testing.T) {
	// TestSnapshotIsolation and TestDataRanDry: another check speaks with them. TestDataInconsistent and TestWrongResults are theirs.
	tested := map[string]bool{"snapshot-isolation": true, "data-ran-dry": true, "data-inconsistent": true, CheckWrongResults: true, "no-op-writes": len(noOpCases) > 0}
	for _, tc := range cases {
		tested[tc.check] = true
	}
	names := map[string]bool{}
	for _, c := range checks {
		if !tested[c.name] {
			t.Errorf("no case makes %s speak", c.name)
		}
		key := c.name + " " + string(c.severity)
		if names[key] || !slices.Contains([]Severity{Invalid, Disturbed, Warning, Note}, c.severity) {
			t.Errorf("%s: twice, or no severity", key)
		}
		names[key] = true
	}
}
