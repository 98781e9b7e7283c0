package graph

import (
	"testing"

	"github.com/tilesmith/tilesmith/verify/check/hostile"
)

// TestNothing: what has nothing to do takes no time, however many rows or columns there are.
func TestNothing(t *testing.T) {
	hostile.Nothing(t,
		Aggregate,
		PageRankSELL,
		ALiBiAttention,
		ALiBiAttentionBack,
		MeanAggregate,
		PropagateCSC,
		SoftcapAttention,
		SoftcapAttentionBack,
		SparseConv,
		MaxHybridCOO,
		AggregateFromBF16,
		AggregateHybrid,
		MeanHybridDIA,
		AggregateToBF16,
		AggregateELL,
		MaxAggregate,
		Propagate,
		PageRank,
		Readout,
		RGCN,
		SDDMM,
		GATScores,
		ResidualMean,
		PropagateFromF16,
		GATWeights,
	)
}
