package toolside

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// Dialogue is the standard input and output of a command that answers line by line.
type Dialogue struct {
	// Ask is the standard input; to close it is how a tool is told to end.
	Ask io.WriteCloser
	// Answers is the standard output, of at most toolwire.MaxOutput bytes.
	Answers io.Reader

	close func()
}

// Close ends both streams. It may be called several times.
func (d *Dialogue) Close() { d.close() }

// OpenDialogue connects to a command that was prepared for a dialogue, before its start.
func (s *Side) OpenDialogue(ctx context.Context, name string) (*Dialogue, error) {
	body, ask := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	response, err := s.do(ctx, http.MethodPost, pathOf(toolwire.PathDialogue, name), body)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Dialogue{
		Ask: ask, Answers: &bounded{from: response.Body, left: toolwire.MaxOutput},
		close: func() {
			cancel()
			_ = body.CloseWithError(io.ErrClosedPipe) // a request that nobody reads any more
			_ = response.Body.Close()
		},
	}, nil
}

// bounded refuses what is beyond its limit.
type bounded struct {
	from io.Reader
	left int64
}

// Read fails after the last byte that is allowed.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: more than %d bytes of answers", ErrOutput, toolwire.MaxOutput)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
