package runner

import (
	"encoding/json"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Data is what the tool can say of the rows that Prepare loads. Each part is optional.
type Data struct {
	// Fields and parameters of the workload that decide what Prepare loads. They cannot be
	// axes of a matrix: a run loads one data set.
	Fields func(workload json.RawMessage) ([]string, error)
	// Rows that Prepare has to leave, all clients together, by the name of the table. An
	// empty answer: nothing is known.
	Rows func(t contract.Trial) (map[string]int64, error)
	// Wear is what the operations of one client of the trial do to the rows that Rows counts.
	Wear func(t contract.Trial) (Wear, error)
	// OnExisting says whether nothing that the phases Warmup, Run and Check do changes a table. It fails for a workload that cannot use
	// tables which exist before the run: one that makes or empties its tables itself, or writes rows for which it has no place there.
	OnExisting func(t contract.Trial) (readsOnly bool, err error)
	// SameBytes says that every Prepare of the trial's workload leaves the same rows, byte by
	// byte, so that checksums of two loads can be compared.
	SameBytes func(t contract.Trial) bool
	// Leaves are the rows that the phase Run has to leave, all clients together, by the name of the table, of a tool whose trials
	// measure its load (Loading). An empty answer: nothing is known.
	Leaves func(t contract.Trial) (map[string]int64, error)
	// SharesLoad: Prepare does Trial.Ref.Client's part of Trial.Clients, so that all
	// clients load together. False: the first client loads alone.
	SharesLoad bool
}

// Connection is what the tool needs of a server, and how it reaches one. Each part is optional.
type Connection struct {
	// Demand is what one client needs of the limits of a server. It fails when the
	// workload cannot be understood.
	Demand func(t contract.Trial) (contract.Demand, error)
	// JDBC: the tool reaches targets whose Endpoint.JDBC is set.
	JDBC bool
	// NeedsCertificate: the tool encrypts only with a CA and a certificate and key of
	// its own, so that with TLSRequired all three have to be in Credentials.
	NeedsCertificate bool
	// SkipsVerification: the tool logs in to a server that it did not verify, even with
	// TLSRequired: it takes any certificate, or goes on without TLS.
	SkipsVerification bool
}

// Phases say how the tool goes through the phases of a trial. Each part is optional.
type Phases struct {
	// Skips says that the phase has nothing to do: nobody calls its command.
	Skips func(t contract.Trial, p contract.Phase) bool
	// Opening is how the process that measures comes to its window.
	Opening func(t contract.Trial) Opening
	// CheckTime is how long the tool may take to check the data after the measured window; 0:
	// it does not check. Where it does, Command and Parse know the phase Check, which the first
	// client does when its window has ended and the server's counters were read.
	CheckTime func(t contract.Trial) time.Duration
}

// Design is what the tool can say of experiments with it. Each part is optional. Length, Axis and
// Combinations are for tools that make many measurements in one trial.
type Design struct {
	// Sample is a workload to begin with, as YAML on one line, without threads: kubectl assay new writes it. Empty for a tool
	// that needs something of the user, such as an image.
	Sample string
	// Loads are fields of the workload of which a larger number asks for more work at once, such as
	// threads or an offered rate. A sweep over one of them has a knee.
	Loads []string
	// Offers is the rate that the tool can offer (open loop).
	Offers func(workload json.RawMessage) (Offered, error)
	// Length of a trial that makes many measurements, each by the design of
	// Trial.Measurement.
	Length func(t contract.Trial) (Length, error)
	// Axis that every run has, though its matrix does not say so.
	Axis func(workload json.RawMessage) (Axis, error)
	// Combinations that a trial measures, one by one.
	Combinations func(workload json.RawMessage) ([]Combination, error)
}

// Offered is how a tool offers a rate.
type Offered struct {
	// Field of the workload with the rate of operations per second of each client, a whole number;
	// empty for a tool that offers none.
	Field string
	// Percentiles of the latency that a result has with this workload, as the label p says them.
	Percentiles []string
}

// Combination is one of several things that a trial measures.
type Combination struct {
	// Labels of its measurements, those of a percentile and the like excepted.
	Labels map[string]string
	// Factors of it, by name: the labels, and those that are left out of the labels.
	Factors map[string]string
	// Axes are the values of the cells that have it; empty for all cells.
	Axes map[string]string
}

// Axis is a field of the workload that a run varies.
type Axis struct {
	// Field of the workload.
	Field string
	// Values of the field, one for each cell; none: the field is not varied.
	Values []string
}

// DataFields are the fields and parameters of the workload that decide what is loaded; none
// where the tool names none. It fails when the workload cannot be understood.
func (r Runner) DataFields(workload json.RawMessage) ([]string, error) {
	return ask(r.Data.Fields, workload)
}

// Rows that Prepare has to leave, by the name of the table; none where that is not known. It
// fails when the workload cannot be understood.
func (r Runner) Rows(t contract.Trial) (map[string]int64, error) { return ask(r.Data.Rows, t) }

// Leaves are the rows that a load has to leave which is measured; none where that is not known. It fails when the workload cannot be
// understood.
func (r Runner) Leaves(t contract.Trial) (map[string]int64, error) { return ask(r.Data.Leaves, t) }

// Wear of the rows by one client of the trial. Known is false where the tool says nothing of
// it, or of the rows themselves. It fails when the workload cannot be understood.
func (r Runner) Wear(t contract.Trial) (w Wear, known bool, err error) {
	if r.Data.Wear == nil || r.Data.Rows == nil {
		return Wear{}, false, nil
	}
	w, err = r.Data.Wear(t)
	return w, true, err
}

// OnExisting says whether a trial on tables that exist changes none of them; false where that is not known. It fails for a workload
// that cannot use them, or that cannot be understood.
func (r Runner) OnExisting(t contract.Trial) (readsOnly bool, err error) {
	return ask(r.Data.OnExisting, t)
}

// SameBytes says that every load leaves the same bytes; false where that is not known.
func (r Runner) SameBytes(t contract.Trial) bool {
	return r.Data.SameBytes != nil && r.Data.SameBytes(t)
}

// Demand of one client on the limits of a server. Known is false where the tool does not say.
// It fails when the workload cannot be understood.
func (r Runner) Demand(t contract.Trial) (d contract.Demand, known bool, err error) {
	d, err = ask(r.Connection.Demand, t)
	return d, r.Connection.Demand != nil, err
}

// Skips says that the phase has nothing to do; a tool that does not say does every phase. Data that exists is
// neither prepared nor dropped, and an idle client does nothing.
func (r Runner) Skips(t contract.Trial, p contract.Phase) bool {
	if t.Idle || t.Existing && (p == contract.PhasePrepare || p == contract.PhaseCleanup) {
		return true
	}
	return r.Phases.Skips != nil && r.Phases.Skips(t, p)
}

// Opening of the process that measures. The zero value, where the tool does not say: the
// process is started at the instant at which the window is to begin.
func (r Runner) Opening(t contract.Trial) Opening {
	if r.Phases.Opening == nil || t.Idle {
		return Opening{}
	}
	return r.Phases.Opening(t)
}

// CheckTime is how long the check of the data may take; 0 for a tool that checks nothing.
func (r Runner) CheckTime(t contract.Trial) time.Duration {
	if r.Phases.CheckTime == nil {
		return 0
	}
	return r.Phases.CheckTime(t)
}

// MeasuresOften says that one trial makes many measurements; otherwise it makes one.
func (r Runner) MeasuresOften() bool { return r.Design.Length != nil }

// Length of a trial. A tool that makes one measurement takes the time of one, which is that of
// warm-up and window. It fails when the workload cannot be understood.
func (r Runner) Length(t contract.Trial, one time.Duration) (Length, error) {
	if !r.MeasuresOften() {
		return Length{Least: one, Most: one}, nil
	}
	return r.Design.Length(t)
}

// Axis that the tool adds to the matrix; one without values where it adds none. It fails when
// the workload cannot be understood.
func (r Runner) Axis(workload json.RawMessage) (Axis, error) { return ask(r.Design.Axis, workload) }

// Combinations that a trial measures: none for a tool that makes one measurement. It fails when
// the workload cannot be understood.
func (r Runner) Combinations(workload json.RawMessage) ([]Combination, error) {
	return ask(r.Design.Combinations, workload)
}

// Offers is how the tool offers a rate; without a field where it offers none. It fails when the
// workload cannot be understood.
func (r Runner) Offers(workload json.RawMessage) (Offered, error) {
	return ask(r.Design.Offers, workload)
}

// PodsOf the clients; the zero value, where the tool does not say: of its one image in the
// catalogue, without files of the user. It fails when the workload cannot be understood.
func (r Runner) PodsOf(workload json.RawMessage) (Pods, error) { return ask(r.Pods, workload) }

// Quotes says that the tool can parse output that somebody published (Quote).
func (r Runner) Quotes() bool { return r.Quote != nil }

// ask an optional question; the zero value where the tool does not answer it.
func ask[Q, A any](question func(Q) (A, error), about Q) (answer A, err error) {
	if question == nil {
		return answer, nil
	}
	return question(about)
}
