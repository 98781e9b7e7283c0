# variants: every committed kernel was run. Those of arm64 are stage arm64's. The interpreter runs all of
# them in the tests of gemm and sparse/lower, this machine those it has the instructions for. A subtest that passed says which: its name
# has a part avx512 or isa=avx512.

stage_variants() {
	local here sparse
	tested ./cpu/kern/... >"$tmp/hardware"
	tested ./gemm ./gemm/simd ./gemm/act ./gemm/rand/lower ./sparse/lower >"$tmp/interpreter"
	every_variant amd64 "$tmp/interpreter" "$tmp/hardware" # stage arm64 has those of arm64 interpreted
	entries $here
}

# every_variant ARCH INTERPRETED [HARDWARE] fails unless what tests printed names every set of instructions that
# kernels for ARCH are committed for. It leaves those that this machine ran in $here, and those of sparse kernels
# in $sparse.
every_variant() {
	local isa all missing=
	here=
	all=$(isas "cpu/kern/*_$1.s")
	sparse=$(isas "cpu/kern/spmm*/*_$1.s")
	if [ -z "$all" ] || [ -z "$sparse" ]; then
		echo "no kernels are committed under cpu/kern for $1; the check looks in the wrong place" >&2
		return 1
	fi
	for isa in $all; do
		local by=
		if [ -n "${3-}" ] && grep -qE -- "--- PASS: .*/isa=$isa([/ ]|$)" "$3"; then
			by="this machine"
			here+=" $isa"
		fi
		if grep -qE -- "--- PASS: .*[=/]$isa([/ ,]|$)" "$2"; then
			by+="${by:+ and }the interpreter"
		else
			missing+=" $isa"
		fi
		echo "$isa: run by ${by:-nothing}"
	done
	# Sparse kernels by their kind; TestNest and TestVec go over all sets by themselves.
	local kind
	for kind in Rows SDDMM Attention Blocks Pruned; do
		for isa in $sparse; do
			grep -qE -- "--- PASS: Test$kind/$isa/" "$2" || missing+=" $kind/$isa"
		done
	done
	if [ -n "$missing" ]; then
		echo "no test of packages gemm and sparse/lower interpreted the kernels for:$missing" >&2
		return 1
	fi
}

# entries runs the entry points again, held to each lesser variant. Of a variant that only products of
# narrow types have, and of the best one, which stage test runs by itself, it runs those. Stages race and
# other run the portable code.
entries() {
	local isa best= tests
	for isa in avx2 avx512; do
		case " $* " in *" $isa "*) best=$isa ;; esac
	done
	for isa in "$@"; do
		tests='Of|Quant|Mixed'
		if [ "$isa" != "$best" ] && [[ " $(echo $sparse) " == *" $isa "* ]]; then
			tests=
		fi
		echo "TILESMITH_ISA=$isa${tests:+, tests $tests}"
		TILESMITH_ISA=$isa gotest -short -vet=off -run "$tests" ./cpu
	done
}

# tested prints what the tests of packages printed, in stage test if that was run: tested PACKAGE ...
tested() {
	if [ ! -s "$tmp/log/test" ]; then
		gotest "$@" >&2
		cat "$log"
		: >"$log"
		return 0
	fi
	go list "$@" >"$tmp/packages"
	awk -F '[ 	]+' 'NR == FNR { want[$1]; next } { block = block $0 "\n" }
		/^(ok|\?|FAIL) *	/ { if ($2 in want) printf "%s", block; block = "" }' "$tmp/packages" "$tmp/log/test"
}
