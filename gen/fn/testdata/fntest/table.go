package fntest

// levels is a table that nothing writes.
var levels = [8]float32{-1, -0.5, -0.25, 0, 0.125, 0.25, 0.5, 1}

// Level looks up three bits.
func Level(x uint8, scale float32) float32 { return levels[x&7] * scale }

// More tables.
var (
	codebook = [16]float32{-1, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.091050036, 0,
		0.079580299, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1}
	wide    = [5]float64{1e300, -2.5, 0, 7, 1.0 / 3}
	small   = [...]int8{3, -1, 127, -128, 0, 55, 6, 7, -9}
	long    = [...]uint32{100: 5, 7: 1 << 31, 63: 77}
	pairs   = [3]pair{{1, -2}, {3, 4}, {-5, 6}}
	nested  = [2][4]uint16{{1, 2, 3, 40000}, {5, 6, 7, 8}}
	allowed = [8]bool{true, false, false, true, true, false, true, false}
)

type pair struct {
	a float32
	b int32
}

// Dequantize looks up four bits.
func Dequantize(x uint8, scale float32) (float32, float32) {
	return codebook[x&15] * scale, codebook[x>>4] * scale
}

// Lookups look up all kinds of elements by all kinds of indices.
func Lookups(i int32, j uint8, k int64, x float32) (float64, int8, uint32, float32, int32, uint16, bool) {
	p := pairs[min(uint(j), 2)]
	f := float64(-1)
	if k >= 0 && k < int64(len(wide)) {
		f = wide[k]
	}
	return f, small[j%9], long[max(0, min(100, i))], p.a * x, pairs[j%3].b, nested[j&1][i&3], allowed[j%8]
}

// Local picks from what was computed.
func Local(x, y float32, i uint16) float32 {
	a := [5]float32{x, y, x + y, x * 2, 7}
	c := [3]int32{4, 1, 2}
	return a[i%5] + a[c[i%3]]
}

// Half picks from what begins with constants and ends otherwise.
func Half(x float32, i uint16) float32 {
	a := [4]float32{0, 1, 2, x}
	return a[i&3]
}
