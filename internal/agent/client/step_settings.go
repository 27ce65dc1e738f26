package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	// resizeStatus is where InnoDB says how far a change of its buffer pool is, which goes on after the statement; a server that does
	// all of it at once has no such variable.
	resizeStatus = "Innodb_buffer_pool_resize_status"
	// resizePoll is the interval of reads of it.
	resizePoll = 100 * time.Millisecond
)

// varies reports whether settings of the server vary between trials, and this client looks after them.
func varies(r role) bool { return r.waits() && r.asks() && len(r.trial.Settings) > 0 }

// sets reports whether this client has the running server changed.
func sets(r role) bool { return varies(r) && len(r.trial.SettingsBy(false)) > 0 }

// tries reports whether this client has the server take each value that a trial will have.
func tries(r role) bool { return r.loads() && r.speaks() && len(r.trial.Settings) > 0 }

// set has the target's agent change the running server. It comes after every start of the server.
func set(ctx context.Context, s session) *contract.Failure {
	return setAs(ctx, s, s.Trial, s.trial.SettingsBy(false))
}

// setAs one operation with that ID, and wait until the change is done.
func setAs(ctx context.Context, s session, id string, list []contract.Setting) *contract.Failure {
	_, err := operate(ctx, s, contract.PathSettings, contract.Operation{ID: id, Settings: list})
	if f := refusedSetting(err); f != nil {
		return f
	}
	if err != nil {
		return failed(contract.ReasonResetFailed, "setting variables of the server: %v", err)
	}
	for {
		status, err := s.server.Status(ctx)
		if err != nil {
			return lost(err)
		}
		text := status[resizeStatus]
		if !resizing(text) {
			return nil
		}
		select {
		case <-ctx.Done():
			return failed(contract.ReasonResetFailed, "the server still changes its buffer pool: %s", contract.Cut(text, contract.MaxMessage))
		case <-time.After(resizePoll):
		}
	}
}

// try each value that a trial will have, and put back what was in force: a server that refuses one does so before anything is loaded.
func try(ctx context.Context, s session, facts serverFacts) *contract.Failure {
	before := map[string]string{}
	for name, value := range facts.server.Variables {
		before[strings.ToLower(name)] = value
	}
	var back []contract.Setting
	for _, tried := range s.trial.SettingsBy(false) {
		value, shown := before[strings.ToLower(tried.Name)]
		if was := (contract.Setting{Name: tried.Name, Value: value}); shown && !slices.Contains(back, was) {
			back = append(back, was)
		}
	}
	for i, one := range append(s.trial.SettingsBy(false), back...) {
		id := fmt.Sprintf("%s-%d", s.Trial, i)
		if f := setAs(ctx, s, id, []contract.Setting{one}); f != nil {
			return f
		}
		variables, err := s.server.Variables(ctx)
		if err != nil {
			return lost(err)
		}
		if f := checkSettings([]contract.Setting{one}, variables, "before the load"); f != nil {
			return f
		}
	}
	return nil
}

// resizing says whether the buffer pool still changes: any status but those of the end, and of a server that has changed nothing.
func resizing(status string) bool {
	return status != "" && !strings.HasPrefix(status, "Completed ") && !strings.HasPrefix(status, "Size did not change")
}

// refusedSetting is the failure for a server that refuses a setting of the trial; nil for any other error, and for none.
func refusedSetting(err error) *contract.Failure {
	var refused *refusedError
	if errors.As(err, &refused) && (refused.Reason == contract.ReasonServerRefusedSetting || refused.Reason == contract.ReasonRequestInvalid) {
		return failed(contract.ReasonSettingNotInForce, "the server refuses a setting of spec.matrix: %s", refused.Message)
	}
	return nil
}

// inForce fails unless all settings of the trial are in force.
func inForce(trial contract.Trial, variables map[string]string, when string) *contract.Failure {
	return checkSettings(slices.Concat(trial.SettingsBy(true), trial.SettingsBy(false)), variables, when)
}

// checkSettings fails unless they are in force, by what the server says of its variables. When says at which time.
func checkSettings(wanted []contract.Setting, variables map[string]string, when string) *contract.Failure {
	shown := map[string]bool{}
	for name := range variables {
		shown[strings.ToLower(name)] = true
	}
	var wrong []string
	for _, s := range wanted {
		// Of an option without a variable nobody could say whether it is in force.
		if !shown[strings.ToLower(s.Name)] {
			wrong = append(wrong, fmt.Sprintf("config.%s: the server has no variable of that name", s.Name))
		}
	}
	for _, d := range settings.Differences(wanted, variables, nil) {
		if d.Effective != nil {
			wrong = append(wrong, fmt.Sprintf("config.%s: %s was asked for, and the server has %s", d.Name, d.Requested, *d.Effective))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return failed(contract.ReasonSettingNotInForce, "%s %s: give values that the server takes as they stand, or apply: Restart", when, strings.Join(wrong, "; "))
}
