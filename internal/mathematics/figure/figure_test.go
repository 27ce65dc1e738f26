package figure

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNumbersWithoutAnIntervalHaveFourDigits(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{585.3, "585.3"}, {1125.37, "1,125"}, {28200.6, "28,201"}, {1234567, "1,234,567"}, {0.12345, "0.1235"}, {0.03, "0.03"},
		{-1234.5, "-1,234"}, {0, "0"}, {1e-12, "1e-12"}, {-0.00004, "-0.00004"}, {9999.9, "10,000"}, {math.Inf(1), "+Inf"},
	} {
		if got := Number(c.v); got != c.want {
			t.Errorf("Number(%v) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestDigitsComeFromTheInterval(t *testing.T) {
	for name, c := range map[string]struct {
		mid, low, high string
		want           [3]string
	}{
		"a wide interval leaves tens":                        {"1125.4", "878.4", "1419", [3]string{"1,130", "880", "1,420"}},
		"a narrow one leaves decimals":                       {"585.34", "584.91", "585.8", [3]string{"585.34", "584.91", "585.80"}},
		"milliseconds":                                       {"1.34", "1.08", "1.93", [3]string{"1.34", "1.08", "1.93"}},
		"no digit that no number has":                        {"0.03", "0.03", "0.031", [3]string{"0.030", "0.030", "0.031"}},
		"whole numbers get no decimals":                      {"12", "11", "13", [3]string{"12", "11", "13"}},
		"at most six digits":                                 {"1234.56789", "1234.56788", "1234.56790", [3]string{"1,234.57", "1,234.57", "1,234.57"}},
		"an interval of no width":                            {"1.34", "1.34", "1.34", [3]string{"1.34", "1.34", "1.34"}},
		"without an interval":                                {"1125.37", "", "", [3]string{"1,125", "", ""}},
		"an interval around zero":                            {"-0.2", "-1.5", "0.9", [3]string{"-0.2", "-1.5", "0.9"}},
		"too large for zeros, and never infinite":            {"0", "-1.7976931348623157e308", "1e308", [3]string{"0", "-1.798e+308", "1e+308"}},
		"too small for zeros":                                {"5e-324", "0", "1e-300", [3]string{"4.941e-324", "0", "1e-300"}},
		"absent stays absent, and is no zero":                {"", "", "", [3]string{"", "", ""}},
		"an interval with an end that is no number has none": {"5", "x", "6", [3]string{"5", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			mid, low, high := Measured(c.mid, c.low, c.high)
			if got := [3]string{mid, low, high}; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEffects(t *testing.T) {
	for name, c := range map[string]struct{ ratio, low, high, want string }{
		"a difference in percent":               {"1.16", "1.017", "1.263", "+16 % (+1.7 to +26 %)"},
		"across no difference":                  {"1.093", "0.8382", "1.372", "+9 % (-16 to +37 %)"},
		"no digit beyond those of its interval": {"1.0006", "0.977", "1.018", "+0.1 % (-2.3 to +1.8 %)"},
		"but on which side of one it is":        {"1.0004", "0.977", "1.018", "+0.04 % (-2.3 to +1.8 %)"},
		"an end far from one":                   {"1.02", "0.95", "6.99", "1.02x (0.950 to 6.99)"},
		"the other end":                         {"0.98", "0.49", "1.1", "0.980x (0.490 to 1.10)"},
		"half and double are not far":           {"1.02", "0.5", "2", "+2 % (-50 to +100 %)"},
		"smaller":                               {"0.96211", "0.9551", "0.9689", "-3.8 % (-4.5 to -3.1 %)"},
		"a factor":                              {"1.52", "1.43", "1.61", "1.52x (1.43 to 1.61)"},
		"a factor below one":                    {"0.5", "0.41", "0.62", "0.500x (0.410 to 0.620)"},
		"no interval":                           {"1.0021", "", "", "+0.21 %"},
		"the side of one is never hidden":       {"1.00000004", "0.9999", "1.0001", "+0.000004 % (-0.010 to +0.010 %)"},
		"an end close to one keeps its side":    {"1.16", "1.00004", "1.32", "+16 % (+0.004 to +32 %)"},
		"a factor close to one keeps its side":  {"1.3", "1.00004", "1.6", "1.30x (1.00004 to 1.60)"},
		"no difference at all":                  {"1", "0.99", "1.01", "0 % (-1.0 to +1.0 %)"},
		"a factor with a narrow interval":       {"1.50012", "1.49981", "1.50046", "1.5001x (1.4998 to 1.5005)"},
		"no ratio":                              {"", "", "", ""},
		"thousands":                             {"12345.6", "12000", "13000", "12,346x (12,000 to 13,000)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := EffectOf(c.ratio, c.low, c.high).String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSharesLevelsAndP(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Share(0.0345), "3.5 %"}, {Share(0.02), "2 %"}, {Share(0.356), "36 %"}, {Share(0.00123), "0.12 %"}, {ShareText("x"), ""},
		{Level("0.9609"), "96.09 %"}, {Level(""), ""},
		{P("0.0230", 0.05), "0.023"}, {P("0.05001", 0.05), "0.05001"}, {P("0.00001", 0.05), "< 0.0001"}, {P("0.00005", 0.00001), "5e-05"}, {P("", 0.05), ""},
		{PercentBeside(0.0502, 0.05), "5.02"}, {PercentBeside(0.05, 0.05), "5.0"}, {PercentBeside(0.0499999, 0.05), "4.99999"}, {PercentBeside(0.543, 0.1), "54.3"},
		{Short(326.9), "327"}, {Short(0.0123), "0.012"}, {Difference(1.038), "+3.8 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 250 * time.Millisecond: "0.25 s", 1500 * time.Millisecond: "1.5 s", 9740 * time.Millisecond: "9.7 s", 12345 * time.Millisecond: "12 s",
		38 * time.Second: "38 s", 59600 * time.Millisecond: "1 min", 330 * time.Second: "5 min 30 s", 2 * time.Hour: "2 h", 84 * time.Minute: "1 h 24 min",
		3599700 * time.Millisecond: "1 h", 24*time.Hour - time.Second: "1 d", 76 * time.Hour: "3 d 4 h", 400 * 24 * time.Hour: "400 d", -90 * time.Second: "-1 min 30 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%s) = %q, want %q", d, got, want)
		}
	}
}

// A bound is on one side of every text, whatever the number is.
func FuzzEffect(f *testing.F) {
	f.Add(1.16, 1.017, 1.263)
	f.Add(0.99999999, 0.5, 1e9)
	f.Fuzz(func(t *testing.T, ratio, low, high float64) {
		if !(ratio > 0) || math.IsInf(ratio, 0) || ratio > 1e12 || ratio < 1e-12 {
			t.Skip()
		}
		decimal := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		e := EffectOf(decimal(ratio), decimal(low), decimal(high))
		if e.Ratio == "" || strings.ContainsAny(e.String(), "−\n") {
			t.Fatalf("%v: %q", ratio, e)
		}
		percent := strings.HasSuffix(e.Ratio, " %")
		if percent && !IsNearOne(ratio) || strings.HasPrefix(e.Ratio, "+") != (percent && side(ratio, 1) > 0) || strings.HasPrefix(e.Ratio, "-") != (percent && side(ratio, 1) < 0) {
			t.Errorf("%v is on the wrong side: %q", ratio, e)
		}
	})
}
