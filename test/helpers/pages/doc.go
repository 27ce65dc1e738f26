// Package pages executes the commands of a document, as they are written there. In: a page of docs or README.md, and a shell.
// Out: what the commands printed; a test fails when one of them fails, when it prints something else than the page shows, or
// when a command that the page says the test executes was not executed.
//
// A comment of the page says who executes the commands below it, up to the next such comment:
//
//	<!-- commands: test/e2e TestGate -->
//	<!-- commands: test/e2e TestThePages, interrupted -->
//	<!-- commands: not executed: they need an account of a cloud -->
//
// Each line of commands that are interrupted is a command that goes on by itself, such as a watch: it has to print something, and is
// interrupted then.
//
// hack/check-docs wants one above every block of commands, and looks for the test.
//
// A block of YAML that begins with a comment of a path, such as `# benchmark.yaml`, is a file of that name: it is written before
// the commands below it run. A block of text directly below commands is what they print: each of its lines has to come, in that
// order, and three dots stand for anything within a line.
package pages
