# llvm: what LLVM's compiler makes of the kernels gives the same bits. It fails if llc is there and a
# kernel was not compared.

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
}
