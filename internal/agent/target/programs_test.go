package target

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What the kernel says of a program is too little: the message says what about the image it is.
func TestCannotStart(t *testing.T) {
	tests := map[string]struct {
		err          syscall.Errno
		capabilities bool
		part         string
	}{
		"a script without its shell":     {syscall.ENOENT, false, "whose shell"},
		"a program with capabilities":    {syscall.EPERM, true, "setcap -r"},
		"a program that a node forbids":  {syscall.EPERM, false, "operation not permitted"},
		"a program of another processor": {syscall.ENOEXEC, false, "exec format error"},
		"a file that is no program":      {syscall.EACCES, false, "permission denied"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := cannotStart(fmt.Errorf("starting /x/mysqld: %w", &fs.PathError{Op: "fork/exec", Path: "/x/mysqld", Err: tt.err}), tt.capabilities)
			var f *failure
			if !errors.As(err, &f) || f.reason != contract.ReasonServerMissing {
				t.Fatalf("%v is no %s", err, contract.ReasonServerMissing)
			}
			if !strings.Contains(f.what, tt.part) || !strings.Contains(f.what, "/x/mysqld") || strings.Contains(f.what, "setcap") != tt.capabilities {
				t.Errorf("the message lacks %q, or has a remedy that does not help: %s", tt.part, f.what)
			}
		})
	}
}
