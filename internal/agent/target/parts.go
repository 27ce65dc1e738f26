package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/transfer"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// transferPatience is how long a part is tried again after its first failure; transferPause is between two tries.
const (
	transferPatience = 10 * time.Minute
	transferPause    = 2 * time.Second
)

// spool holds one part on the volume, so that it can be sent again, or is used only when all of it is what it should be. The file has
// no name: nothing is left of it after a crash.
type spool struct {
	file *os.File
	sum  hash.Hash
	size int64
}

func newSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, ".assay-part-*")
	if err != nil {
		return nil, err
	}
	return &spool{file: file, sum: sha256.New()}, os.Remove(file.Name())
}

func (s *spool) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	if err != nil {
		return n, storageFailure("keeping a part of the archive", err)
	}
	return n, nil
}

// part is what it holds.
func (s *spool) part() contract.DataPart {
	return contract.DataPart{SHA256: hex.EncodeToString(s.sum.Sum(nil)), Bytes: s.size}
}

// empty it.
func (s *spool) empty() error {
	s.sum.Reset()
	s.size = 0
	_, err := s.file.Seek(0, io.SeekStart)
	return errors.Join(err, s.file.Truncate(0))
}

// Close and forget it.
func (s *spool) Close() error { return s.file.Close() }

// patiently tries a transfer again, unless another try would not help.
func patiently(ctx context.Context, what string, try func() error) error {
	var since time.Time
	for {
		err := try()
		var f *failure
		switch {
		case err == nil, errors.As(err, &f):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case since.IsZero():
			since = time.Now()
		}
		if errors.Is(err, transfer.ErrRefused) || time.Since(since) > transferPatience {
			return fail(contract.ReasonPartFailed, "%s: %v", what, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(transferPause):
		}
	}
}

// newTransfer of the parts of an archive, with a spool in the directory.
func newTransfer(dir string, a contract.Archive) (*http.Client, *spool, error) {
	client, err := transfer.NewClient(a.CA)
	if err != nil {
		return nil, nil, fail(contract.ReasonPartFailed, "%v", err)
	}
	s, err := newSpool(dir)
	return client, s, err
}

// partWriter sends what is written to it in parts. After a failure, it takes no more.
type partWriter struct {
	ctx     context.Context
	http    *http.Client
	to      contract.Archive
	spool   *spool
	sent    []contract.DataPart
	failure error
}

func newPartWriter(ctx context.Context, dir string, to contract.Archive) (*partWriter, error) {
	client, s, err := newTransfer(dir, to)
	if err != nil {
		return nil, err
	}
	return &partWriter{ctx: ctx, http: client, to: to, spool: s}, nil
}

func (w *partWriter) Write(p []byte) (written int, err error) {
	for len(p) > 0 && w.failure == nil {
		n, err := w.spool.Write(p[:min(int64(len(p)), w.to.PartBytes-w.spool.size)])
		written, p = written+n, p[n:]
		if err == nil && w.spool.size == w.to.PartBytes {
			err = w.send()
		}
		w.failure = err
	}
	return written, w.failure
}

// finish sends the last part.
func (w *partWriter) finish() ([]contract.DataPart, error) {
	w.http.CloseIdleConnections()
	if w.spool.size == 0 {
		return w.sent, nil
	}
	err := w.send()
	return w.sent, err
}

func (w *partWriter) send() error {
	at := len(w.sent)
	if at == len(w.to.Parts) {
		return tooLarge(w.to)
	}
	part := w.spool.part()
	err := patiently(w.ctx, "bringing a part of the archive to the object store", func() error {
		// The file stays open for another try.
		body := io.NewSectionReader(w.spool.file, 0, w.spool.size)
		res, err := transfer.Do(w.ctx, w.http, transfer.Signed{
			Method: http.MethodPut, URL: w.to.Parts[at].URL, Headers: w.to.Parts[at].Headers, Body: body, Bytes: w.spool.size,
		})
		if errors.Is(err, transfer.ErrTaken) && w.to.Parts[at].Stored != "" {
			return w.isStored(part, w.to.Parts[at].Stored)
		}
		if err != nil {
			return err
		}
		return res.Body.Close()
	})
	if err != nil {
		return err
	}
	w.sent = append(w.sent, part)
	return w.spool.empty()
}

// tooLarge is an archive that has no room in its parts.
func tooLarge(to contract.Archive) error {
	if to.PartBytes >= contract.MaxDataPart {
		return fail(contract.ReasonPartFailed, "the archive has more than %d parts of %s, which is the most that is kept: leave spec.data out, or load less", len(to.Parts), mebibytes(to.PartBytes))
	}
	return fail(contract.ReasonPartFailed, "the archive has more than %d parts of %s: give the target's storage a larger size, by which the size of a part is chosen",
		len(to.Parts), mebibytes(to.PartBytes))
}

// isStored compares what the store has at the place of a part with the part: where only the answer to a PUT was lost, it is the same.
// An agent that was started again packs other bytes than the one before it: then it is refused.
func (w *partWriter) isStored(part contract.DataPart, url string) error {
	res, err := transfer.Do(w.ctx, w.http, transfer.Signed{Method: http.MethodGet, URL: url})
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(res.Body, part.Bytes+1))
	if err != nil {
		return err
	}
	if n != part.Bytes || hex.EncodeToString(sum.Sum(nil)) != part.SHA256 {
		return transfer.ErrTaken
	}
	return nil
}

// partReader reads the parts one after the other. What it returns is of a part that has been compared with its digest.
type partReader struct {
	ctx     context.Context
	http    *http.Client
	from    contract.Archive
	spool   *spool
	next    int
	content io.Reader
	failure error
}

func newPartReader(ctx context.Context, dir string, from contract.Archive) (*partReader, error) {
	client, s, err := newTransfer(dir, from)
	if err != nil {
		return nil, err
	}
	return &partReader{ctx: ctx, http: client, from: from, spool: s, content: io.MultiReader()}, nil
}

func (r *partReader) Read(p []byte) (int, error) {
	for r.failure == nil {
		n, err := r.content.Read(p)
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			r.failure = err
		case r.next == len(r.from.Parts):
			return 0, io.EOF
		default:
			r.failure = r.load()
		}
	}
	return 0, r.failure
}

// load the next part into the spool.
func (r *partReader) load() error {
	want := r.from.Parts[r.next]
	err := patiently(r.ctx, "reading a part of the archive from the object store", func() error {
		if err := r.spool.empty(); err != nil {
			return kept("keeping a part of the archive", err)
		}
		res, err := transfer.Do(r.ctx, r.http, transfer.Signed{Method: http.MethodGet, URL: want.URL, Headers: want.Headers})
		if errors.Is(err, transfer.ErrAbsent) {
			return damaged("part %d is gone from the object store: remove the data set, and make it again", r.next)
		}
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if _, err := io.Copy(r.spool, io.LimitReader(res.Body, want.Bytes+1)); err != nil {
			return err
		}
		if got := r.spool.part(); got != (contract.DataPart{SHA256: want.SHA256, Bytes: want.Bytes}) {
			return damaged("part %d has %d bytes of the SHA-256 %.12s, not %d of %.12s: remove the data set, and make it again",
				r.next, got.Bytes, got.SHA256, want.Bytes, want.SHA256)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.next++
	r.content = io.NewSectionReader(r.spool.file, 0, r.spool.size)
	return nil
}
