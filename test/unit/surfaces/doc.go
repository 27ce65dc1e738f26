// Package surfaces holds the test that a reader is told the same everywhere: the status, the columns of kubectl, the terminal, Markdown,
// the page, JSON, JUnit, CSV, github-*, metrics, `why`, `compare`, `ui` and notifications have the words, figures, order and caveats of
// internal/show/readout. What has keys is compared by them.
package surfaces
