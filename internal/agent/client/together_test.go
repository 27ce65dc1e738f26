package client

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// slowAPI calls a function while a result is delivered.
type slowAPI struct {
	*fakeAPI
	delivering func()
}

func (a slowAPI) Patch(ctx context.Context, name string, patch []byte) error {
	if bytes.Contains(patch, []byte("binaryData")) {
		a.delivering()
	}
	return a.fakeAPI.Patch(ctx, name, patch)
}

// The two containers of a pod end at once, or the kubelet may see the end of one of them a second
// before that of the other.
func TestTheToolsContainerEndsAfterTheDelivery(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, nil)
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r.agent.Socket = filepath.Join(dir, "s")
	ended := make(chan error, 1)
	go func() {
		ended <- supervisor.Run(t.Context(), supervisor.Options{Socket: r.agent.Socket, Work: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	}()
	delivered := false
	r.agent.API = slowAPI{r.api, func() {
		delivered = true
		select {
		case err := <-ended:
			t.Errorf("the supervisor ended before the result was delivered (%v)", err)
			ended <- err
		case <-time.After(200 * time.Millisecond):
		}
	}}
	r.startWhenReady(t)
	if err := r.agent.Run(t.Context()); err != nil || !delivered {
		t.Fatalf("%v, delivered: %t", err, delivered)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(hang.Limit):
		t.Error("the supervisor outlives its agent")
	}
}
