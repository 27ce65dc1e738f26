// Package verdict is the floor of what trials show together. It has no code of its own.
//
// Here lie the summary of the trials, the declared comparisons and their verdicts (analysis), expected numbers (baseline), the
// gate that a run has to pass, and the history of a schedule. All of it is pure: data comes in, and data goes out.
//
// May import: api, ground, mathematics, trial.
package verdict
