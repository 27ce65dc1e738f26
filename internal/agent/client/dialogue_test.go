package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// fakeBench takes down what was executed; a statement "bad" fails.
type fakeBench struct {
	executed []string
	counts   int64
	closed   bool
}

func (b *fakeBench) Exec(_ context.Context, statement string) error {
	b.executed = append(b.executed, statement)
	if statement == "bad" {
		return errors.New("1146 no such table")
	}
	return nil
}

func (b *fakeBench) Row(_ context.Context, query string) ([]*string, error) {
	if query == "bad" {
		return nil, errors.New("1064 syntax")
	}
	return []*string{new("answer to " + query), nil}, nil
}

func (b *fakeBench) Counters(context.Context, []string) (map[string]int64, error) {
	b.counts += 5
	return map[string]int64{"questions": b.counts}, nil
}

func (b *fakeBench) Close() error { b.closed = true; return nil }

// say is a turn with one request.
func say(do string, change ...func(*runner.Turn)) runner.Turn {
	t := runner.Turn{Request: json.RawMessage(fmt.Sprintf(`{"do":%q}`, do))}
	for _, c := range change {
		c(&t)
	}
	return t
}

// converse runs a trial whose tool is spoken with; its exchanges are what Parse got.
func converse(t *testing.T, turns []runner.Turn, change func(*rig)) (exchanges []runner.Exchange, res contract.Result, raw map[string]string, bench *fakeBench) {
	t.Helper()
	r := newRig(t, "talks", contract.PhaseRun, nil)
	bench = &fakeBench{}
	r.server.bench = func() (dialogue.Workbench, error) {
		return bench, nil
	}
	find := r.agent.Runner
	r.agent.Runner = func(name string) (runner.Runner, bool) {
		tool, ok := find(name)
		command := tool.Command
		tool.Command = func(trial contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			out, err := command(trial, p, c)
			out.Dialogue, out.Env = turns, map[string]string{"ASSAY_USERNAME": c.Username}
			return out, err
		}
		tool.Parse = func(_ contract.Trial, _ contract.Phase, o runner.Output) runner.Report {
			exchanges = o.Exchanges
			return runner.Report{ToolVersion: "talks"}
		}
		return tool, ok
	}
	if change != nil {
		change(r)
	}
	r.startWhenReady(t)
	// What went wrong is in the result too.
	_ = r.agent.Run(t.Context())
	res, raw = r.outcome(t)
	return exchanges, res, raw, bench
}

func TestAConversation(t *testing.T) {
	got, res, raw, bench := converse(t, []runner.Turn{
		say("ok", func(t *runner.Turn) {
			t.Setup, t.Questions, t.Counters = []string{"CREATE"}, []string{"SELECT 1"}, []string{"Questions"}
		}),
		say("unsupported"),
		say("ok", func(t *runner.Turn) { t.Needs = []int{0, 1} }),
		{Setup: []string{"one", "bad", "two"}},
		say("ok", func(t *runner.Turn) { t.Needs = []int{3} }),
		say("garbage"),
		{Questions: []string{"bad"}},
		say("ok", func(t *runner.Turn) { t.Brief = true }),
		say("ok", func(t *runner.Turn) {
			t.Setup = []string{"never"}
			t.Unsupported = func(before []runner.Exchange) string { return fmt.Sprint("no, after ", len(before)) }
		}),
		say("ok", func(t *runner.Turn) { t.Needs = []int{8} }),
		say("ok", func(t *runner.Turn) { t.Unsupported = func([]runner.Exchange) string { return "" } }),
	}, nil)
	if res.Failure != nil {
		t.Fatalf("%+v", res.Failure)
	}
	ok := json.RawMessage(`{"state":"ok","user":"assay"}`)
	want := []runner.Exchange{
		{Turn: 0, Request: json.RawMessage(`{"do":"ok"}`), Answer: ok, Counters: map[string]int64{"questions": 5}, Rows: [][]*string{{new("answer to SELECT 1"), nil}}},
		{Turn: 1, Request: json.RawMessage(`{"do":"unsupported"}`), Answer: json.RawMessage(`{"state":"unsupported","user":"assay"}`)},
		{Turn: 2, Skipped: true},
		{Turn: 3, Error: "1146 no such table"},
		{Turn: 4, Skipped: true},
		{Turn: 5, Request: json.RawMessage(`{"do":"garbage"}`), Answer: json.RawMessage(`"Segmentation fault"`)},
		{Turn: 6, Error: "1064 syntax"},
		{Turn: 7, Request: json.RawMessage(`"11 bytes, SHA-256 ` + contract.Digest([]byte(`{"do":"ok"}`)) + `"`), Answer: ok},
		{Turn: 8, Unsupported: "no, after 8"},
		{Turn: 9, Skipped: true},
		{Turn: 10, Request: json.RawMessage(`{"do":"ok"}`), Answer: ok},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"CREATE", "one", "bad"}, bench.executed); diff != "" || !bench.closed {
		t.Errorf("statements (-want +got), closed %v:\n%s", bench.closed, diff)
	}
	if n := strings.Count(raw["run/dialogue.jsonl"], "\n"); n != len(want) {
		t.Errorf("the transcript has %d lines:\n%s", n, raw["run/dialogue.jsonl"])
	}
	if !strings.Contains(raw["run/stderr.txt"], "the end of input") {
		t.Errorf("the tool was not let end: %q", raw["run/stderr.txt"])
	}
	if strings.Contains(raw["run/dialogue.jsonl"], "hunter2") {
		t.Error("the transcript has the password")
	}
}

func TestAToolThatDiesInAConversation(t *testing.T) {
	got, res, raw, bench := converse(t, []runner.Turn{say("ok"), say("die"), say("ok")}, nil)
	if len(got) != 2 || string(got[1].Answer) != `"{\"id\":"` {
		t.Errorf("exchanges %+v", got)
	}
	if res.Failure == nil || res.Failure.Reason != contract.ReasonToolFailed || !strings.Contains(res.Failure.Message, "turn 1: the tool gave no answer") {
		t.Errorf("failure = %+v", res.Failure)
	}
	if !bench.closed || strings.Count(raw["run/dialogue.jsonl"], "\n") != 2 {
		t.Errorf("closed %v, transcript %q", bench.closed, raw["run/dialogue.jsonl"])
	}
}

func TestAToolThatHangsInAConversation(t *testing.T) {
	_, res, _, _ := converse(t, []runner.Turn{say("hang"), say("ok")}, func(r *rig) {
		r.api.set(func() {
			var trial contract.Trial
			if err := json.Unmarshal([]byte(r.api.trial[contract.KeyTrial]), &trial); err != nil {
				t.Error(err)
			}
			trial.Deadline = time.Now().Add(time.Second)
			text, _ := json.Marshal(trial)
			r.api.trial[contract.KeyTrial] = string(text)
		})
	})
	if res.Failure == nil || res.Failure.Reason != contract.ReasonDeadlineExceeded {
		t.Errorf("failure = %+v", res.Failure)
	}
}

func TestAConversationNeedsTheServer(t *testing.T) {
	_, res, _, _ := converse(t, []runner.Turn{say("ok")}, func(r *rig) {
		r.server.bench = func() (dialogue.Workbench, error) {
			return nil, errors.New("connection refused")
		}
	})
	if res.Failure == nil || res.Failure.Reason != contract.ReasonConnectionLost {
		t.Errorf("failure = %+v", res.Failure)
	}
}
