// Package inputs tells Go which files a test depends on through the programs that it calls. Go
// keeps the outcome of a test until a file or a variable changes that the test itself has read, and
// it counts from the first test on: what TestMain reads, or only Helm, would go unnoticed.
package inputs

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// done are the folders that this process has read.
var done sync.Map

// Read opens all files and folders below some folders, each folder once.
func Read(t testing.TB, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		if _, is := done.LoadOrStore(folder, true); is {
			continue
		}
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return f.Close()
		})
		if err != nil {
			t.Fatalf("reading what the test depends on: %v", err)
		}
	}
}
