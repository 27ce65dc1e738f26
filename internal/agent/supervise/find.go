package supervise

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find returns the path of the first of the programs that PATH or one of the
// directories has.
func Find(programs []string, dirs ...string) (string, error) {
	for _, name := range programs {
		for _, dir := range append([]string{""}, dirs...) { // first without a directory: in PATH
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w in PATH and %s", strings.Join(programs, ", "), exec.ErrNotFound, strings.Join(dirs, ", "))
}
