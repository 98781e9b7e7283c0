package isaset

// hwcap2 is the number of the entry that bits of features stand in, of those that Linux hands to a
// process.
const hwcap2 = 26

// bf16Of reads from those bits whether the machine has FEAT_BF16. Linux,
// Documentation/arch/arm64/elf_hwcaps.rst, and arch/arm64/include/uapi/asm/hwcap.h: HWCAP2_BF16 is
// bit 14. Where cores differ, Linux sets a bit only if all have the feature.
func bf16Of(bits uint64) bool { return bits>>14&1 == 1 }
