package report

// Style is the style sheet of the page, for pages that stand beside it.
func Style() string { return styleText }

// Policy is the Content-Security-Policy of the page, for a server that hands it out.
func Policy() string { return policy() }
