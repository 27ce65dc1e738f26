// Package costs derives what an operation costs from the evidence of a trial: CPU time of the
// server and of the clients, bytes and flushes of the storage engine, memory, and money. It is
// pure.
//
// In: the results of all clients of a trial, the merged result, and the price of the servers. Out:
// measurements with unit and direction. A cost whose evidence is missing is absent, never 0, and so is
// one that is no finite number. It refuses nothing.
//
//	costs.go    the measurements
//	servers.go  those of a trial on several servers
//	engines.go  what storage engines count
package costs

import (
	"math"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Names of the measurements.
const (
	// ServerCPU are the CPU seconds of the primary's container per million operations; of several servers, those of all of them.
	ServerCPU = "cost.cpu.server"
	// ClientCPU are the CPU seconds of all tools' containers per million operations. With labels it is about one of several
	// kinds of operations of a trial, and has the CPU seconds of the tool's processes alone.
	ClientCPU = "cost.cpu.client"
	// Written are the bytes that the storage engine wrote per operation, by its own counters.
	Written = "cost.written"
	// Flushes are the flushes of the storage engine per operation, by its own counters. Those of a
	// binary log are not among them.
	Flushes = "cost.flushes"
	// Debt are the bytes per operation by which the log that the storage engine has still to flush the pages of grew: what later windows
	// pay. It is negative where the window paid more than it added.
	Debt = "cost.debt"
	// Flushed are the bytes of the pages that the storage engine flushed per operation, those of earlier windows included.
	Flushed = "cost.flushed"
	// ServerMemory is the largest memory of the primary's container since it began, with the page
	// cache, in bytes; of several servers, the sum.
	ServerMemory = "cost.memory.server"
	// ClientMemory is the sum of the largest memories of all tools' containers, in bytes.
	ClientMemory = "cost.memory.client"
	// Price is the price of the servers per million operations.
	Price = "cost.price"
)

// Units of the measurements. That of Price has the currency in place of s.
const (
	unitCPU     = "s/Mop"
	unitWritten = "B/op"
	unitFlushes = "1/op"
	unitMemory  = "B"
)

const million = 1e6

// Names of all costs, in the order in which they are shown.
func Names() []string {
	return []string{ServerCPU, ClientCPU, Written, Flushes, Debt, Flushed, ServerMemory, ClientMemory, Price}
}

// SinceStart says whether a cost is the largest value since the server's container began: all trials
// of a run then show one observation, and not several.
func SinceStart(name string) bool { return name == ServerMemory }

// OfServer says whether a cost is a share of what the server did, or of its price, for the operations of the workload: of several loads, none has it.
func OfServer(name string) bool {
	return name != ClientCPU && name != ClientMemory && name != ServerMemory
}

// Rate is the price of the servers of a target.
type Rate struct {
	// PerHour of all servers together; 0 for an unknown price.
	PerHour float64
	// Currency is its code, such as EUR.
	Currency string
}

// Of a trial. Results are those of all clients, and merged is what they measured together. An operation is one of the throughput without
// labels, and of a load a row. A tool that measures many kinds of operations in a trial has none: of its costs per operation there is
// only the CPU time of its processes, where it says that of each kind.
func Of(results []contract.Result, merged contract.Result, rate Rate) []contract.Measurement {
	var out []contract.Measurement
	add := func(name, unit string, v float64, known bool) {
		if known && (v >= 0 || name == Debt && v < 0) && !math.IsInf(v, 0) {
			out = append(out, contract.Measurement{Name: name, Unit: unit, Direction: contract.LowerIsBetter, Value: &v})
		}
	}
	if merged.State != contract.Succeeded || len(results) == 0 {
		return nil
	}
	if perSecond, known := operations(merged); known {
		if merged.Target != nil {
			server, has := cpuRate(*merged.Target, windowSeconds(merged))
			has = has && !endsEarly(results[0], merged)
			add(ServerCPU, unitCPU, million*server/perSecond, has)
		}
		clients, has := clientCPU(results, merged)
		add(ClientCPU, unitCPU, million*clients/perSecond, has)
		if seconds := countedSeconds(merged); seconds > 0 {
			written, has := written(merged)
			add(Written, unitWritten, written/seconds/perSecond, has)
			flushes, has := flushes(merged)
			add(Flushes, unitFlushes, flushes/seconds/perSecond, has)
			debt, has := debt(merged)
			add(Debt, unitWritten, debt/seconds/perSecond, has)
			flushed, has := flushed(merged)
			add(Flushed, unitWritten, flushed/seconds/perSecond, has)
		}
		add(Price, rate.Currency+"/Mop", million*rate.PerHour/time.Hour.Seconds()/perSecond, rate.PerHour > 0)
	}
	out = append(out, cpuOfKinds(merged)...)
	if merged.Target != nil {
		peak, has := peakMemory(*merged.Target)
		add(ServerMemory, unitMemory, peak, has)
	}
	sum, all := 0.0, true
	for _, r := range results {
		peak, has := peakMemory(r.Client.Environment)
		sum, all = sum+peak, all && has
	}
	add(ClientMemory, unitMemory, sum, all)
	return out
}

// operations per second; false for none, and for a unit of another time.
func operations(r contract.Result) (perSecond float64, known bool) {
	name := contract.NameThroughput
	if r.Load() != nil {
		name = contract.NameRowRate // of the whole window; what a tool says is of a part of it
	}
	for _, m := range r.Measurements {
		if m.Name == name && len(m.Labels) == 0 && m.Value != nil && *m.Value > 0 && strings.HasSuffix(m.Unit, "/s") {
			return *m.Value, true
		}
	}
	return 0, false
}

// windowSeconds is the length of the measured window; 0 where it is unknown.
func windowSeconds(r contract.Result) float64 {
	from, to, ok := contract.MeasuredWindow(r)
	if !ok || !to.After(from) {
		return 0
	}
	return to.Sub(from).Seconds()
}

// endsEarly says whether the first client of a load, which asks for what the server used, ended long before the last one.
func endsEarly(first, merged contract.Result) bool {
	return merged.Load() != nil && windowSeconds(first) < 0.95*windowSeconds(merged)
}

// countedSeconds is the part of the window that the counters of the server cover: those of a tool
// that begins its window by itself are read first after its start.
func countedSeconds(r contract.Result) float64 {
	from, to, ok := contract.MeasuredWindow(r)
	if !ok || r.Server == nil {
		return 0
	}
	if at := r.Server.CountedFrom; at != nil && at.After(from) {
		from = *at
	}
	return max(0, to.Sub(from).Seconds())
}

// clientCPU of all clients; unknown when that of one is. Clients that load end one after the other, and the rate of rows is over the time of all of
// them: so is what each of them used.
func clientCPU(results []contract.Result, merged contract.Result) (perSecond float64, known bool) {
	sum := 0.0
	for _, r := range results {
		window := windowSeconds(r)
		rate, has := cpuRate(r.Client.Environment, window)
		if whole := windowSeconds(merged); merged.Load() != nil && whole > window {
			rate *= window / whole
		}
		if !has {
			return 0, false
		}
		sum += rate
	}
	return sum, true
}

// cpuOfKinds is what an operation of each kind costs the clients, with the labels of its kind. The time and the number of
// operations are of one measurement, so that no window is needed.
func cpuOfKinds(merged contract.Result) (out []contract.Measurement) {
	for _, m := range merged.Measurements {
		if m.Name != contract.NameCPUTime || len(m.Labels) == 0 || m.Value == nil || m.N == nil {
			continue
		}
		if v := million * *m.Value / float64(*m.N); v > 0 && !math.IsInf(v, 0) {
			out = append(out, contract.Measurement{
				Name: ClientCPU, Labels: m.Labels, Unit: unitCPU, Direction: contract.LowerIsBetter, N: m.N, Value: &v,
			})
		}
	}
	return out
}

// cpuRate is the CPU time per second of the window. The samples of a long window lie inside of it,
// so that their time counts. Those of a short one lie around the tool, which starts and ends
// between them: all of its CPU time is then for the operations of the window.
func cpuRate(e contract.Environment, window float64) (perSecond float64, known bool) {
	used, known := contract.Increase(e, func(u contract.Usage) *float64 { return u.CPUSeconds })
	if !known || used < 0 || window <= 0 {
		return 0, false
	}
	seconds := min(e.After.At.Sub(e.Before.At).Seconds(), window)
	if seconds <= 0 {
		return 0, false
	}
	return used / seconds, true
}

// peakMemory since the container began.
func peakMemory(e contract.Environment) (bytes float64, known bool) {
	if e.After == nil || e.After.MemoryPeakBytes == nil {
		return 0, false
	}
	return float64(*e.After.MemoryPeakBytes), true
}
