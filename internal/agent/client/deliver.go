package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxDelivery is the maximum size of the result and the raw files together, unless the trial
// allows less. A ConfigMap holds 1 MiB, including names and annotations.
const maxDelivery = 900 << 10

// room in the ConfigMap of a result, in bytes.
func room(t contract.Trial) int {
	if t.MaxResultBytes <= 0 {
		return maxDelivery
	}
	return int(min(t.MaxResultBytes, maxDelivery))
}

// delivery is what goes into the result's ConfigMap.
type delivery struct {
	res          contract.Result
	encoded, raw []byte
	// uploads go to the object store.
	uploads []uploadFile
}

// newDelivery encodes a result with its raw files in so many bytes. A result that is too large becomes a Failed
// result with a message; nothing is dropped silently.
func newDelivery(res contract.Result, files []rawFile, room int) (delivery, error) {
	var tooMany error
	raw, err := pack(files, room)
	if err == nil {
		d, err := encode(res, raw)
		if err == nil && len(d.encoded)+len(d.raw) <= room {
			return d, nil
		}
		if tooMany = err; err != nil && !errors.Is(err, contract.ErrTooLarge) {
			return delivery{}, err
		}
	} else if !errors.Is(err, errFull) {
		return delivery{}, err
	}
	// The numbers need the rest.
	raw, dropped, err := packWhatFits(files, room*2/3)
	if err != nil {
		return delivery{}, err
	}
	d, err := encode(reduce(res, dropped, room), raw)
	if errors.Is(err, contract.ErrTooLarge) || err == nil && len(d.encoded)+len(d.raw) > room {
		kept := raw
		if err == nil {
			kept = nil
		}
		return encode(bare(withReason(reduce(res, nil, room), tooMany)), kept)
	}
	return d, err
}

// withReason says of a result that is too large which bound it exceeds, if one.
func withReason(res contract.Result, why error) contract.Result {
	if why != nil {
		failure := *res.Failure
		failure.Message = fmt.Sprintf("%v: print fewer measurements, or shorter names and labels; %s", why, failure.Message)
		res.Failure = &failure
	}
	return res
}

// bare keeps what a result says of its own failure, and nothing that could be long.
func bare(res contract.Result) contract.Result {
	return contract.Result{
		Version: res.Version, Trial: res.Trial, State: res.State, Failure: res.Failure, Times: res.Times,
		Tool: contract.Tool{Name: res.Tool.Name}, Client: contract.Client{Node: res.Client.Node},
	}
}

func encode(res contract.Result, raw []byte) (delivery, error) {
	res.RawSHA256 = contract.Digest(raw)
	encoded, err := contract.Encode(res)
	return delivery{res: res, encoded: encoded, raw: raw}, err
}

// reduce keeps the numbers and drops histograms, intervals and large raw files.
func reduce(res contract.Result, dropped []rawFile, room int) contract.Result {
	return tooLarge(plainResult(res), dropped, fmt.Sprintf("the result and its raw output have more than %d bytes: histograms and intervals were left out; "+
		"lower the rate of reports or the duration, or measure in several runs: the budget of a run is shared by its results", room))
}

// tooLarge fails a result of which something was left out; the message says what.
func tooLarge(res contract.Result, dropped []rawFile, message string) contract.Result {
	if res.Failure != nil {
		message += fmt.Sprintf(". Before that the phase had failed with %s: %s", res.Failure.Reason, res.Failure.Message)
	}
	res.State = contract.Failed
	res.Failure = &contract.Failure{Reason: contract.ReasonResultTooLarge, Message: message}
	const keptProblems = 20
	res.Problems = append([]contract.Problem(nil), res.Problems[:min(len(res.Problems), keptProblems)]...)
	for _, f := range dropped {
		res.Problems = append(res.Problems, contract.Problem{Source: f.name, Text: fmt.Sprintf("left out of the raw files: %d bytes", f.size)})
	}
	return res
}

func plain(ms []contract.Measurement) []contract.Measurement {
	var out []contract.Measurement
	for _, m := range ms {
		m.Histogram, m.Intervals = nil, nil
		out = append(out, m)
	}
	return out
}

// store writes the delivery in one patch.
func (a *Agent) store(ctx context.Context, d delivery) error {
	write := map[string]any{"binaryData": map[string][]byte{contract.KeyResult: d.encoded, contract.KeyRaw: d.raw}}
	if len(d.uploads) > 0 {
		write["metadata"] = map[string]any{"annotations": map[string]string{contract.AnnotationUploads: contract.EncodeUploads(d.objects())}}
	}
	return a.retry(ctx, "deliver the result", func(ctx context.Context) error { return a.patch(ctx, write) })
}
