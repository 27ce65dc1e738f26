package toolside

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// Tail reads the whole lines at the end of what a command has printed so far, of at most so many bytes. The
// file is Stdout or Stderr of toolwire. Nothing is kept.
func (s *Side) Tail(ctx context.Context, name, file string, most int64) ([]byte, error) {
	path := fmt.Sprintf("%s%s?%s=%d", pathOf(toolwire.PathFile, name), file, toolwire.QueryTail, most)
	response, err := s.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, fmt.Errorf("%w: the end of %s: %w", ErrLost, file, err)
	}
	if int64(len(data)) == most { // its first line has lost its beginning
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data[:bytes.LastIndexByte(data, '\n')+1], nil
}
