// Package apischema enforces the schema of a tool's parameters outside the API server.
//
// The types of api/v1alpha1 with their markers are the one definition of a tool's
// parameters. The CRD is generated from them; it is embedded here, and the libraries of
// the API server apply it: defaults, unknown fields, types, bounds, enumerations, patterns,
// lists without duplicates, and rules in CEL.
//
// In comes a tool's part of a spec as JSON: that of spec.workload, or that of a cell after
// the values of the matrix were set, which the API server never sees. Out comes the same
// with every default filled in, or an error that names each field that is wrong.
//
// It knows no tool, and checks nothing that a schema cannot express: that is the business
// of the adapters in runners/.
package apischema
