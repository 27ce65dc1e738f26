package sysbench

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Files in the working directory. The names of the PEM files are built into
// sysbench.
const (
	configFile = "sysbench.cfg"
	keyFile    = "client-key.pem"
	certFile   = "client-cert.pem"
	caFile     = "cacert.pem"
)

// maxConfigLine is the length of a line of a --config-file, without its end:
// sysbench reads 255 bytes at a time and forgets the rest (sb_options.c).
const maxConfigLine = 254

// secretFiles are the password, and with TLS the certificates.
func secretFiles(tls contract.TLSMode, c runner.Credentials) (map[string][]byte, error) {
	line, err := passwordLine(c.Password)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{configFile: []byte(line + "\n")}
	if tls != contract.TLSRequired {
		return files, nil
	}
	pems := []struct {
		key, file string
		data      []byte
	}{
		{"tls.key", keyFile, c.Key},
		{"tls.crt", certFile, c.Cert},
		{"ca.crt", caFile, c.CA},
	}
	for _, pem := range pems {
		if len(pem.data) == 0 {
			return nil, fmt.Errorf("credentials: %s is missing: with TLS sysbench 1.0 always loads a client certificate, "+
				"its key and the CA; add ca.crt, tls.crt and tls.key to the target's Secret, or set the target's tls to Disabled", pem.key)
		}
		files[pem.file] = pem.data
	}
	return files, nil
}

// passwordLine renders the option for --config-file. The format has two kinds of
// quotes and no escapes; without quotes a value ends at a blank or a comma, and
// a # in front begins a comment. Tried with sysbench 1.0.20 on a real server.
func passwordLine(password string) (string, error) {
	const option = "mysql-password="
	value, err := quote(password)
	if err != nil {
		return "", err
	}
	if len(option)+len(value) > maxConfigLine {
		return "", fmt.Errorf("credentials: the password has %d bytes, which is more than sysbench reads: use at most %d",
			len(password), maxConfigLine-len(option)-2)
	}
	return option + value, nil
}

func quote(password string) (string, error) {
	switch {
	case strings.ContainsAny(password, "\x00\n"):
		return "", errors.New("credentials: the password has a line break or a NUL, which sysbench cannot read: choose another password")
	case !strings.Contains(password, `"`):
		return `"` + password + `"`, nil
	case !strings.Contains(password, `'`):
		return `'` + password + `'`, nil
	case strings.ContainsAny(password, " \t\v\f\r,") || strings.ContainsAny(password[:1], `#"'`):
		return "", errors.New("credentials: the password has both kinds of quotes together with a blank, a comma, " +
			"or a quote or # in front, which sysbench cannot read: choose another password")
	}
	return password, nil
}
