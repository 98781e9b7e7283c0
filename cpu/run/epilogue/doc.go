// Package epilogue binds what an epilogue reads and writes to a call ([New], [Out], [PerRow]
// and others), and has what the portable code of one is made of ([Load], [Store], [SumRow] and
// others). Generated code is its only user.
package epilogue
