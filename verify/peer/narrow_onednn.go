package peer

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// dnnlTypes are values of dnnl_data_type_t.
var dnnlTypes = map[dtype.Type]uint32{dtype.TypeF16: 1, dtype.TypeBF16: 2, dtype.F32: 3, dtype.I32: 4, dtype.I8: 5, dtype.U8: 6}

// dnnlArg is dnnl_exec_arg_t.
type dnnlArg struct {
	arg    int32
	memory uintptr
}

// dnnl are the functions of oneDNN that a matmul needs. Handles of its objects are addresses
// of C's; they are never freed, as the products made of them never are.
type dnnl struct {
	engineCreate  func(engine *uintptr, kind uint32, index uint) int32                    `c:"dnnl_engine_create"`
	streamCreate  func(stream *uintptr, engine uintptr, flags uint32) int32               `c:"dnnl_stream_create"`
	descCreate    func(desc *uintptr, dims int32, sizes *int64, typ, tag uint32) int32    `c:"dnnl_memory_desc_create_with_tag"` // since release 3
	matmul        func(pd *uintptr, engine, src, weights, bias, dst, attr uintptr) int32  `c:"dnnl_matmul_primitive_desc_create"`
	reorder       func(pd *uintptr, src, srcEngine, dst, dstEngine, attr uintptr) int32   `c:"dnnl_reorder_primitive_desc_create"`
	queryDesc     func(pd uintptr, what uint32, index int32) uintptr                      `c:"dnnl_primitive_desc_query_md"`
	query         func(pd uintptr, what uint32, index int32, result unsafe.Pointer) int32 `c:"dnnl_primitive_desc_query"`
	create        func(primitive *uintptr, pd uintptr) int32                              `c:"dnnl_primitive_create"`
	memoryCreate  func(memory *uintptr, desc, engine uintptr, data uintptr) int32         `c:"dnnl_memory_create"`
	setHandle     func(memory uintptr, data unsafe.Pointer) int32                         `c:"dnnl_memory_set_data_handle"`
	execute       func(primitive, stream uintptr, count int32, args *dnnlArg) int32       `c:"dnnl_primitive_execute"`
	executeSymbol uintptr

	engine, stream uintptr
}

func openDNNL(lib uintptr) (*dnnl, error) {
	d := &dnnl{}
	err := bindAll(lib, d)
	if err != nil {
		return nil, fmt.Errorf("products of narrow types need oneDNN 3: %w", err)
	}
	if d.executeSymbol, err = symbol(lib, "dnnl_primitive_execute"); err != nil {
		return nil, err
	}
	const cpu, inOrder = 1, 1 // dnnl_cpu, dnnl_stream_in_order
	if s := d.engineCreate(&d.engine, cpu, 0); s != 0 {
		return nil, fmt.Errorf("dnnl_engine_create returned %d", s)
	}
	if s := d.streamCreate(&d.stream, d.engine, inOrder); s != 0 {
		return nil, fmt.Errorf("dnnl_stream_create returned %d", s)
	}
	return d, nil
}

// narrowOneDNN makes a matmul whose weights are in the format that it asks for.
func narrowOneDNN(lib uintptr) func(p narrowProduct) (func(times int64) error, error) {
	var d *dnnl
	return func(p narrowProduct) (func(times int64) error, error) {
		if d == nil {
			var err error
			if d, err = openDNNL(lib); err != nil {
				return nil, err
			}
		}
		return d.narrow(p)
	}
}

func (d *dnnl) narrow(p narrowProduct) (func(times int64) error, error) {
	const (
		anyTag, rows                 = 1, 3      // of dnnl_format_tag_t: dnnl_format_tag_any, dnnl_ab
		queryImplementation, weights = 8, 131    // dnnl_query_impl_info_str, dnnl_query_weights_md
		src, dst, wei                = 1, 17, 33 // DNNL_ARG_SRC, _DST and _WEIGHTS
		ours                         = uintptr(0)
		theirs                       = ^uintptr(0) // DNNL_MEMORY_ALLOCATE
	)
	desc := func(t dtype.Type, m, n int, tag uint32) (desc uintptr, err error) {
		number, ok := dnnlTypes[t]
		if !ok {
			return 0, fmt.Errorf("it has no %v", t)
		}
		var sizes [12]int64 // dnnl_dims_t
		sizes[0], sizes[1] = int64(m), int64(n)
		if s := d.descCreate(&desc, 2, &sizes[0], number, tag); s != 0 {
			return 0, fmt.Errorf("dnnl_memory_desc_create_with_tag returned %d", s)
		}
		return desc, nil
	}
	a, err := desc(p.types[0], p.m, p.k, rows)
	if err != nil {
		return nil, err
	}
	plain, err := desc(p.types[1], p.k, p.n, rows)
	if err != nil {
		return nil, err
	}
	asked, err := desc(p.types[1], p.k, p.n, anyTag)
	if err != nil {
		return nil, err
	}
	c, err := desc(p.types[2], p.m, p.n, rows)
	if err != nil {
		return nil, err
	}
	var pd, primitive, change, changer uintptr
	if s := d.matmul(&pd, d.engine, a, asked, 0, c, 0); s != 0 {
		return nil, fmt.Errorf("dnnl_matmul_primitive_desc_create returned %d: it has no such product", s)
	}
	var text *byte
	if d.query(pd, queryImplementation, 0, unsafe.Pointer(&text)) == 0 {
		if name := goString(text); strings.HasPrefix(name, "ref") {
			return nil, fmt.Errorf("all it has is %s, plain loops", name)
		}
	}
	packed := d.queryDesc(pd, weights, 0)
	memories := [4]uintptr{}
	for i, x := range [4]struct{ desc, data uintptr }{{a, ours}, {packed, theirs}, {c, ours}, {plain, ours}} {
		if s := d.memoryCreate(&memories[i], x.desc, d.engine, x.data); s != 0 {
			return nil, fmt.Errorf("dnnl_memory_create returned %d", s)
		}
	}
	if s := d.create(&primitive, pd); s != 0 {
		return nil, fmt.Errorf("dnnl_primitive_create returned %d", s)
	}
	if s := d.reorder(&change, plain, d.engine, packed, d.engine, 0); s != 0 {
		return nil, fmt.Errorf("dnnl_reorder_primitive_desc_create returned %d", s)
	}
	if s := d.create(&changer, change); s != 0 {
		return nil, fmt.Errorf("dnnl_primitive_create of a reorder returned %d", s)
	}
	var status int32
	pinned(func() {
		d.setHandle(memories[3], p.b)
		status = d.execute(changer, d.stream, 2, &[]dnnlArg{{src, memories[3]}, {dst, memories[1]}}[0])
		d.setHandle(memories[3], nil)
	}, p.b)
	if status != 0 {
		return nil, fmt.Errorf("the reorder of b returned %d", status)
	}
	args := []dnnlArg{{src, memories[0]}, {wei, memories[1]}, {dst, memories[2]}}
	return func(times int64) error {
		d.setHandle(memories[0], p.a)
		d.setHandle(memories[2], p.c)
		status := p.loop.dnnl(d.executeSymbol, primitive, d.stream, int64(len(args)), &args[0], times)
		d.setHandle(memories[0], nil)
		d.setHandle(memories[2], nil)
		if status != 0 {
			return fmt.Errorf("dnnl_primitive_execute returned %d", status)
		}
		return nil
	}, nil
}
