package client

import (
	"context"
	"errors"
	"fmt"
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
func varies(r role) bool { return r.asks() && len(r.trial.Settings) > 0 }

// sets reports whether this client has the running server changed.
func sets(r role) bool { return varies(r) && len(r.trial.SettingsBy(false)) > 0 }

// set has the target's agent change the running server, and waits until that is done. It comes after every start of the server.
func set(ctx context.Context, s session) *contract.Failure {
	_, err := operate(ctx, s, contract.PathSettings, s.trial.SettingsBy(false))
	if f := refusedSetting(err); f != nil {
		return f
	}
	if err != nil {
		return failed(contract.ReasonSettingNotInForce, "setting variables of the server: %v", err)
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
			return failed(contract.ReasonSettingNotInForce, "the server still changes its buffer pool: %s", contract.Cut(text, contract.MaxMessage))
		case <-time.After(resizePoll):
		}
	}
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

// checkSettings fails unless the settings of the trial are in force, by what the server says of its variables. When says at which time.
func checkSettings(trial contract.Trial, variables map[string]string, when string) *contract.Failure {
	var wanted []contract.Setting
	for _, by := range []bool{true, false} {
		wanted = append(wanted, trial.SettingsBy(by)...)
	}
	var wrong []string
	shown := map[string]bool{}
	for name := range variables {
		shown[strings.ToLower(name)] = true
	}
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
