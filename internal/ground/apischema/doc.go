// Package apischema enforces the schema of a tool's parameters outside the API server.
//
// The types of api/v1alpha1 with their markers are the one definition of a tool's parameters. The CRD is generated from
// them; it is embedded here, and the libraries of the API server apply it: defaults, unknown fields, types, bounds,
// enumerations, patterns, lists without duplicates, and rules in CEL.
//
// In: a tool's part of a spec as JSON, of spec.workload or of a cell with the values of the matrix, which the API
// server never sees. Out: the same with all defaults, or an error that names each invalid field.
//
// It does not know the tools, and checks only what a schema can express. The adapters in runners/ check the rest.
package apischema
