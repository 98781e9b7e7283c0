# arm64: kernels for NEON, which CI has no machine for. The interpreter runs them, and qemu the functions of vmath and
# the tests of packages that have or call kernels, a fifth each turn. Fifteen turns have all of these on all processors.

arm64_share=5
arm64_cpus=(max cortex-a72 neoverse-n1) # all that qemu has; without dot products; with them

stage_arm64() {
	arm64_interpreted
	if [ "$(go env GOHOSTARCH)" = arm64 ]; then
		return 0 # stage test ran them there
	fi
	if [ "$(go env GOHOSTOS)" != linux ] || ! want qemu-aarch64 qemu-user; then
		note "no qemu-aarch64, and it could not be installed: the kernels of arm64 were interpreted, and not run"
		return 0
	fi
	TILESMITH_E2E=1 gotest -count=1 -run '^TestNative$' ./emit/arm64 ./emit/vmath
	ran TestNative TestNative/neon
	arm64_emulated
}

# arm64_interpreted runs the tests that interpret kernels, for NEON too. In stage test a sample of them does.
arm64_interpreted() {
	local here sparse
	TILESMITH_ARM64=1 gotest -vet=off ./gemm/simd ./sparse/lower ./gemm/tpp ./gemm/rand/lower ./emit/arm64
	every_variant arm64 "$log"
}

# arm64_emulated runs this turn's tests of the kernels and of what calls them.
arm64_emulated() {
	local cpu=${arm64_cpus[turn % ${#arm64_cpus[@]}]} names
	echo "qemu's processor: $cpu"
	arm64_run "$cpu" '/isa=go$' ./cpu/kern/...
	names=$(arm64_kernels "$cpu" | grep -E "^($picked)/" || true)
	if [ -z "$names" ]; then
		echo "no test of this turn runs kernels for NEON; the check looks in the wrong place" >&2
		return 1
	fi
	ran $names
	arm64_run "$cpu" '^$' ./cpu ./cpu/run/... ./cpu/internal/... ./cpu/lapack ./cpu/solve
	if grep -E -- '--- SKIP: .*[=/]neon[ /]' "$log" >&2; then
		echo "qemu has NEON, and these tests did not use it" >&2
		return 1
	fi
	echo "$(grep -cE -- '--- PASS: .*[=/]neon ' "$log") tests of kernels for NEON"
}

# arm64_run CPU SKIP PACKAGE ... runs this turn's tests of packages, but not those that SKIP matches. It leaves
# their names in picked. Signals by which Go's scheduler interrupts loops make qemu slow, and some programs hang.
arm64_run() {
	local cpu=$1 skip=$2
	shift 2
	picked=$(arm64_tests "$@" | awk -v share=$arm64_share -v turn=$turn -v all="$named" 'all != "" || NR % share == turn % share' | paste -sd '|')
	GOARCH=arm64 gotest -count=1 -short -vet=off -tags nodl -timeout 10m -run "^($picked)\$" -skip "$skip" \
		-exec "qemu-aarch64 -E GODEBUG=asyncpreemptoff=1 -cpu $cpu" "$@"
}

# arm64_left are tests that qemu does not run. One holds how long a garbage collection takes, and qemu takes thrice
# as long. The other takes minutes for factors that TestUseLAPACK of package cpu has smaller.
arm64_left='TestGCNotBlocked|TestFactors'

# arm64_tests prints the names of the tests of packages.
arm64_tests() {
	GOARCH=arm64 go list -tags nodl -f '{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}' "$@" |
		grep . | xargs grep -hoE '^func (Test|Example|Fuzz)[A-Za-z0-9_]*' | sed 's/^func //' | grep -vxE "TestMain|$arm64_left" | sort -u
}

# arm64_kernels CPU prints the subtests of committed packages that run kernels which the processor has.
arm64_kernels() {
	local sets=neon
	case $1 in
	max) sets='neon neondot neonbf16 neoni8mm' ;;
	neoverse-n1) sets='neon neondot' ;;
	esac
	existing 'cpu/kern/*_gen_test.go' | xargs -0 awk -v sets="$sets" 'BEGIN { n = split(sets, set, " ") }
		/^func Test/ { name = $2; sub(/\(.*/, "", name) } /^}/ { name = "" }
		/range / && name != "" { for (i = 1; i <= n; i++) if (index($0, "\"" set[i] "\"")) print name "/isa=" set[i] }' | sort -u
}
