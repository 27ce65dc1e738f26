package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// annotationClaimedBy is the mark of the process that owns a result (api/v1alpha1).
const annotationClaimedBy = "assay.dev/claimed-by"

// claim marks the result as that of this process, before anything else is done. The
// manager cannot create a Job and look at the results in one step, so that the Job of an
// attempt may be created again after its first client has begun. Of all processes only the
// first goes on: the lock of the version that was read decides between two at once. A
// container that restarts in its pod is another process: the one before it may have started
// the tool.
func (a *Agent) claim(ctx context.Context, claimant string) *contract.Failure {
	ctx, cancel := context.WithTimeout(ctx, a.TrialRead)
	defer cancel()
	holder := ""
	err := a.retry(ctx, "claim the result", func(ctx context.Context) error {
		cm, err := a.API.Get(ctx, a.Result)
		if err != nil {
			return err
		}
		switch holder = holderOf(cm); holder {
		case claimant: // the answer to an earlier patch was lost
			return nil
		case "":
			// Under the lock of the version that was read.
			return a.patch(ctx, map[string]any{"metadata": map[string]any{
				"resourceVersion": cm.ResourceVersion, "annotations": map[string]string{annotationClaimedBy: claimant},
			}})
		}
		return fmt.Errorf("%w: %s", ErrRefused, a.Result)
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrRefused) && holder != "":
		pod, _, _ := strings.Cut(holder, "/")
		return failed(contract.ReasonAlreadyBegun, "ConfigMap %s is claimed by pod %s, which began this attempt before: this client did nothing",
			a.Result, pod)
	}
	return failed(contract.ReasonDeliveryFailed, "the result could not be claimed: %v", err)
}

// holderOf a result; empty while nobody has touched it.
func holderOf(cm ConfigMap) string {
	switch holder := cm.Annotations[annotationClaimedBy]; {
	case holder != "":
		return holder
	case cm.Annotations[annotationReady] != "" || len(cm.BinaryData) > 0:
		return "(unknown)" // somebody wrote it who left no name: it is not written over
	}
	return ""
}
