// Package objectstore starts a real object store (versitygw on a directory) on loopback, for
// the tests of one package.
package objectstore

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/store/s3"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// program is the variable with the path of the server.
const program = "ASSAY_VERSITYGW"

// Credentials of the server's only user.
const (
	AccessKey = "assay"
	SecretKey = "not-a-secret"
	bucket    = "results"
)

// Server is a store with one empty bucket. It speaks TLS with a certificate of its own CA.
type Server struct {
	// Store is the operator's configuration for it.
	Store config.Store

	folder, address string
	running         *exec.Cmd
}

// Start a server that ends with the test.
func Start(t *testing.T) *Server {
	t.Helper()
	if os.Getenv(program) == "" {
		t.Fatalf("%s is not set: run these tests with `make envtest`, which builds the server", program)
	}
	s := &Server{folder: t.TempDir(), address: freeAddress(t)}
	s.Store = config.Default().Results.Store
	s.Store.Endpoint, s.Store.Bucket, s.Store.Prefix = "https://"+s.address, bucket, "assay"
	s.Store.Credentials = filepath.Join(s.folder, "credentials")
	certs, err := certificate.Make([]string{"127.0.0.1", "localhost"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"credentials/" + s3.FileAccessKey: []byte(AccessKey + "\n"), "credentials/" + s3.FileSecretKey: []byte(SecretKey),
		"credentials/" + s3.FileCA: certs.CA, "server.crt": certs.ServerCert, "server.key": certs.ServerKey,
		"data/" + bucket + "/.keep": nil, "sidecar/.keep": nil,
	} {
		path := filepath.Join(s.folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.Stop)
	s.Resume(t)
	return s
}

// freeAddress is one that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// Stop the server; its data stays.
func (s *Server) Stop() {
	if s.running == nil {
		return
	}
	_ = s.running.Process.Kill()
	_ = s.running.Wait() // it was killed
	s.running = nil
}

// Resume a server that was stopped, at the same address.
func (s *Server) Resume(t *testing.T) {
	t.Helper()
	log, err := os.Create(filepath.Join(s.folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	in := func(name string) string { return filepath.Join(s.folder, name) }
	s.running = exec.Command(os.Getenv(program), "--port", s.address, "--cert", in("server.crt"), "--key", in("server.key"),
		"--access", AccessKey, "--secret", SecretKey, "posix", "--sidecar", in("sidecar"), in("data"))
	s.running.Stdout, s.running.Stderr = log, log
	if err := s.running.Start(); err != nil {
		t.Fatal(err)
	}
	s.await(t)
}

// await the server's first answer.
func (s *Server) await(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		conn, err := (&net.Dialer{Timeout: hang.Limit}).DialContext(context.Background(), "tcp", s.address)
		if err == nil {
			_ = conn.Close()
			return
		}
	}
	log, _ := os.ReadFile(filepath.Join(s.folder, "log")) // there may be none
	t.Fatalf("the object store does not answer:\n%s", log)
}

// Path of an object on the disk of the server.
func (s *Server) Path(key string) string {
	return filepath.Join(s.folder, "data", bucket, filepath.FromSlash(key))
}

// Client of the store.
func (s *Server) Client(t *testing.T) *s3.Client {
	t.Helper()
	c, err := s3.New(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Objects are the keys of all objects of the store.
func (s *Server) Objects(t *testing.T) []string {
	t.Helper()
	var keys []string
	root := filepath.Join(s.folder, "data", bucket)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name()[0] == '.' {
			return err
		}
		key, err := filepath.Rel(root, path)
		keys = append(keys, filepath.ToSlash(key))
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("listing the objects: %w", err))
	}
	return keys
}

// HTTP is a client that trusts the server.
func (s *Server) HTTP(t *testing.T) *http.Client {
	t.Helper()
	return s.Client(t).HTTP()
}
