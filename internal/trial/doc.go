// Package trial is the floor of single trials. It has no code of its own.
//
// Here lies which trials there are (plan), what several clients delivered together (merge), what it cost and on which machine
// (costs, machinespeed), whether it counts and what else differed (validity, podhealth, likeness), how records are kept
// (journal), and what others published (quoted). All of it is pure.
//
// May import: api, engines, runners, ground, mathematics.
package trial
