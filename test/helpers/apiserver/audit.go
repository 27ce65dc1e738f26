package apiserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// auditPolicy logs who called what, without bodies.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
`

// Call is a request that the API server answered.
type Call struct {
	// Resource as in a rule of a role: "group/resource" or "group/resource/subresource".
	Resource string
	// Verb such as get.
	Verb string
}

// withAudit lets the API server log its calls.
func withAudit(env *envtest.Environment, dir string) (log string, err error) {
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return "", fmt.Errorf("writing the audit policy: %w", err)
	}
	log = filepath.Join(dir, "audit.log")
	env.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", log).
		Set("audit-log-mode", "blocking").
		// Owner references that block a deletion need `update` of the owner's finalizers then, as on
		// OpenShift.
		Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	return log, nil
}

// CallsOf a user, each once, of those that the API server allowed.
func (s *Server) CallsOf(user string) (map[Call]bool, error) {
	data, err := os.ReadFile(s.auditLog)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	calls := map[Call]bool{}
	for line := range strings.Lines(string(data)) {
		var event struct {
			Verb             string
			User             struct{ Username string }
			ImpersonatedUser *struct{ Username string }
			ObjectRef        *struct{ Resource, Subresource, APIGroup string }
			ResponseStatus   *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		who := event.User.Username
		if event.ImpersonatedUser != nil {
			who = event.ImpersonatedUser.Username
		}
		if who != user || event.ObjectRef == nil || event.ResponseStatus == nil || event.ResponseStatus.Code == 403 {
			continue
		}
		resource := event.ObjectRef.APIGroup + "/" + event.ObjectRef.Resource
		if sub := event.ObjectRef.Subresource; sub != "" {
			resource += "/" + sub
		}
		calls[Call{Resource: resource, Verb: event.Verb}] = true
	}
	return calls, nil
}
