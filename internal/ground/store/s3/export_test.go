package s3

import "time"

// SetClock gives a client another clock.
func (c *Client) SetClock(now func() time.Time) { c.now = now }
