package install

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestRunCopiesTheProgram(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // a restarted init container installs again
		if err := Run(dir); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, Name)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o755 {
		t.Errorf("mode %o, want 755", got)
	}
	own, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(own, copied) {
		t.Error("the copy differs from the program")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want one file", entries, err)
	}
	if err := Run(filepath.Join(dir, "missing")); err == nil {
		t.Error("a missing directory is no error")
	}
}
