package accept

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// checkExternal makes sure that the tool can reach an external target, and that the
// target's Secret has what the tool needs.
func (in references) checkExternal(field string, w experiment.Work, e *v1alpha1.ExternalTarget) error {
	if err := w.CheckExternal(field, e); err != nil {
		return err
	}
	secret := decision.Get[*corev1.Secret](in.ask, e.Credentials.Name)
	if !secret.Exists {
		return experiment.Refuse(v1alpha1.ReasonSecretNotFound, "%s.credentials: there is no Secret %q in namespace %s: create it with the keys username and password",
			field, e.Credentials.Name, in.Run.Namespace)
	}
	keys := neededKeys(w, e)
	for _, k := range keys {
		if len(secret.Value.Data[k]) == 0 {
			return experiment.Refuse(v1alpha1.ReasonSecretIncomplete, "%s.credentials: Secret %q lacks the key %q (needed: %v)", field, e.Credentials.Name, k, keys)
		}
	}
	return nil
}

// neededKeys of the Secret of an external target.
func neededKeys(w experiment.Work, e *v1alpha1.ExternalTarget) []string {
	keys := []string{contract.KeyUsername, contract.KeyPassword}
	encrypted := e.Encryption() == v1alpha1.TLSRequired && e.JDBC == nil
	switch {
	case encrypted && w.Tool.Connection.NeedsCertificate:
		return append(keys, contract.KeyCA, contract.KeyCert, contract.KeyKey)
	case encrypted && !e.InsecureSkipVerify:
		return append(keys, contract.KeyCA)
	}
	return keys
}

// unverified are findings about servers that may be others than those that are meant.
func unverified(run *v1alpha1.BenchmarkRun) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, t := range run.Spec.Targets {
		if t.External != nil && t.External.InsecureSkipVerify {
			out = append(out, v1alpha1.Finding{Target: t.Name, Check: "server-unverified", Severity: string(validity.Warning), Message: fmt.Sprintf(
				"the identity of the server %s is not verified (insecureSkipVerify, tls: %s): whoever can redirect the connections obtains the password of the account",
				t.External.HostIn(run.Namespace), t.External.Encryption())})
		}
	}
	return out
}

// laterWriter says who was let write into the volume of an earlier run after that.
func laterWriter(from v1alpha1.ResolvedVolume) string {
	if from.Writer == "" {
		return " and, when this run was accepted, of no run after it"
	}
	return ", and of others, the last of which was, when this run was accepted, " + from.Writer
}

// existing are findings about data that was there before the run.
func existing(targets []v1alpha1.Target, resolved v1alpha1.Resolved) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for i, t := range targets {
		if !t.HasData() {
			continue
		}
		writes := "the workload only reads"
		if t.AllowsWrites() {
			writes = "what the workload writes stays in it"
		}
		where, looked := "", "of the tables that it uses, only how many rows they have is looked at"
		switch from, snapshot := resolved.Targets[i].Retained, resolved.Targets[i].Snapshot; {
		case snapshot != nil:
			where, writes = whoseSnapshot(*snapshot), "anything that is written goes with that volume"
		case from != nil:
			where = fmt.Sprintf("on the volume of run %s (UID %s, target %s, which ended %s), loaded at %s, with what the trials of that run wrote%s,",
				from.RunName, from.RunUID, from.Target, from.Outcome, from.LoadedTime.UTC().Format(time.RFC3339), laterWriter(*from))
		case t.External.JDBC != nil:
			where, looked = "behind jdbc", "nobody has looked at it before the trials"
		default:
			where = "in schema " + t.External.Database
		}
		out = append(out, v1alpha1.Finding{Target: t.Name, Check: "data-existing", Severity: string(validity.Note), Message: fmt.Sprintf(
			"the data %s was there before the run: nothing loads, puts back or drops it, and %s; %s", where, writes, looked)})
	}
	return out
}
