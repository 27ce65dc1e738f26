package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/record/integrity"
)

// lookIn a folder for objects by their keys; nil without a folder. Nothing outside of the folder
// is read, whatever a key says.
func lookIn(folder string) (look integrity.Look, done func(), err error) {
	if folder == "" {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("the copy of the objects (--objects): %w", err)
	}
	look = func(key string) (string, error) {
		file, err := root.Open(filepath.FromSlash(key))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }() // it was only read
		hash := sha256.New()
		if _, err := io.Copy(hash, file); err != nil {
			return "", err
		}
		return hex.EncodeToString(hash.Sum(nil)), nil
	}
	return look, func() { _ = root.Close() }, nil
}

// aboutObjects says what was compared of the object store; empty for a run without one.
func aboutObjects(doc output.Verification) string {
	switch {
	case doc.Store == "":
		return ""
	case doc.Objects == nil:
		return fmt.Sprintf("  objects: not compared: copy %s to a folder, and name it with --objects\n", doc.Store)
	case doc.AbsentObjects > 0:
		return fmt.Sprintf("  objects: %d compared, %d not there as the run has recorded\n", *doc.Objects, doc.AbsentObjects)
	}
	return fmt.Sprintf("  objects: %d compared\n", *doc.Objects)
}
