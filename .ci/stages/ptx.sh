# ptx: NVIDIA's assembler takes every kernel that is written or committed, without a warning or a spill. It
# needs no GPU.

stage_ptx() {
	local ptxas nvdisasm package
	if ! ptxas=$(assembler 2>"$tmp/ptxas"); then
		tail -n 3 "$tmp/ptxas" >&2
		note "no ptxas could be got: the PTX is executed by the emulator and not assembled"
		return 0
	fi
	"$ptxas" --version | tail -n 2
	export TILESMITH_PTXAS=$ptxas
	gotest -count=1 ./emit/ptx
	package=$(home TestAssembled)
	gotest -count=1 -run 'PTX|Assembl' ./gemm/gpu "$package"
	if nvdisasm=$(disassembler 2>"$tmp/nvdisasm"); then # the other bars take minutes: TestMachineCode
		TILESMITH_NVDISASM=$nvdisasm gotest -count=1 -run TestEpilogueCode ./gemm/gpu
	else
		tail -n 3 "$tmp/nvdisasm" >&2
		note "no nvdisasm could be got: what epilogues become is not counted"
	fi
	if grep -q 'no ptxas' "$log" || ! grep -q -- '--- PASS: TestAssembled' "$log"; then
		echo "ptxas is there, and a test did not use it" >&2
		return 1
	fi
}

# assembler prints the path of a ptxas: TILESMITH_PTXAS, the one in PATH, or that of NVIDIA's wheel.
assembler() {
	if [ -n "${TILESMITH_PTXAS:-}" ]; then
		echo "$TILESMITH_PTXAS"
	else
		command -v ptxas || wheel nvidia-cuda-nvcc-cu12 ptxas
	fi
}

# disassembler prints the path of a nvdisasm, in the same way.
disassembler() {
	if [ -n "${TILESMITH_NVDISASM:-}" ]; then
		echo "$TILESMITH_NVDISASM"
	else
		command -v nvdisasm || wheel nvidia-cuda-nvdisasm nvdisasm
	fi
}
