package drivers

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Protocol is the version that is spoken.
const Protocol = "assay.dev/driver/v2"

// The requests of the protocol; docs/contributing/driver-protocol.md says what the fields mean. All fields are
// always there and fit together, so that a harness reads them and checks nothing.

// header is what every request has.
type header struct {
	// ID is that of the answer too; from 1.
	ID int `json:"id"`
	// Do is the kind of request.
	Do string `json:"do"`
}

type helloRequest struct {
	header
	Protocol string `json:"protocol"`
}

type dataRequest struct {
	header
	Name string  `json:"name"`
	Rows [][]any `json:"rows"`
}

type prepareRequest struct {
	header
	Connection string            `json:"connection"`
	Driver     string            `json:"driver"`
	Version    string            `json:"version"`
	Host       string            `json:"host"`
	Port       int32             `json:"port"`
	Database   string            `json:"database"`
	TLS        bool              `json:"tls"`
	Options    map[string]string `json:"options"`
}

type runRequest struct {
	header
	Connection       string  `json:"connection"`
	Kind             string  `json:"kind"`
	Scheme           string  `json:"scheme"`
	Session          string  `json:"session"`
	Commit           bool    `json:"commit"`
	Inline           bool    `json:"inline"`
	Statement        string  `json:"statement"`
	Head             string  `json:"head"`
	Group            string  `json:"group"`
	Separator        string  `json:"separator"`
	Tail             string  `json:"tail"`
	Data             string  `json:"data"`
	RowsPerOperation int     `json:"rowsPerOperation"`
	Chunk            int     `json:"chunk"`
	Concurrency      int     `json:"concurrency"`
	Operations       int     `json:"operations"`
	Seconds          float64 `json:"seconds"`
}

type closeRequest struct {
	header
	Connection string `json:"connection"`
}

// request is one of the requests above.
type request interface{ number(id int) }

func (h *header) number(id int) { h.ID = id }

func hello() request { return &helloRequest{header{Do: "hello"}, Protocol} }

func keep(name string, rows [][]any) request { return &dataRequest{header{Do: "data"}, name, rows} }

func prepare(connection string, d Driver, e contract.Endpoint) request {
	options := d.Options
	if options == nil {
		options = map[string]string{}
	}
	return &prepareRequest{
		header{Do: "prepare"}, connection, d.Name, d.Version, e.Host, e.Port, e.Database, e.TLS == contract.TLSRequired, options,
	}
}

func forget(connection string) request { return &closeRequest{header{Do: "close"}, connection} }

// encode a request; it has nothing that cannot be written as JSON.
func encode(r request) json.RawMessage {
	text, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("a request that is no JSON: %v", err))
	}
	return text
}

// pieces of a statement whose rows stand together in one text: head, then the group once for each
// row, with the separator between two, then the tail. A statement of one row is head, group and
// tail. The statements are those of operations.go: the group of an INSERT is at its end.
func pieces(scheme, statement string) (head, group, separator, tail string) {
	const values, list = " VALUES ", "(?)"
	switch scheme {
	case multiRow:
		at := strings.LastIndex(statement, values) + len(values)
		return statement[:at], statement[at:], ", ", ""
	case inList:
		at := len(statement) - len(list) + 1
		return statement[:at], "?", ", ", ")"
	case multiStatement:
		return "", statement, ";", ""
	}
	return "", "", "", ""
}
