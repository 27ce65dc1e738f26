package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// A push over HTTP becomes an artifact with the files of its commit, once.
func TestAPushBecomesAnArtifact(t *testing.T) {
	s := source{folder: t.TempDir(), repository: "benchmarks", branch: "main"}
	if err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	defer server.Close()
	s.address = server.URL
	if made, err := s.follow(t.Context(), ""); err != nil || made != (artifact{}) {
		t.Fatalf("an empty repository has the artifact %+v, %v", made, err)
	}
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "run.yaml"), []byte("kind: BenchmarkRun\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main", work}, {"-C", work, "add", "."},
		{"-C", work, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=a run"},
		{"-C", work, "push", "--quiet", server.URL + "/git/benchmarks.git", "main"},
	} {
		if _, err := git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	made, err := s.follow(t.Context(), "")
	if err != nil || made.revision == "" {
		t.Fatalf("after the push: %+v, %v", made, err)
	}
	answer, err := server.Client().Get(made.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	sum := sha256.New()
	unpacked, err := gzip.NewReader(io.TeeReader(answer.Body, sum))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files := tar.NewReader(unpacked); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if file.Typeflag == tar.TypeReg {
			names = append(names, file.Name)
		}
	}
	if _, err := io.Copy(io.Discard, io.TeeReader(answer.Body, sum)); err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || names[0] != "run.yaml" {
		t.Errorf("the artifact has the files %v, want run.yaml", names)
	}
	if want := "sha256:" + hex.EncodeToString(sum.Sum(nil)); made.digest != want {
		t.Errorf("the digest is %s, want %s", made.digest, want)
	}
	if again, err := s.follow(t.Context(), made.commit); err != nil || again != (artifact{}) {
		t.Errorf("the same commit has another artifact: %+v, %v", again, err)
	}
}
