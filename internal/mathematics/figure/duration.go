package figure

import (
	"fmt"
	"time"
)

// Duration for people, such as "38 s", "5 min 30 s", "1 h 24 min" or "3 d 4 h": the two largest units, and none that is 0. Below ten
// seconds it has two significant digits, such as "1.5 s" or "0.25 s". A negative one has its sign.
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(-d)
	}
	if d < 10*time.Second {
		return Short(d.Seconds()) + " s"
	}
	units := []struct {
		name string
		of   time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, large := range units[:len(units)-1] {
		small := units[i+1]
		switch d := d.Round(small.of); {
		case d < large.of:
		case d%large.of == 0:
			return fmt.Sprintf("%d %s", d/large.of, large.name)
		default:
			return fmt.Sprintf("%d %s %d %s", d/large.of, large.name, d%large.of/small.of, small.name)
		}
	}
	return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
}
