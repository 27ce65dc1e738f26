// Package rules holds what the project promises about its own source. It has tests only;
// `make unit` runs them.
//
//	rules_test.go       the rules, and examples that break them
//	code_test.go        sizes of files, functions and types; comments
//	chains_test.go      chains of pronouns in comments of the API and in messages
//	imports_test.go     the rules of the linter for imports name packages and files that exist
//	arrows_test.go      which parts may import which
//	floors_test.go      which floors of internal may import which, as their doc.go say
//	documents_test.go   the length of sentences
//	timing_test.go      no test depends on how fast a machine is: Go
//	durations_test.go   what an expression says of time
//	languages_test.go   the same for tests of other languages, line by line
//	limits_test.go      examples of both
//	exceptions_test.go  what does not keep a rule yet
//
// What a pure package may import of others, and an adapter of ours, is held by depguard (.golangci.yml, `make lint`).
//
// What does not keep a rule yet is in exceptions.txt with its number. A number must not
// grow, no line may be added, and a line that is not needed any more must go:
//
//	go test ./test/unit/rules -update
//
// does that, and never adds a line or raises a number.
package rules
