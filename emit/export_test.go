package emit

// LookupInstruction returns the instruction called name, or nil.
var LookupInstruction = lookupInstruction
