package semiring

// The operands of tabulated sums are periodic, SampleRows in m and SampleCols in n.
const SampleRows, SampleCols = 3, 4

// SampleA and SampleB are those operands. They are never zero and move away from it with
// every k, up and down in turn. So the largest and the smallest change to the end.
func SampleA(i, k int) float64 {
	return sampleNumber(7*(i%SampleRows)+3*k+k/5, i%SampleRows+k, k)
}

// SampleB is described with [SampleA].
func SampleB(k, j int) float64 {
	return sampleNumber(11*(j%SampleCols)+3*k+k/7, j%SampleCols+k, k)
}

func sampleNumber(x, turn, k int) float64 {
	far := float64(k) / 8
	if turn%2 != 0 {
		far = -far
	}
	return float64(x%5-2) + 9.0/16 + far
}
