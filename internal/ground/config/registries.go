package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Bounds of registries.
const (
	maxRegistries    = 16
	maxRegistryHosts = 8
)

// Registries are those that the manager may ask which digest a tag has, for schedules with onChange. They are the
// administrator's: an image of a tenant in another one is not looked up.
type Registries struct {
	// Timeout of all requests about one image, 1s to 1m. Default 10s.
	Timeout metav1.Duration `json:"timeout"`
	// Ask these, at most 16. Default none: nothing is asked.
	Ask []Registry `json:"ask"`
}

// Registry of images.
type Registry struct {
	// Host as in the name of an image, with its port if it has one, such as registry.example.com:5000. docker.io is Docker
	// Hub.
	Host string `json:"host"`
	// Hosts that it may name in redirects and as its server of tokens, with their ports, at most 8. Any other one is not
	// asked, besides Host.
	Hosts []string `json:"hosts,omitempty"`
	// PlainHTTP asks without TLS.
	PlainHTTP bool `json:"plainHTTP,omitempty"`
	// Credentials is a directory, perhaps with the files username and password, and perhaps with ca.crt (PEM, the only CA
	// that is trusted). Empty: anonymous.
	Credentials string `json:"credentials,omitempty"`
}

func defaultRegistries() Registries {
	return Registries{Timeout: metav1.Duration{Duration: 10 * time.Second}}
}

// check returns an error that names the first setting that is not valid.
func (r Registries) check() error {
	if d := r.Timeout.Duration; d < time.Second || d > time.Minute {
		return fmt.Errorf("registries.timeout must be %s to %s, such as 10s", time.Second, time.Minute)
	}
	if len(r.Ask) > maxRegistries {
		return fmt.Errorf("registries.ask has %d entries, and at most %d are allowed", len(r.Ask), maxRegistries)
	}
	known := map[string]bool{}
	for i, one := range r.Ask {
		name := fmt.Sprintf("registries.ask[%d]", i)
		if known[one.Host] {
			return fmt.Errorf("%s.host: %q is there twice", name, one.Host)
		}
		known[one.Host] = true
		if err := one.check(name); err != nil {
			return err
		}
	}
	return nil
}

func (r Registry) check(name string) error {
	if len(r.Hosts) > maxRegistryHosts {
		return fmt.Errorf("%s.hosts has %d entries, and at most %d are allowed", name, len(r.Hosts), maxRegistryHosts)
	}
	for _, host := range append([]string{r.Host}, r.Hosts...) {
		if u, err := url.Parse("https://" + host); err != nil || host == "" || u.Host != host || host != strings.ToLower(host) {
			return fmt.Errorf("%s: %q is no host such as registry.example.com:5000, in lower case", name, host)
		}
	}
	if r.Credentials != "" && !filepath.IsAbs(r.Credentials) {
		return fmt.Errorf("%s.credentials: %q is no absolute path", name, r.Credentials)
	}
	return nil
}
