// Package install installs, upgrades and removes Assay by the commands of the pages, as they stand there, on a real API server. In:
// the pages, the chart and config/default of this tree. No pod runs: that the manager starts is up to the stories in a cluster.
package install
