package mtx

import (
	"fmt"
	"math"
)

// ints reads n numbers of a format, which stand in so many lines.
func (h *HB) ints(n int, l layout, stated int, what string, check func(k, v int) string) (list []int, err error) {
	if want := l.lines(n); stated != want {
		return nil, h.fail(0, fmt.Sprintf("%d numbers of %s take %d lines, the header says %d", n, l.text, want, stated))
	}
	err = h.fields(n, &l, what, func(k int, b []byte, _ field) string {
		v, reason := intOf(b)
		if reason == "" {
			reason = check(k, int(min(max(v, -1), math.MaxInt)))
		}
		list = append(grow(list, 1, n), int(v))
		return reason
	})
	return list, err
}

// fields calls visit for n fields of a format, line after line. It takes what stands
// between blanks if that is as many fields, else what stands in their places. Missing
// characters are blank, as those at the end of a line may be.
func (h *HB) fields(n int, l *layout, what string, visit func(k int, b []byte, f field) string) error {
	for k := 0; k < n; {
		line, err := h.next(fmt.Sprintf("%s %d of %d", what, k+1, n))
		if err != nil {
			return err
		}
		first, some := k == 0, min(l.rest, n-k)
		if first {
			some = min(l.first, n)
		}
		last := l.end(first, some)
		text := line
		if len(line) <= 80 && last <= 72 { // a card, whose last 8 places may number it
			text = line[:min(72, len(line))]
		}
		// This is for fields that are not as wide as they should be, as SciPy writes them.
		apart := !l.skips && tokens(text) == some
		if !apart && last < len(text) && !blank(text[last-1]) && !blank(text[last]) {
			return h.fail(last, fmt.Sprintf("a number goes on beyond the last place of its field; want fields as wide as %s says", l.text))
		}
		end := 0
		l.each(first, some, func(from int, f field) bool {
			from = min(from, len(line))
			b := line[from:min(from+f.width, len(line))]
			if apart {
				from = skip(line, end)
				b = token(line, from)
			}
			end = from + len(b)
			if len(b) == 0 && h.in.cut {
				err = h.fail(from, fmt.Sprintf("the file ends before %s %d of %d", what, k+1, n))
			} else if reason := visit(k, b, f); reason != "" {
				err = h.fail(from, reason)
			}
			k++
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
