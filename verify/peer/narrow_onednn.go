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

func openDNNL(lib uintptr) (d *dnnl, err error) {
	defer refused(&err)
	d = &dnnl{}
	if err := bindAll(lib, d); err != nil {
		return nil, fmt.Errorf("products of narrow types need oneDNN 3: %w", err)
	}
	if d.executeSymbol, err = symbol(lib, "dnnl_primitive_execute"); err != nil {
		return nil, err
	}
	const cpu, inOrder = 1, 1 // dnnl_cpu, dnnl_stream_in_order
	must("dnnl_engine_create", d.engineCreate(&d.engine, cpu, 0))
	must("dnnl_stream_create", d.streamCreate(&d.stream, d.engine, inOrder))
	return d, nil
}

// What dnnl_types.h calls these.
const (
	dnnlAny        = 1           // dnnl_format_tag_any
	dnnlRows       = 3           // dnnl_ab
	dnnlQueryName  = 8           // dnnl_query_impl_info_str
	dnnlWeights    = 131         // dnnl_query_weights_md
	dnnlFrom       = 1           // DNNL_ARG_FROM of a reorder
	dnnlTo         = 17          // DNNL_ARG_TO
	dnnlSourceArg  = 1           // DNNL_ARG_SRC
	dnnlWeightsArg = 33          // DNNL_ARG_WEIGHTS
	dnnlDstArg     = 17          // DNNL_ARG_DST
	dnnlOurs       = uintptr(0)  // of a memory: its elements are set for each call
	dnnlAllocate   = ^uintptr(0) // DNNL_MEMORY_ALLOCATE
)

// number is how the library calls a type.
func (d *dnnl) number(t dtype.Type) uint32 {
	n, ok := dnnlTypes[t]
	if !ok {
		refuse("it has no %v", t)
	}
	return n
}

// desc describes a tensor.
func (d *dnnl) desc(t dtype.Type, dims int32, sizes [12]int64, tag uint32) (desc uintptr) {
	must("dnnl_memory_desc_create_with_tag", d.descCreate(&desc, dims, &sizes[0], d.number(t), tag))
	return desc
}

// primitive makes what pd describes, and returns what the library calls the way that it goes.
func (d *dnnl) primitive(pd uintptr) (primitive uintptr, name string) {
	var text *byte
	if d.query(pd, dnnlQueryName, 0, unsafe.Pointer(&text)) == 0 {
		if name = goString(text); strings.HasPrefix(name, "ref") {
			refuse("all it has is %s, plain loops", name)
		}
	}
	must("dnnl_primitive_create", d.create(&primitive, pd))
	return primitive, name
}

// memory is a tensor whose elements are ours, or the library's own.
func (d *dnnl) memory(desc, elements uintptr) (memory uintptr) {
	what := "dnnl_memory_create"
	if elements == dnnlAllocate {
		what += " of its own layout"
	}
	must(what, d.memoryCreate(&memory, desc, d.engine, elements))
	return memory
}

// copied copies one memory to another, of which one is ours and has its elements at data.
func (d *dnnl) copied(what string, from, to, ours uintptr, data unsafe.Pointer, fromDesc, toDesc uintptr) {
	var pd, primitive uintptr
	must("dnnl_reorder_primitive_desc_create", d.reorder(&pd, fromDesc, d.engine, toDesc, d.engine, 0))
	must("dnnl_primitive_create of a reorder", d.create(&primitive, pd))
	d.setHandle(ours, data)
	defer d.setHandle(ours, nil)
	must(what, d.execute(primitive, d.stream, 2, &[]dnnlArg{{dnnlFrom, from}, {dnnlTo, to}}[0]))
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

func (d *dnnl) narrow(p narrowProduct) (run func(times int64) error, err error) {
	defer refused(&err)
	desc := func(t dtype.Type, m, n int, tag uint32) uintptr {
		return d.desc(t, 2, [12]int64{int64(m), int64(n)}, tag)
	}
	a, plain := desc(p.types[0], p.m, p.k, dnnlRows), desc(p.types[1], p.k, p.n, dnnlRows)
	asked, c := desc(p.types[1], p.k, p.n, dnnlAny), desc(p.types[2], p.m, p.n, dnnlRows)
	var pd uintptr
	must("dnnl_matmul_primitive_desc_create", d.matmul(&pd, d.engine, a, asked, 0, c, 0), ": it has no such product")
	primitive, _ := d.primitive(pd)
	packed := d.queryDesc(pd, dnnlWeights, 0)
	memA, memB, memC := d.memory(a, dnnlOurs), d.memory(packed, dnnlAllocate), d.memory(c, dnnlOurs)
	pinned(func() {
		from := d.memory(plain, dnnlOurs)
		d.copied("the reorder of b", from, memB, from, p.b, plain, packed)
	}, p.b)
	args := []dnnlArg{{dnnlSourceArg, memA}, {dnnlWeightsArg, memB}, {dnnlDstArg, memC}}
	return func(times int64) error {
		d.setHandle(memA, p.a)
		d.setHandle(memC, p.c)
		status := p.loop.dnnl(d.executeSymbol, primitive, d.stream, int64(len(args)), &args[0], times)
		d.setHandle(memA, nil)
		d.setHandle(memC, nil)
		if status != 0 {
			return fmt.Errorf("dnnl_primitive_execute returned %d", status)
		}
		return nil
	}, nil
}
