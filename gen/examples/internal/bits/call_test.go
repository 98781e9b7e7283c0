package bits_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// A function is one name with and without options, and what packs its b.
type function struct {
	name, spec       string
	plain, opt, pack reflect.Value
}

// narrow finds types of elements whose products an instruction set may have that extends another.
var narrow = regexp.MustCompile(`\b(int8|uint8|int16|BF16|F16)\b`)

// hashes returns a hash of the results of small shapes, and one of those of large ones. A function without kernels for
// the instruction set has none.
func (f *function) hashes(t *testing.T, large []shape) []string {
	if isa, _ := run.UseISA(); !slices.Contains(run.PlainISAs(), isa) && !narrow.MatchString(f.plain.Type().String()) {
		return nil
	}
	if !strings.ContainsAny(f.spec, "mnk") { // a fixed shape
		return f.hash(t, smallShapes[:1])
	}
	h := f.hash(t, smallShapes)
	if h != nil && len(large) > 0 {
		h = append(h, f.hash(t, large)...)
	}
	return h
}

func (f *function) hash(t *testing.T, shapes []shape) []string {
	var s sum
	check := func(err error) {
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	for _, shape := range shapes {
		for lie := range 3 {
			err := f.call(&s, f.plain, operands{shape: shape, lie: lie}, run.Options{}, false)
			if lie == 0 && errors.As(err, new(run.ISAError)) {
				return nil
			} else if lie == 0 {
				check(err)
			}
		}
		if f.opt.IsValid() { // which may refuse them
			f.call(&s, f.opt, operands{shape: shape}, run.Options{Threads: 2, Scaling: run.Scale(1.5, -0.5)}, false)
			f.call(&s, f.opt, operands{shape: shape}, run.Options{Conj: run.ConjA, Scaling: run.ScaleComplex(1i, 0)}, false)
		}
		if f.pack.IsValid() {
			check(f.call(&s, f.opt, operands{shape: shape}, run.Options{}, true))
		}
	}
	return []string{s.String()}
}

// call calls v and adds all operands and results to the sum. What v refuses is an error, and added as that.
func (f *function) call(s *sum, v reflect.Value, o operands, opt run.Options, pack bool) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			return
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
		s.add(reflect.ValueOf("refused"))
	}()
	o.tokens, o.copies = strings.Fields(f.spec), 1
	if _, of, ok := strings.Cut(f.name, "Batch"); ok && !strings.HasPrefix(of, "4") {
		o.copies = batch
	}
	t := v.Type()
	var args, options, batches []reflect.Value
	for i := range t.NumIn() {
		in := t.In(i)
		if t.IsVariadic() && i == t.NumIn()-1 {
			if opt == (run.Options{}) && !pack {
				break
			}
			in = in.Elem()
		}
		x := reflect.New(in).Elem()
		args = append(args, x)
		if isOptions(in) {
			options = append(options, x)
			continue
		}
		o.fill(x)
		if in.Name() == "Batch" {
			batches = append(batches, x)
		}
	}
	if pack {
		opt.B = f.pack.Call([]reflect.Value{o.b})[0].Interface().(*run.Packed)
	}
	for _, x := range options {
		if x.Type() != reflect.TypeOf(opt) {
			x = x.Field(0)
		}
		x.Set(reflect.ValueOf(opt))
	}
	for _, x := range batches {
		for i, name := range []string{"Out", "A", "B"} {
			x.FieldByName(name).SetInt(int64(o.sizes[i]))
		}
	}
	for _, x := range append(v.Call(args), args...) {
		if !isOptions(x.Type()) {
			s.add(x)
		}
	}
	return nil
}

// sum is a hash of the bits of values.
type sum uint64

func (s sum) String() string { return fmt.Sprintf("%016x", uint64(s)) }

func (s *sum) word(x uint64) { *s = sum(bits.RotateLeft64((uint64(*s)^x)*0x9e3779b97f4a7c15, 29)) }

// add adds numbers: those of slices, of exported fields, of a sparse matrix, and what pointers point to. All NaNs are one,
// since which one comes out depends on how it came about.
func (s *sum) add(v reflect.Value) {
	if m := v.MethodByName("CSR"); m.IsValid() {
		for _, x := range m.Call(nil) {
			s.add(x)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			s.add(v.Elem())
		}
	case reflect.Slice:
		switch e := v.Type().Elem(); e.Name() {
		case "float32", "complex64":
			words(s, v, uint32(0x7f800000))
		case "float64", "complex128":
			words(s, v, uint64(0x7ff<<52))
		case "BF16":
			words(s, v, uint16(0x7f80))
		case "F16":
			words(s, v, uint16(0x7c00))
		case "int8", "uint8":
			words(s, v, uint8(0))
		default:
			for i := range v.Len() {
				s.add(v.Index(i))
			}
		}
	case reflect.Array:
		s.add(v.Slice(0, v.Len()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.add(v.Field(i))
			}
		}
	case reflect.String:
		for _, c := range v.String() {
			s.word(uint64(c))
		}
	case reflect.Float32, reflect.Float64:
		x := []float64{v.Float()}
		words(s, reflect.ValueOf(x), uint64(0x7ff<<52))
	case reflect.Complex64, reflect.Complex128:
		s.word(math.Float64bits(real(v.Complex())))
		s.word(math.Float64bits(imag(v.Complex())))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.word(uint64(v.Int()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		s.word(v.Uint())
	}
}

// words adds a slice as numbers of some bits, of which those of infinity are not all set except in infinity and NaN.
func words[U uint8 | uint16 | uint32 | uint64](s *sum, v reflect.Value, infinity U) {
	size := v.Len() * int(v.Type().Elem().Size()) / int(unsafe.Sizeof(infinity))
	for _, x := range unsafe.Slice((*U)(v.UnsafePointer()), size) {
		if infinity != 0 && x&infinity == infinity && x<<1 != infinity<<1 {
			x = ^U(0)
		}
		s.word(uint64(x))
	}
}
