package trial

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/podhealth"
)

// endedClient is the pod of a client that ended, and what is known of its end.
type endedClient struct {
	index int
	// pod is nil where it has gone since.
	pod     *corev1.Pod
	verdict podhealth.Verdict
}

// collect joins what the clients that ended delivered.
func collect(e Execution, clients []endedClient, ask *decision.Asking) End {
	all := End{}
	for _, c := range clients {
		if c.pod != nil {
			all.Pods = append(all.Pods, c.pod)
		}
		ref := e.Ref
		ref.Client = c.index
		one := collectOne(e.Name, ref, c.verdict.Terminated, ask)
		all.Results = append(all.Results, one.Results...)
		all.Delivered = append(all.Delivered, one.Delivered...)
		all.Bytes, all.read = all.Bytes+one.Bytes, all.read+one.read
		for _, up := range one.uploads {
			up.result += len(all.Results) - len(one.Results)
			all.uploads = append(all.uploads, up)
		}
		if at := c.verdict.Terminated.FinishedAt.Time; at.After(all.last) {
			all.last = at
		}
		reason, message := ofGroup(e, c.index, c.verdict.Explain)(one.Reason, one.Message)
		// A client that was told to stop says so because another one failed.
		if reason != "" && (!all.failed() || all.Reason == string(contract.ReasonInterrupted)) {
			all.Reason, all.Message, all.At = reason, message, c.verdict.Terminated.FinishedAt.Time
		}
	}
	return all
}

// ofGroup explains the failure of a client, with the second load named as such: whether that is overloaded says nothing of the workload, which a search asks of.
func ofGroup(e Execution, client int, explain func(reason, message string) (string, string)) func(reason, message string) (string, string) {
	return func(reason, message string) (string, string) {
		reason, message = explain(reason, message)
		if reason == "" || !(contract.Trial{Groups: e.Groups}).GroupOf(client).Background {
			return reason, message
		}
		if reason == string(contract.ReasonTargetOverloaded) {
			reason = string(contract.ReasonToolFailed)
		}
		return reason, "the second load: " + message
	}
}

// collectOne reads the result of one client, and believes it only if it is the one that
// the client announced.
func collectOne(job string, ref contract.TrialRef, t *corev1.ContainerStateTerminated, ask *decision.Asking) End {
	told, err := contract.ParseTermination([]byte(t.Message))
	if err != nil {
		return End{Reason: v1alpha1.ReasonResultMissing, Message: fmt.Sprintf(
			"client %d of %s ended with code %d (%s) and announced no result: %v", ref.Client, job, t.ExitCode, t.Reason, err)}
	}
	if told.SHA256 == "" {
		reason := cmp.Or(contract.Cut(string(told.Reason), contract.MaxName), v1alpha1.ReasonResultMissing)
		return End{Reason: reason, Message: contract.Cut(told.Message, contract.MaxMessage)}
	}
	name := contract.ResultName(job, ref.Client)
	delivered := ask.Result(name)
	switch {
	case !delivered.Known:
		return End{}
	case !delivered.Exists:
		return End{Reason: v1alpha1.ReasonResultMissing, Message: "ConfigMap " + name + " was deleted while the client ran"}
	}
	out := End{Bytes: delivered.Value.Bytes, read: 1, Delivered: []contract.RecordedDelivery{{ConfigMap: name, Digests: delivered.Value.Digests}}}
	if err := checkResult(delivered.Value, told.SHA256, ref); errors.Is(err, contract.ErrTooLarge) {
		return out.with(v1alpha1.ReasonResultTooLarge, fmt.Sprintf("%s: %v", name, err))
	} else if err != nil {
		return out.with(v1alpha1.ReasonResultContradictory, fmt.Sprintf("%s: %v", name, err))
	}
	res := delivered.Value.Result
	out.Results = []contract.Result{res}
	if len(delivered.Value.Uploads) > 0 {
		out.uploads = []upload{{ref: ref, objects: delivered.Value.Uploads, notUploaded: told.NotUploaded}}
	}
	switch {
	case res.State == contract.Failed:
		out.Reason, out.Message = string(res.Failure.Reason), res.Failure.Message
	case told.State == contract.Failed: // after the delivery
		out.Reason, out.Message = string(told.Reason), told.Message
	}
	return out
}

// checkUploads refuses objects for the store that are not those which the result names.
func checkUploads(uploads []contract.Object, res contract.Result) error {
	for _, o := range uploads {
		switch {
		case o.Name == contract.KeyRaw && o.SHA256 != res.RawSHA256:
			return fmt.Errorf("the raw output for the object store (SHA-256 %.12s) is not the one that the result names (%.12s)", o.SHA256, res.RawSHA256)
		case o.Name == contract.KeyResult && (res.Whole == nil || o != *res.Whole):
			return fmt.Errorf("the whole result for the object store (SHA-256 %.12s) is not the one that the result names", o.SHA256)
		}
	}
	whole := slices.ContainsFunc(uploads, func(o contract.Object) bool { return o.Name == contract.KeyResult })
	raw := slices.ContainsFunc(uploads, func(o contract.Object) bool { return o.Name == contract.KeyRaw })
	if len(uploads) > 0 && !raw || res.Whole != nil && !whole {
		return errors.New("the result names objects that its client did not announce")
	}
	return nil
}

// checkResult refuses a result that is not what was announced.
func checkResult(d decision.Delivered, sha string, ref contract.TrialRef) error {
	if d.SHA256 != sha {
		return fmt.Errorf("the result (%d bytes, SHA-256 %.12s) is not the one that the client announced (%.12s)", d.Size, d.SHA256, sha)
	}
	if d.Err != nil {
		return d.Err
	}
	res := d.Result
	if err := checkUploads(d.Uploads, res); err != nil {
		return err
	}
	if len(d.Uploads) == 0 && d.RawSHA256 != res.RawSHA256 {
		return fmt.Errorf("the raw output (SHA-256 %.12s) is not the one that the result names (%.12s)", d.RawSHA256, res.RawSHA256)
	}
	if !res.Trial.SameTrial(ref) || res.Trial.Client != ref.Client {
		return fmt.Errorf("the result is of %+v, not of %+v", res.Trial, ref)
	}
	return nil
}
