package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// auditLog of the API server, a line for each request.
const auditLog = "audit.log"

// request to the API server, as the audit log has it (audit.k8s.io/v1).
type request struct {
	Verb      string
	UserAgent string
	ObjectRef struct{ Resource, Subresource, Name string }
	// RequestObject is there for runs that are created.
	RequestObject struct{ Metadata struct{ Name string } }
	// StageTimestamp is when the answer was complete.
	StageTimestamp time.Time
	ResponseStatus struct{ Code int }
}

// name of the object that it is about; empty for a list.
func (r request) name() string {
	if r.ObjectRef.Name != "" {
		return r.ObjectRef.Name
	}
	return r.RequestObject.Metadata.Name
}

// writes says whether it changes something, or would have if it had not been refused.
func (r request) writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// what it does, in the words of a rule of RBAC.
func (r request) what() string {
	out := r.Verb + " " + r.ObjectRef.Resource
	if r.ObjectRef.Subresource != "" {
		out += "/" + r.ObjectRef.Subresource
	}
	return out
}

// requests of the manager so far, in the order of their ends. The log is complete: the API server answers when it has
// written the line.
func (s *server) requests() ([]request, error) {
	f, err := os.Open(s.file(auditLog))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { _ = f.Close() }()
	var out []request
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		if strings.HasPrefix(r.UserAgent, "manager/") {
			out = append(out, r)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return out, nil
}
