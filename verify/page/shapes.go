package page

// shapes are the outlines of marks around (0, 0), of about the same area.
var shapes = [8]raw{
	"M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",                        // circle
	"M-4.5 -4.5h9v9h-9z",                                           // square
	"M0 -6L5.6 4.2H-5.6z",                                          // triangle up
	"M0 -6.2L5.4 0L0 6.2L-5.4 0z",                                  // diamond
	"M0 6L5.6 -4.2H-5.6z",                                          // triangle down
	"M-1.9 -5.6h3.8v3.7h3.7v3.8h-3.7v3.7h-3.8v-3.7h-3.7v-3.8h3.7z", // plus
	"M0 -6.4L1.6 -2.2L6 -1.9L2.6 .9L3.7 5.2L0 2.8L-3.7 5.2L-2.6 .9L-6 -1.9L-1.6 -2.2z",                    // star
	"M-5.3 -2.6L-2.6 -5.3L0 -2.7L2.6 -5.3L5.3 -2.6L2.7 0L5.3 2.6L2.6 5.3L0 2.7L-2.6 5.3L-5.3 2.6L-2.7 0z", // cross
}

// look is the shape and the colour of series i. The first eight differ in both, and
// the next seven groups of eight pair them anew.
func look(i int) (shape, colour int) { return (i + i/8) % 8, i % 8 }

// seriesOf numbers the series of marks in the order in which they first occur.
func seriesOf(marks []Mark) (names []string, index map[string]int) {
	index = map[string]int{}
	for _, m := range marks {
		if _, ok := index[m.Series]; !ok {
			index[m.Series] = len(names)
			names = append(names, m.Series)
		}
	}
	return names, index
}
