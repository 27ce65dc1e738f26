package drivers

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Names of measurements that only this runner has.
const (
	// NameStatements is how many statements the server says that it got for one operation
	// (its counter Questions). It has in it what a harness sends around the operations of a
	// run: a few statements for each connection.
	NameStatements = "server.statements"
	// NameCounter is another of the server's counters, per operation.
	NameCounter = "server.counter"
	// NameAllocated is how many bytes the harness and the driver allocated on the heap of the language for one operation.
	NameAllocated = "memory.allocated"
	// NameUnderWay is how many operations were under way on average: the sum of their latencies over the time from the beginning of
	// the first to the end of the last (Little, A proof for the queuing formula L = λW, 1961). One that waits in the client
	// for its turn is under way, too. It is less than the concurrency that was asked for where the harness works between two
	// operations, and where workers begin later or end earlier than others.
	NameUnderWay = "operations.underWay"
)

// Keys of labels that only this runner has.
const (
	LabelEngine  = "storageEngine"
	LabelCounter = "counter"
)

// percentiles that are given, and how many operations each needs for ten of them to lie
// beyond it: with fewer it would be the story of one.
var percentiles = []struct {
	p      float64
	leastN int64
}{{50, 20}, {95, 200}, {99, 1000}}

// measurements of all cells: those of one cell stand together.
func measurements(p Params, outcomes []outcome) []contract.Measurement {
	throughput := map[string]float64{}
	for _, o := range outcomes {
		if o.absent == nil {
			throughput[o.cell.name()] = o.throughput()
		}
	}
	var out []contract.Measurement
	for _, o := range outcomes {
		labels := o.cell.labels()
		if o.absent != nil {
			out = append(out, contract.Measurement{
				Name: contract.NameThroughput, Labels: labels, Unit: "ops/s", Direction: contract.HigherIsBetter,
				Operation: o.cell.operation.does, Absent: o.absent,
			})
			continue
		}
		out = append(out, o.measurements(labels)...)
		if p.Baseline == nil {
			continue
		}
		if base, has := throughput[Baseline(*p.Baseline).of(o.cell).name()]; has {
			out = append(out, contract.Measurement{
				Name: contract.NameSpeedUp, Labels: labels, Unit: "1", Direction: contract.HigherIsBetter, Value: new(o.throughput() / base),
			})
		}
	}
	return out
}

// of is the cell that another is compared with.
func (b Baseline) of(c cell) cell {
	if b.Driver != "" {
		c.driver = Driver{As: b.Driver}
	}
	if b.Scheme != "" && c.scheme != "" {
		c.scheme = string(b.Scheme)
	}
	if b.Transaction != "" {
		c.transaction = string(b.Transaction)
	}
	if b.Session != "" {
		c.session = string(b.Session)
	}
	if b.Concurrency != 0 {
		c.concurrency = int(b.Concurrency)
	}
	return c
}

// operations and time of all runs that count.
func (o outcome) sum() (operations, nanoseconds int64) {
	for _, a := range o.answers {
		operations += a.Operations
		nanoseconds += a.Nanoseconds
	}
	return operations, nanoseconds
}

func (o outcome) throughput() float64 {
	n, ns := o.sum()
	return float64(n) / (float64(ns) / 1e9)
}

func (o outcome) measurements(labels map[string]string) []contract.Measurement {
	n, _ := o.sum()
	one := func(name, unit string, better contract.Direction, value float64) contract.Measurement {
		return contract.Measurement{Name: name, Labels: labels, Unit: unit, Direction: better, N: new(n), Value: &value}
	}
	rate := one(contract.NameThroughput, "ops/s", contract.HigherIsBetter, o.throughput())
	rate.Operation = o.cell.operation.does
	out := []contract.Measurement{rate}
	if o.cell.operation.many {
		out = append(out, one(contract.NameRowRate, "rows/s", contract.HigherIsBetter, o.throughput()*float64(o.cell.rows)))
	}
	h, avg := o.latencies()
	mean := one(contract.NameLatencyAvg, "ms", contract.LowerIsBetter, avg)
	mean.Histogram = &h
	out = append(out, mean)
	if o.cell.concurrency > 1 {
		out = append(out, one(NameUnderWay, "1", "", o.throughput()*avg/1e3))
	}
	for _, q := range percentiles {
		if n < q.leastN {
			continue
		}
		value, _ := h.Percentile(q.p)
		m := one(contract.NameLatencyPercentile, "ms", contract.LowerIsBetter, value)
		m.Labels = maps.Clone(labels)
		m.Labels[contract.LabelPercentile] = strconv.FormatFloat(q.p, 'f', -1, 64)
		out = append(out, m)
	}
	if ns, known := o.total(func(a answer) *int64 { return a.CPUNanoseconds }); known {
		out = append(out, one(contract.NameCPUTime, "s", "", ns/1e9))
	}
	if bytes, known := o.total(answer.allocated); known {
		out = append(out, one(NameAllocated, "B", contract.LowerIsBetter, bytes/float64(n)))
	}
	return append(append(out, o.collections(labels)...), o.server(labels)...)
}

