// Package contracts holds the JSON Schema documents of the messages between the
// parts of Assay, and the tests that hold them against the Go types.
package contracts

import _ "embed" // for the schema

// DriverProtocol is the JSON Schema of the requests and answers of driver harnesses.
//
//go:embed driver-protocol.v2.schema.json
var DriverProtocol []byte
