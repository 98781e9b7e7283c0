package gen

import (
	"fmt"
	"strings"
)

// Limits of what diff shows: a change of the generator alters thousands of lines,
// and the first few say which.
const (
	diffContext = 2
	diffLines   = 60
)

// diff shows how the lines of b differ from those of a. It prints hunks with their line
// numbers, as diff -u does, cut after some lines.
func diff(a, b string) string {
	var out []string
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	add := func(sign string, lines []string) {
		for _, l := range lines {
			out = append(out, sign+strings.TrimSuffix(l, "\n")+"\n")
		}
	}
	done := 0 // lines of x shown
	for i, j := 0, 0; ; {
		for i < len(x) && j < len(y) && x[i] == y[j] {
			i, j = i+1, j+1
		}
		if i == len(x) && j == len(y) || len(out) > diffLines {
			break
		}
		p, q := resync(x[i:], y[j:])
		from := max(done, i-diffContext)
		out = append(out, fmt.Sprintf("@@ -%d +%d @@\n", i+1, j+1))
		add(" ", x[from:i])
		add("-", x[i:i+p])
		add("+", y[j:j+q])
		i, j = i+p, j+q
		done = min(len(x), i+diffContext)
		add(" ", x[i:min(done, i+common(x[i:], y[j:]))])
	}
	if len(out) > diffLines {
		out = append(out[:diffLines], "and more\n")
	}
	return strings.Join(out, "")
}

// resync returns the least numbers of lines to skip in x and y after which they
// agree again for a few lines, or all of them.
func resync(x, y []string) (p, q int) {
	const enough, most = 3, 2000
	for sum := 1; sum <= min(len(x)+len(y), most); sum++ {
		for p := max(0, sum-len(y)); p <= min(sum, len(x)); p++ {
			q := sum - p
			rest := min(len(x)-p, len(y)-q, enough)
			if common(x[p:], y[q:]) >= rest && (rest > 0 || p == len(x) && q == len(y)) {
				return p, q
			}
		}
	}
	return len(x), len(y)
}

// common counts the lines that x and y begin with alike, up to a few.
func common(x, y []string) int {
	n := 0
	for n < len(x) && n < len(y) && n < 8 && x[n] == y[n] {
		n++
	}
	return n
}
