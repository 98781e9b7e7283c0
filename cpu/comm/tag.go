package comm

import "strconv"

// MaxUserTag is the largest tag that Send and Recv take; those above it are for the
// collectives, whose messages so never meet a user's.
const MaxUserTag = tagAllReduce - 1

// The tags of collectives, one each, so that ranks that call different ones are found out.
const (
	tagAllReduce = MaxTag - 64 + iota
	tagReduce
	tagReduceScatter
	tagBroadcast
	tagAllGather
	tagGather
	tagScatter
	tagAllToAll
	tagBarrier
	tagSplit   // no message has it
	tagCompare // of what ranks say that they call
)

// TagName says what a tag of a Transport is for: a number for a user's, the name of the
// collective for others.
func TagName(tag int) string {
	names := [...]string{"AllReduce", "Reduce", "ReduceScatter", "Broadcast", "AllGather", "Gather", "Scatter", "AllToAllV", "Barrier", "Split", "a comparison of calls"}
	if i := tag - tagAllReduce; uint(i) < uint(len(names)) {
		return names[i]
	}
	return "tag " + strconv.Itoa(tag)
}
