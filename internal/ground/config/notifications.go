package config

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxReceivers bounds what one run may cost: the status remembers every notification.
const maxReceivers = 16

// Bounds of the times of notifications.
const (
	leastAttempt = time.Second
	mostAttempt  = time.Minute
	leastGiveUp  = time.Minute
	mostGiveUp   = 168 * time.Hour
)

// Notifications are the CloudEvents about runs, and to whom they are sent. The addresses are the
// administrator's: no object of a tenant can name one.
type Notifications struct {
	// Source is what the CloudEvents attribute source begins with, such as
	// https://cluster-1.example.com; empty is allowed.
	Source string `json:"source"`
	// Timeout of one attempt, 1s to 1m. Default 10s.
	Timeout metav1.Duration `json:"timeout"`
	// GiveUpAfter is how long an event is tried, from when it happened, 1m to 168h. Default 24h.
	GiveUpAfter metav1.Duration `json:"giveUpAfter"`
	// Receivers, at most 16. Default none.
	Receivers []Receiver `json:"receivers"`
}

// Receiver of notifications.
type Receiver struct {
	// Name in the status of runs and in the metrics: letters, digits and '-', at most 40 bytes.
	Name string `json:"name"`
	// URL that events are posted to, with http or https. Empty: the file url of Credentials has it.
	URL string `json:"url,omitempty"`
	// Credentials is a directory with the file signing-key (secrets of Standard Webhooks, one a
	// line), perhaps ca.crt (PEM, the only CA that is trusted) and perhaps url. Empty for none.
	Credentials string `json:"credentials,omitempty"`
	// Unsigned lets events go without a signature where there is no signing-key.
	Unsigned bool `json:"unsigned,omitempty"`
	// Namespaces of the runs, by their names or by patterns such as team-*. Empty for all.
	Namespaces []string `json:"namespaces,omitempty"`
	// Types of events: run.completed, run.failed, gate.passed, gate.failed, gate.undecided. Empty for all.
	Types []string `json:"types,omitempty"`
}

// notificationTypes are those of the API.
var notificationTypes = []string{"run.completed", "run.failed", "gate.passed", "gate.failed", "gate.undecided"}

// Wants says whether the receiver is told of a type of event in a namespace.
func (r Receiver) Wants(namespace, kind string) bool {
	if len(r.Types) > 0 && !slices.Contains(r.Types, kind) {
		return false
	}
	return len(r.Namespaces) == 0 || matchesAny(r.Namespaces, namespace)
}

func defaultNotifications() Notifications {
	return Notifications{Timeout: metav1.Duration{Duration: 10 * time.Second}, GiveUpAfter: metav1.Duration{Duration: 24 * time.Hour}}
}

// receiverName is part of the names of files, labels of metrics and fields of the status.
var receiverName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// CheckReceiverURL says why a text is no address of a receiver. The error does not quote it: the
// address may be a secret.
func CheckReceiverURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("the URL must have http or https, a host, no user and no fragment, such as https://ci.example.com/assay")
	}
	return nil
}

// check returns an error that names the first setting that is not valid.
func (n Notifications) check() error {
	if u, err := url.Parse(n.Source); err != nil || u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.HasSuffix(n.Source, "/") {
		return fmt.Errorf("notifications.source: %q: use a URI without a query and without '/' at its end, such as https://cluster-1.example.com", n.Source)
	}
	if d := n.Timeout.Duration; d < leastAttempt || d > mostAttempt {
		return fmt.Errorf("notifications.timeout must be %s to %s, such as 10s", leastAttempt, mostAttempt)
	}
	if d := n.GiveUpAfter.Duration; d < leastGiveUp || d > mostGiveUp {
		return fmt.Errorf("notifications.giveUpAfter must be %s to %s, such as 24h", leastGiveUp, mostGiveUp)
	}
	if len(n.Receivers) > maxReceivers {
		return fmt.Errorf("notifications.receivers has %d entries, and at most %d are allowed", len(n.Receivers), maxReceivers)
	}
	names := map[string]bool{}
	for i, r := range n.Receivers {
		name := fmt.Sprintf("notifications.receivers[%d]", i)
		if names[r.Name] {
			return fmt.Errorf("%s.name: %q is there twice", name, r.Name)
		}
		names[r.Name] = true
		if err := r.check(name); err != nil {
			return err
		}
	}
	return nil
}

func (r Receiver) check(name string) error {
	switch {
	case !receiverName.MatchString(r.Name):
		return fmt.Errorf("%s.name: %q: use lower case letters, digits and '-', at most 40", name, r.Name)
	case r.URL == "" && r.Credentials == "":
		return fmt.Errorf("%s.url is missing: give it, or credentials with a file url", name)
	case r.Credentials == "" && !r.Unsigned:
		return fmt.Errorf("%s.credentials is missing: name the directory with the file signing-key, or set unsigned: true", name)
	case r.Credentials != "" && !filepath.IsAbs(r.Credentials):
		return fmt.Errorf("%s.credentials: %q is no absolute path", name, r.Credentials)
	}
	if r.URL != "" {
		if err := CheckReceiverURL(r.URL); err != nil {
			return fmt.Errorf("%s.url: %w", name, err)
		}
	}
	for _, pattern := range r.Namespaces {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%s.namespaces: %q is no name and no pattern such as team-*", name, pattern)
		}
	}
	for _, kind := range r.Types {
		if !slices.Contains(notificationTypes, kind) {
			return fmt.Errorf("%s.types: %q: want one of %s", name, kind, strings.Join(notificationTypes, ", "))
		}
	}
	return nil
}
