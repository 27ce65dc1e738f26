package conformance

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the servers are asked by it

	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/harnesses"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// imagesVariable names the list of images, servers the servers as NAME=PORT, separated by commas, that
	// hack/test-server.sh started; only, if set, the languages to hold.
	imagesVariable  = "ASSAY_CONFORMANCE_IMAGES"
	serversVariable = "ASSAY_CONFORMANCE_SERVERS"
	onlyVariable    = "ASSAY_CONFORMANCE_ONLY"

	nullDriver = "null"
	user       = "assay" // and its password, and the schema
	// authorityFile is the certificate authority of the test servers.
	authorityFile = "../../out/test-server/ca.pem"
)

// harness is a language with its image.
type harness struct {
	harnesses.Language
	image string
}

// images that were built, by name. The test is skipped where nobody says which.
func images(t *testing.T) map[string]string {
	t.Helper()
	list := os.Getenv(imagesVariable)
	if list == "" {
		t.Skipf("%s names no list of images: make conformance does", imagesVariable)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, reference, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			out[name] = strings.TrimPrefix(reference, "docker.io/library/")
		}
	}
	return out
}

// forEach language there is a subtest.
func forEach(t *testing.T, hold func(t *testing.T, h harness)) {
	images := images(t)
	only := os.Getenv(onlyVariable)
	for _, l := range harnesses.All {
		if only != "" && !strings.Contains(","+only+",", ","+l.Name+",") {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			if images[l.Image] == "" {
				t.Fatalf("%s has no image %s", os.Getenv(imagesVariable), l.Image)
			}
			hold(t, harness{l, images[l.Image]})
		})
	}
}

// servers are the ports of the test servers by name.
func servers(t *testing.T) map[string]int32 {
	t.Helper()
	out := map[string]int32{}
	for _, entry := range strings.Split(os.Getenv(serversVariable), ",") {
		name, text, _ := strings.Cut(entry, "=")
		port, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			t.Fatalf("%s has to be such as MariaDB=23310, not %q", serversVariable, entry)
		}
		out[name] = int32(port)
	}
	return out
}

// process is a harness in its image, on the network of this machine.
type process struct {
	command    *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	complaints bytes.Buffer
}

// start the harness as a trial does. The authority is where the variable of the command says.
func (h harness) start(t *testing.T, environment map[string]string) *process {
	t.Helper()
	how, err := drivers.Runner().Command(trialOf(h.Name, []string{nullDriver}, `{"operation": "Do"}`, 0, contract.TLSDisabled), contract.PhaseRun,
		runner.Credentials{Username: user, Password: user})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(filepath.Dir(authorityFile))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{
		"run", "--rm", "--interactive", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--user", "10001:10001",
		"--volume", folder + ":/tls:ro", "--workdir", "/tls", "--env", "HOME=/tmp", "--entrypoint", how.Path,
	}
	if environment == nil {
		environment = how.Env
	}
	for name, value := range environment {
		args = append(args, "--env", name+"="+value)
	}
	p := &process{command: exec.CommandContext(t.Context(), "docker", append(append(args, h.image), how.Args...)...)}
	p.command.Stderr = &p.complaints
	if p.in, err = p.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is what of an answer every harness has.
type answer struct {
	ID     int    `json:"id"`
	State  string `json:"state"`
	Reason string `json:"reason"`

	Operations     int64  `json:"operations"`
	CPUNanoseconds *int64 `json:"cpuNanoseconds"`
}

func (p *process) ask(t *testing.T, request string) answer {
	t.Helper()
	if _, err := io.WriteString(p.in, request+"\n"); err != nil {
		t.Fatalf("%v\n%s", err, &p.complaints)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s had no answer: %v\n%s", request, err, &p.complaints)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatalf("%s was answered by %s: %v", request, line, err)
	}
	if !strings.HasPrefix(request, fmt.Sprintf(`{"id":%d,`, a.ID)) {
		t.Errorf("%s was answered with the id %d", request, a.ID)
	}
	return a
}

// end of the requests is the end of the harness, with 0 and without another word.
func (p *process) end(t *testing.T) {
	t.Helper()
	_ = p.in.Close()
	if rest, _ := io.ReadAll(p.out); len(rest) > 0 {
		t.Errorf("at the end the harness says %s", rest)
	}
	if err := p.command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &p.complaints)
	}
}

// kill all connections of the user but this one.
func kill(t *testing.T, port int32) {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(127.0.0.1:%d)/%s", user, user, port, user))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	rows, err := db.Query("SELECT id FROM information_schema.PROCESSLIST WHERE user = ? AND id <> CONNECTION_ID()", user)
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil || len(ids) == 0 {
		t.Fatalf("%d connections to kill: %v", len(ids), err)
	}
	for _, id := range ids {
		if _, err := db.Exec(fmt.Sprintf("KILL %d", id)); err != nil {
			t.Fatal(err)
		}
	}
}

// relay hands on what a server and its clients say, and holds what the server says for a while.
func relay(t *testing.T, port int32, delay time.Duration) int32 {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the end of the test
			}
			server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				_ = client.Close()
				continue
			}
			go handOn(client, server, 0)
			go handOn(server, client, delay)
		}
	}()
	return int32(listener.Addr().(*net.TCPAddr).Port)
}

// handOn one direction. What comes while something is held is handed on with it, not held after it.
func handOn(from, to net.Conn, delay time.Duration) {
	type held struct {
		until time.Time
		bytes []byte
	}
	queue := make(chan held, 1024)
	go func() {
		defer func() { _ = to.Close() }()
		for h := range queue {
			time.Sleep(time.Until(h.until))
			if _, err := to.Write(h.bytes); err != nil {
				return
			}
		}
	}()
	defer close(queue)
	for {
		buffer := make([]byte, 64<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			queue <- held{time.Now().Add(delay), buffer[:n]}
		}
		if err != nil {
			return
		}
	}
}
