// Package hang has the patience of tests with what must happen. A test waits for an event and not for a time, and a busy
// machine makes it slower and never red: only what has not happened for this long is taken for something that never will.
package hang

import "time"

// Limit of a wait for what must happen.
const Limit = 2 * time.Minute
