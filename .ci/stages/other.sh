# other: the portable code where int has 32 bits, all that a program links, and on another architecture
# by emulation.

stage_other() {
	its_turn 1 || return 0
	if [ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" = linux/amd64 ]; then
		GOARCH=386 go test -c -o "$tmp/test386" ./layout
		if "$tmp/test386" -test.run '^$' >/dev/null 2>&1; then
			# The two tests left out take 20 s each: shapes of which other tests have some, and kernels that are wrong.
			GOARCH=386 gotest -short -vet=off -skip '^(TestSkinny|TestWrongKernelsAreCaught)$' ./layout/... ./tiling/... ./sparse ./sparse/{format,rule,advise,spec,files,graph,mask,aggregate,mtx,internal/...} ./cpu/... ./verify/check/...
		else
			note "this kernel runs no 32-bit programs: the 386 leg is left out"
		fi
	fi
	if [ "$(go env GOHOSTARCH)" = arm64 ]; then
		return 0 # stage test ran there
	elif want qemu-aarch64 qemu-user; then
		GOARCH=arm64 gotest -short -vet=off -exec qemu-aarch64 ./layout/... ./cpu/run
	else
		note "no qemu-aarch64, and it could not be installed: the arm64 leg is type-checked and not run"
	fi
}
