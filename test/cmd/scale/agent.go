package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// tool is what every played client delivers: the output of a real sysbench, and a
// server with as many variables as a real one.
type tool struct {
	stdout []byte
	server contract.Server
}

// variables of a played server. MariaDB 10.11 has about as many.
const variables = 640

func newTool(output string) (*tool, error) {
	raw, err := os.ReadFile(output)
	if err != nil {
		return nil, fmt.Errorf("reading what sysbench wrote: %w", err)
	}
	t := &tool{stdout: raw, server: contract.Server{
		Version: "10.11.19-MariaDB", Variables: map[string]string{}, StatusDelta: map[string]float64{},
	}}
	for i := range variables {
		t.server.Variables[fmt.Sprintf("server_variable_number_%03d", i)] = fmt.Sprint(i * 1024)
		t.server.StatusDelta[fmt.Sprintf("Status_variable_number_%03d", i)] = float64(i * 17)
	}
	return t, nil
}

// result of one trial.
func (t *tool) result(trial contract.Trial, node string, started time.Time) contract.Result {
	now := time.Now()
	res := contract.Result{
		Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest(t.stdout),
		Tool:  contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)},
		Times: contract.Times{MeasureStarted: &started, MeasureEnded: &now}, Server: &t.server,
		Client: contract.Client{Node: node},
	}
	if trial.Ref.Phase == string(contract.PhaseRun) {
		r, _ := runners.Find("sysbench")
		report := r.Parse(trial, contract.PhaseRun, runner.Output{Stdout: t.stdout})
		res.Measurements, res.Errors = report.Measurements, report.Errors
	}
	return res
}

// agent plays the agent of a client pod: mark, wait for the barrier, measure,
// deliver. It returns the termination message.
func (p *player) agent(ctx context.Context, job, node string) (string, error) {
	cm := &corev1.ConfigMap{}
	if err := p.agents.Get(ctx, client.ObjectKey{Namespace: namespace, Name: job}, cm); err != nil {
		return "", err
	}
	var trial contract.Trial
	if err := json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &trial); err != nil {
		return "", fmt.Errorf("trial %s: %w", job, err)
	}
	out := contract.ResultName(job, 0)
	ready := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationReady, time.Now().UTC().Format(time.RFC3339Nano))
	if err := p.patchResult(ctx, out, ready); err != nil {
		return "", err
	}
	if trial.Ref.Phase == string(contract.PhaseRun) {
		select {
		case <-p.start(job):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		p.starts.Delete(job)
	}
	n, _ := p.started.LoadOrStore(job, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	started := time.Now()
	select {
	case <-time.After(p.window):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	gz, err := contract.Encode(p.tool.result(trial, node, started))
	if err != nil {
		return "", err
	}
	data := base64.StdEncoding.EncodeToString
	if err := p.patchResult(ctx, out, fmt.Sprintf(`{"binaryData":{%q:%q,%q:%q}}`, contract.KeyResult, data(gz), contract.KeyRaw, data(p.tool.stdout))); err != nil {
		return "", err
	}
	message, err := json.Marshal(contract.Termination{Version: contract.TerminationVersion, SHA256: contract.Digest(gz), State: contract.Succeeded})
	return string(message), err
}

func (p *player) patchResult(ctx context.Context, name, patch string) error {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := p.agents.Patch(ctx, cm, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		return fmt.Errorf("patching %s: %w", name, err)
	}
	return nil
}
