// Package cluster is the floor of what the manager needs of its surroundings: registries of images, caches, the election of
// one manager, logs of pods, and metrics of nodes. It has no code of its own.
//
// May import: api, ground, mathematics.
package cluster
