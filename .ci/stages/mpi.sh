# mpi: ranks that are processes, with each MPI that is there or can be installed, and parts that METIS makes.

stage_mpi() {
	local metis
	if metis=$(library libmetis.so.5 libmetis5); then
		TILESMITH_LIBMETIS=$metis gotest -count=1 ./sparse/part/metis
	else
		note "no libmetis, and it could not be installed"
	fi
	want mpirun.openmpi openmpi-bin || note "no mpirun.openmpi, and it could not be installed"
	want mpirun.mpich mpich || note "no mpirun.mpich, and it could not be installed"
	local five
	if five=$(mpi5 2>"$tmp/mpi5.log"); then
		export TILESMITH_MPI5=$five
	else
		tail -n 3 "$tmp/mpi5.log" >&2
		note "no MPI 5 could be got"
	fi
	TILESMITH_LONG=1 TILESMITH_TURN=$turn gotest -count=1 -timeout 20m ./cpu/comm/mpi
	grep -A 1 -E -- '--- SKIP:' "$log" || true
	local name
	for name in mpirun.openmpi:Open_MPI mpirun.mpich:MPICH "${five:-none}/bin/mpiexec:MPI-5_ABI"; do
		command -v "${name%%:*}" >/dev/null || continue
		ran "TestSuite/${name#*:}"
		echo "${name#*:}: $(grep -cE -- "--- PASS: .*/${name#*:}/" "$log") tests"
	done
}

# mpi5 prints the folder of an MPI with the binary interface of MPI 5: the one named in
# TILESMITH_MPI5, or MPICH 5 from the index that pip is set up for.
mpi5() {
	if [ -n "${TILESMITH_MPI5:-}" ]; then
		echo "$TILESMITH_MPI5"
	else
		pip_install "$tmp/mpi5" 'mpich>=5' && echo "$tmp/mpi5"
	fi
}

# library prints the file of a shared library, which comes with a package: library FILE PACKAGE.
library() {
	local found
	found=$(ldconfig -p 2>/dev/null | awk -v file="$1" '$1 == file { print $NF; exit }')
	if [ -z "$found" ] && apt_install "$2"; then
		found=$(ldconfig -p | awk -v file="$1" '$1 == file { print $NF; exit }')
	fi
	[ -n "$found" ] && echo "$found"
}
