# race: the race detector in two halves, which take turns, and what unsafe does to pointers.

stage_race() {
	its_turn 0 2 || return 0
	local cc
	cc=$(go env CC)
	if ! command -v "${cc%% *}" >/dev/null; then
		note "no C compiler ($cc), which -race needs: the race leg is left out"
		return 0
	fi
	if ! CGO_ENABLED=1 go build -race -o "$tmp/race" ./cpu/run 2>"$tmp/race.log"; then
		head -n 5 "$tmp/race.log" >&2
		if grep -q 'race is only supported on\|-race is not supported' "$tmp/race.log"; then
			note "this platform has no race detector: the race leg is left out"
			return 0
		fi
		return 1
	fi
	# The detector cannot see assembly, so it is the portable code that runs.
	if its_turn 0; then
		race_products
	fi
	if its_turn 2; then
		race_threads
	fi
}

# race_products runs the tests of products that are about threads: the others take minutes for numbers of one goroutine.
race_products() {
	local parallel='Storm|Batch|Threads|Heads|Skew|Huge|Example|Selection|EdgeSoftmax|Session|Concurrent|Grouped|Packing|Packed|Everywhere|Chain|Workers'
	CGO_ENABLED=1 gotest -race -short -vet=off -run "$parallel" -timeout 30m -tags noasm,nodl ./cpu ./cpu/run/dense ./sparse/part ./verify/gpu/... ./gen/examples/chain
}

# race_threads runs what deals out work, ranks among it, whose tests are all about threads. Storms run without
# the checks of pointers too, in stage test: checks hide stacks that moved.
race_threads() {
	CGO_ENABLED=1 gotest -race -short -vet=off -timeout 30m -tags noasm,nodl \
		$(go list ./tiling/... ./cpu/run/... ./cpu/comm/... ./cpu/dist/... ./sparse/part/metis | grep -vE '/cpu/run/(dense|spblas/rows)$')
	gotest -short -vet=off -gcflags=github.com/tilesmith/tilesmith/...=-d=checkptr ./cpu/run/... ./gen/examples/chain
}
