package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/agent/pause"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// annotationReady marks a client that can start (api/v1alpha1).
const annotationReady = "assay.dev/ready"

// annotateReady annotates the result's ConfigMap.
func (m configMaps) annotateReady(ctx context.Context, at time.Time) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations": map[string]string{annotationReady: at.UTC().Format(time.RFC3339Nano)},
	}})
	if err != nil {
		return err
	}
	return m.retry.do(ctx, "report ready", func(ctx context.Context) error { return m.api.Patch(ctx, m.result, patch) })
}

// publishedStart returns the published start. It reads the ConfigMap, then watches it, and
// reads it again whenever the watch fails or has been silent for a while, because a lost API
// server may never close the watch.
func (m configMaps) publishedStart(ctx context.Context) (time.Time, error) {
	var start time.Time
	var bad error
	published := func(cm ConfigMap) bool {
		text, there := cm.Data[contract.KeyStart]
		if there {
			start, bad = time.Parse(time.RFC3339Nano, text)
		}
		return there
	}
	for {
		cm, err := m.api.Get(ctx, m.trial)
		if err == nil && !published(cm) {
			look, cancel := context.WithTimeout(ctx, m.timeouts.Look)
			err = m.api.Follow(look, m.trial, cm.ResourceVersion, published)
			cancel()
		}
		if err == nil {
			if bad != nil {
				return start, fmt.Errorf("ConfigMap %s, key %s: %w", m.trial, contract.KeyStart, bad)
			}
			return start, nil
		}
		if err := pause.For(ctx, m.timeouts.Poll); err != nil {
			return start, err
		}
	}
}
