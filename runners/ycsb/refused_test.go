package ycsb

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	azureManifest    = "../../config/samples/published/s1-ycsb/azure.yaml"
	informixManifest = "../../config/samples/external-informix.yaml"
	// inTheClear is what the URL of Informix has in place of TLS here.
	inTheClear = "CLIENT_LOCALE=en_US.utf8"
	password   = "pa55-w0rd"
)

// refusal is a server that takes the first packet of a driver and then refuses.
type refusal struct {
	// manifest whose target is behind JDBC, and what differs of its URL.
	manifest string
	url      func(string) string
	// read a packet, and what the server does once it has the first one; nil: it closes the connection.
	read func(io.Reader) ([]byte, error)
	then func(*testing.T, net.Conn, *packets) error
	// sent checks what the driver has sent.
	sent func(*testing.T, [][]byte)
	// want is the reason of the failure, and says a part of its text.
	want contract.Reason
	says string
}

var refusals = map[string]refusal{
	"SQL Server: closed after the first packet": {
		manifest: azureManifest, read: readTDS, sent: prelogin(tdsEncryptOn),
		want: contract.ReasonTargetUnreachable, says: "The TCP/IP connection to the host 127.0.0.1",
	},
	"SQL Server: it does not encrypt, and the driver wants it by itself": {
		manifest: azureManifest, read: readTDS, then: replies(preloginReply(tdsEncryptNot)), sent: prelogin(tdsEncryptOn),
		want: contract.ReasonTLSFailed, says: "SSL",
	},
	"SQL Server: its certificate is signed by nobody": {
		manifest: azureManifest, read: readTDS, then: encrypts, sent: prelogin(tdsEncryptOn),
		want: contract.ReasonTLSFailed, says: "PKIX path",
	},
	"SQL Server: a login over TLS, whatever the certificate": {
		manifest: azureManifest, url: with(";encrypt=true;trustServerCertificate=true"), read: readTDS, then: encrypts, sent: login(tdsEncryptOn),
		want: contract.ReasonCredentialsRejected, says: "Login failed for user",
	},
	"SQL Server: a login without TLS": {
		manifest: azureManifest, url: with(";encrypt=false"), read: readTDS, sent: login(tdsEncryptOff),
		then: replies(preloginReply(tdsEncryptNot), tdsError(18456, "Login failed for user 'ycsb'.")),
		want: contract.ReasonCredentialsRejected, says: "Login failed for user",
	},
	"SQL Server: a database that is not there": {
		manifest: azureManifest, url: with(";encrypt=false"), read: readTDS, sent: login(tdsEncryptOff),
		then: replies(preloginReply(tdsEncryptNot), tdsError(4060, `Cannot open database "database-name-here" requested by the login. The login failed.`)),
		want: contract.ReasonSchemaMissing, says: "Cannot open database",
	},
	"Informix: closed after the first packet": {
		manifest: informixManifest, url: plainInformix, read: readSQLI, sent: sqliConnects,
		want: contract.ReasonTargetUnreachable, says: "Socket connection to server",
	},
	"Informix: a login": {
		manifest: informixManifest, url: plainInformix, read: readSQLI, then: replies(sqliRefusal(-951)), sent: sqliConnects,
		want: contract.ReasonCredentialsRejected, says: "Incorrect password or user",
	},
	"Informix: a database that is not there": {
		manifest: informixManifest, url: plainInformix, read: readSQLI, then: replies(sqliRefusal(-329)), sent: sqliConnects,
		want: contract.ReasonSchemaMissing, says: "not found or no system permission",
	},
	"Informix: TLS to a server that closes": {
		manifest: informixManifest, read: readTLS, sent: clientHello,
		want: contract.ReasonTargetUnreachable, says: "Socket connection to server",
	},
}

// The real drivers from their jars, with the command lines of the adapter for the manifests, against servers on this machine that
// refuse: each class is found, each URL taken, its options arrive, and the failure says why. Nothing of it is about a whole server.
func TestRealDriversAreRefused(t *testing.T) {
	classes := javaClasses(t)
	for name, r := range refusals {
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
			t.Run(name+", "+string(phase), func(t *testing.T) {
				r.play(t, phase, classes)
			})
		}
	}
}

