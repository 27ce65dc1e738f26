package stored

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxClients of a run (spec.clients.count).
const maxClients = 64

// ErrNoResult says that an attempt has succeeded, and the ConfigMap of its result holds none.
var ErrNoResult = errors.New("holds no result")

// ClientResult is what one client has delivered.
type ClientResult struct {
	// ConfigMap that holds it.
	ConfigMap string
	// Result with measurements, intervals and histograms, and the environment of the client and of
	// the target. Where Result.Whole is set, intervals and histograms are in the object store.
	Result contract.Result
	// Raw is a gzip-compressed tar of the verbatim outputs, at most 1 MiB; nil where it is in the
	// object store, and where nothing was delivered.
	Raw []byte
}

// Results of the clients of an attempt, in the order of the clients, one after the other: only one
// of them is in memory, within contract.DefaultBounds. An attempt that failed may have fewer results
// than clients. It ends with the first error: a result that is gone, or of another trial.
func (r *Run) Results(ctx context.Context, rec contract.Record) iter.Seq2[ClientResult, error] {
	return func(yield func(ClientResult, error) bool) {
		job := contract.TrialName(r.Object.Name, rec.Index, rec.Attempt)
		for client := range r.Clients() {
			res, ok, err := r.result(ctx, contract.ResultName(job, client))
			switch {
			case err != nil:
			case !ok && rec.State == contract.Failed:
				continue
			case !ok:
				err = fmt.Errorf("ConfigMap %s %w", contract.ResultName(job, client), ErrNoResult)
			case !of(res.Result.Trial, rec, client):
				err = fmt.Errorf("ConfigMap %s has the result of another trial or client", res.ConfigMap)
			}
			if err != nil {
				yield(ClientResult{}, fmt.Errorf("%s: %w", r.from, err))
				return
			}
			if !yield(res, nil) {
				return
			}
		}
	}
}

// Result in a ConfigMap of the run, such as status.targets[].loadResult. ok is false when it holds
// none yet.
func (r *Run) Result(ctx context.Context, configMap string) (res ClientResult, ok bool, err error) {
	if res, ok, err = r.result(ctx, configMap); err != nil {
		err = fmt.Errorf("%s: %w", r.from, err)
	}
	return res, ok, err
}

// Variables are all global variables of the server of each target that was loaded, by the name of the target. A server that
// nobody could ask has none. It fails when the result of loading is gone.
func (r *Run) Variables(ctx context.Context) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	for _, t := range r.Object.Status.Targets {
		if t.LoadResult == "" {
			continue
		}
		res, ok, err := r.Result(ctx, t.LoadResult)
		if err != nil {
			return nil, err
		}
		if ok && res.Result.Server != nil && len(res.Result.Server.Variables) > 0 {
			out[t.Name] = res.Result.Server.Variables
		}
	}
	return out, nil
}

// Clients is the number of client pods, 1 to 64.
func (r *Run) Clients() int { return min(r.Object.ClientCount(), maxClients) }

func (r *Run) result(ctx context.Context, name string) (ClientResult, bool, error) {
	cm, err := r.ConfigMap(ctx, name)
	if err != nil {
		return ClientResult{}, false, err
	}
	gz, delivered := cm.BinaryData[contract.KeyResult]
	if !delivered {
		return ClientResult{}, false, nil
	}
	res, err := contract.DecodeWithin(gz, r.limits.Results)
	if err != nil {
		return ClientResult{}, false, fmt.Errorf("ConfigMap %s: %w", name, err)
	}
	if res.Trial.RunUID != string(r.Object.UID) {
		return ClientResult{}, false, fmt.Errorf("ConfigMap %s has the result of another run", name)
	}
	return ClientResult{ConfigMap: name, Result: res, Raw: cm.BinaryData[contract.KeyRaw]}, true, nil
}

// of says whether a result is that of an attempt and a client.
func of(ref contract.TrialRef, rec contract.Record, client int) bool {
	return contract.Phase(ref.Phase) == contract.PhaseRun && ref.Index != nil && *ref.Index == int(rec.Index) &&
		ref.Attempt == int(rec.Attempt) && ref.Target == rec.Target && ref.Client == client
}
