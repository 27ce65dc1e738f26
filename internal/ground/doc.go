// Package ground is the lowest floor of internal: what every other one is made of. It has no code of its own.
//
// Here lie formats (contract), the schema of the API, configuration, names and objects of Kubernetes, budgets of bytes,
// certificates, the object store, settings of servers, and small helpers that know no domain.
//
// May import: api.
package ground
