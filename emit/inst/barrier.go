package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Barriers and fences. The interpreter's threads see one another's writes in
// program order anyway. A barrier's meaning is therefore that all of them arrive, and a
// fence has none. Section 9.7.13.
var (
	BarSync    = bar("bar.sync", "waits for all threads of the CTA; imm is the barrier, 0 to 15", emit.CTA, "bar.sync {imm};")
	BarSync128 = bar("bar.sync/128", "waits for the threads of the warpgroup; imm is the barrier, one per warpgroup", emit.Warpgroup, "bar.sync {imm}, 128;")

	FenceProxyAsync = fence("fence.proxy.async.shared::cta",
		"makes this thread's writes to shared memory visible to wgmma and bulk copies")
	FenceMbarrierInit = fence("fence.mbarrier_init.release.cluster",
		"makes mbarrier.init visible to the cluster and to bulk copies")
)

func bar(name, doc string, level emit.Level, text string) *emit.Instruction {
	return emit.Declare(emit.Instruction{
		Name: name, Doc: doc, Sync: level, Mem: emit.Writes,
		Run: func(_ *emit.Machine, imm int64, _, _ [][]emit.Word) error {
			if imm < 0 || imm > 15 {
				return fmt.Errorf("there is no barrier %d", imm)
			}
			return nil
		},
		Text: map[string]string{"ptx": text}, Needs: "sm_80",
	})
}

func fence(name, doc string) *emit.Instruction {
	return emit.Declare(emit.Instruction{
		Name: name, Doc: doc, Mem: emit.Writes,
		Run:  func(*emit.Machine, int64, [][]emit.Word, [][]emit.Word) error { return nil },
		Text: map[string]string{"ptx": name + ";"}, Needs: "sm_90a",
	})
}
