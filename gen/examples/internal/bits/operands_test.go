package bits_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

const batch = 3 // products of a batch, problems of a group

// A shape says how large operands are.
type shape struct{ m, n, k, h int }

var (
	smallShapes = []shape{{1, 1, 1, 1}, {5, 7, 9, 4}, {33, 48, 20, 16}}
	largeShapes = []shape{{37, 101, 1100, 24}, {3, 257, 300, 40}, {259, 5, 130, 8}}
)

// dim returns what a letter of a spec stands for.
func (s shape) dim(letter rune) int {
	switch letter {
	case 'm':
		return s.m
	case 'n':
		return s.n
	case 'k':
		return s.k
	case 'h':
		return s.h
	case 'e': // k, even
		return (s.k + 1) &^ 1
	case 'H': // three relations, one under another
		return 3 * s.h
	case 'F': // four heads, side by side
		return 4 * s.h
	case 'c': // bits in bytes
		return (s.n + 7) / 8
	case 'z': // entries of a sparse matrix
		_, indices := pattern(s.m, s.n)
		return len(indices)
	}
	panic(fmt.Sprintf("no dimension is called %c", letter))
}

// operands fills the parameters of one call in turn, as the tokens of a spec say.
type operands struct {
	shape
	tokens []string
	lie    int   // 0: rows without gaps. 1 and 2: with gaps, and every second matrix by columns
	copies int   // that there is memory for
	count  int   // of values filled
	sizes  []int // of slices filled
	b      reflect.Value
}

// next returns the dimensions of the next token: letters and numbers, with an x where two numbers meet.
func (o *operands) next() (dims []int, token string) {
	token, o.tokens = o.tokens[0], o.tokens[1:]
	number := false
	for _, c := range strings.TrimSuffix(token, "!") {
		switch digit := '0' <= c && c <= '9'; {
		case digit && number:
			dims[len(dims)-1] = dims[len(dims)-1]*10 + int(c-'0')
		case digit:
			dims = append(dims, int(c-'0'))
		case c != 'x':
			dims = append(dims, o.dim(c))
		}
		number = '0' <= c && c <= '9'
	}
	return dims, token
}

// fill gives x a value that follows from its type, its token and how many were filled before.
func (o *operands) fill(x reflect.Value) {
	o.count++
	switch p := x.Addr().Interface().(type) {
	case *sparse.Matrix[float32]:
		*p = matrix[float32](o)
		return
	case *sparse.Matrix[float64]:
		*p = matrix[float64](o)
		return
	case *sparse.Relations[float32]:
		*p = relations[float32](o)
		return
	case *sparse.Relations[float64]:
		*p = relations[float64](o)
		return
	case *sparse.BlockMask:
		dims, _ := o.next()
		*p = must(sparse.BandMask(dims[0], 8, 2)).Causal()
		return
	case *[]int: // where segments begin: m of k rows
		for o.next(); len(*p) <= o.m; {
			*p = append(*p, len(*p)*o.k/o.m)
		}
		return
	case *string:
		*p = "bits"
		return
	}
	switch t := x.Type(); t.Kind() {
	case reflect.Pointer:
		x.Set(reflect.New(t.Elem()))
		if t.Elem().Kind() == reflect.Array {
			numbers(x.Elem().Slice(0, t.Elem().Len()), o.count, false)
		}
	case reflect.Slice:
		if e := t.Elem(); e.Kind() != reflect.Struct || e.NumField() == 1 {
			dims, _ := o.next()
			x.Set(o.numbers(t, len(dims) == 1, dims...))
			break
		}
		x.Set(reflect.MakeSlice(t, batch, batch)) // problems of a group, each larger than the one before
		tokens, m := o.tokens, o.m
		for i := range batch {
			o.tokens = tokens
			for f := range t.Elem().NumField() {
				o.fill(x.Index(i).Field(f))
			}
			o.m++
		}
		o.m = m
	case reflect.Struct:
		o.record(x)
	case reflect.Float32, reflect.Float64:
		x.SetFloat(0.375)
	case reflect.Int32: // a threshold of random words
		x.SetInt(1 << 29)
	case reflect.Uint8:
		x.SetUint(batch)
		if t.Name() == "Triangle" {
			x.SetUint([]uint64{1, 2, 4}[o.lie])
		}
	default:
		x.SetInt(batch)
	}
}

