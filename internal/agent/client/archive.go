package client

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// uploadFile is an object for the store, as it lies on the disk.
type uploadFile struct {
	contract.Object
	path string
}

// objects of a delivery, without their places.
func (d delivery) objects() []contract.Object {
	var out []contract.Object
	for _, u := range d.uploads {
		out = append(out, u.Object)
	}
	return out
}

// storing is how a result is packed for a ConfigMap with an object store beside it.
type storing struct {
	// dir is where the objects lie until they are in the store.
	dir    string
	limits contract.Store
	// room in the ConfigMap, in bytes.
	room int
}

// newStored packs the raw files for the store, and with them a result over the limit; the
// ConfigMap then gets the numbers alone. A result whose numbers do not fit into the ConfigMap
// becomes a Failed one, as without a store.
func newStored(res contract.Result, files []rawFile, s storing) (delivery, error) {
	raw, dropped, err := s.packRaw(files)
	if err != nil {
		return delivery{}, err
	}
	if len(dropped) > 0 {
		res = tooLarge(res, dropped, fmt.Sprintf("the raw output has more than %d bytes, which is what an object in the store may have: "+
			"the largest files were left out", s.limits.MaxObjectBytes))
	}
	res.RawSHA256 = raw.SHA256
	d := delivery{res: res, uploads: []uploadFile{raw}}
	d.encoded, err = contract.Encode(res)
	switch {
	case errors.Is(err, contract.ErrTooLarge):
		res = tooLarge(plainResult(res), nil, err.Error()+": histograms and intervals were left out; lower the rate of reports or the duration")
		return s.numbersAlone(res, d.uploads)
	case err != nil:
		return delivery{}, err
	case int64(len(d.encoded)) <= min(s.limits.OverBytes, int64(s.room)):
		return d, nil
	}
	whole, err := s.keep(contract.KeyResult, int64(len(d.encoded)), func(to io.Writer) error { _, err := to.Write(d.encoded); return err })
	if err != nil {
		return delivery{}, err
	}
	res = plainResult(res)
	res.Whole = &whole.Object
	return s.numbersAlone(res, []uploadFile{whole, raw})
}

// numbersAlone encodes a result that lacks histograms and intervals already.
func (s storing) numbersAlone(res contract.Result, uploads []uploadFile) (delivery, error) {
	encoded, err := contract.Encode(res)
	if err != nil && !errors.Is(err, contract.ErrTooLarge) {
		return delivery{}, err
	}
	if err != nil || len(encoded) > s.room {
		failed := bare(tooLarge(res, nil, fmt.Sprintf("the numbers alone have more than the %d bytes that a result may take in its ConfigMap: "+
			"measure less in a trial, or in fewer trials of a run", s.room)))
		failed.RawSHA256, failed.Whole, res = res.RawSHA256, res.Whole, failed
		if encoded, err = contract.Encode(res); err != nil {
			return delivery{}, err
		}
	}
	return delivery{res: res, encoded: encoded, uploads: uploads}, nil
}

// plainResult is a result without histograms and intervals.
func plainResult(res contract.Result) contract.Result {
	res.Measurements, res.Warmup = plain(res.Measurements), plain(res.Warmup)
	return res
}

// packRaw packs the raw files into a file, without the largest ones if not all fit.
func (s storing) packRaw(files []rawFile) (raw uploadFile, dropped []rawFile, err error) {
	dropped, err = fitting(files, func(rest []rawFile) (err error) {
		raw, err = s.keep(contract.KeyRaw, s.limits.MaxObjectBytes, func(to io.Writer) error { return packTo(to, rest) })
		return err
	})
	return raw, dropped, err
}

// keep an object of at most so many bytes on the disk until it is uploaded.
func (s storing) keep(name string, most int64, write func(io.Writer) error) (uploadFile, error) {
	// A name of its own: the tool could write to the directory too.
	out, err := os.CreateTemp(s.dir, "object-")
	if err != nil {
		return uploadFile{}, fmt.Errorf("keeping %s for the object store: %w", name, err)
	}
	hash := sha256.New()
	counted := &limited{io.MultiWriter(hash, out), most}
	if err := errors.Join(write(counted), out.Close()); err != nil {
		return uploadFile{}, errors.Join(fmt.Errorf("keeping %s for the object store: %w", name, err), os.Remove(out.Name()))
	}
	object := contract.Object{Name: name, SHA256: hex.EncodeToString(hash.Sum(nil)), Bytes: most - counted.left}
	return uploadFile{path: out.Name(), Object: object}, nil
}