// total of all runs that count. It is unknown where that of one run is: the sum has to be of the same operations as the
// throughput.
func (o outcome) total(of func(answer) *int64) (sum float64, known bool) {
	for _, a := range o.answers {
		v := of(a)
		if v == nil {
			return 0, false
		}
		sum += float64(*v)
	}
	return sum, len(o.answers) > 0
}

// server is what the server counted per operation.
func (o outcome) server(labels map[string]string) []contract.Measurement {
	n, _ := o.sum()
	total := map[string]int64{}
	for _, c := range o.counters {
		for name, v := range c {
			total[name] += v
		}
	}
	var out []contract.Measurement
	for _, name := range counterNames {
		name = strings.ToLower(name)
		v, known := total[name]
		if !known || o.cell.driver.Name == contract.DriverNull {
			continue
		}
		m := contract.Measurement{Name: NameCounter, Labels: maps.Clone(labels), Unit: "1", N: new(n), Value: new(float64(v) / float64(n))}
		m.Labels[LabelCounter] = name
		if name == "questions" {
			m.Name, m.Labels = NameStatements, labels
		}
		if v != 0 || name == "questions" {
			out = append(out, m)
		}
	}
	return out
}

// counterNames are status variables that tell what went over the wire, in the order of documents.
var counterNames = []string{
	"Questions", "Bytes_received", "Bytes_sent", "Com_stmt_prepare", "Com_stmt_execute", "Com_stmt_close", "Com_select", "Com_insert",
	"Com_update", "Com_delete", "Com_do", "Com_begin", "Com_commit", "Com_set_option", "Handler_commit", "Connections",
}

// collections of garbage during the operations.
func (o outcome) collections(labels map[string]string) []contract.Measurement {
	var count, ns int64
	var counted, timed bool
	for _, a := range o.answers {
		if g := a.Collection; g != nil && g.Count != nil {
			count, counted = count+*g.Count, true
		}
		if g := a.Collection; g != nil && g.Nanoseconds != nil {
			ns, timed = ns+*g.Nanoseconds, true
		}
	}
	var out []contract.Measurement
	if counted {
		out = append(out, contract.Measurement{Name: contract.NameGCCount, Labels: labels, Unit: "1", Value: new(float64(count))})
	}
	if timed {
		out = append(out, contract.Measurement{Name: contract.NameGCTime, Labels: labels, Unit: "ms", Value: new(float64(ns) / 1e6)})
	}
	return out
}

// Lowest is the smallest duration in ns of the bucket with an index: a value below 2048 is a bucket
// of its own; of a greater one the 11 leading bits stay, and the 1024 buckets of each further bit
// follow those of the one before.
func Lowest(index int64) int64 {
	if index < 2048 {
		return index
	}
	shift := min(index/1024-1, 52)
	return (index - shift*1024) << shift
}

// latencies of all runs that count, and their mean, in ms: of the middles of the buckets.
func (o outcome) latencies() (h contract.Histogram, mean float64) {
	counts := map[int64]int64{}
	for _, a := range o.answers {
		for _, b := range a.Histogram {
			counts[Lowest(b[0])] += b[1]
		}
	}
	h = contract.Histogram{Unit: "ms", RoundUp: true}
	for _, lowest := range slices.Sorted(maps.Keys(counts)) {
		n, highest := counts[lowest], lowest+width(lowest)-1
		mean += (float64(lowest) + float64(highest)) / 2 * float64(n)
		h.Buckets = append(h.Buckets, contract.Bucket{Value: float64(highest) / 1e6, Count: n})
	}
	return h, mean / float64(h.N()) / 1e6
}

// width of a bucket of HdrHistogram with three significant digits, in ns.
func width(lowest int64) int64 { return 1 << max(0, bits.Len64(uint64(lowest))-11) }
