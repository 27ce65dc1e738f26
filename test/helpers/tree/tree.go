// Package tree gives tests a folder with files. In: the files by their paths. Out: the folder, which is gone when the test ends.
package tree

import (
	"os"
	"path/filepath"
	"testing"
)

// Of writes files, by their paths below the folder that it returns.
func Of(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
