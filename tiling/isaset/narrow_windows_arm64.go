package isaset

import "golang.org/x/sys/windows"

// Windows answers by number, as Microsoft's page on IsProcessorFeaturePresent has it: 66 for
// FEAT_I8MM and 68 for FEAT_BF16. A version that does not know a number answers no. There is
// none for FEAT_FHM.
func hasBF16() bool {
	return windows.IsProcessorFeaturePresent(windows.PF_ARM_V86_BF16_INSTRUCTIONS_AVAILABLE)
}

func hasI8MM() bool {
	return windows.IsProcessorFeaturePresent(windows.PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE)
}
