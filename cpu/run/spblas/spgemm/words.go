package spgemm

// wordLists are rows as lists of words of a bitmap: column j is bit j%64 of word j/64.
//
//	columns   3 4 5 6 70 71        word 0 has bits 3 to 6, word 1 has bits 6 and 7
//
// If columns are near each other, words are several times shorter than the columns, and
// the union of rows is several times less work.
type wordLists struct {
	pointers []int32
	at       []int32
	bits     []uint64
}

// A list of words is made if it is worth it, by some rows that are looked at first. It has
// to save setting at least wordsWorth bits a row one by one, because a second loop over a
// row costs some of them: its end is mispredicted.
const (
	wordsWorth = 8
	wordsLook  = 64
)

// wordsOf returns the lists of sorted rows, none if they are not worth it.
func wordsOf(pointers, columns []int32) (l wordLists) {
	rows := len(pointers) - 1
	entries, words := 0, 0
	for look := range min(rows, wordsLook) {
		i := look * rows / min(rows, wordsLook)
		row := columns[pointers[i]:pointers[i+1]]
		entries += len(row)
		words += countWords(row)
	}
	if entries-words < wordsWorth*min(rows, wordsLook) || rows == 0 {
		return l
	}
	words = 0
	for i := range rows {
		words += countWords(columns[pointers[i]:pointers[i+1]])
	}
	l = wordLists{make([]int32, rows+1), make([]int32, words), make([]uint64, words)}
	n := -1
	for i := range rows {
		last := int32(-1)
		for _, j := range columns[pointers[i]:pointers[i+1]] {
			if j>>6 != last {
				n++
				last = j >> 6
				l.at[n] = last
			}
			l.bits[n] |= 1 << (j & 63)
		}
		l.pointers[i+1] = int32(n + 1)
	}
	return l
}

func countWords(row []int32) (n int) {
	last := int32(-1)
	for _, j := range row {
		if j>>6 != last {
			n++
			last = j >> 6
		}
	}
	return n
}
