package target

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// inputs are the checked inputs from the manager.
type inputs struct {
	target   contract.Target
	password string
	// key that requests are signed with.
	key    control.Key
	engine engine.Engine
	// ca of the server's certificate, for the agent's own logins; nil where the server does not demand
	// encryption: then a check of readiness costs it no handshake.
	ca []byte
}

// loadInputs reads and checks the target, the password and the key. It validates the settings again,
// because the file may be older than the rules.
func loadInputs(o Options) (inputs, error) {
	var in inputs
	data, err := os.ReadFile(o.TargetFile)
	if err != nil {
		return in, fail(contract.ReasonInitialisationFailed, "reading the target: %v", err)
	}
	if err := json.Unmarshal(data, &in.target); err != nil {
		return in, fail(contract.ReasonInitialisationFailed, "%s: %v", o.TargetFile, err)
	}
	t := in.target
	if t.Version != contract.TargetVersion {
		return in, fail(contract.ReasonInitialisationFailed, "%s: version: got %q, want %q: use an agent and a manager of the same release",
			o.TargetFile, t.Version, contract.TargetVersion)
	}
	if t.Database == "" || t.Username == "" || t.StorageEngine == "" || t.Port < 1 || t.Port > 65535 {
		return in, fail(contract.ReasonInitialisationFailed, "%s: database, username, storageEngine and port (1 to 65535) are needed", o.TargetFile)
	}
	if r := t.Replication; r != nil && (r.Username == "" || r.ServerID < 1) {
		return in, fail(contract.ReasonInitialisationFailed, "%s: replication needs a username, and a serverID from 1", o.TargetFile)
	}
	password, err := os.ReadFile(o.PasswordFile)
	if err != nil {
		return in, fail(contract.ReasonInitialisationFailed, "reading the password: %v", err)
	}
	if in.password = string(password); in.password == "" {
		return in, fail(contract.ReasonInitialisationFailed, "%s: the password is empty", o.PasswordFile)
	}
	if t.Setter != "" {
		in.target.SetterPassword = rand.Text()
	}
	secret, err := os.ReadFile(o.KeyFile)
	if err != nil {
		return in, fail(contract.ReasonInitialisationFailed, "reading the key of the agent: %v: use an agent and a manager of the same release", err)
	}
	if len(secret) == 0 {
		return in, fail(contract.ReasonInitialisationFailed, "%s: the key of the agent is empty", o.KeyFile)
	}
	in.key = control.NewKey(string(secret))
	if t.TLS == contract.TLSRequired {
		if in.ca, err = os.ReadFile(filepath.Join(o.TLS, contract.KeyCA)); err != nil {
			return in, fail(contract.ReasonInitialisationFailed, "reading the CA of the server's certificate: %v", err)
		}
	}
	e, known := o.Engine(t.Flavor)
	if !known {
		return in, fail(contract.ReasonServerMissing, "the agent has no engine %q", t.Flavor)
	}
	in.engine = e
	if t.Replication != nil && e.Follow == nil {
		return in, fail(contract.ReasonServerRefusedSetting, "%s: the agent knows no replication of %s", o.TargetFile, t.Flavor)
	}
	if refusals := e.Refuse("settings", t.Settings); len(refusals) > 0 {
		return in, fail(contract.ReasonServerRefusedSetting, "%v", errors.Join(refusals...))
	}
	return in, nil
}
