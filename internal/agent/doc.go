// Package agent is the floor of what runs in pods beside databases and tools: the program of cmd/agent, in parts. It has no
// code of its own. Nothing but that program imports it.
//
// May import: engines, runners, ground, trial.
package agent
