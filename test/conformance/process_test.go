package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	// imagesVariable names the list of images, servers the servers as NAME=HOST:PORT, separated by commas, such as those that
	// hack/test-server.sh started; only, if set, the languages to hold.
	imagesVariable  = "ASSAY_CONFORMANCE_IMAGES"
	serversVariable = "ASSAY_CONFORMANCE_SERVERS"
	onlyVariable    = "ASSAY_CONFORMANCE_ONLY"

	nullDriver = "null"
	user       = "assay" // and its password, and the schema

	// testAuthority is the certificate authority of the servers of hack/test-server.sh.
	testAuthority = "../../out/test-server/ca.pem"
)

// Without these flags, each harness runs in its image.
var (
	commandFlag  = flag.String("harness", "", `a harness as a command on this machine, its words separated by spaces, such as "dotnet /opt/harness/harness.dll"; needs -language and -servers`)
	languageFlag = flag.String("language", "", "the language of -harness in the API, such as DotNet")
	serversFlag  = flag.String("servers", "", "servers as NAME=HOST:PORT, separated by commas; schema, user and password of each are assay, and the user may do anything")
	caFlag       = flag.String("ca", "", "a file with the authority of the servers' certificates; without it, nothing is held over TLS")
)

// harness is a language, and its image or its command.
type harness struct {
	harnesses.Language
	image   string
	command []string
}

// server is where a database server listens. The zero value is none.
type server struct {
	host string
	port int32
}

func (s server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(int(s.port))) }

// images that were built, by name. The test is skipped where nobody says which.
func images(t *testing.T) map[string]string {
	t.Helper()
	list := os.Getenv(imagesVariable)
	if list == "" {
		t.Skipf("neither %s names a list of images, as make conformance does, nor -harness a command", imagesVariable)
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
	if *commandFlag != "" {
		h := onThisMachine(t)
		t.Run(h.Name, func(t *testing.T) { hold(t, h) })
		return
	}
	images := images(t)
	only := os.Getenv(onlyVariable)
	for _, l := range harnesses.WithImage() {
		if only != "" && !strings.Contains(","+only+",", ","+l.Name+",") {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			if images[l.Image] == "" {
				t.Fatalf("%s has no image %s", os.Getenv(imagesVariable), l.Image)
			}
			hold(t, harness{Language: l, image: images[l.Image]})
		})
	}
}

// onThisMachine is the harness of the flags.
func onThisMachine(t *testing.T) harness {
	t.Helper()
	i := slices.IndexFunc(harnesses.All, func(l harnesses.Language) bool { return l.Name == *languageFlag })
	words := strings.Fields(*commandFlag)
	if i < 0 || len(words) == 0 {
		var names []string
		for _, l := range harnesses.All {
			names = append(names, l.Name)
		}
		t.Fatalf("-harness has to be a command and -language one of %s, not %q and %q", strings.Join(names, ", "), *commandFlag, *languageFlag)
	}
	return harness{Language: harnesses.All[i], command: words}
}

// servers are the test servers by name.
func servers(t *testing.T) map[string]server {
	t.Helper()
	out := map[string]server{}
	for _, entry := range strings.Split(cmp.Or(*serversFlag, os.Getenv(serversVariable)), ",") {
		name, address, _ := strings.Cut(entry, "=")
		host, text, err := net.SplitHostPort(address)
		port, notPort := strconv.ParseUint(text, 10, 16)
		if err != nil || notPort != nil || name == "" || host == "" || port == 0 {
			t.Fatalf("-servers or %s has to be such as MariaDB=127.0.0.1:23310, not %q", serversVariable, entry)
		}
		out[name] = server{host, int32(port)}
	}
	return out
}

// authorityFile is the absolute path of the authority. Where no file was named for a harness as a command, there is nothing to hold.
func authorityFile(t *testing.T) string {
	t.Helper()
	if *commandFlag != "" && *caFlag == "" {
		t.Skip("-ca names no authority of the servers' certificates")
	}
	path, err := filepath.Abs(cmp.Or(*caFlag, testAuthority))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// process is a harness in its image, on the network of this machine, or as a command of it.
type process struct {
	command    *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	complaints bytes.Buffer
}

// start the harness as a trial does. The authority is where the variable of the command says.
func (h harness) start(t *testing.T, environment map[string]string) *process {
	t.Helper()
	how, err := drivers.Runner().Command(trialOf(h.Name, []string{nullDriver}, `{"operation": "Do"}`, server{}, contract.TLSDisabled), contract.PhaseRun,
		runner.Credentials{Username: user, Password: user})
	if err != nil {
		t.Fatal(err)
	}
	if environment == nil {
		environment = how.Env
	}
	p := &process{}
	if h.command != nil {
		p.command = h.asCommand(t, environment)
	} else {
		p.command = h.inImage(t, how, environment)
	}
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

func (h harness) inImage(t *testing.T, how runner.Command, environment map[string]string) *exec.Cmd {
	t.Helper()
	args := []string{
		"run", "--rm", "--interactive", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--user", "10001:10001",
		"--volume", filepath.Dir(authorityFile(t)) + ":/tls:ro", "--workdir", "/tls", "--env", "HOME=/tmp", "--entrypoint", how.Path,
	}
	for name, value := range environment {
		args = append(args, "--env", name+"="+value)
	}
	return exec.CommandContext(t.Context(), "docker", append(append(args, h.image), how.Args...)...)
}

// asCommand has the environment of this machine too, which a runtime may need.
func (h harness) asCommand(t *testing.T, environment map[string]string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), h.command[0], h.command[1:]...)
	command.Env = os.Environ()
	for name, value := range environment {
		if name == "ASSAY_CA" {
			value = authorityFile(t)
		}
		command.Env = append(command.Env, name+"="+value)
	}
	return command
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
func kill(t *testing.T, s server) {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/%s", user, user, s.address(), user))
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
func relay(t *testing.T, s server, delay time.Duration) server {
	t.Helper()
	return before(t, s, func(client, server net.Conn) {
		go handOn(client, server, 0)
		go handOn(server, client, delay)
	})
}

// before a server there is a proxy, which joins each connection of a client with one to the server.
func before(t *testing.T, s server, join func(client, server net.Conn)) server {
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
			server, err := net.Dial("tcp", s.address())
			if err != nil {
				_ = client.Close()
				continue
			}
			join(client, server)
		}
	}()
	return server{"127.0.0.1", int32(listener.Addr().(*net.TCPAddr).Port)}
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