// record fills matrices, blocks, batches and streams, which have fields of these names.
func (o *operands) record(x reflect.Value) {
	has := func(name string) bool { return x.FieldByName(name).IsValid() }
	set := func(name string, to int) {
		if f := x.FieldByName(name); f.CanInt() {
			f.SetInt(int64(to))
		} else if f.IsValid() {
			f.SetUint(uint64(to))
		}
	}
	switch {
	case has("RowStride"):
		dims, token := o.next()
		set("Rows", dims[0])
		set("Cols", dims[1])
		row, col := dims[1], 1
		if o.lie > 0 && (o.count+o.lie)%2 == 0 {
			row, col = 1, dims[0]
		} else if o.lie > 0 {
			row += 3
		}
		set("RowStride", row)
		set("ColStride", col)
		data := o.numbers(x.FieldByName("Data").Type(), false, max(dims[0]*row, dims[1]*col))
		if strings.HasSuffix(token, "!") {
			dominant(data, dims[0], row+col)
		}
		x.FieldByName("Data").Set(data)
		if token == "kn" || len(o.sizes) == 3 && !o.b.IsValid() {
			o.b = x
		}
	case has("Stride"):
		dims, token := o.next()
		set("Stride", dims[0]*dims[1])
		set("Count", dims[2])
		if strings.HasPrefix(token, "m") {
			set("Rows", dims[0])
			set("Cols", dims[1])
		}
		x.FieldByName("Data").Set(o.numbers(x.FieldByName("Data").Type(), false, dims...))
	default:
		set("Seed", 7)
		set("Number", 2)
		set("First", 8)
		set("Count", batch) // of a batch, which call completes
	}
}

// numbers returns a slice of as many numbers as the dimensions say, or of those of a batch. One for each row or column is positive.
func (o *operands) numbers(t reflect.Type, positive bool, dims ...int) reflect.Value {
	n := 1
	for _, d := range dims {
		n *= d
	}
	o.sizes = append(o.sizes, n)
	if !positive {
		n *= o.copies
	}
	x := reflect.MakeSlice(t, n, n)
	numbers(x, o.count, positive)
	return x
}

type sequence struct {
	of       reflect.Type
	seed     int
	positive bool
}

var sequences = make(map[sequence]reflect.Value)

// numbers fills a slice with the beginning of a sequence. Products of its numbers have to be rounded.
func numbers(x reflect.Value, seed int, positive bool) {
	key := sequence{x.Type(), seed, positive}
	known := sequences[key]
	if !known.IsValid() || known.Len() < x.Len() {
		known = reflect.MakeSlice(x.Type(), 2*x.Len(), 2*x.Len())
		r := rand.NewPCG(20, uint64(seed))
		float := func() float64 { // 23 bits, of which 3 in 4 are positive
			v := float64(r.Uint64()>>41)/(1<<22) - 0.5
			if positive {
				v = v/2 + 0.5
			}
			return v
		}
		for i := range known.Len() {
			switch x := known.Index(i); x.Kind() {
			case reflect.Float32:
				x.SetFloat(float())
			case reflect.Float64:
				x.SetFloat(float() / 3)
			case reflect.Complex64, reflect.Complex128:
				x.SetComplex(complex(float()/3, float()/3))
			case reflect.Uint8:
				x.SetUint(r.Uint64() >> 56)
			case reflect.Int32:
				x.SetInt(int64(r.Uint64() % 1000))
			case reflect.Int8, reflect.Int16:
				x.SetInt(int64(r.Uint64()) >> (64 - x.Type().Bits()))
			default:
				switch p := x.Addr().Interface().(type) {
				case *dtype.BF16:
					*p = dtype.ToBF16(float())
				case *dtype.F16:
					*p = dtype.ToF16(float())
				}
			}
		}
		sequences[key] = known
	}
	reflect.Copy(x, known)
}

// dominant makes a square matrix one by which a system can be solved: its diagonal is larger than the rest.
func dominant(data reflect.Value, rows, step int) {
	for i := range data.Len() {
		on := i%step == 0 && i/step < rows
		if x := data.Index(i); x.CanFloat() && on {
			x.SetFloat(1.5)
		} else if x.CanFloat() {
			x.SetFloat(x.Float() / 1024)
		} else if on {
			x.SetComplex(1.5 + 0.25i)
		} else {
			x.SetComplex(x.Complex() / 1024)
		}
	}
}

// pattern is the structure of a sparse matrix: rows with nothing, short ones, and a full one.
func pattern(rows, cols int) (pointers, indices []int32) {
	r := rand.NewPCG(uint64(rows), uint64(cols))
	for i := range rows {
		pointers = append(pointers, int32(len(indices)))
		for j := range cols {
			if i == 3 || r.Uint64()%uint64(cols) < uint64(i*7%11) {
				indices = append(indices, int32(j))
			}
		}
	}
	return append(pointers, int32(len(indices))), indices
}

func matrix[T dtype.Float](o *operands) sparse.Matrix[T] {
	dims, _ := o.next()
	pointers, indices := pattern(dims[0], dims[1])
	values := make([]T, len(indices))
	numbers(reflect.ValueOf(values), o.count, false)
	return must(sparse.FromCSR(dims[0], dims[1], pointers, indices, values))
}

func relations[T dtype.Float](o *operands) sparse.Relations[T] {
	m := matrix[T](o)
	return must(sparse.NewRelations(m, m.Scale(2).Tril(1), m.Scale(3).Triu(-2)))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// isOptions reports whether a parameter has options of calls: [run.Options], or a struct that begins with them.
func isOptions(t reflect.Type) bool {
	options := reflect.TypeFor[run.Options]()
	return t == options || t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == options
}
