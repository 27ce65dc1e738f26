// Package rules holds what the project promises about its own source. It has tests only;
// `make unit` runs them.
//
//	rules_test.go       the rules, and examples that break them
//	code_test.go        sizes of files, functions and types; comments
//	imports_test.go     the rules of the linter for imports name packages and files that exist
//	documents_test.go   the length of sentences
//	exceptions_test.go what does not keep a rule yet
//
// The direction of imports itself is held by depguard (.golangci.yml, `make lint`).
//
// What does not keep a rule yet is in exceptions.txt with its number. A number must not
// grow, no line may be added, and a line that is not needed any more must go:
//
//	go test ./test/unit/rules -update
//
// does that, and never adds a line or raises a number.
package rules
