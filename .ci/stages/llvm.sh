# llvm: what LLVM's compiler makes of the kernels gives the same bits, for this machine and by qemu for arm64.
# It fails if llc is there and a kernel was not compared.

stage_llvm() {
	if ! command -v llc >/dev/null || ! command -v ld >/dev/null; then
		note "no llc or no ld: the LLVM IR is printed and parsed, and not compiled"
		return 0
	fi
	llc --version | sed -n '/version/p'
	TILESMITH_LONG=1 TILESMITH_TURN=$turn gotest -count=1 -run 'LLC|LLVM|Object|Random' ./emit/llvm ./verify/peer ./gen/examples/fused
	# What llc makes for instructions that are not here cannot be run here; a test says so.
	if ! awk '/^=== / { test = $3 }
		/this machine or build has no / { excused[test] }
		/--- SKIP: .*(LLC|LLVM)/ && !($3 in excused) { print; bad = 1 }
		/--- PASS: TestLLCGemm\/isa=/ { ran = 1 }
		END { exit bad || !ran }' "$log"; then
		echo "llc is there, and a test did not use it" >&2
		return 1
	fi
	llvm_arm64
}

# llvm_arm64 compares kernels for NEON, a third each turn: operations and dense products, those of sparse
# matrices and of narrow elements, epilogues.
llvm_arm64() {
	if [ "$(go env GOHOSTARCH)" = arm64 ]; then
		return 0 # they ran above
	fi
	if [ "$(go env GOHOSTOS)" != linux ] || ! want qemu-aarch64 qemu-user; then
		note "no qemu-aarch64, and it could not be installed: what llc makes of the kernels of arm64 was not run"
		return 0
	fi
	if ! llc --version | grep '^ *aarch64 ' >/dev/null; then
		note "llc does not compile for aarch64: the kernels of arm64 have no second opinion"
		return 0
	fi
	local part parts=$((turn % 3))
	[ -z "$named" ] || parts="0 1 2"
	for part in $parts; do
		case $part in
		0)
			llvm_emulated 'TestRandom|TestVmath|TestArmDots' ./emit/llvm
			ran Test{Random,Vmath}/target=neon TestArmDots/target=neon{dot,i8mm,bf16}
			llvm_emulated 'TestLLC(Gemm|Fixed)' ./verify/peer
			ran TestLLC{Gemm,Fixed}/isa=neon/type=f{32,64}
			;;
		1)
			llvm_emulated 'TestLLC(Sparse|Narrow)' ./verify/peer
			ran TestLLCSparse/isa=neon/type=f{32,64}/family={rows,nests,sddmm,attention,blocks,pruned}
			ran TestLLCNarrow/isa=neonbf16/type=bf16xbf16 TestLLCNarrow/isa=neon{dot,i8mm}/type={i8xi8,u8xu8,u8xi8,i8xu8}
			;;
		2)
			llvm_emulated TestLLVM ./gen/examples/fused
			ran TestLLVM/isa=neon
			;;
		esac
	done
}

# llvm_emulated TESTS PACKAGE has qemu run tests. llc is a program of this machine. See arm64_run.
llvm_emulated() {
	GOARCH=arm64 TILESMITH_LONG=1 gotest -count=1 -vet=off -tags nodl -timeout 5m -run "^($1)\$" \
		-exec "qemu-aarch64 -E GODEBUG=asyncpreemptoff=1 -cpu max" "$2"
}
