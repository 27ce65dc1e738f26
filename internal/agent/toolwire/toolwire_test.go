package toolwire

import (
	"io"
	"strings"
	"testing"
)

// counting counts what was read of a document without an end.
type counting struct{ n int64 }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	c.n += int64(len(p))
	return len(p), nil
}

func TestADocumentWithoutAnEndIsNotRead(t *testing.T) {
	var endless counting
	if err := Decode(&endless, 100, &struct{}{}); err == nil || endless.n > 10_000 {
		t.Errorf("%d bytes were read, %v; want an error after about 100", endless.n, err)
	}
	var got struct{ Port int }
	if err := Decode(io.LimitReader(strings.NewReader(`{"port":1}`), 10), 10, &got); err != nil || got.Port != 1 {
		t.Errorf("a document as long as the limit: %+v, %v", got, err)
	}
}
