package runner

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// CheckEndpoint refuses an address that a command line or a URL would take for something else.
func CheckEndpoint(e contract.Endpoint) error {
	switch {
	case e.Host == "" || strings.ContainsAny(e.Host, ", \t\r\n/?#&;()"):
		return fmt.Errorf("endpoint.host: %q is not one host: tools take a comma for a list of hosts", e.Host)
	case e.Port < 1 || e.Port > 65535:
		return fmt.Errorf("endpoint.port: %d is out of range: use 1 to 65535", e.Port)
	case e.TLS != contract.TLSDisabled && e.TLS != contract.TLSRequired:
		return fmt.Errorf("endpoint.tls: %q is not known: use %s or %s", e.TLS, contract.TLSDisabled, contract.TLSRequired)
	}
	return CheckStorageEngine(e)
}

var engineName = regexp.MustCompile(`^[A-Za-z0-9_]*$`)

// CheckStorageEngine refuses a name that cannot stand in a statement without quotes, as tools put it there.
func CheckStorageEngine(e contract.Endpoint) error {
	if !engineName.MatchString(e.StorageEngine) {
		return fmt.Errorf("endpoint.storageEngine: %q is not a name: use letters, digits and underscores", e.StorageEngine)
	}
	return nil
}

// Seconds of the phase that a trial asks for, Warmup or Run. It fails when they are not from 1 to most.
func Seconds(t contract.Trial, p contract.Phase, most int64) (int64, error) {
	field, seconds := "durationSeconds", t.DurationSeconds
	if p == contract.PhaseWarmup {
		field, seconds = "warmupSeconds", t.WarmupSeconds
	}
	if seconds < 1 || seconds > most {
		return 0, fmt.Errorf("%s: %d is out of range: use 1 to %d", field, seconds, most)
	}
	return seconds, nil
}

// Files of the working directory with the certificates of Credentials.
const (
	CAFile   = "ca.pem"
	CertFile = "client-cert.pem"
	KeyFile  = "client-key.pem"
)

// Certificates that there are, by the names of their files.
func (c Credentials) Certificates() map[string][]byte {
	files := map[string][]byte{}
	for name, data := range map[string][]byte{CAFile: c.CA, CertFile: c.Cert, KeyFile: c.Key} {
		if len(data) > 0 {
			files[name] = data
		}
	}
	return files
}
