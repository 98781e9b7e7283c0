// Package fntest holds Go functions of the kind that epilogues are made of. The
// tests of package fn call them and translate them, and compare.
package fntest
