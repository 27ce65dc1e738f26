package contract

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Decode reads what Encode wrote, within DefaultBounds.
func Decode(gz []byte) (Result, error) { return DecodeWithin(gz, DefaultBounds()) }

// DecodeWithin reads what Encode wrote. It refuses another version (VersionError), unknown fields, anything after the
// end, and what is beyond the bounds (TooLargeError): it counts while it decompresses, and makes a measurement of a
// text only after it was counted. Texts are cut as by Shorten.
func DecodeWithin(gz []byte, b Bounds) (Result, error) {
	if err := checkVersion(gz, b); err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	r, err := decode(gz, b)
	if err == nil {
		err = r.Validate()
	}
	if err == nil {
		err = r.checkElements(b)
	}
	if err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	return Shorten(r), nil
}

// document is the compressed JSON of a result, read from its begin.
type document struct {
	in      *bytes.Reader
	count   *countingReader
	decoder *json.Decoder
}

func open(gz []byte, b Bounds) (document, error) {
	d := document{in: bytes.NewReader(gz)}
	zip, err := gzip.NewReader(d.in)
	if err != nil {
		return d, err
	}
	zip.Multistream(false)
	d.count = &countingReader{in: zip, bounds: b}
	d.decoder = json.NewDecoder(d.count)
	d.decoder.DisallowUnknownFields()
	return d, nil
}

// fields calls visit for each field of the document, which reads its value, until it says that it has enough.
func (d document) fields(visit func(name string) (enough bool, err error)) error {
	if err := d.expect(json.Delim('{')); err != nil {
		return err
	}
	for d.decoder.More() {
		token, err := d.decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder refuses any other
		if enough, err := visit(name); err != nil || enough {
			return err
		}
	}
	if _, err := d.decoder.Token(); err != nil {
		return err
	}
	switch _, err := d.decoder.Token(); {
	case err == nil:
		return errors.New("more data after the end of the JSON document")
	case !errors.Is(err, io.EOF):
		return err
	}
	if d.in.Len() > 0 {
		return fmt.Errorf("%d bytes after the end of the gzip stream", d.in.Len())
	}
	return nil
}

func (d document) expect(want json.Delim) error {
	token, err := d.decoder.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("got %v, want %v", token, want)
	}
	return nil
}

// checkVersion looks at the version first, so that the complaint about another format is its
// version and not the first field that differs. It is the first field of what Encode writes.
func checkVersion(gz []byte, b Bounds) error {
	d, err := open(gz, b)
	if err != nil {
		return err
	}
	version := ""
	err = d.fields(func(name string) (bool, error) {
		if name == "version" {
			return true, d.decoder.Decode(&version)
		}
		var skipped json.RawMessage
		return false, d.decoder.Decode(&skipped)
	})
	if err == nil && version != ResultVersion {
		return &VersionError{Got: Cut(version, MaxName)}
	}
	return err
}

func decode(gz []byte, b Bounds) (Result, error) {
	d, err := open(gz, b)
	if err != nil {
		return Result{}, err
	}
	var r Result
	places := fieldsOf(reflect.ValueOf(&r).Elem())
	err = d.fields(func(name string) (bool, error) {
		place, known := places[name]
		if !known {
			return false, fmt.Errorf("unknown field %q, or one that is there twice", Cut(name, MaxName))
		}
		delete(places, name)
		if list, is := place.(*[]Measurement); is {
			return false, d.measurements(list)
		}
		if b.OtherElements > 0 {
			d.count.most = d.count.elements + b.OtherElements
			defer func() { d.count.most = 0 }()
		}
		return false, d.decoder.Decode(place)
	})
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return r, err
}

// fieldsOf a struct, as pointers by their names in JSON.
func fieldsOf(v reflect.Value) map[string]any {
	out := map[string]any{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		out[name] = v.Field(i).Addr().Interface()
	}
	return out
}

// measurements reads a list one by one, so that the text of one alone is held.
func (d document) measurements(into *[]Measurement) error {
	token, err := d.decoder.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("got %v, want a list", token)
	}
	for most := d.count.bounds.Measurements; d.decoder.More(); {
		if most > 0 && len(*into) == most {
			return &TooLargeError{"measurements", most}
		}
		var m Measurement
		if err := d.decoder.Decode(&m); err != nil {
			return err
		}
		*into = append(*into, m)
	}
	_, err = d.decoder.Token()
	return err
}
