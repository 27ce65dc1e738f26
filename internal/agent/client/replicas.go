package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// replicaPatience is the timeout for replicas to catch up before a trial, or after
	// loading.
	replicaPatience = 10 * time.Minute
	// catchUpPatience is the maximum time to observe their catch-up after the measured window.
	catchUpPatience = time.Minute
	// replicaPause is the interval of requests to a replica that has not caught up.
	replicaPause = 200 * time.Millisecond
	// replicaWait is the timeout of a replica for one answer, in seconds.
	replicaWait = 5
)

// replicaSet are the agents of the replicas of a target, in their order, and the server of
// its primary.
type replicaSet struct {
	*Agent
	agents  []*targetAgent
	primary Server
}

func newReplicaSet(addresses []string, s session) replicaSet {
	r := replicaSet{Agent: s.Agent, primary: s.server}
	for _, address := range addresses {
		r.agents = append(r.agents, newTargetAgent(address, s.key))
	}
	return r
}

// each calls a function for all replicas in parallel. The errors name the replicas.
func (r replicaSet) each(do func(i int) error) error {
	errs := make([]error, len(r.agents))
	var all sync.WaitGroup
	for i := range r.agents {
		all.Go(func() {
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("replica %d: %w", i, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// position of the primary; empty as long as it has committed nothing.
func (r replicaSet) position(ctx context.Context) (string, error) {
	variables, err := r.primary.Variables(ctx)
	if err != nil {
		return "", err
	}
	name := engines.Identify(variables["version"], variables["version_comment"], variables).Facts.Position
	value, has := variables[name]
	if !has {
		return "", fmt.Errorf("the position of the primary is not known: version %q, version_comment %q, variable %q",
			variables["version"], variables["version_comment"], name)
	}
	return value, nil
}

// state makes one request; with a position, it may take up to replicaWait.
func (r replicaSet) state(ctx context.Context, i int, position string) (contract.ReplicaState, error) {
	path := contract.PathReplica
	if position != "" {
		path += "?" + url.Values{"position": {position}, "wait": {fmt.Sprint(replicaWait)}}.Encode()
	}
	var state contract.ReplicaState
	if err := r.agents[i].get(ctx, path, &state); err != nil {
		return contract.ReplicaState{}, fmt.Errorf("asking its agent: %w", err)
	}
	return state, nil
}

// errNoTime: the timeout came before the first answer.
var errNoTime = errors.New("the time was over before its agent answered")

// reachPosition waits until a replica runs and has applied the position. After a timeout it
// returns the last state of the replica and what it lacked.
func (r replicaSet) reachPosition(ctx context.Context, i int, position string) (contract.ReplicaState, error) {
	var last contract.ReplicaState
	var lacked error
	for {
		state, err := r.state(ctx, i, position)
		switch {
		case err == nil:
			if last, lacked = state, lack(state, position); lacked == nil {
				return state, nil
			}
		case errors.Is(err, ErrRefused):
			return contract.ReplicaState{}, err
		case ctx.Err() == nil:
			last, lacked = contract.ReplicaState{}, err
		case lacked == nil:
			lacked = errNoTime
		default:
			// This request was interrupted; the previous answer has more information.
		}
		select {
		case <-ctx.Done():
			return last, lacked
		case <-time.After(replicaPause):
		}
	}
}

// lack is why a replica has not reached the position; nil if it has.
func lack(state contract.ReplicaState, position string) error {
	behind := position != "" && (state.Applied == nil || !*state.Applied)
	switch {
	case state.Running && !behind:
		return nil
	case state.Error != "":
		return errors.New(state.Error)
	case !state.Running:
		return errors.New("it does not follow its primary")
	case state.LagSeconds != nil && *state.LagSeconds > 0:
		return fmt.Errorf("it is %.0f s behind its primary", *state.LagSeconds)
	}
	return errors.New("it has not applied all that its primary has committed")
}

// catchUp waits until every replica replicates and has applied all transactions of the
// primary.
func (r replicaSet) catchUp(ctx context.Context) *contract.Failure {
	position, err := r.position(ctx)
	if err != nil {
		return lost(err)
	}
	limited, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	err = r.each(func(i int) error {
		_, err := r.reachPosition(limited, i, position)
		return err
	})
	if err != nil {
		return failed(contract.ReasonReplicationFailed, "the replicas did not catch up with their primary: %v", err)
	}
	return nil
}

// copyData has the agents of all replicas copy their data directories.
func (r replicaSet) copyData(ctx context.Context, path string) error {
	return r.each(func(i int) error {
		var done contract.Copy
		return r.retry(ctx, "ask a replica's agent for "+path, func(ctx context.Context) error {
			return r.agents[i].post(ctx, path, contract.Operation{ID: r.Trial}, &done)
		})
	})
}

// takeSnapshots comes after the snapshot of the primary. There were no writes since the
// replicas caught up, so all hold the same data.
func (r replicaSet) takeSnapshots(ctx context.Context) *contract.Failure {
	if err := r.copyData(ctx, contract.PathSnapshot); err != nil {
		return failed(contract.ReasonSnapshotFailed, "taking snapshots of the replicas: %v", err)
	}
	return nil
}

// restore comes after the restore of the primary. A replica that is ahead of the restored
// primary stops meanwhile; a replica restored before the primary would fetch transactions that
// the primary then loses.
func (r replicaSet) restore(ctx context.Context) (o outcome[time.Time]) {
	err := r.copyData(ctx, contract.PathRestore)
	o.found = time.Now()
	if err != nil {
		return o.failed(failed(contract.ReasonResetFailed, "restoring the snapshots of the replicas: %v", err))
	}
	return o
}

// restart comes after that of the primary, which its replicas follow again.
func (r replicaSet) restart(ctx context.Context) *contract.Failure {
	if err := r.copyData(ctx, contract.PathRestart); err != nil {
		return failed(contract.ReasonResetFailed, "starting the replicas again: %v", err)
	}
	return nil
}

// mark resets the maximum lag. Its failure is only a problem.
func (r replicaSet) mark(ctx context.Context, patience time.Duration) (o outcome[struct{}]) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.each(func(i int) error { _, err := r.state(ctx, i, ""); return err }); err != nil {
		o.problem("target/replicas", "the greatest lag is that since an earlier moment: %v", err)
	}
	return o
}

// collectAfter records the replication of each replica: first the maximum lag of the window,
// then the time to catch up.
func (r replicaSet) collectAfter(ctx context.Context, m measured) (o outcome[[]contract.Replica]) {
	position, err := r.position(ctx)
	if err != nil {
		return o.failed(lost(err))
	}
	ended := time.Now()
	if m.ended != nil {
		ended = *m.ended
	}
	o.found = make([]contract.Replica, len(r.agents))
	for i := range o.found {
		o.found[i].Index = i
	}
	if m.started != nil && m.ended != nil {
		if err := r.countersInside(ctx, o.found, m.window()); err != nil {
			o.problem("target/replicas", "what they used is not known: %v", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, catchUpPatience)
	defer cancel()
	// Each error stands in the replica's own entry.
	_ = r.each(func(i int) error {
		r.describe(limited, &o.found[i], position, ended)
		return nil
	})
	return o
}

// countersInside the measured window.
func (r replicaSet) countersInside(ctx context.Context, replicas []contract.Replica, w window) error {
	ctx, cancel := context.WithTimeout(ctx, r.Ask)
	defer cancel()
	return r.each(func(i int) error {
		var env contract.TargetEnvironment
		if err := r.agents[i].get(ctx, w.path(), &env); err != nil {
			return err
		}
		to := &replicas[i]
		to.Machine, to.Limits, to.Gap = &env.Machine, &env.Limits, env.Gap
		if w := env.Window; w != nil {
			to.Before, to.After = &w.Before, &w.After
		}
		return nil
	})
}

// describe one replica, whose index is set.
func (r replicaSet) describe(ctx context.Context, to *contract.Replica, position string, ended time.Time) {
	state, err := r.state(ctx, to.Index, "")
	switch {
	case err != nil:
		to.Error = err.Error()
	case !state.Running:
		to.Error = lack(state, "").Error()
	}
	to.ServerVersion, to.MaxLagSeconds = state.ServerVersion, state.MaxLagSeconds
	if to.Error != "" {
		return
	}
	state, err = r.reachPosition(ctx, to.Index, position)
	switch {
	case err == nil:
		to.CatchUpSeconds = new(time.Since(ended).Seconds())
	case errors.Is(err, errNoTime):
		// How long it takes was not seen.
	case !state.Running:
		to.Error = err.Error()
	}
}
