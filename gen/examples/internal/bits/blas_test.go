package bits_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/run"
)

// choices are the values of arguments of BLAS that choose, by type.
var choices = map[string]string{"Transpose": "NTC", "Uplo": "UL", "Side": "LR", "Diag": "NU"}

// blasLines are the methods that package cpu declares or embeds for gonum's blas: those of gonum itself are not ours.
func blasLines(t *testing.T) map[string]line {
	lines := make(map[string]line)
	for _, of := range []any{cpu.BLAS32{}, cpu.BLAS64{}, cpu.CBLAS64{}, cpu.CBLAS128{}} {
		v := reflect.ValueOf(of)
		names := declared(t, "cpu", "").methods[v.Type().Name()]
		if levels12, ok := map[string]string{"BLAS32": "Float32", "BLAS64": "Float64"}[v.Type().Name()]; ok {
			names = append(names, declared(t, "cpu/internal/level12", "").methods[levels12]...)
		}
		for _, name := range names {
			method := v.MethodByName(name)
			lines["cpu."+v.Type().Name()+"."+name] = func(t *testing.T, large []shape) []string {
				if isa, _ := run.UseISA(); !slices.Contains(run.PlainISAs(), isa) {
					return nil
				}
				hashes := []string{blasHash(t, name, method, []int{1, 7, 33})}
				if len(large) > 0 {
					hashes = append(hashes, blasHash(t, name, method, []int{130}))
				}
				return hashes
			}
		}
	}
	return lines
}

// blasHash calls a method with every combination of what it may choose. All sizes are n. A number behind a slice is an
// increment or a row's length: the first that the method takes.
func blasHash(t *testing.T, name string, method reflect.Value, sizes []int) string {
	var s sum
	for _, n := range sizes {
		called := false
		for choice, more := 0, true; more; choice++ {
			for strides := range 27 {
				args, rest := blasArguments(method.Type(), n, choice, strides, strings.Contains(name, "trs"))
				if more = rest == 0; !more {
					break
				}
				if callBLAS(method, args, &s) {
					called = true
					break
				}
			}
		}
		if !called {
			t.Errorf("%s refuses all arguments of %d", name, n)
		}
	}
	return s.String()
}

func callBLAS(method reflect.Value, args []reflect.Value, s *sum) (ok bool) {
	defer func() { ok = recover() == nil }()
	for _, x := range append(method.Call(args), args...) {
		s.add(x)
	}
	return true
}

// blasArguments returns the arguments of one combination, and what is left of its number: 0 if there is one.
func blasArguments(method reflect.Type, n, choice, strides int, solves bool) (args []reflect.Value, rest int) {
	for i := range method.NumIn() {
		in := method.In(i)
		x := reflect.New(in).Elem()
		args = append(args, x)
		switch all := choices[in.Name()]; in.Kind() {
		case reflect.Uint8:
			x.SetUint(uint64(all[choice%len(all)]))
			choice /= len(all)
		case reflect.Slice:
			x.Set(reflect.MakeSlice(in, 3*n*n, 3*n*n))
			numbers(x, i, false)
			if solves { // the matrix comes first
				dominant(x, n, n+1)
				solves = false
			}
		case reflect.Float32, reflect.Float64:
			x.SetFloat(0.375)
		case reflect.Complex64, reflect.Complex128:
			x.SetComplex(0.375 + 0.5i)
		default:
			x.SetInt(int64(n))
			if i > 0 && args[i-1].Kind() == reflect.Slice {
				x.SetInt(int64([]int{1, n, 3 * n}[strides%3]))
				strides /= 3
			}
		}
	}
	return args, choice
}
