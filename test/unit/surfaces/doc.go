// Package surfaces holds the test that a reader is told the same everywhere: the status, the terminal, Markdown, the page, JSON, JUnit
// and notifications have the words, figures, order and caveats of internal/show/readout.
package surfaces
