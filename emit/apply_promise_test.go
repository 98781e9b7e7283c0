package emit

import (
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/ranges"
)

// TestPromise: a function with ranges has the type and the name of the function, the interpreter calls it, and a derivative with
// ranges has the derivative's.
func TestPromise(t *testing.T) {
	double := func(x float32) float32 { return 2 * x }
	r := ranges.Promise{Of: double, Within: []ranges.Range{{Low: 0, High: 1}}}
	have, name, err := FuncType(r)
	want, same, _ := FuncType(double)
	if err != nil || have != want || name != same {
		t.Errorf("%v %s %v", have, name, err)
	}
	have, name, err = FuncType(ranges.Promise{Of: Derivative{Of: double}})
	if err != nil || have.NumIn() != 2 || !strings.HasPrefix(name, "the derivative of ") {
		t.Errorf("%v %s %v", have, name, err)
	}
	if _, _, err := FuncType(ranges.Promise{}); err == nil {
		t.Error("nothing is no function")
	}
	f, err := Build("f", []Arg{{Name: "p", Type: Ptr}}, func(b *Builder) {
		at := At(b.Param("p", Ptr), 0)
		b.Store(b.Apply(r, b.Load(Vector(F32, 2), at))[0], at)
	})
	if err != nil {
		t.Fatal(err)
	}
	mem := &Memory{Name: "p", Data: make([]byte, 8)}
	mem.Data[3], mem.Data[2] = 0x3f, 0x80 // 1
	var m Machine
	m.Bind("p", PtrTo(mem, 0))
	if err := m.Run(f); err != nil || math.Float32frombits(uint32(mem.Data[3])<<24|uint32(mem.Data[2])<<16) != 2 {
		t.Errorf("%v %v", mem.Data, err)
	}
}
