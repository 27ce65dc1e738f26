// Package output is what the commands print: tables for people, and documents with a version for programs.
//
// In: what a command found out. Out: text. Tables are cut to the width of a terminal, and never where
// the output goes to a file or a pipe. docs/contracts has the schema of each document, and a test compares
// both. Characters that a terminal acts on never come through, whoever wrote them.
package output
