# gonum: its own tests of what it has above the BLAS, with ours registered. They run in a copy of the
# module, since nothing may be laid over the files of the module cache.

stage_gonum() {
	local copy=$tmp/gonum folder
	export GOWORK=off # -modfile is refused in a workspace
	cp -r "$(go list -m -f '{{.Dir}}' gonum.org/v1/gonum)" "$copy"
	chmod -R u+w "$copy"
	for folder in lapack/gonum mat; do
		cat >"$copy/$folder/registered_test.go" <<-END
			package $(basename $folder)

			import (
				"gonum.org/v1/gonum/blas/blas32"
				"gonum.org/v1/gonum/blas/blas64"
				"gonum.org/v1/gonum/blas/cblas128"
				"gonum.org/v1/gonum/blas/cblas64"

				"github.com/tilesmith/tilesmith/cpu"
			)

			func init() {
				blas32.Use(cpu.BLAS32{})
				blas64.Use(cpu.BLAS64{})
				cblas64.Use(cpu.CBLAS64{})
				cblas128.Use(cpu.CBLAS128{})
			}
		END
	done
	# lapack/gonum cannot import what imports it
	cat >"$copy/mat/lapack_test.go" <<-END
		package mat

		import (
			"gonum.org/v1/gonum/lapack/lapack64"

			"github.com/tilesmith/tilesmith/cpu/lapack"
		)

		func init() { lapack64.Use(lapack.Float64{}) }
	END
	cp go.mod "$tmp/gonum.mod"
	cp go.sum "$tmp/gonum.sum"
	go mod edit -replace "gonum.org/v1/gonum=$copy" "$tmp/gonum.mod"
	gotest -modfile="$tmp/gonum.mod" gonum.org/v1/gonum/lapack/gonum gonum.org/v1/gonum/mat
	unset GOWORK
}
