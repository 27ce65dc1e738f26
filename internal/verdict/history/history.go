// Package history keeps what the runs of a schedule measured, after the runs are gone. In: a run
// that has ended, and its records. Out: an entry with the values of every block, and the history of a
// schedule as bytes that fit into a ConfigMap; the oldest entries go when it is full. Refused: bytes
// that are no history, that take too much memory, or that a newer program wrote.
package history

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Bounds of a history.
const (
	// MaxBytes of a history, compressed: half of what a ConfigMap holds.
	MaxBytes = 512 << 10
	// maxPlain are its bytes of JSON.
	maxPlain = 16 << 20
	// MaxRuns of a history.
	MaxRuns = 1000
	// maxMemory is about what a history takes when it is read: each object of the JSON takes at most
	// about perObject, and each comma is one more element of a list or of a map.
	maxMemory, perObject, perElement = 64 << 20, 600, 24
)

// ErrTooNew is the error for a history that a newer program wrote: it must not be written again.
var ErrTooNew = errors.New("a newer Assay wrote it")

// stored is a history as it is written: each text of facts once, because runs of one experiment have
// the same.
type stored struct {
	Version string   `json:"version"`
	Facts   []string `json:"facts,omitempty"`
	contract.History
}

// Decode reads a history. It fails for anything else, and with ErrTooNew. The text is never whole in memory.
func Decode(gz []byte) (contract.History, error) {
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return contract.History{}, fmt.Errorf("opening a history: %w", err)
	}
	var in stored
	if err := in.read(json.NewDecoder(&bounded{from: zip})); err != nil {
		return contract.History{}, fmt.Errorf("reading a history: %w", err)
	}
	if err := in.check(); err != nil {
		return contract.History{}, fmt.Errorf("reading a history: %w", err)
	}
	return in.unpack()
}

// bounded reads a text for as long as what it says takes no more memory than a history may. Without a bound on it, a few kilobytes
// of empty objects would take gigabytes.
type bounded struct {
	from          io.Reader
	bytes, memory int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.bytes += n
	b.memory += memoryOf(p[:n])
	switch {
	case b.bytes > maxPlain:
		return 0, fmt.Errorf("it has more than %d bytes", maxPlain)
	case b.memory > maxMemory:
		return 0, fmt.Errorf("it would take more than %d bytes of memory", maxMemory)
	}
	return n, err
}

// memoryOf what is read from JSON, at most about, in bytes.
func memoryOf(plain []byte) int {
	return bytes.Count(plain, []byte("{"))*perObject + bytes.Count(plain, []byte(","))*perElement
}

