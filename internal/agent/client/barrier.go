package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// annotationReady marks a client that can start (api/v1alpha1).
const annotationReady = "assay.dev/ready"

// annotateReady annotates the result's ConfigMap.
func (a *Agent) annotateReady(ctx context.Context, at time.Time) error {
	return a.retry(ctx, "report ready", func(ctx context.Context) error {
		return a.patch(ctx, map[string]any{"metadata": map[string]any{
			"annotations": map[string]string{annotationReady: at.UTC().Format(time.RFC3339Nano)},
		}})
	})
}

// patch the result's ConfigMap.
func (a *Agent) patch(ctx context.Context, change map[string]any) error {
	text, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return a.API.Patch(ctx, a.Result, text)
}

// publishedStart returns the published start.
func (a *Agent) publishedStart(ctx context.Context) (time.Time, error) {
	var start time.Time
	var bad error
	err := await(ctx, a, a.Trial, func(cm ConfigMap) bool {
		text, there := cm.Data[contract.KeyStart]
		if there {
			start, bad = time.Parse(time.RFC3339Nano, text)
		}
		return there
	})
	if err == nil && bad != nil {
		err = fmt.Errorf("ConfigMap %s, key %s: %w", a.Trial, contract.KeyStart, bad)
	}
	return start, err
}
