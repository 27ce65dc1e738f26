package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// replicaPatience is how long replicas may take to catch up before a trial, or after the
	// load.
	replicaPatience = 10 * time.Minute
	// catchUpPatience is how long they are watched after the measured window.
	catchUpPatience = time.Minute
	// replicaPause is the time between two questions to a replica that is not there yet.
	replicaPause = 200 * time.Millisecond
	// replicaWait is how long a replica may take for one answer, in seconds.
	replicaWait = 5
)

// replicated: the target has replicas, and this client looks after them.
func (e *execution) replicated() bool { return e.first() && len(e.trial.Replicas) > 0 }

// replica is the agent of one of them.
func (e *execution) replica(i int) *targetAgent {
	return newTargetAgent(e.trial.Replicas[i], e.credentials.Password)
}

// eachReplica does something with all of them side by side. The errors name them.
func (e *execution) eachReplica(do func(i int) error) error {
	errs := make([]error, len(e.trial.Replicas))
	var all sync.WaitGroup
	for i := range e.trial.Replicas {
		all.Go(func() {
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("replica %d: %w", i, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// positions are the variables that tell what a server has committed: MariaDB has the
// first, MySQL the second.
var positions = []string{"gtid_binlog_pos", "gtid_executed"}

// position of the primary; empty as long as it has committed nothing.
func (e *execution) position(ctx context.Context) (string, error) {
	variables, err := e.server.Variables(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range positions {
		if value, has := variables[name]; has {
			return value, nil
		}
	}
	return "", fmt.Errorf("the primary has none of the variables %v: its position is not known", positions)
}

// askReplica puts one question; with a position, one that may take as long as replicaWait.
func (e *execution) askReplica(ctx context.Context, i int, position string) (contract.ReplicaState, error) {
	path := contract.PathReplica
	if position != "" {
		path += "?" + url.Values{"position": {position}, "wait": {fmt.Sprint(replicaWait)}}.Encode()
	}
	var state contract.ReplicaState
	if err := e.replica(i).get(ctx, path, &state); err != nil {
		return contract.ReplicaState{}, fmt.Errorf("asking its agent: %w", err)
	}
	return state, nil
}

// errNoTime: the time was over before the first answer.
var errNoTime = errors.New("the time was over before its agent answered")

// reachPosition waits until a replica runs and has applied the position. If that does not
// come, it returns what the replica told last, and the error says what it lacked then.
func (e *execution) reachPosition(ctx context.Context, i int, position string) (contract.ReplicaState, error) {
	var last contract.ReplicaState
	var lacked error
	for {
		state, err := e.askReplica(ctx, i, position)
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
			// This question was cut short; the answer before it says more.
		}
		select {
		case <-ctx.Done():
			return last, lacked
		case <-time.After(replicaPause):
		}
	}
}

// lack is what a replica lacks to have reached the position; nil for nothing.
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

// awaitReplicas waits until every replica follows and has all that the primary has.
func (e *execution) awaitReplicas(ctx context.Context) *contract.Failure {
	position, err := e.position(ctx)
	if err != nil {
		return lost(err)
	}
	limited, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	err = e.eachReplica(func(i int) error {
		_, err := e.reachPosition(limited, i, position)
		return err
	})
	if err != nil {
		return replicationFailed("the replicas did not catch up with their primary", err)
	}
	return nil
}

func replicationFailed(what string, err error) *contract.Failure {
	return &contract.Failure{Reason: contract.ReasonReplicationFailed, Message: fmt.Sprintf("%s: %v", what, err)}
}

// operateReplicas has the agents of all replicas copy their data directories.
func (e *execution) operateReplicas(ctx context.Context, path string) error {
	return e.eachReplica(func(i int) error {
		var done contract.Copy
		return e.retry(ctx, "ask a replica's agent for "+path, func(ctx context.Context) error {
			return e.replica(i).post(ctx, path, contract.Operation{ID: e.Trial}, &done)
		})
	})
}

// snapshotReplicas follows the snapshot of the primary: nobody has written since they
// caught up, so all of them hold the same.
func (e *execution) snapshotReplicas(ctx context.Context) *contract.Failure {
	if err := e.operateReplicas(ctx, contract.PathSnapshot); err != nil {
		return &contract.Failure{Reason: contract.ReasonSnapshotFailed, Message: fmt.Sprintf("taking snapshots of the replicas: %v", err)}
	}
	return nil
}

// restoreReplicas follows the restore of the primary. A replica that is still ahead of it
// stops meanwhile; one that was restored first would fetch again what the primary then
// forgets.
func (e *execution) restoreReplicas(ctx context.Context) *contract.Failure {
	err := e.operateReplicas(ctx, contract.PathRestore)
	e.data().Reset.Ended = time.Now()
	if err != nil {
		return &contract.Failure{Reason: contract.ReasonResetFailed, Message: fmt.Sprintf("restoring the snapshots of the replicas: %v", err)}
	}
	return nil
}

// markReplicas lets the greatest lag begin anew. Nothing fails for want of it.
func (e *execution) markReplicas(ctx context.Context) *contract.Failure {
	ctx, cancel := context.WithTimeout(ctx, e.patience())
	defer cancel()
	if err := e.eachReplica(func(i int) error { _, err := e.askReplica(ctx, i, ""); return err }); err != nil {
		e.problem("target/replicas", "the greatest lag is that since an earlier moment: %v", err)
	}
	return nil
}

// afterReplicas takes down how far the replicas followed: first the greatest lag of the
// window, then how long they take for the rest.
func (e *execution) afterReplicas(ctx context.Context) *contract.Failure {
	position, err := e.position(ctx)
	if err != nil {
		return lost(err)
	}
	ended := time.Now()
	if at := e.res.Times.MeasureEnded; at != nil {
		ended = *at
	}
	replicas := make([]contract.Replica, len(e.trial.Replicas))
	if err := e.countersOf(ctx, replicas); err != nil {
		e.problem("target/replicas", "what they used is not known: %v", err)
	}
	limited, cancel := context.WithTimeout(ctx, catchUpPatience)
	defer cancel()
	// Each error stands in the replica's own entry.
	_ = e.eachReplica(func(i int) error {
		e.describeReplica(limited, &replicas[i], position, ended)
		return nil
	})
	if e.res.Target == nil {
		e.res.Target = &contract.Environment{}
	}
	e.res.Target.Replicas = replicas
	return nil
}

// countersOf the replicas inside the measured window.
func (e *execution) countersOf(ctx context.Context, replicas []contract.Replica) error {
	for i := range replicas {
		replicas[i].Index = i
	}
	if times := e.res.Times; times.MeasureStarted == nil || times.MeasureEnded == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.patience())
	defer cancel()
	return e.eachReplica(func(i int) error {
		r := &replicas[i]
		var env contract.TargetEnvironment
		if err := e.replica(i).get(ctx, e.windowPath(), &env); err != nil {
			return err
		}
		r.Machine, r.Limits = &env.Machine, &env.Limits
		if w := env.Window; w != nil {
			r.Before, r.After = &w.Before, &w.After
		}
		return nil
	})
}

func (e *execution) describeReplica(ctx context.Context, r *contract.Replica, position string, ended time.Time) {
	i := r.Index
	state, err := e.askReplica(ctx, i, "")
	switch {
	case err != nil:
		r.Error = err.Error()
	case !state.Running:
		r.Error = lack(state, "").Error()
	}
	r.ServerVersion, r.MaxLagSeconds = state.ServerVersion, state.MaxLagSeconds
	if r.Error != "" {
		return
	}
	state, err = e.reachPosition(ctx, i, position)
	switch {
	case err == nil:
		r.CatchUpSeconds = new(time.Since(ended).Seconds())
	case errors.Is(err, errNoTime):
		// How long it takes was not seen.
	case !state.Running:
		r.Error = err.Error()
	}
}
