package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// loadTrial reads the trial. It retries after every API error, because the permission and the
// object may be new.
func (a *Agent) loadTrial(ctx context.Context) (contract.Trial, *contract.Failure) {
	ctx, cancel := context.WithTimeout(ctx, a.TrialRead)
	defer cancel()
	var cm ConfigMap
	err := a.retry(ctx, "read the trial", func(ctx context.Context) error {
		var err error
		cm, err = a.API.Get(ctx, a.Trial)
		return err
	})
	if err != nil {
		return contract.Trial{}, failed(contract.ReasonTrialUnreadable, "the trial could not be read: %v", err)
	}
	t, err := parseTrial(cm.Data[contract.KeyTrial])
	if err != nil {
		return contract.Trial{}, failed(contract.ReasonTrialUnreadable, "ConfigMap %s, key %s: %v", a.Trial, contract.KeyTrial, err)
	}
	if a.Index < 0 || a.Index >= t.Clients {
		return contract.Trial{}, failed(contract.ReasonTrialUnreadable, "ConfigMap %s: this is client %d of a trial with clients: %d",
			a.Trial, a.Index, t.Clients)
	}
	t.Ref.Client = a.Index
	return t, nil
}

func parseTrial(text string) (contract.Trial, error) {
	var t contract.Trial
	if text == "" {
		return t, errors.New("missing")
	}
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return t, err
	}
	if t.Version != contract.TrialVersion {
		return t, fmt.Errorf("version: got %q, want %q: use an agent and a manager of the same release", t.Version, contract.TrialVersion)
	}
	switch contract.Phase(t.Ref.Phase) {
	case contract.PhasePrepare, contract.PhaseRun, contract.PhaseCleanup:
	default:
		return t, fmt.Errorf("ref.phase: %q is not a phase of a trial", t.Ref.Phase)
	}
	if t.Deadline.IsZero() {
		return t, errors.New("deadline: missing")
	}
	return t, checkData(t)
}

// checkData checks that the requested snapshot or reset is possible.
func checkData(t contract.Trial) error {
	switch {
	case t.Endpoint.JDBC != nil && (t.Snapshot || t.Reset != nil):
		return errors.New("endpoint.jdbc: the data of a database behind a JDBC driver can be neither put back nor counted: set design.dataReset to PerRun")
	case t.Restart && t.Agent == "":
		return errors.New("agent: missing, but a restart was requested")
	case len(t.Settings) > 0 && t.Agent == "":
		return errors.New("agent: missing, but settings of the server were requested")
	case len(t.Settings) > 0 && len(t.Replicas) > 0:
		return errors.New("settings: those of a server with replicas do not vary")
	case t.Snapshot && t.Agent == "":
		return errors.New("agent: missing, but a snapshot was requested")
	case t.DataSet != "" && (t.Agent == "" || len(t.Replicas) > 0 || t.Clients != 1):
		return errors.New("dataSet: one client loads it, on a target with an agent and without replicas")
	case t.Reset == nil:
		return nil
	case t.Reset.Method == contract.ResetSnapshot && t.Agent == "":
		return errors.New("agent: missing, but a restore was requested")
	case t.Reset.Method != contract.ResetSnapshot && t.Reset.Method != contract.ResetReload:
		return fmt.Errorf("reset.method: got %q, want %s or %s", t.Reset.Method, contract.ResetSnapshot, contract.ResetReload)
	}
	return nil
}

// loadCredentials reads the mounted Secret. One line break at the end of the user name and the
// password is removed, because no tool could use it.
func loadCredentials(dir string) (runner.Credentials, error) {
	var c runner.Credentials
	var errs []error
	read := func(name string, needed bool) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && (needed || !errors.Is(err, fs.ErrNotExist)) {
			errs = append(errs, fmt.Errorf("credentials: %w", err))
		}
		return data
	}
	c.Username = strings.TrimSuffix(string(read(contract.KeyUsername, true)), "\n")
	c.Password = strings.TrimSuffix(string(read(contract.KeyPassword, true)), "\n")
	c.CA, c.Cert, c.Key = read(contract.KeyCA, false), read(contract.KeyCert, false), read(contract.KeyKey, false)
	return c, errors.Join(errs...)
}

// loadKey reads what requests to the agents of a target are signed with. It never leaves this
// container: it is no part of what a tool is given.
func loadKey(dir string, t contract.Trial) (control.Key, error) {
	if t.Agent == "" && len(t.Replicas) == 0 {
		return nil, nil
	}
	secret, err := os.ReadFile(filepath.Join(dir, contract.KeyAgent))
	if err != nil {
		return nil, fmt.Errorf("the key of the target's agent: %w: use an agent and a manager of the same release", err)
	}
	if len(secret) == 0 {
		return nil, fmt.Errorf("the key of the target's agent: %s is empty", contract.KeyAgent)
	}
	return control.NewKey(string(secret)), nil
}

// maxInputs is the maximum size of a workload's files together: that of a ConfigMap.
const maxInputs = 1 << 20

// loadInputs reads the mounted copy of the user's ConfigMap; a directory that is
// missing holds none. Kubernetes keeps the files in a directory whose name begins
// with two dots, and links to them.
func loadInputs(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	inputs, total := map[string][]byte{}, 0
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "..") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		if total += len(data); total > maxInputs {
			return nil, fmt.Errorf("inputs: the files of %s have more than %d bytes", dir, maxInputs)
		}
		inputs[entry.Name()] = data
	}
	return inputs, nil
}
