package peer

import "fmt"

// dnnlConvolution are the functions of oneDNN for convolutions, in addition to those of
// dnnl.
type dnnlConvolution struct {
	*dnnl
	strided func(desc *uintptr, dims int32, sizes *int64, typ uint32, strides *int64) int32                                                                    `c:"dnnl_memory_desc_create_with_strides"`
	forward func(pd *uintptr, engine uintptr, prop, algorithm uint32, src, weights, bias, dst uintptr, strides, dilates, low, high *int64, attr uintptr) int32 `c:"dnnl_convolution_forward_primitive_desc_create"`
	data    func(pd *uintptr, engine uintptr, algorithm uint32, src, weights, dst uintptr, strides, dilates, low, high *int64, hint, attr uintptr) int32       `c:"dnnl_convolution_backward_data_primitive_desc_create"`
	weights func(pd *uintptr, engine uintptr, algorithm uint32, src, weights, bias, dst uintptr, strides, dilates, low, high *int64, hint, attr uintptr) int32 `c:"dnnl_convolution_backward_weights_primitive_desc_create"`
}

func openConvolution(lib uintptr) (*dnnlConvolution, error) {
	d, err := openDNNL(lib)
	if err != nil {
		return nil, err
	}
	c := &dnnlConvolution{dnnl: d}
	return c, bindAll(lib, c)
}

// convolveOneDNN makes convolutions.
func convolveOneDNN(lib uintptr) func(p convolution, c *Convolver) error {
	var d *dnnlConvolution
	return func(p convolution, c *Convolver) (err error) {
		if d == nil {
			if d, err = openConvolution(lib); err != nil {
				return err
			}
		}
		return d.convolve(p, c)
	}
}

// What dnnl_types.h calls these.
const (
	dnnlTraining  = 64  // dnnl_forward_training
	dnnlInference = 96  // dnnl_forward_inference
	dnnlDirect    = 1   // dnnl_convolution_direct
	dnnlSource    = 129 // dnnl_query_src_md; then diff_src, weights, diff_weights, dst, diff_dst
	dnnlDiff      = 128 // DNNL_ARG_DIFF_x is this more
)

func (d *dnnlConvolution) convolve(p convolution, c *Convolver) (err error) {
	defer refused(&err)
	n, h, w, ch, k, r, s, oh, ow := int64(p.N), int64(p.H), int64(p.W), int64(p.C), int64(p.K), int64(p.R), int64(p.S), int64(p.out(0)), int64(p.out(1))
	// As oneDNN names dimensions: images, channels, rows, columns; and of weights channels of the result, of the source, rows, columns.
	sizes := [3][12]int64{{n, ch, h, w}, {k, ch, r, s}, {n, k, oh, ow}}
	strides := [3][12]int64{{h * w * ch, 1, w * ch, ch}, {1, k, s * ch * k, ch * k}, {oh * ow * k, 1, ow * k, k}}
	var plain, asked [3]uintptr
	for i := range plain {
		must("dnnl_memory_desc_create_with_strides", d.strided(&plain[i], 4, &sizes[i][0], d.number(p.types[i]), &strides[i][0]))
		asked[i] = plain[i]
		if i == 1 || p.blocked {
			asked[i] = d.desc(p.types[i], 4, sizes[i], dnnlAny)
		}
	}
	step, apart := [2]int64{int64(p.Stride[0]), int64(p.Stride[1])}, [2]int64{int64(p.Dilation[0]) - 1, int64(p.Dilation[1]) - 1}
	low := [2]int64{int64(p.Pad[0]), int64(p.Pad[1])}
	high := [2]int64{(oh-1)*step[0] + (r-1)*(apart[0]+1) + 1 - h - low[0], (ow-1)*step[1] + (s-1)*(apart[1]+1) + 1 - w - low[1]}
	prop := uint32(dnnlInference)
	if p.Direction != Forward {
		prop = dnnlTraining
	}
	weights := asked[1]
	if p.types[1] != p.types[0] { // derivatives are of the type of sums, and what goes forward has none
		weights = d.desc(p.types[0], 4, sizes[1], dnnlAny)
	}
	var pd, hint uintptr
	must("dnnl_convolution_forward_primitive_desc_create",
		d.forward(&hint, d.engine, prop, dnnlDirect, asked[0], weights, 0, asked[2], &step[0], &apart[0], &low[0], &high[0], 0))
	const derived, none = "a primitive descriptor's creation", ": it has no such derivative"
	result := 2 // which of the three is computed
	switch p.Direction {
	case Forward:
		pd = hint
	case BackwardData:
		result = 0
		must(derived, d.data(&pd, d.engine, dnnlDirect, asked[0], asked[1], asked[2], &step[0], &apart[0], &low[0], &high[0], hint, 0), none)
	case BackwardWeights:
		result = 1
		must(derived, d.weights(&pd, d.engine, dnnlDirect, asked[0], asked[1], 0, asked[2], &step[0], &apart[0], &low[0], &high[0], hint, 0), none)
	}
	primitive, name := d.primitive(pd)
	c.Kernel = name
	args := []dnnlArg{{dnnlSourceArg, 0}, {dnnlWeightsArg, 0}, {dnnlDstArg, 0}}
	for i := range args {
		// Derivatives come one behind what they are of; the derivative by the result is given in both directions backward.
		derivative := i == result && p.Direction != Forward || i == 2 && p.Direction != Forward
		query := uint32(dnnlSource + 2*i)
		if derivative {
			query++
			args[i].arg += dnnlDiff
		}
		desc := d.queryDesc(pd, query, 0)
		ours, theirs := d.memory(plain[i], dnnlOurs), d.memory(desc, dnnlAllocate)
		args[i].memory = theirs
		if i != result {
			d.copied("a reorder", ours, theirs, ours, p.data[i], plain[i], desc)
			continue
		}
		c.read = func() (err error) {
			defer refused(&err)
			d.copied("a reorder", theirs, ours, ours, p.data[i], desc, plain[i])
			return nil
		}
	}
	c.run = func(times int64) error {
		if status := p.loop.dnnl(d.executeSymbol, primitive, d.stream, int64(len(args)), &args[0], times); status != 0 {
			return fmt.Errorf("dnnl_primitive_execute returned %d", status)
		}
		return nil
	}
	return nil
}
