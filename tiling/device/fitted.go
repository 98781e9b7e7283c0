package device

// Numbers that no data sheet has. TestFitted descends to these numbers from the rows of
// testdata/measured.csv whose half is "fit"; the rows of the other half are predicted with them.

// MHz under load, and bytes a clock from the L2 cache to all SMs together.
const (
	clockA100    = 1410 // its highest, which the descent stops at
	clockRTX4090 = 2540
	l2A100       = 3470 // 68 % of the 5120 of the whitepaper
	l2RTX4090    = 2160
)

// tuning is what all devices have alike.
type tuning struct {
	// overlap is the p of the norm by which bounds that are near each other add up.
	overlap float64
	// launch is the seconds from the end of a kernel to the first instruction of the next.
	launch float64
}

var fitted = tuning{overlap: 2.8, launch: 2.65e-6}
