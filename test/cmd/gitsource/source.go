package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is a repository, and the artifacts that were made of its commits.
type source struct {
	// folder has the repository and the artifacts.
	folder string
	// repository and branch by name.
	repository, branch string
	// address that others reach the server at, without a slash behind.
	address string
}

// artifact is a commit as Flux takes it.
type artifact struct {
	commit, revision, digest, url, path string
	size                                int64
}

func (s source) bare() string { return filepath.Join(s.folder, "git", s.repository+".git") }

// prepare makes the empty repository, which takes pushes from everybody.
func (s source) prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(s.folder, "artifacts"), 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=" + s.branch, s.bare()},
		{"-C", s.bare(), "config", "http.receivepack", "true"},
	} {
		if _, err := git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// handler serves the repository under /git/ and the artifacts under /artifacts/.
func (s source) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/git/", &cgi.Handler{
		Path: "/usr/lib/git-core/git-http-backend", Root: "/git",
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(s.folder, "git"), "GIT_HTTP_EXPORT_ALL=1"},
	})
	mux.Handle("/artifacts/", http.FileServer(http.Dir(s.folder)))
	return mux
}

// follow makes an artifact of the branch, if its commit is not the last one. Without one there is no
// revision.
func (s source) follow(ctx context.Context, last string) (artifact, error) {
	out, err := git(ctx, "-C", s.bare(), "for-each-ref", "--format=%(objectname)", "refs/heads/"+s.branch)
	commit := strings.TrimSpace(string(out))
	if err != nil || commit == "" || commit == last {
		return artifact{}, err
	}
	tar, err := git(ctx, "-C", s.bare(), "archive", "--format=tar", commit)
	if err != nil {
		return artifact{}, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(tar); err != nil {
		return artifact{}, err
	}
	if err := w.Close(); err != nil {
		return artifact{}, err
	}
	path := "artifacts/" + commit + ".tar.gz"
	if err := os.WriteFile(filepath.Join(s.folder, path), packed.Bytes(), 0o644); err != nil {
		return artifact{}, err
	}
	sum := sha256.Sum256(packed.Bytes())
	return artifact{
		commit: commit, revision: s.branch + "@sha1:" + commit, digest: "sha256:" + hex.EncodeToString(sum[:]),
		url: s.address + "/" + path, path: path, size: int64(packed.Len()),
	}, nil
}

// git runs a command of it, and returns what it prints.
func git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}
