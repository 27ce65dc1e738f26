// Package upgrade has Helm install the chart of the last release on a real API server, replace it by the
// chart of this tree, go back, and go forward again. In: both charts, the samples of the last release, and
// a run that its manager carried out. It holds what happens to the CRDs and to the objects that exist; what
// the managers of both releases make of a run is in test/envtest/releases.
package upgrade
