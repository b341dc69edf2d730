package load

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// plural is "1 channel" or "2 channels".
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(float64(n)) + " " + what
}

// grouped is a number without decimals, with a comma at each third digit.
func grouped(n float64) string {
	digits := strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// rate is a number for a second. A small one has decimals.
func rate(n float64) string {
	if n > 0 && n < 100 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return grouped(n)
}

// brief is a latency with about three digits.
func brief(d time.Duration) string {
	switch {
	case d == 0:
		return "–"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

// ofTarget says how much of a target a rate is.
func ofTarget(n float64, target int) string {
	if part := n / float64(target); part >= 10 {
		return grouped(part) + " times"
	}
	return grouped(100*n/float64(target)) + " % of"
}

// pace says in which loop the operations were begun.
func (p Plan) pace() string {
	if p.Rate == 0 {
		return fmt.Sprintf("closed loop of %s", plural(p.Workers, "worker"))
	}
	return fmt.Sprintf("open loop, %s a second due, %s", rate(p.Rate), plural(p.Workers, "worker"))
}
