// Package live serves the figures of a running tool to Prometheus. In: who can read the intervals that
// the tool has printed so far. Out: the last interval of each measurement, at GET /metrics. Between
// requests it does nothing, so a trial that nobody scrapes is not disturbed. Refused: to read more
// often than once in a second, whoever asks.
package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/family"
)

// Read the measurements of the end of a tool's output.
type Read func(context.Context) ([]contract.Measurement, error)

const (
	// least time between two reads of the output.
	least = time.Second
	// patience with one read.
	patience = 2 * time.Second
	// maxSeries of one client.
	maxSeries = 50
	// maxConnections at a time.
	maxConnections = 8
)

// Figures of a client. The zero value is ready, and nil is one that nobody reads.
type Figures struct {
	// mu guards what the trial says. It is never held while the output is read: the trial waits for no scrape.
	mu sync.Mutex
	// phase of the tool that runs; empty between phases.
	phase string
	read  Read
	// trial are the labels of a trial of a client that stands; empty for others, whose pods bear them.
	trial string

	// scrape is held by the one request that reads.
	scrape sync.Mutex
	// at is when answer was made.
	at     time.Time
	answer string
	// failures to read, since the start.
	failures int
}

// Begin says that the tool runs in a phase, and how its output is read.
func (f *Figures) Begin(phase string, read Read) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phase, f.read = phase, read
}

// Of names the trial of a client that stands: its pod is of many.
func (f *Figures) Of(target, trial string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trial = fmt.Sprintf(`target="%s",trial="%s"`, escape.Replace(target), escape.Replace(trial))
}

// End says that it does not run any more.
func (f *Figures) End() { f.Begin("", nil) }

// ServeHTTP answers a scrape. Those that come together wait for one read.
func (f *Figures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.scrape.Lock()
	if time.Since(f.at) >= least {
		f.answer = f.text(r.Context())
		f.at = time.Now()
	}
	answer := f.answer
	f.scrape.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(answer)) // whoever asked may be gone
}

// text of the figures. The lock of a scrape is held.
func (f *Figures) text(ctx context.Context) string {
	f.mu.Lock()
	phase, read, of := f.phase, f.read, f.trial
	f.mu.Unlock()
	var all []contract.Measurement
	if read != nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var err error
		if all, err = read(ctx); err != nil {
			f.failures++
		}
	}
	var b strings.Builder
	if phase != "" {
		write(&b, of, running, sample{[]string{phase}, 1})
	}
	write(&b, "", failures, sample{nil, float64(f.failures)})
	values, end := intervals(all)
	if len(values) > 0 {
		write(&b, of, intervalEnd, sample{nil, end})
	}
	write(&b, of, intervalValue, values...)
	return b.String()
}

// intervals are the last ones of the measurements, and when the latest of them ended. A measurement whose last interval is
// older has nothing to tell of it.
func intervals(all []contract.Measurement) (values []sample, end float64) {
	for _, m := range all {
		if n := len(m.Intervals); n > 0 {
			end = max(end, m.Intervals[n-1].AtSeconds)
		}
	}
	var seen []string
	for _, m := range all {
		n := len(m.Intervals)
		if n == 0 || m.Intervals[n-1].AtSeconds < end || m.Intervals[n-1].Value == nil || len(values) == maxSeries {
			continue
		}
		unit, factor := family.BaseUnit(m.Unit)
		labels := []string{family.Bounded(m.Name), family.Pairs(m.Labels, func(s string) string { return s }), family.Bounded(unit)}
		if key := strings.Join(labels, "\x00"); !slices.Contains(seen, key) {
			seen = append(seen, key)
			values = append(values, sample{labels, *m.Intervals[n-1].Value * factor})
		}
	}
	return values, end
}

type sample struct {
	labels []string
	value  float64
}

// escape is how the text format quotes the value of a label.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// write a family in the text format of Prometheus, with the labels of a trial; nothing without samples.
func write(b *strings.Builder, of string, f *family.Family, samples ...sample) {
	if len(samples) == 0 {
		return
	}
	kind := "gauge"
	if f.Counter {
		kind = "counter"
	}
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, kind)
	for _, s := range samples {
		b.WriteString(f.Name)
		var labels []string
		for i, l := range f.Labels {
			labels = append(labels, fmt.Sprintf(`%s="%s"`, l, escape.Replace(s.labels[i])))
		}
		if of != "" {
			labels = append(labels, of)
		}
		if len(labels) > 0 {
			b.WriteString("{" + strings.Join(labels, ",") + "}")
		}
		b.WriteString(" " + strconv.FormatFloat(s.value, 'g', -1, 64) + "\n")
	}
}

// Serve the figures at an address until the context ends. It returns when the port is open.
func (f *Figures) Serve(ctx context.Context, address string) (net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("opening the port of the live figures: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", f)
	server := &http.Server{
		Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 8 << 10,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		defer stop()
		if err := server.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
			// Nobody waits for figures: the trial goes on without them, and the scrape fails.
			_ = listener.Close()
		}
	}()
	return listener.Addr(), nil
}
