package driver

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
)

// oldest is the first driver that takes PTX 7.0, the lowest we emit.
const oldest = 11000

// newestPTX says up to which version of PTX a driver reads (PTX ISA, "Release
// Notes"). A CUDA release comes with a branch of the driver: 12.4 with r550.
var newestPTX = []struct {
	cuda   int
	branch string
	ptx    cuda.PTXVersion
}{
	{11000, "r450", cuda.PTXVersion{Major: 7, Minor: 0}},
	{11010, "r455", cuda.PTXVersion{Major: 7, Minor: 1}},
	{11020, "r460", cuda.PTXVersion{Major: 7, Minor: 2}},
	{11030, "r465", cuda.PTXVersion{Major: 7, Minor: 3}},
	{11040, "r470", cuda.PTXVersion{Major: 7, Minor: 4}},
	{11050, "r495", cuda.PTXVersion{Major: 7, Minor: 5}},
	{11060, "r510", cuda.PTXVersion{Major: 7, Minor: 6}},
	{11070, "r515", cuda.PTXVersion{Major: 7, Minor: 7}},
	{11080, "r520", cuda.PTXVersion{Major: 7, Minor: 8}},
	{12000, "r525", cuda.PTXVersion{Major: 8, Minor: 0}},
	{12010, "r530", cuda.PTXVersion{Major: 8, Minor: 1}},
	{12020, "r535", cuda.PTXVersion{Major: 8, Minor: 2}},
	{12030, "r545", cuda.PTXVersion{Major: 8, Minor: 3}},
	{12040, "r550", cuda.PTXVersion{Major: 8, Minor: 4}},
	{12050, "r555", cuda.PTXVersion{Major: 8, Minor: 5}},
	{12060, "r560", cuda.PTXVersion{Major: 8, Minor: 5}},
	{12070, "r565", cuda.PTXVersion{Major: 8, Minor: 6}},
	{12080, "r570", cuda.PTXVersion{Major: 8, Minor: 7}},
	{12090, "r575", cuda.PTXVersion{Major: 8, Minor: 8}},
	{13000, "r580", cuda.PTXVersion{Major: 9, Minor: 0}},
	{13010, "r590", cuda.PTXVersion{Major: 9, Minor: 1}},
}

// checkPTX returns nil if a driver reads a version of PTX, or is newer than this
// table and has to decide itself.
func checkPTX(version int, want cuda.PTXVersion) error {
	last := len(newestPTX) - 1
	have := newestPTX[0]
	for _, row := range newestPTX {
		if row.cuda <= version {
			have = row
		}
	}
	if have == newestPTX[last] && version > have.cuda || !have.ptx.Less(want) {
		return nil
	}
	for _, row := range newestPTX {
		if !row.ptx.Less(want) {
			return fmt.Errorf("driver: %w: the PTX is version %s, and this driver, CUDA %s (%s), reads up to %s; install %s (CUDA %s) or later, or generate for a lower target",
				cuda.ErrOldDriver, want, release(version), have.branch, have.ptx, row.branch, release(row.cuda))
		}
	}
	return fmt.Errorf("driver: %w: the PTX is version %s, and this driver, CUDA %s (%s), reads up to %s; install the newest, or generate for a lower target",
		cuda.ErrOldDriver, want, release(version), have.branch, have.ptx)
}

// release spells a version as CUDA counts them.
func release(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }
