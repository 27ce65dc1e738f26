// Package logbook reads and continues the records of a run: what became of each attempt
// at a trial, in a row of ConfigMaps.
//
// In: the run, and the ConfigMaps that it asks for. Out: the Book, which says how far the
// run is and holds the object to continue, and the action that adds a record. It refuses
// to go on where a part is gone or cannot be read: what was measured is not known then.
//
// The records are the truth about what was measured: the status may be older, never newer.
// Of two managers only one can add a record, because a part is created only where there
// is none, and replaced only under the version that was read.
package logbook
