# noasm: what a program links, and what checks it, without assembly and libraries. What makes code is the
# same program either way: gen, emit, gemm's lowerings, and what checks PTX.

stage_noasm() {
	its_turn 3 || return 0
	local left='gen|gen/(fn|gentest|tilesmith(/.*)?)|emit(/.*)?|gemm/(gpu|simd)|verify/gpu(/.*)?'
	gotest -short -vet=off -tags noasm,nodl $(go list ./... | grep -vE "/tilesmith/($left)\$")
}
