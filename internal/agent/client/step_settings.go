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

// settingPoll is the interval of reads of how far a change is.
const settingPoll = 100 * time.Millisecond

// slow are the settings whose change goes on after the statement, with the status variable in which InnoDB says how far it is; a server
// that does all of it at once has no such variable. Pending says whether the change goes on, for a text that is not empty.
var slow = []struct {
	setting, status string
	pending         func(text string) bool
}{
	{"innodb_buffer_pool_size", "Innodb_buffer_pool_resize_status", resizing},
	{"innodb_redo_log_capacity", "Innodb_redo_log_resize_status", func(text string) bool { return text != "OK" }},
}

// resizeFailed is the beginning of the status of a buffer pool that could not be changed.
const resizeFailed = "Resizing buffer pool failed"

// varies reports whether settings of the server vary between trials, and this client looks after them.
func varies(r role) bool { return r.waits() && r.asks() && len(r.trial.Settings) > 0 }

// sets reports whether this client has the running server changed.
func sets(r role) bool { return varies(r) && len(r.trial.SettingsBy(false)) > 0 }

// tries reports whether this client has the server take each value that a trial will have. Not where other clients load at the same
// time: each change would be one of the server that they load.
func tries(r role) bool {
	return r.loads() && r.speaks() && len(beside(r)) == 1 && len(r.trial.Settings) > 0
}

// set has the target's agent change the running server. It comes after every start of the server, and after the server has read in what
// its buffer pool had: a change of the pool's size would end that.
func set(ctx context.Context, s session) *contract.Failure {
	if _, f := awaitPool(ctx, s); f != nil {
		return f
	}
	return setAll(ctx, s, s.Trial, s.trial.SettingsBy(false))
}

// setAll of a list, and once more those that are not in force then: a server limits one variable by another, which may come later.
func setAll(ctx context.Context, s session, id string, list []contract.Setting) *contract.Failure {
	if f := setAs(ctx, s, id, list); f != nil || len(list) < 2 {
		return f
	}
	variables, err := s.server.Variables(ctx)
	if err != nil {
		return lost(err)
	}
	var again []contract.Setting
	for _, one := range list {
		if len(settings.Differences([]contract.Setting{one}, variables, nil)) > 0 {
			again = append(again, one)
		}
	}
	if len(again) == 0 {
		return nil
	}
	return setAs(ctx, s, id+"-again", again)
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
	for _, change := range slow {
		if !slices.ContainsFunc(list, func(one contract.Setting) bool { return strings.EqualFold(one.Name, change.setting) }) {
			continue
		}
		if f := awaitChange(ctx, s, change.setting, change.status, change.pending); f != nil {
			return f
		}
	}
	return nil
}

// awaitChange of a setting, whose status variable says how far it is.
func awaitChange(ctx context.Context, s session, setting, variable string, pending func(text string) bool) *contract.Failure {
	for {
		status, err := s.server.Status(ctx)
		if err != nil {
			return lost(err)
		}
		text := contract.Cut(status[variable], contract.MaxMessage)
		switch {
		case strings.HasPrefix(text, resizeFailed):
			return failed(contract.ReasonSettingNotInForce, "the server could not change config.%s: %s: give values for which it has the memory, or apply: Restart", setting, text)
		case text == "" || !pending(text):
			return nil
		}
		select {
		case <-ctx.Done():
			return failed(contract.ReasonResetFailed, "the server still changes config.%s: %s", setting, text)
		case <-time.After(settingPoll):
		}
	}
}

// try each value that a trial will have, and put back what was in force: a server that refuses one does so before anything is loaded.
// One that is not in force is no refusal: another variable of its cell may have to be set with it.
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
	for i, one := range s.trial.SettingsBy(false) {
		if f := setAs(ctx, s, fmt.Sprintf("%s-%d", s.Trial, i), []contract.Setting{one}); f != nil {
			return f
		}
	}
	if f := setAll(ctx, s, s.Trial+"-back", back); f != nil {
		return f
	}
	variables, err := s.server.Variables(ctx)
	if err != nil {
		return lost(err)
	}
	return checkSettings(back, variables, "after each value was tried before the load")
}

// resizing says whether the buffer pool still changes: any status but those of the end, and of a server that has changed nothing.
func resizing(status string) bool {
	return !strings.HasPrefix(status, "Completed ") && !strings.HasPrefix(status, "Size did not change")
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
