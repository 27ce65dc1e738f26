// Package upgrade has Helm install a chart of an earlier version on a real API server, replace it by the chart of this
// tree, go back, and go forward again. In: both charts, the samples, and a run that has ended. It checks what happens to
// the CRDs and to the objects that exist; what a manager makes of the journal of a newer one is in internal/trial/journal.
package upgrade