func (r refusal) play(t *testing.T, phase contract.Phase, classes string) {
	seen, address := r.serve(t)
	trial := trialOfManifest(t, r.manifest, address, r.url)
	trial.Endpoint.TLS = contract.TLSPreferred // as for every target behind JDBC
	command, err := Runner().Command(trial, phase, runner.Credentials{Username: "ycsb", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	output := start(t, command, classes)
	got := Runner().Parse(trial, phase, output)
	if reasonOf(got) != r.want || !strings.Contains(got.Failure.Message, r.says) {
		t.Errorf("failure = %+v, want %s with %q\nstderr:\n%s", got.Failure, r.want, r.says, output.Stderr)
	}
	shown, err := json.Marshal(map[string]any{"report": got, "args": command.Args, "stdout": string(output.Stdout), "stderr": string(output.Stderr)})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(shown, []byte(password)) {
		t.Errorf("the password is shown: %s", shown)
	}
	if got := seen.all(); len(got) == 0 {
		t.Error("the driver has sent nothing")
	} else {
		t.Logf("first packet: %d bytes, %x...", len(got[0]), got[0][:min(len(got[0]), 24)])
		r.sent(t, got)
	}
}

// The image has no driver of Informix, and says so.
func TestADriverThatTheImageLacks(t *testing.T) {
	trial := trialOfManifest(t, informixManifest, "127.0.0.1:1", nil)
	trial.Endpoint.TLS = contract.TLSPreferred
	command, err := Runner().Command(trial, contract.PhasePrepare, runner.Credentials{Username: "ycsb", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	got := Runner().Parse(trial, contract.PhasePrepare, start(t, command, imageClasses(t)))
	if reasonOf(got) != contract.ReasonToolFailed || !strings.Contains(got.Failure.Message, "external.jdbc.driver") || !strings.Contains(got.Failure.Message, "com.informix.jdbc.IfxDriver") {
		t.Errorf("failure = %+v", got.Failure)
	}
}

// prelogin is the first packet, and what it says of encryption.
func prelogin(encryption byte) func(*testing.T, [][]byte) {
	return func(t *testing.T, sent [][]byte) {
		t.Helper()
		first := sent[0]
		if got, has := preloginEncryption(first); first[0] != tdsPrelogin || !has || got != encryption {
			t.Errorf("the first packet is no prelogin that says %d of encryption: %x", encryption, first)
		}
	}
}

// login is the first packet and the login behind it, which has what the Secret and the URL name.
func login(encryption byte) func(*testing.T, [][]byte) {
	return func(t *testing.T, sent [][]byte) {
		t.Helper()
		prelogin(encryption)(t, sent)
		if len(sent) < 2 || sent[1][0] != tdsLogin {
			t.Fatalf("no login came: %x", sent)
		}
		for _, text := range []string{"ycsb", "database-name-here"} {
			if !bytes.Contains(sent[1], utf16LE(text)) {
				t.Errorf("the login lacks %q: %x", text, sent[1])
			}
		}
	}
}

// sqliConnects is the first packet of Informix: it asks for a connection, and has the user, the name of the server and an option of the
// URL. The password is there as well, as it is: the manifest has TLS.
func sqliConnects(t *testing.T, sent [][]byte) {
	t.Helper()
	first := sent[0]
	if len(first) < 4 || first[2] != sqliConnect || first[3] != sqliVersion {
		t.Fatalf("the first packet does not ask for a connection: %x", first)
	}
	for _, text := range []string{"sqlexec\x00", "sqli\x00", "\x05ycsb\x00", "\x09informix\x00", "en_US.utf8\x00", password + "\x00"} {
		if !bytes.Contains(first, []byte(text)) {
			t.Errorf("the first packet lacks %q", text)
		}
	}
}

// readTLS reads a record of TLS: its type, its version, its length and its content.
func readTLS(r io.Reader) ([]byte, error) {
	record := make([]byte, 5)
	if _, err := io.ReadFull(r, record); err != nil {
		return nil, err
	}
	record = append(record, make([]byte, int(record[3])<<8|int(record[4]))...)
	_, err := io.ReadFull(r, record[5:])
	return record, err
}

func clientHello(t *testing.T, sent [][]byte) {
	t.Helper()
	if first := sent[0]; first[0] != 22 || first[5] != 1 || bytes.Contains(first, []byte(password)) {
		t.Errorf("the first packet does not begin TLS: %x", first)
	}
}

func with(options string) func(string) string {
	return func(url string) string { return url + options }
}

func plainInformix(url string) string {
	return strings.Replace(url, "SSLCONNECTION=true", inTheClear, 1)
}
