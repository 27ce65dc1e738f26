package benchmarkrun

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"

	"github.com/assay-bench/assay/internal/podhealth"
)

// input of the room trial.
func (r *Reconciler) input(s *scope) trial.Input {
	return trial.Input{
		Run: s.run, Now: s.now, Limits: r.Config.Limits, Tool: s.runner, Workload: s.workload,
		Demand: s.demand.all, Plan: s.plan, Children: s.children,
	}
}

// consult a room until it asks for nothing more.
func consult[T any](ctx context.Context, r *Reconciler, s *scope, decide func(*decision.Asking) T) (T, error) {
	read := reader{cache: r.Client, live: r.Live, logs: r.Logs, run: s.run}
	for {
		ask := s.known.Ask()
		out := decide(ask)
		if ask.Complete() {
			return out, nil
		}
		var err error
		if s.known, err = read.answer(ctx, s.known, ask.Missing()); err != nil {
			return out, err
		}
	}
}

// advance an execution one step further.
func (r *Reconciler) advance(ctx context.Context, s *scope, e trial.Execution) (trial.Result, error) {
	for {
		res, err := consult(ctx, r, s, func(ask *decision.Asking) trial.Result { return trial.Decide(r.input(s), e, ask) })
		if err != nil {
			return res, err
		}
		done, err := actor{client: r.Client, live: r.Live, now: s.now, run: s.run}.perform(ctx, res.Actions)
		s.known = s.known.And(done.known)
		if err != nil {
			return res, err
		}
		if done.begun {
			continue
		}
		if done.stopped != nil {
			res.State = done.stopped
		}
		return res, nil
	}
}

func outcomeOf(state decision.State) outcome {
	switch st := state.(type) {
	case decision.Failed:
		return failWith(st.Reason, "%s", st.Message)
	case decision.Waiting:
		o := waitFor(st.Reason, "%s", st.Message)
		o.until = st.Until
		return o
	}
	return outcome{}
}

// see looks at a pod and at the node that it runs on.
func (r *Reconciler) see(ctx context.Context, s *scope, pod *corev1.Pod) (podhealth.Seen, error) {
	return consult(ctx, r, s, func(ask *decision.Asking) podhealth.Seen { return trial.See(pod, ask) })
}
