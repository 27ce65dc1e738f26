package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A server that is up but cannot encrypt ends the agent: that does not change.
func TestAServerThatCannotEncrypt(t *testing.T) {
	for name, err := range map[string]error{
		"it has no TLS":                    mysql.ErrNoTLS,
		"its certificate is another one":   &tls.CertificateVerificationError{Err: errors.New("x509: signed by unknown authority")},
		"it has no cipher that is offered": errors.New("remote error: tls: handshake failure"),
		"it hangs up":                      fmt.Errorf("handshake: %w", io.ErrUnexpectedEOF),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.in.ca = []byte("CA")
			r.login.try = func(context.Context) (string, error) { return "", err }
			r.begin(t)
			var f *failure
			if got := r.end(t); !errors.As(got, &f) || f.reason != contract.ReasonInitialisationFailed ||
				!strings.Contains(f.what, "Fake answers, but not over TLS 1.2 or later") || !strings.Contains(f.what, err.Error()) {
				t.Errorf("got %v, want %s", got, contract.ReasonInitialisationFailed)
			}
		})
	}
}

func TestHangsUp(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	tests := map[string]struct {
		encrypted bool
		err       error
		want      bool
	}{
		"the end instead of an answer":        {true, io.EOF, true},
		"the end within an answer":            {true, io.ErrUnexpectedEOF, true},
		"a connection that was reset":         {true, reset, true},
		"nobody is there yet":                 {true, refused, false},
		"without encryption it says no more ": {false, io.EOF, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var in inputs
			if tt.encrypted {
				in.ca = []byte("CA")
			}
			if got := in.hangsUp(tt.err); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
