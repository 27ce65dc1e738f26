package bundle

import (
	"fmt"
	"os"
	"path"
)

// Unpack the files of a bundle into a folder, which has to be new, by the paths of the index. Nothing
// outside of the folder is written.
func (b *Bundle) Unpack(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil { //nolint:gosec // results are for others to read
		return fmt.Errorf("unpacking: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	defer func() { _ = root.Close() }() // what was written to files is closed with them
	for i, f := range b.Index.Files {
		data, err := b.content(i)
		if err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil { //nolint:gosec // as above
			return fmt.Errorf("unpacking: %w", err)
		}
		if err := root.WriteFile(f.Path, data, 0o644); err != nil { //nolint:gosec // as above
			return fmt.Errorf("unpacking: %w", err)
		}
	}
	return nil
}
