// Package show is the floor of what readers see: what is said of a run (readout), pages, files, explanations, notifications
// and metrics. It has no code of its own. Its packages render, and decide nothing.
//
// May import: api, engines, ground, mathematics, trial, verdict, experiment, record, cluster.
package show
