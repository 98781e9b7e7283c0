# scipy: SciPy reads the files that are written here, and the other way round.

stage_scipy() {
	local python
	if ! python=$(scipy_python 2>"$tmp/scipy.log"); then
		tail -n 3 "$tmp/scipy.log" >&2
		note "no SciPy, and it could not be installed: its files and ours are not compared"
		return 0
	fi
	TILESMITH_SCIPY=$python gotest -count=1 -run TestSciPyReads ./sparse/files
	ran TestSciPyReads
	"$python" -c 'import scipy; print("SciPy", scipy.__version__, "reads what is written here, and its files are read")'
}

# scipy_python prints an interpreter that has SciPy: TILESMITH_SCIPY, python3 if it has, or
# one of a folder of its own, into which pip puts it.
scipy_python() {
	if [ -n "${TILESMITH_SCIPY:-}" ]; then
		echo "$TILESMITH_SCIPY"
	elif python3 -c 'import scipy.sparse' 2>/dev/null; then
		command -v python3
	else
		pip_install "$tmp/scipy" scipy && echo "$tmp/scipy/bin/python"
	fi
}
