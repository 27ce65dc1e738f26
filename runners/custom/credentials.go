package custom

import (
	"maps"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// optionFile is in the working directory.
const optionFile = "my.cnf"

// files are those of the user, then those of Assay, which no file of the user can
// replace.
func files(t contract.Trial, c runner.Credentials) map[string][]byte {
	out := maps.Clone(t.Inputs)
	if out == nil {
		out = map[string][]byte{}
	}
	out[optionFile] = options(t.Endpoint, c)
	if t.Endpoint.TLS != contract.TLSDisabled {
		maps.Copy(out, c.Certificates())
	}
	return out
}

// options is an option file for the clients of MySQL and MariaDB. Either ignores with
// loose_ what only the other one knows.
func options(e contract.Endpoint, c runner.Credentials) []byte {
	lines := []string{
		"[client]", "protocol=tcp", "host=" + quote(e.Host), "port=" + strconv.Itoa(int(e.Port)),
		"user=" + quote(c.Username), "password=" + quote(c.Password),
	}
	if e.TLS == contract.TLSDisabled {
		lines = append(lines, "loose_ssl_mode=DISABLED", "loose_skip_ssl")
	} else {
		lines = append(lines, "loose_ssl_mode=REQUIRED", "loose_ssl=1")
		if len(c.CA) > 0 {
			lines = append(lines, "ssl_ca="+runner.CAFile)
		}
		if len(c.Cert) > 0 && len(c.Key) > 0 {
			lines = append(lines, "ssl_cert="+runner.CertFile, "ssl_key="+runner.KeyFile)
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// quote a value of an option file (mysys/my_default.c).
func quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value) + `"`
}

// environment has the password for tools that take it from there, and where the
// target is.
func environment(t contract.Trial, c runner.Credentials) map[string]string {
	return map[string]string{
		"ASSAY_PASSWORD": c.Password, "MYSQL_PWD": c.Password,
		"ASSAY_HOST": t.Endpoint.Host, "ASSAY_PORT": strconv.Itoa(int(t.Endpoint.Port)),
		"ASSAY_DATABASE": t.Endpoint.Database, "ASSAY_USERNAME": c.Username, "ASSAY_TLS": string(t.Endpoint.TLS),
	}
}