// read one object, field by field, and of the runs one after the other. The version is written first.
func (s *stored) read(dec *json.Decoder) error {
	fields := map[string]any{
		"version": &s.Version, "facts": &s.Facts, "scheduleUID": &s.ScheduleUID, "droppedRuns": &s.DroppedRuns, "droppedUntil": &s.DroppedUntil,
	}
	if is, err := dec.Token(); err != nil {
		return err
	} else if is != json.Delim('{') {
		return errors.New("it is no object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		switch field, known := fields[name.(string)]; { // what comes between { and : is a string
		case name == "runs":
			err = s.readRuns(dec)
		case known:
			err = dec.Decode(field)
		default:
			err = dec.Decode(&json.RawMessage{})
		}
		if err == nil && name == "version" {
			err = checkVersion(s.Version)
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	switch _, err := dec.Token(); {
	case err == nil:
		return errors.New("something follows it")
	case !errors.Is(err, io.EOF):
		return err
	}
	return checkVersion(s.Version)
}

func (s *stored) readRuns(dec *json.Decoder) error {
	switch is, err := dec.Token(); {
	case err != nil || is == nil: // null
		return err
	case is != json.Delim('['):
		return errors.New("the runs are no list")
	}
	for dec.More() {
		var run contract.PastRun
		if err := dec.Decode(&run); err != nil {
			return err
		}
		s.Runs = append(s.Runs, run)
	}
	_, err := dec.Token()
	return err
}

func checkVersion(version string) error {
	switch {
	case version == contract.HistoryVersion:
		return nil
	case strings.HasPrefix(version, "assay.dev/history/"):
		return fmt.Errorf("version %q: %w", contract.Cut(version, 64), ErrTooNew)
	}
	return fmt.Errorf("version: got %q, want %q", contract.Cut(version, 64), contract.HistoryVersion)
}

// Bounds of what the status of a schedule shows of a run, in bytes.
const maxName, maxUID = 63, 64

// check refuses what no run of a schedule has. A schedule whose status cannot be written starts the same
// time again and again, as soon as its run is deleted.
func (s stored) check() error {
	if s.DroppedRuns < 0 {
		return fmt.Errorf("%d runs were dropped", s.DroppedRuns)
	}
	for i, run := range s.Runs {
		switch at := run.CompletionTime; {
		case run.Name == "" || len(run.Name) > maxName || run.UID == "" || len(run.UID) > maxUID:
			return fmt.Errorf("runs[%d] has the name %q and the UID %q", i, contract.Cut(run.Name, maxName), contract.Cut(run.UID, maxUID))
		case at.Year() < 2000 || at.Year() > 9998:
			return fmt.Errorf("run %s ended at %s", run.Name, at.Format(time.RFC3339))
		}
	}
	return nil
}

// unpack puts the texts of facts back.
func (s stored) unpack() (contract.History, error) {
	for i := range s.Runs {
		for j := range s.Runs[i].Environment {
			e := &s.Runs[i].Environment[j]
			if e.Facts == "" {
				continue
			}
			var at int
			if _, err := fmt.Sscanf(string(e.Facts), "#%d", &at); err != nil || at < 0 || at >= len(s.Facts) {
				return contract.History{}, fmt.Errorf("reading a history: run %s has facts %q, and there are %d", s.Runs[i].Name, contract.Cut(string(e.Facts), 64), len(s.Facts))
			}
			e.Facts = contract.Facts(s.Facts[at])
		}
	}
	return s.History, nil
}

// pack leaves each text of facts out but for its place in a list.
func pack(h contract.History) stored {
	out := stored{Version: contract.HistoryVersion, History: h}
	out.Runs = slices.Clone(h.Runs)
	places := map[contract.Facts]int{}
	for i := range out.Runs {
		out.Runs[i].Environment = slices.Clone(out.Runs[i].Environment)
		for j := range out.Runs[i].Environment {
			e := &out.Runs[i].Environment[j]
			if e.Facts == "" {
				continue
			}
			at, known := places[e.Facts]
			if !known {
				at = len(out.Facts)
				places[e.Facts] = at
				out.Facts = append(out.Facts, string(e.Facts))
			}
			e.Facts = contract.Facts(fmt.Sprintf("#%d", at))
		}
	}
	return out
}

// Encode writes a history within the bounds. The oldest runs are dropped until it fits, and then
// series of the last run: what was written has what is left. Equal histories give equal bytes.
func Encode(h contract.History) (gz []byte, written contract.History, err error) {
	h.Runs = slices.Clone(h.Runs)
	if over := len(h.Runs) - MaxRuns; over > 0 {
		h = drop(h, over)
	}
	for {
		gz, fits, err := compress(h)
		switch {
		case err != nil || fits:
			return gz, h, err
		case len(h.Runs) > 1:
			h = drop(h, 1+len(h.Runs)/32)
		default:
			if h, err = thin(h); err != nil {
				return nil, h, err
			}
		}
	}
}

// drop the oldest runs.
func drop(h contract.History, n int) contract.History {
	until := h.Runs[n-1].CompletionTime
	if h.DroppedUntil == nil || h.DroppedUntil.Before(until) {
		h.DroppedUntil = &until
	}
	h.DroppedRuns += int32(n)
	h.Runs = h.Runs[n:]
	return h
}

// thin leaves half of the series of the only run out, and then its facts.
func thin(h contract.History) (contract.History, error) {
	run := &h.Runs[0]
	switch n := len(run.Series); {
	case n > 0:
		run.SeriesLeftOut += int32(n - n/2)
		run.Series = run.Series[:n/2]
	case len(run.Environment) > 0:
		run.Environment = nil
	default:
		return h, fmt.Errorf("run %s does not fit into a history of %d bytes", run.Name, MaxBytes)
	}
	return h, nil
}

func compress(h contract.History) (gz []byte, fits bool, err error) {
	plain, err := json.Marshal(pack(h))
	if err != nil {
		return nil, false, fmt.Errorf("writing a history: %w", err)
	}
	if len(plain) > maxPlain || memoryOf(plain) > maxMemory {
		return nil, false, nil
	}
	gz = contract.Compress(plain, gzip.DefaultCompression)
	return gz, len(gz) <= MaxBytes, nil
}

// Has says whether a run is in the history, or was and was dropped.
func Has(h contract.History, uid string, completion int64) bool {
	if h.DroppedUntil != nil && completion <= h.DroppedUntil.Unix() {
		return true
	}
	return slices.ContainsFunc(h.Runs, func(r contract.PastRun) bool { return r.UID == uid })
}

// Add a run, in the order of the completion. One that is there already stays as it was written.
func Add(h contract.History, run contract.PastRun) contract.History {
	if Has(h, run.UID, run.CompletionTime.Unix()) {
		return h
	}
	h.Runs = append(slices.Clone(h.Runs), run)
	slices.SortStableFunc(h.Runs, func(a, b contract.PastRun) int {
		return cmp.Or(a.CompletionTime.Compare(b.CompletionTime), cmp.Compare(a.Name, b.Name))
	})
	return h
}
